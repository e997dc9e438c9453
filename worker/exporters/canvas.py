"""Drawing frames onto the page of a sheet."""

from collections.abc import Iterable

import numpy as np

from worker.exporters.packing import Rect
from worker.imaging.indexed import Pixels


def draw_page(width: int, height: int, places: Iterable[tuple[Rect, Pixels]], extrude: int) -> Pixels:
    """Return a transparent page with each picture at its rect and its edge pixels repeated `extrude` times around it.

    What of a ring lies beyond the page is left out: nothing is sampled there.
    """
    page = np.zeros((height, width, 4), dtype=np.uint8)
    for rect, picture in places:
        ringed = np.pad(picture, ((extrude, extrude), (extrude, extrude), (0, 0)), mode="edge") if extrude else picture
        left, top = rect.x - extrude, rect.y - extrude
        target = page[top : top + ringed.shape[0], left : left + ringed.shape[1]]
        target[:] = ringed[: target.shape[0], : target.shape[1]]
    return page


def content_box(picture: Pixels) -> Rect:
    """Return the least rectangle that holds all that is not wholly transparent; of an empty picture one pixel."""
    alpha = picture[..., 3] > 0
    columns, rows = np.flatnonzero(alpha.any(axis=0)), np.flatnonzero(alpha.any(axis=1))
    if not columns.size:
        return Rect(0, 0, 1, 1)
    left, top = int(columns[0]), int(rows[0])
    return Rect(left, top, int(columns[-1]) - left + 1, int(rows[-1]) - top + 1)
