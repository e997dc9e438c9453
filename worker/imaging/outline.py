"""A line around what is visible, as sprites have it."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.imaging.color import oklab, parse_palette
from worker.imaging.indexed import Pixels

_HALF: Final = 128
_OPAQUE: Final = 255
#: How much of their brightness a picture's own colours keep in its outline.
_DARKENED: Final = 0.3
Mask = NDArray[np.bool_]


def outlined(pixels: Pixels, width: int, color: tuple[int, int, int], *, corners: bool = False) -> Pixels:
    """Return the picture with an opaque line of a colour, `width` pixels, around what is at least half opaque.

    With `corners` pixels that touch by a corner count as neighbours and the line is closed around them. Softer pixels
    in the line's way lie over it; nothing inside changes. What would be beyond the picture's edge is left out.
    """
    inside: Mask = pixels[..., 3] >= _HALF
    ring = _grown(inside, width, corners=corners) & ~inside
    share = pixels[ring][:, 3:].astype(np.uint16)
    result = pixels.copy()
    mixed = (pixels[ring][:, :3] * share + np.array(color, dtype=np.uint16) * (_OPAQUE - share) + 127) // _OPAQUE
    result[ring] = np.concatenate((mixed, np.full_like(share, _OPAQUE)), axis=1).astype(np.uint8)
    return result


def outline_color(pictures: Sequence[Pixels], palette: Sequence[str]) -> tuple[int, int, int]:
    """Return the darkest colour of a palette; without one the pictures' mean colour, darkened."""
    colors = parse_palette(palette)
    colors = colors[colors[:, 3] > 0][:, :3]
    if len(colors):
        red, green, blue = colors[int(oklab(colors)[:, 0].argmin())].tolist()
        return red, green, blue
    seen = np.concatenate([picture[picture[..., 3] >= _HALF][:, :3] for picture in pictures])
    if not len(seen):
        return 0, 0, 0
    red, green, blue = np.rint(seen.mean(axis=0) * _DARKENED).astype(int).tolist()
    return red, green, blue


def _grown(mask: Mask, pixels: int, *, corners: bool) -> Mask:
    for _ in range(pixels):
        across = mask.copy()
        across[:, 1:] |= mask[:, :-1]
        across[:, :-1] |= mask[:, 1:]
        source = across if corners else mask
        grown = across.copy()
        grown[1:] |= source[:-1]
        grown[:-1] |= source[1:]
        mask = grown
    return mask
