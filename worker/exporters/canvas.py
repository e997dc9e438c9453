"""Drawing frames onto the page of a sheet."""

from collections.abc import Iterable

import numpy as np

from worker.exporters.packing import Rect
from worker.imaging.indexed import Pixels
from worker.imaging.trim import visible_box


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
    box = visible_box(picture)
    return Rect(box.left, box.top, box.width, box.height) if box else Rect(0, 0, 1, 1)
