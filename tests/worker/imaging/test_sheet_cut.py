"""Cutting painted sheets, whose grids are never exact."""

import numpy as np
import pytest

from worker.imaging.fit import content_of
from worker.imaging.indexed import Pixels
from worker.imaging.pixels import UnreadablePicture
from worker.imaging.sheet_cut import align_frames, cut_grid, measure_cut

COLORS = [(200, 40, 40), (40, 200, 40), (40, 40, 200), (200, 200, 40), (40, 200, 200), (200, 40, 200)]


def sheet(shifts: list[tuple[int, int]], columns: int = 3, cell: int = 100, size: int = 60) -> Pixels:
    """Six coloured figures, each moved from the middle of its cell."""
    picture = np.zeros((2 * cell, columns * cell, 4), dtype=np.uint8)
    for number, (across, down) in enumerate(shifts):
        left = number % columns * cell + (cell - size) // 2 + across
        top = number // columns * cell + (cell - size) // 2 + down
        picture[top : top + size, left : left + size] = (*COLORS[number], 255)
    return picture


def colors_of(picture: Pixels) -> set[tuple[int, ...]]:
    return {tuple(color) for color in np.unique(picture[picture[..., 3] > 0][:, :3], axis=0).tolist()}


def test_an_exact_grid_is_cut_exactly() -> None:
    cells = cut_grid(sheet([(0, 0)] * 6), 3, 2, 6)
    assert [cell.shape[:2] for cell in cells] == [(100, 100)] * 6
    assert [colors_of(cell) for cell in cells] == [{color} for color in COLORS]


@pytest.mark.parametrize("seed", range(20))
def test_figures_that_lean_over_their_cell_are_kept_whole(seed: int) -> None:
    moves = np.random.default_rng(seed).integers(-19, 20, (6, 2))
    # Neighbours keep a gap, as painters do; the gap just is not where the grid has it.
    moves[:, 0] = np.repeat(moves[[0, 3], 0], 3)
    moves[:, 1] = np.repeat(moves[:1, 1], 6)
    # The last figure of a row may not lean out of the picture.
    cells = cut_grid(sheet([(int(x), int(y)) for x, y in moves]), 3, 2, 6)
    assert [colors_of(cell) for cell in cells] == [{color} for color in COLORS]
    assert all(np.count_nonzero(cell[..., 3]) == 3600 for cell in cells)


def test_cells_beyond_the_frames_are_left_out() -> None:
    assert len(cut_grid(sheet([(0, 0)] * 4), 3, 2, 4)) == 4


def test_a_picture_smaller_than_its_grid_breaks_nothing() -> None:
    tiny = np.full((2, 3, 4), 255, dtype=np.uint8)
    assert len(cut_grid(tiny, 3, 2, 6)) == 6


def test_frames_stand_on_one_line_at_one_scale() -> None:
    heights = [60, 50, 56]
    cells = []
    for number, high in enumerate(heights):
        cell = np.zeros((100, 100, 4), dtype=np.uint8)
        cell[10 + 9 * number : 10 + 9 * number + high, 20:50] = (200, 40, 40, 255)
        cells.append(cell)
    boxes = [content_of(frame) for frame in align_frames(cells, 64, 64)]
    assert all(box is not None and box[3] == 60 for box in boxes)
    tall = [box[3] - box[1] for box in boxes if box]
    assert [round(high / tall[0], 1) for high in tall] == [1.0, 0.8, 0.9]


def test_a_leap_keeps_its_height() -> None:
    cells = []
    for height_above in (0, 30, 0):
        cell = np.zeros((100, 60, 4), dtype=np.uint8)
        cell[50 - height_above : 90 - height_above, 10:50] = (200, 40, 40, 255)
        cells.append(cell)
    boxes = [content_of(frame) for frame in align_frames(cells, 64, 64, leaping=True)]
    bottoms = [box[3] for box in boxes if box]
    assert bottoms[0] == bottoms[2] == 60
    assert bottoms[1] < 45


def test_an_empty_cell_is_an_empty_frame() -> None:
    full, empty = sheet([(0, 0)] * 6)[:100, :100], np.zeros((100, 100, 4), dtype=np.uint8)
    frames = align_frames([full, empty], 32, 32)
    assert (frames[0].any(), frames[1].any()) == (True, False)
    assert not any(frame.any() for frame in align_frames([empty], 32, 32))


def test_figures_in_their_places_have_not_drifted_and_are_whole() -> None:
    cut = measure_cut(cut_grid(sheet([(0, 0)] * 6), 3, 2, 6), 3)
    assert (cut.severed, cut.drift_across, cut.drift_down) == (0, 0, 0)


def test_drift_is_measured_in_shares_of_a_cell_and_alignment_takes_it_back() -> None:
    cells = cut_grid(sheet([(0, 0), (0, 12), (0, 0), (0, 0), (0, 0), (15, 0)]), 3, 2, 6)
    cut = measure_cut(cells, 3)
    assert cut.drift_down == pytest.approx(0.12, abs=0.02)
    assert 0.05 < cut.drift_across < 0.2
    boxes = [content_of(frame) for frame in align_frames(cells, 64, 64)]
    assert len(set(boxes)) == 1


def test_a_figure_that_fills_two_cells_is_cut_through() -> None:
    picture = sheet([(0, 0)] * 6)
    picture[30:70, 60:140] = (1, 2, 3, 255)
    assert measure_cut(cut_grid(picture, 3, 2, 6), 3).severed > 0.5


@pytest.mark.parametrize("shape", [(1, 1), (1, 500), (500, 2)])
def test_a_sheet_of_next_to_no_pixels_is_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(UnreadablePicture, match="3 x 2 frames"):
        cut_grid(np.full((*shape, 4), 255, dtype=np.uint8), 3, 2, 6)


@pytest.mark.parametrize("value", [0, 255])
def test_nothing_and_everything_can_be_measured(value: int) -> None:
    cut = measure_cut(cut_grid(np.full((40, 60, 4), value, dtype=np.uint8), 3, 2, 6), 3)
    assert cut.severed == value // 255
    assert (cut.drift_across, cut.drift_down) == (0, 0)
