"""Cutting a painted sheet into frames. Models keep to a grid roughly, so the cuts look for the gaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from worker.imaging.fit import content_of, place, scale_into
from worker.imaging.indexed import Pixels
from worker.imaging.pixels import UnreadablePicture

#: How far from where it should be a cut may be, as a share of a cell's side.
_PLAY: Final = 0.22
#: Alpha from which a pixel belongs to a figure.
HALF_SEEN: Final = 128


@dataclass(frozen=True, slots=True)
class SheetCut:
    """How well a painted sheet could be cut; shares are 0 to 1."""

    #: The largest part of a figure that a cut went through, as a share of the figure's side.
    severed: float
    #: How far a figure's middle lies from where most have it in their cells, as a share of a cell; the largest.
    drift_across: float
    #: The same of the line that the figures of a row stand on.
    drift_down: float


def cut_grid(pixels: Pixels, columns: int, rows: int, count: int) -> list[Pixels]:
    """Return the first cells of a grid, row by row. Each cut is moved to the emptiest line near its place.

    Rows are cut first; the columns of each row are cut by themselves, because figures lean differently. Raises
    `UnreadablePicture` for a sheet of fewer pixels than cells a side.
    """
    if pixels.shape[0] < rows or pixels.shape[1] < columns:
        raise UnreadablePicture(f"A sheet of {columns} x {rows} frames cannot be as small as this one.")
    cells: list[Pixels] = []
    for top, bottom in _spans(pixels[..., 3].sum(axis=1, dtype=np.int64), rows):
        band = pixels[top:bottom]
        cells += [band[:, left:right] for left, right in _spans(band[..., 3].sum(axis=0, dtype=np.int64), columns)]
    return cells[:count]


def measure_cut(cells: Sequence[Pixels], columns: int) -> SheetCut:
    """Return how the cells of `cut_grid` came out; a figure that reaches its cell's edge was cut through there."""
    severed = 0.0
    middles: list[float] = []
    floors: dict[int, list[float]] = {}
    for number, cell in enumerate(cells):
        box = content_of(cell)
        if box is None:
            continue
        left, top, right, bottom = box
        seen = cell[..., 3] >= HALF_SEEN
        for edge, length in (
            (seen[:, 0], bottom - top),
            (seen[:, -1], bottom - top),
            (seen[0], right - left),
            (seen[-1], right - left),
        ):
            severed = max(severed, float(np.count_nonzero(edge)) / length)
        middles.append((left + right) / 2 / cell.shape[1])
        floors.setdefault(number // columns, []).append(bottom / cell.shape[0])
    drift_down = max((_drift(row) for row in floors.values()), default=0.0)
    return SheetCut(round(severed, 3), _drift(middles), drift_down)


def _drift(places: Sequence[float]) -> float:
    """Return the largest distance from the median."""
    if not places:
        return 0.0
    return round(float(np.abs(np.array(places) - np.median(places)).max()), 3)


def _spans(weights: np.ndarray[tuple[int], np.dtype[np.int64]], parts: int) -> list[tuple[int, int]]:
    """Return the parts of a line as (start, end), cut where the weights are least; in a wide gap in its middle."""
    length = len(weights)
    cuts = [0]
    for number in range(1, parts):
        ideal = length * number / parts
        play = length / parts * _PLAY
        low = max(cuts[-1] + 1, int(ideal - play))
        high = max(low + 1, min(length - (parts - number), int(ideal + play) + 1))
        near = weights[low:high]
        least = np.flatnonzero(near == near.min()) + low
        cuts.append(int(least[np.argmin(np.abs(least - ideal))]))
    return list(zip(cuts, [*cuts[1:], length], strict=True))


def align_frames(
    cells: Sequence[Pixels], width: int, height: int, *, leaping: bool = False, whole: bool = False
) -> list[Pixels]:
    """Return the cells' figures at one scale, standing on one line, each in the middle of a frame of the size.

    `leaping`: the figure leaves the ground, so how high it is within its cell is kept. An empty cell is an empty frame.
    `whole`: every pixel becomes a square of pixels, if that fits the size at all.
    """
    boxes = [content_of(cell) for cell in cells]
    found = [(cell, box) for cell, box in zip(cells, boxes, strict=True) if box is not None]
    if not found:
        return [np.zeros((height, width, 4), dtype=np.uint8) for _ in cells]
    floors = [cell.shape[0] - box[3] for cell, box in found]
    lift = {id(cell): floor - min(floors) if leaping else 0 for (cell, _), floor in zip(found, floors, strict=True)}
    widest = max(box[2] - box[0] for _, box in found)
    highest = max(box[3] - box[1] + lift[id(cell)] for cell, box in found)
    scale = scale_into(widest, highest, width, height)
    if whole and min(width // widest, height // highest) >= 1:
        scale = min(width // widest, height // highest)
    frames = []
    for cell, box in zip(cells, boxes, strict=True):
        if box is None:
            frames.append(np.zeros((height, width, 4), dtype=np.uint8))
            continue
        left, top, right, bottom = box
        content = np.pad(cell[top:bottom, left:right], ((0, lift[id(cell)]), (0, 0), (0, 0)))
        frames.append(place(content, scale, width, height, 0.5, 1.0))
    return frames
