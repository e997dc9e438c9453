"""Textures that repeat, and tiles in which two of them meet."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.imaging.blob import Shape, height_map
from worker.imaging.fit import cover
from worker.imaging.indexed import Pixels
from worker.imaging.resize import resize

Corners = tuple[int, int, int, int]
#: Share of a texture over which its end is blended into its beginning.
_BLEND: Final = 0.25
#: Pixels of the painted texture for one of a tile, so that a tile shows texture and not its mean colour.
_ZOOM: Final = 4
_LEAST_SIDE: Final = 64
#: Share of a tile, from its edge, in which only the corners of that edge count.
_BAND: Final = 0.15
_HALF: Final = 0.5


def repeating(pixels: Pixels, width: int, height: int) -> Pixels:
    """Return a texture of the size that wraps in both directions, from one that need not."""
    wide, high = _sides(pixels, width, height)
    source = cover(pixels, wide + round(wide * _BLEND), high + round(high * _BLEND)).astype(np.float32)
    blended = _wrapped(_wrapped(source, wide).swapaxes(0, 1), high).swapaxes(0, 1)
    whole: Pixels = np.rint(blended).astype(np.uint8)
    # Scaled together with its neighbours: at the edge a filter would see an end that is none.
    return resize(np.tile(whole, (3, 3, 1)), 3 * width, 3 * height)[height : 2 * height, width : 2 * width]


def _sides(pixels: Pixels, width: int, height: int) -> tuple[int, int]:
    """Return how large the repeating part may be in the painted picture, in the proportions asked for."""
    room = min(pixels.shape[1] / width, pixels.shape[0] / height) / (1 + _BLEND)
    return max(2, int(width * room)), max(2, int(height * room))


def _wrapped(source: NDArray[np.float32], wide: int) -> NDArray[np.float32]:
    """Blend the surplus columns at the beginning into those at the end, so that the end leads to the beginning."""
    surplus = source.shape[1] - wide
    result = source[:, surplus:].copy()
    share = (np.arange(surplus, dtype=np.float32) / surplus)[None, :, None]
    result[:, wide - surplus :] = result[:, wide - surplus :] * (1 - share) + source[:, :surplus] * share
    return result


def ground(pixels: Pixels, tile_size: int) -> Pixels:
    """Return a repeating tile of a painted ground, cut small enough that its texture can still be seen."""
    room = min(pixels.shape[:2])
    side = min(room, max(_LEAST_SIDE, round(_ZOOM * tile_size * (1 + _BLEND))))
    top, left = (pixels.shape[0] - side) // 2, (pixels.shape[1] - side) // 2
    return repeating(pixels[top : top + side, left : left + side], tile_size, tile_size)


def corner_tiles(low: Pixels, high: Pixels, corners: Sequence[Corners]) -> list[Pixels]:
    """Return a tile for each set of corners: left top, right top, left and right bottom; 1 is the higher ground.

    At an edge only the edge's own corners count, and both grounds repeat, so tiles with equal corners join.
    """
    return [np.where(_mask(found, low.shape[0])[..., None], high, low) for found in corners]


def blob_tiles(low: Pixels, high: Pixels, shapes: Sequence[Shape]) -> list[Pixels]:
    """Return a tile for each shape of the blob set; both grounds repeat, so tiles that agree on an edge join."""
    masks = [height_map(shape, low.shape[0]) > _HALF for shape in shapes]
    return [np.where(mask[..., None], high, low) for mask in masks]


def _mask(corners: Corners, side: int) -> NDArray[np.bool_]:
    place = (np.arange(side) + 0.5) / side
    share = np.clip((place - _BAND) / (1 - 2 * _BAND), 0, 1)
    share = share * share * (3 - 2 * share)  # bends where it meets the edge, so that it leaves it at a right angle
    left_top, right_top, left_bottom, right_bottom = corners
    top = left_top + (right_top - left_top) * share
    bottom = left_bottom + (right_bottom - left_bottom) * share
    value = top[None, :] + (bottom - top)[None, :] * share[:, None]
    mask: NDArray[np.bool_] = value >= _HALF
    return mask
