"""Where the visible part of a picture is."""

from dataclasses import dataclass

import numpy as np

from worker.imaging.indexed import Pixels


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of pixels; `right` and `bottom` are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Pixels across."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Pixels down."""
        return self.bottom - self.top


def visible_box(array: Pixels, alpha: int = 1) -> Box | None:
    """Return the smallest box that holds every pixel of at least this alpha; None when there is none."""
    seen = array[..., 3] >= alpha
    rows, columns = np.nonzero(seen.any(axis=1))[0], np.nonzero(seen.any(axis=0))[0]
    if not rows.size:
        return None
    return Box(int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)
