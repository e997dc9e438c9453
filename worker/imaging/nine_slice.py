"""Finding the part of a panel or button that can be stretched."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.imaging.indexed import Pixels

#: Largest mean and single difference, of 255, of lines that count as equal; colours are weighted by alpha.
_MEAN: Final = 2.5
_SINGLE: Final = 12
#: Least share of a side, and least pixels, that the stretchable part has.
_LEAST_SHARE: Final = 1 / 8
_LEAST: Final = 2


@dataclass(frozen=True, slots=True)
class NineSlice:
    """Pixels from each side that keep their size; what is between them is stretched."""

    left: int
    top: int
    right: int
    bottom: int

    def to_json(self) -> dict[str, int]:
        """Return the borders as metadata name them."""
        return {"left": self.left, "top": self.top, "right": self.right, "bottom": self.bottom}


def find_nine_slice(pixels: Pixels) -> NineSlice | None:
    """Return the borders of a picture whose middle columns, and middle rows, are equal; None when there are none.

    The longest run of equal lines counts. A picture that is the same all over has no borders.
    """
    values = pixels.astype(np.float32)
    values[..., :3] *= values[..., 3:] / 255
    across, down = _run(values.swapaxes(0, 1)), _run(values)
    if across is None or down is None:
        return None
    height, width = pixels.shape[:2]
    found = NineSlice(across[0], down[0], width - across[1], height - down[1])
    return found if found != NineSlice(0, 0, 0, 0) else None


def read_nine_slice(value: object, width: int, height: int) -> NineSlice | None:
    """Read what a provider says, {left, top, right, bottom} in pixels; None for what leaves nothing to stretch."""
    if not isinstance(value, dict):
        return None
    sides = [value.get(name) for name in ("left", "top", "right", "bottom")]
    numbers = [side for side in sides if isinstance(side, int) and side >= 0]
    if len(numbers) < len(sides):
        return None
    left, top, right, bottom = numbers
    return NineSlice(left, top, right, bottom) if left + right < width and top + bottom < height else None


def _run(lines: NDArray[np.float32]) -> tuple[int, int] | None:
    """Return the longest run of lines (lines, length, 4) that equal its first, as (start, end)."""
    count = len(lines)
    best = (0, 0)
    start = 0
    while start < count - (best[1] - best[0]):
        apart = np.abs(lines[start + 1 :] - lines[start]).max(axis=2)
        differs = np.flatnonzero((apart.mean(axis=1) > _MEAN) | (apart.max(axis=1, initial=0) > _SINGLE))
        end = start + 1 + (int(differs[0]) if len(differs) else count - start - 1)
        if end - start > best[1] - best[0]:
            best = (start, end)
        start = end
    length = best[1] - best[0]
    return best if length >= max(_LEAST, count * _LEAST_SHARE) else None
