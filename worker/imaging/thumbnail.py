"""Small pictures for lists."""

import io
from typing import Final

import numpy as np
from PIL import Image

from worker.imaging.indexed import Pixels
from worker.imaging.resize import resize

#: No side of a thumbnail is longer, in pixels; pictures that are no larger need none.
SIDE: Final = 256
_QUALITY: Final = 82
_METHOD: Final = 4
MEDIA_TYPE: Final = "image/webp"
EXTENSION: Final = ".webp"


def needs_thumbnail(width: int, height: int) -> bool:
    """Tell whether a picture is too large to be its own thumbnail."""
    return max(width, height) > SIDE


def thumbnail(pixels: Pixels) -> tuple[bytes, int, int]:
    """Return straight RGBA (height, width, 4) as a small WebP with its width and height, both at least 1.

    Colours are weighted by alpha when it is reduced. It is written with loss, in a few kilobytes, and says nothing of
    where it comes from. The same picture gives the same bytes.
    """
    height, width = pixels.shape[:2]
    scale = min(1.0, SIDE / max(width, height))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = resize(_averaged(pixels, *size), *size)
    buffer = io.BytesIO()
    opaque = bool((small[..., 3] == 255).all())  # noqa: PLR2004 (opaque)
    image = Image.fromarray(np.ascontiguousarray(small[..., :3] if opaque else small))
    image.save(buffer, "WEBP", quality=_QUALITY, method=_METHOD)
    return buffer.getvalue(), size[0], size[1]


def _averaged(pixels: Pixels, width: int, height: int) -> Pixels:
    """Return a large picture with squares of pixels averaged, at least twice as large as what is wanted.

    The filter that comes after it would be slow on large pictures and look no better.
    """
    by = min(pixels.shape[0] // (2 * height), pixels.shape[1] // (2 * width))
    if by < 2:  # noqa: PLR2004 (nothing to average)
        return pixels
    rows, columns = pixels.shape[0] // by, pixels.shape[1] // by
    squares = pixels[: rows * by, : columns * by].reshape(rows, by, columns, by, 4).astype(np.float32)
    alpha = squares[..., 3:]
    total = alpha.sum(axis=(1, 3))
    colors = (squares[..., :3] * alpha).sum(axis=(1, 3)) / np.maximum(total, 1)
    mean: Pixels = np.rint(np.concatenate([colors, total / (by * by)], axis=-1)).astype(np.uint8)
    return mean
