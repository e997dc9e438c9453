"""Pictures as palette and indices, and what can be said of a picture's colours."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

#: A picture: (height, width, 4), red, green, blue and straight alpha, 8 bits each.
Pixels = NDArray[np.uint8]
MAX_PALETTE = 256
_OPAQUE = 255


@dataclass(frozen=True, slots=True)
class Indexed:
    """A picture of at most 256 colours: (height, width) indices into (n, 4) straight RGBA, both uint8."""

    pixels: NDArray[np.uint8]
    palette: NDArray[np.uint8]


def index_colors(array: Pixels) -> Indexed | None:
    """Return the picture with its own colours as palette, or None when it has more than 256. Nothing is lost.

    Whatever is wholly transparent counts as one colour, which comes first; the others follow by their bytes.
    """
    packed = _packed(array)
    found = Image.fromarray(packed.view(np.uint8).reshape(array.shape)).getcolors(MAX_PALETTE)
    if found is None:
        return None
    colors = np.array([color for _, color in found], dtype=np.uint8)
    numbers = np.sort(colors.view("<u4").ravel())
    # Zero, the transparent colour, is the least of all numbers. Row by row, since places come as eight bytes each.
    pixels = np.empty(packed.shape, dtype=np.uint8)
    for row, found_in_row in zip(pixels, packed, strict=True):
        row[:] = np.searchsorted(numbers, found_in_row)
    return Indexed(pixels, numbers.view(np.uint8).reshape(-1, 4))


def _packed(array: Pixels) -> NDArray[np.uint32]:
    """Return (height, width) little-endian numbers, one a pixel; 0 for everything transparent."""
    packed = np.ascontiguousarray(array).view("<u4")[..., 0].copy()
    packed[array[..., 3] == 0] = 0
    return packed


def count_colors(array: Pixels) -> int:
    """Count the different RGBA values of a picture, everything transparent as one."""
    packed, alpha = _packed(array), array[..., 3]
    # Marking in a table of all opaque colours is several times faster than sorting the pixels.
    seen = np.zeros(1 << 24, dtype=np.bool_)
    seen[packed[alpha == _OPAQUE] & 0xFFFFFF] = True
    return int(np.count_nonzero(seen)) + int(np.unique(packed[alpha != _OPAQUE]).size)


def describe_colors(array: Pixels) -> dict[str, object]:
    """Return what an asset's metadata says of its colours.

    `colorCount` counts different RGBA values, everything transparent as one; `palette` lists the visible colours as
    "#rrggbb", each once, and is there when the count is at most 256.
    """
    indexed = index_colors(array)
    if indexed is None:
        return {"colorCount": count_colors(array)}
    visible = indexed.palette[indexed.palette[:, 3] > 0]
    names = dict.fromkeys(f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue, _ in sorted(visible.tolist()))
    return {"colorCount": len(indexed.palette), "palette": list(names)}
