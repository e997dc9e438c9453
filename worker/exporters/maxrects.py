"""MaxRects, a packer that keeps all largest free rectangles of a bin.

After Jylänki, "A Thousand Ways to Pack the Bin" (2010).
"""

from collections.abc import Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

#: Rows of (left, top, right, bottom).
_Boxes = NDArray[np.int64]
#: Sides stay below 2 ** 15, so four of them make one comparable number.
_BITS = 15
_NEVER = np.iinfo(np.int64).max


class Strategy(Enum):
    """Which cell is placed next, and which of the free places it takes."""

    #: Those with the longest side first, each where its shorter leftover side is least (best short side fit).
    LONG_SIDES = "long sides"
    #: Those with the longest outline first, placed likewise.
    OUTLINES = "outlines"
    #: The tallest first, each as high up as it goes (bottom left); dense for many small cells, as on shelves.
    SHELVES = "shelves"


def pack_bin(
    cells: Sequence[tuple[int, int]], width: int, height: int, strategy: Strategy = Strategy.LONG_SIDES
) -> list[tuple[int, int]] | None:
    """Return the top left corner of each cell (width, height) in a bin, or None when they do not all fit.

    Places that are equally good are told apart by the longer leftover side, then high up, then left; equal cells keep
    their order, so the result depends on nothing but the input. Cells are not turned. Sides must be below 32,768.
    """
    order = sorted(range(len(cells)), key=lambda item: (*_priority(cells[item], strategy), item))
    free: _Boxes = np.array([[0, 0, width, height]], dtype=np.int64)
    corners: list[tuple[int, int]] = [(0, 0)] * len(cells)
    for item in order:
        corner = _best_corner(free, *cells[item], strategy)
        if corner is None:
            return None
        corners[item] = corner
        x, y = corner
        free = _take(free, x, y, x + cells[item][0], y + cells[item][1])
    return corners


def _priority(cell: tuple[int, int], strategy: Strategy) -> tuple[int, int, int]:
    width, height = cell
    match strategy:
        case Strategy.LONG_SIDES:
            return -max(cell), -min(cell), -height
        case Strategy.OUTLINES:
            return -width - height, -max(cell), -height
        case Strategy.SHELVES:
            return -height, -width, 0


def _best_corner(free: _Boxes, width: int, height: int, strategy: Strategy) -> tuple[int, int] | None:
    if not len(free):
        return None
    spare_x = free[:, 2] - free[:, 0] - width
    spare_y = free[:, 3] - free[:, 1] - height
    short = np.minimum(spare_x, spare_y)
    rank = (free[:, 1] << _BITS) + free[:, 0]
    if strategy is not Strategy.SHELVES:
        rank += (short << 3 * _BITS) + (np.maximum(spare_x, spare_y) << 2 * _BITS)
    rank[short < 0] = _NEVER
    best = int(rank.argmin())
    if rank[best] == _NEVER:
        return None
    return int(free[best, 0]), int(free[best, 1])


def _take(free: _Boxes, left: int, top: int, right: int, bottom: int) -> _Boxes:
    """Return the largest free rectangles once the given one is used."""
    hit = (free[:, 0] < right) & (free[:, 2] > left) & (free[:, 1] < bottom) & (free[:, 3] > top)
    kept, cut = free[~hit], free[hit]
    parts = []
    for column, edge, is_left_over in (
        (2, left, cut[:, 0] < left),
        (0, right, cut[:, 2] > right),
        (3, top, cut[:, 1] < top),
        (1, bottom, cut[:, 3] > bottom),
    ):
        part = cut[is_left_over]
        part[:, column] = edge
        parts.append(part)
    new = np.concatenate(parts)
    return np.concatenate((kept, new[~_inside_others(new, kept)]))


def _inside_others(new: _Boxes, kept: _Boxes) -> NDArray[np.bool_]:
    """Tell which new rectangles lie within a kept one or within another new one; of equal ones the first stays.

    Kept ones cannot lie within new ones: those are parts of rectangles that were largest before.
    """
    others = np.concatenate((new, kept))
    within = (
        (new[:, None, 0] >= others[None, :, 0])
        & (new[:, None, 1] >= others[None, :, 1])
        & (new[:, None, 2] <= others[None, :, 2])
        & (new[:, None, 3] <= others[None, :, 3])
    )
    mutual = within[:, : len(new)]
    # A rectangle lies within itself, and equal ones within each other: only the later of two equal ones goes.
    within[:, : len(new)] = mutual & ~(mutual.T & ~np.tri(len(new), k=-1, dtype=bool))
    return np.asarray(within.any(axis=1), dtype=np.bool_)
