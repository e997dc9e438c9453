"""Taking away plain backgrounds."""

import time

import numpy as np
import pytest

from worker.imaging.cutout import cut_out, reached_from_border
from worker.imaging.indexed import Pixels

MAGENTA = (255, 0, 255)


def painted(ground: tuple[int, int, int], noise: int = 0, side: int = 200) -> Pixels:
    """A red ring on a ground of one colour: a hole in the middle, as between legs."""
    rows, columns = np.mgrid[:side, :side] - side // 2
    radius = np.hypot(rows, columns)
    result = np.empty((side, side, 4), dtype=np.uint8)
    result[..., :3] = ground
    if noise:
        shade = np.random.default_rng(1).integers(-noise, noise + 1, (side, side, 1))
        result[..., :3] = np.clip(result[..., :3].astype(int) + shade, 0, 255)
    result[(radius < side * 0.35) & (radius > side * 0.15), :3] = (180, 30, 20)
    result[..., 3] = 255
    return result


@pytest.mark.parametrize("ground", [(255, 255, 255), (20, 20, 30), (90, 140, 200), MAGENTA])
def test_the_ground_around_goes_and_the_figure_stays(ground: tuple[int, int, int]) -> None:
    picture = painted(ground, noise=6)
    result = cut_out(picture)
    assert result[0, 0, 3] == result[5, 100, 3] == 0
    ring = result[100, 40]
    assert tuple(ring) == (180, 30, 20, 255)
    assert picture[0, 0, 3] == 255  # what was given is not changed


def test_an_island_goes_only_when_it_has_the_colour_that_was_asked_for() -> None:
    assert cut_out(painted((255, 255, 255)))[100, 100, 3] == 255
    assert cut_out(painted((250, 10, 240)), key=MAGENTA)[100, 100, 3] == 0
    # Another ground than the one asked for is cut as any other: what is inside may belong to the figure.
    assert cut_out(painted((255, 255, 255)), key=MAGENTA)[100, 100, 3] == 255


def test_no_rim_of_the_ground_is_left() -> None:
    side = 800
    rows, columns = np.mgrid[:side, :side] - side // 2
    share = np.clip(side * 0.3 - np.hypot(rows, columns) + 1, 0, 1)[..., None]  # an edge of two mixed pixels
    mixed = np.array([180, 30, 20]) * share + np.array(MAGENTA) * (1 - share)
    picture = np.dstack([mixed, np.full((side, side), 255)]).astype(np.uint8)
    result = cut_out(picture, key=MAGENTA)
    seen = result[result[..., 3] > 0]
    assert seen[:, 2].max() < 70


def test_what_has_no_plain_ground_stays_as_it_is() -> None:
    scene = np.random.default_rng(2).integers(0, 256, (120, 120, 4), dtype=np.uint8)
    scene[..., 3] = 255
    assert cut_out(scene) is scene


def test_what_is_transparent_already_stays_as_it_is() -> None:
    picture = painted((255, 255, 255))
    picture[:20, :, 3] = 0
    assert cut_out(picture) is picture


def test_a_spiral_is_followed_to_its_end() -> None:
    open_ = np.zeros((21, 21), dtype=bool)
    top, left, bottom, right = 0, 0, 20, 20
    while top <= bottom and left <= right:
        open_[top, left : right + 1] = True
        open_[top : bottom + 1, right] = True
        open_[bottom, left + 2 : right + 1] = True
        open_[top + 4 : bottom + 1, left + 2] = True
        top, left, bottom, right = top + 4, left + 2, bottom - 2, right - 2
    closed_in = np.zeros((21, 21), dtype=bool)
    closed_in[10, 10] = True
    reached = reached_from_border(open_)
    assert np.array_equal(reached & open_, reached)
    assert reached.sum() > 60
    assert not reached_from_border(closed_in).any()


def test_a_large_picture_takes_little_time() -> None:
    picture = painted((255, 255, 255), noise=6, side=1024)
    began = time.process_time()
    cut_out(picture)
    assert time.process_time() - began < 5
