"""Colour as people see it: OKLab, in which equal distances look about equally different.

OKLab and its matrices: Björn Ottosson, "A perceptual color space for image processing" (2020).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]

_TO_LMS: Final = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    dtype=np.float32,
)
_TO_LAB: Final = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ],
    dtype=np.float32,
)
_TOE: Final = 0.04045
_values = np.arange(256, dtype=np.float64) / 255
#: sRGB byte to linear light, 0 to 1.
LINEAR: Final = np.where(_values <= _TOE, _values / 12.92, ((_values + 0.055) / 1.055) ** 2.4).astype(np.float32)
#: Pixels from which colours are counted in a table.
_MANY: Final = 2_000_000
#: Colours compared with a palette at once, so that memory stays bounded.
_CHUNK: Final = 16_384


def oklab(rgb: Bytes) -> Floats:
    """Convert sRGB bytes (..., 3) to OKLab (..., 3): lightness 0 to 1, then green-red and blue-yellow."""
    lab: Floats = np.cbrt(LINEAR[rgb] @ _TO_LMS.T) @ _TO_LAB.T
    return lab


def distance(first: Floats, second: Floats) -> Floats:
    """Return the OKLab distance (deltaE OK) over the last axis; 0.02 is just visible, 1 is black to white."""
    result: Floats = np.sqrt(((first - second) ** 2).sum(axis=-1))
    return result


def parse_palette(palette: Sequence[str]) -> Bytes:
    """Return "#rrggbb" and "#rrggbbaa" as (n, 4) bytes; without alpha a colour is opaque."""
    return np.array([list(bytes.fromhex(color[1:].ljust(8, "f"))) for color in palette], dtype=np.uint8).reshape(-1, 4)


def nearest(lab: Floats, palette_lab: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return for each of (n, 3) colours the index of the nearest of (m, 3), and the distance to it."""
    indices = np.empty(len(lab), dtype=np.intp)
    distances = np.empty(len(lab), dtype=np.float32)
    for start in range(0, len(lab), _CHUNK):
        part = lab[start : start + _CHUNK]
        # |a - b|^2 = |a|^2 - 2ab + |b|^2: one matrix product instead of a large intermediate.
        squares = (part**2).sum(axis=1)[:, None] - 2 * part @ palette_lab.T + (palette_lab**2).sum(axis=1)
        best = squares.argmin(axis=1)
        indices[start : start + _CHUNK] = best
        distances[start : start + _CHUNK] = distance(part, palette_lab[best])
    return indices, distances


def unique_colors(rgb: Bytes) -> tuple[Bytes, NDArray[np.int32], NDArray[np.intp]]:
    """Return the different colours of (n, 3), for each pixel the index of its colour, and how often each occurs."""
    packed = rgb[:, 0].astype(np.uint32) << 16 | rgb[:, 1].astype(np.uint32) << 8 | rgb[:, 2]
    if len(packed) > _MANY:
        # A table of all colours there can be takes less time and memory than sorting so many pixels.
        table = np.bincount(packed, minlength=1 << 24)
        found = np.flatnonzero(table).astype(np.uint32)
        counts = table[found]
        places = np.zeros(1 << 24, dtype=np.int32)
        places[found] = np.arange(len(found), dtype=np.int32)
        inverse = places[packed]
    else:
        found, wide, counts = np.unique(packed, return_inverse=True, return_counts=True)
        inverse = wide.reshape(-1).astype(np.int32)
    colors = np.stack([found >> 16, found >> 8 & 255, found & 255], axis=1).astype(np.uint8)
    return colors, inverse, counts
