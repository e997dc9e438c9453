"""The 47 tiles of the blob set: a cell of one ground among its eight neighbours.

A corner counts only where both edges beside it are joined, which leaves 47 of the 256 cases. The 48th tile is the plain
other ground. Near an edge everything depends on that edge and its two corners only, so tiles that agree there join.
Source of the set: "Blob tileset", cr31 (Guy Walker), "Wang tiles".
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
#: Share of a tile, from its edge, in which only that edge and its corners count.
BAND: Final = 0.17
_MIDDLE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Shape:
    """Where a tile shows the higher ground (1) and where the lower (0)."""

    #: Left top, right top, left bottom, right bottom.
    corners: tuple[int, int, int, int]
    #: Top, right, bottom, left.
    edges: tuple[int, int, int, int]
    #: The middle: only the plain lower ground has 0.
    middle: int = 1


def blob_shapes() -> list[Shape]:
    """Return the 47 shapes, by their joined edges and then corners, and last the plain lower ground."""
    found = [
        Shape((left_top, right_top, left_bottom, right_bottom), (top, right, bottom, left))
        for top in (0, 1)
        for right in (0, 1)
        for bottom in (0, 1)
        for left in (0, 1)
        for left_top in range(1 + top * left)
        for right_top in range(1 + top * right)
        for left_bottom in range(1 + bottom * left)
        for right_bottom in range(1 + bottom * right)
    ]
    return [*found, Shape((0, 0, 0, 0), (0, 0, 0, 0), 0)]


def height_map(shape: Shape, side: int, pad: int = 0) -> Doubles:
    """Return heights, 0 to 1, (side + 2 pad) squared, of a tile and what is around it; above a half is higher ground.

    They rise fast from where they are 0, so that a cell of the higher ground fills most of its tile.
    """
    place = (np.arange(-pad, side + pad) + 0.5) / side
    reach = _MIDDLE - BAND
    share = np.clip((place - BAND) / reach, 0, 1) + np.clip((place - _MIDDLE) / reach, 0, 1)
    left_top, right_top, left_bottom, right_bottom = shape.corners
    top, right, bottom, left = shape.edges
    knots = np.array(
        [[left_top, top, right_top], [left, shape.middle, right], [left_bottom, bottom, right_bottom]], dtype=np.float64
    )
    weights = np.clip(1 - np.abs(share[:, None] - np.arange(3)[None, :]), 0, 1)
    heights: Doubles = np.sqrt(weights @ knots @ weights.T)
    return heights
