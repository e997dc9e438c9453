"""From encoded pictures to arrays and back."""

import io
import struct
import warnings
import zlib
from collections.abc import Mapping
from typing import Final

import numpy as np
from PIL import Image, PngImagePlugin

from worker.imaging.indexed import Pixels

#: Larger pictures are refused by their header, before memory is taken for them.
MAX_PIXELS: Final = 64 * 1024 * 1024
#: Set so that the same pixels give the same bytes.
_LEVEL: Final = 6
#: What Pillow's decoders raise for broken files.
_BROKEN: Final = (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, struct.error, zlib.error)


class UnreadablePicture(ValueError):
    """The bytes are not a picture that can be read, or one that is too large; the message says which."""


def decode_rgba(data: bytes, max_pixels: int = MAX_PIXELS) -> Pixels:
    """Return a still picture, or the first frame of an animation, as (height, width, 4) straight RGBA.

    Raises `UnreadablePicture`.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about metadata, and about a size that is judged here
            image = Image.open(io.BytesIO(data))
            if image.width * image.height <= max_pixels:
                return np.array(image.convert("RGBA"))
    except (Image.DecompressionBombError, *_BROKEN) as error:
        raise UnreadablePicture("The bytes are not a picture that can be read.") from error
    raise UnreadablePicture(f"The picture has {image.width} x {image.height} pixels, which is too large.")


def encode_png(array: Pixels, text: Mapping[str, str] | None = None) -> bytes:
    """Return (height, width, 4) RGBA as PNG, with texts as iTXt; the same input gives the same bytes."""
    info = PngImagePlugin.PngInfo()
    for key, value in (text or {}).items():
        info.add_itxt(key, value)
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(array)).save(buffer, "PNG", compress_level=_LEVEL, pnginfo=info)
    return buffer.getvalue()
