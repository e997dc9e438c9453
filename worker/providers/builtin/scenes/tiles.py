"""Tilesets: the 16 corner (Wang) tiles of two terrains, or the 47 blob tiles.

A tile's corners say which terrain meets there. Near an edge everything depends on that edge's two corners only, and the
textures repeat with the tile, so any two tiles that agree on the corners of a common edge join without a seam.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.imaging.blob import Shape, blob_shapes, height_map
from worker.providers.builtin.canvas import Canvas
from worker.providers.builtin.color import Bytes
from worker.providers.builtin.finish import Manner, colored, enlarged
from worker.providers.builtin.lexicon.places import TERRAINS
from worker.providers.builtin.look import Look
from worker.providers.builtin.scenes.light import clouded
from worker.providers.builtin.scenes.terrain import RANKS, paint_terrain, shore

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
#: A torus of 4 x 4 corners in which each of the 16 squares of four corners occurs once: the set is a map itself.
_TORUS: Final = ((0, 0, 0, 1), (0, 0, 1, 0), (1, 0, 1, 1), (0, 1, 1, 1))
_SIDE: Final = 4
#: The share of a tile, from its edge, in which only the corners of that edge count.
_BAND: Final = 0.17


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile: its picture and the terrains (0 or 1) at its corners: left top, right top, left and right bottom."""

    picture: Bytes
    corners: tuple[int, int, int, int]
    #: Of a blob tile the terrains at its edges: top, right, bottom, left.
    edges: tuple[int, int, int, int] | None = None


def wang_corners() -> list[tuple[int, int, int, int]]:
    """Return the corners of the 16 tiles, row by row."""
    return [
        (
            _TORUS[row][column],
            _TORUS[row][(column + 1) % _SIDE],
            _TORUS[(row + 1) % _SIDE][column],
            _TORUS[(row + 1) % _SIDE][(column + 1) % _SIDE],
        )
        for row in range(_SIDE)
        for column in range(_SIDE)
    ]


def terrains_of(look: Look) -> tuple[str, str]:
    """Return the two terrains, the lower one first: water below grass, floor below wall."""
    named = list(look.reading.terrains)
    partner = {name: other for name, _, _, other in TERRAINS}
    if not named:
        named = [look.pick("terrain", ("grass", "dirt", "sand", "stone"))]
    if len(named) == 1:
        named.append(partner[named[0]])
    low, high = sorted(named[:2], key=RANKS.index)
    return low, high


def render_tiles(
    look: Look, tile_size: int, manner: Manner, *, blob: bool = False
) -> tuple[list[Tile], tuple[str, str]]:
    """Return the tiles, each (tile_size, tile_size, 4), and the names of the terrains 0 and 1.

    They are the 16 of corners, or with `blob` the 47 of corners and edges and the plain lower ground as the 48th.
    """
    factor = _factor(tile_size, manner)
    side = tile_size // factor
    low, high = terrains_of(look)
    pad = max(2, int(side * _BAND) - 1)
    wobble = clouded(look.chance.generator("wobble"), side, side, 3, 2) - 0.5
    grounds = [paint_terrain(look, name, side) for name in (low, high)]
    tiles = []
    wanted: list[tuple[int, int, int, int] | Shape] = [*blob_shapes()] if blob else [*wang_corners()]
    for shape in wanted:
        if isinstance(shape, Shape):
            mask, corners, edges = _wobbling(height_map(shape, side, pad), pad, wobble), shape.corners, shape.edges
        else:
            mask, corners, edges = _high_ground(shape, side, pad, wobble), shape, None
        canvas = Canvas(side, side)
        inner = mask[pad : pad + side, pad : pad + side]
        for ground, where in zip(grounds, (~inner, inner), strict=True):
            canvas.ink[where] = ground.ink[where]
            canvas.level[where] = ground.level[where]
        shore(canvas, look, low, high, mask, pad)
        tiles.append(Tile(enlarged(colored(canvas, look.book, manner), factor), corners, edges))
    return tiles, (low, high)


def _factor(tile_size: int, manner: Manner) -> int:
    """Return how many pixels a drawn pixel has; it divides the tile, else neighbours would not fit."""
    limit = 24 if manner.name == "chunky" else 48
    for factor in range(1, 17):
        if tile_size % factor == 0 and tile_size // factor <= limit:
            return factor
    return 1


def _high_ground(corners: tuple[int, int, int, int], side: int, pad: int, wobble: Floats) -> Mask:
    """Return where the higher terrain lies, on the tile and `pad` pixels around it."""
    place = (np.arange(-pad, side + pad) + 0.5) / side
    share = np.clip((place - _BAND) / (1 - 2 * _BAND), 0, 1)
    x, y = share[None, :], share[:, None]
    left_top, right_top, left_bottom, right_bottom = corners
    top = left_top + (right_top - left_top) * x
    bottom = left_bottom + (right_bottom - left_bottom) * x
    value = top + (bottom - top) * y
    # Saddles join the higher ground through the middle instead of leaving a point.
    if corners in ((1, 0, 0, 1), (0, 1, 1, 0)):
        value = value + 0.10 * np.sin(np.pi * x) * np.sin(np.pi * y)
    return _wobbling(value, pad, wobble)


def _wobbling(value: Floats, pad: int, wobble: Floats) -> Mask:
    """Return where heights are above a half once the shore is uneven; where they are 0 or 1 nothing changes."""
    side = len(wobble)
    rows = np.arange(-pad, side + pad) % side
    value = value + 0.34 * wobble[np.ix_(rows, rows)] * (4 * value * (1 - value))
    mask: Mask = value > 0.5
    return mask
