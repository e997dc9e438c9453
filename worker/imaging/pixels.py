"""From encoded pictures to arrays and back."""

import io
import struct
import warnings
import zlib
from collections.abc import Mapping
from typing import Final

import numpy as np
from PIL import Image, ImageOps, PngImagePlugin

from worker.imaging.indexed import Pixels

#: Larger pictures are refused by their header, before memory is taken for them.
MAX_PIXELS: Final = 64 * 1024 * 1024
#: Set so that the same pixels give the same bytes.
_LEVEL: Final = 6
#: What services and uploads send. Pillow reads dozens of others, some with a history of holes, one by a program.
_FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF")
#: What Pillow's decoders raise for broken files.
_BROKEN: Final = (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, struct.error, zlib.error)


class UnreadablePicture(ValueError):
    """The bytes are not a picture that can be read, or one that is too large; the message says which."""


def decode_rgba(data: bytes, max_pixels: int = MAX_PIXELS) -> Pixels:
    """Return a still picture, or the first frame of an animation, as (height, width, 4) straight RGBA.

    Reads PNG, JPEG, WebP and GIF, upright by their EXIF; of 16 bits a channel the upper eight count. Raises
    `UnreadablePicture`.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about metadata, and about a size that is judged here
            image = Image.open(io.BytesIO(data), formats=_FORMATS)
            if image.width * image.height <= max_pixels:
                # Cameras and some services store a picture lying and say in EXIF how it is to be turned.
                return _rgba(ImageOps.exif_transpose(image))
    except (Image.DecompressionBombError, *_BROKEN) as error:
        raise UnreadablePicture("The bytes are not a picture that can be read.") from error
    raise UnreadablePicture(f"The picture has {image.width} x {image.height} pixels, which is too large.")


def _rgba(image: Image.Image) -> Pixels:
    if image.mode.startswith("I;16"):  # grey of 16 bits, which Pillow would clip to white instead of scaling it
        grey = (np.asarray(image) >> 8).astype(np.uint8)
        return np.stack([grey, grey, grey, np.full_like(grey, 255)], axis=-1)
    # Converting copies, also where there is nothing to convert.
    return np.array(image if image.mode == "RGBA" else image.convert("RGBA"))


def encode_png(array: Pixels, text: Mapping[str, str] | None = None) -> bytes:
    """Return (height, width, 4) RGBA as PNG, with texts as iTXt; the same input gives the same bytes."""
    info = PngImagePlugin.PngInfo()
    for key, value in (text or {}).items():
        info.add_itxt(key, value)
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(array)).save(buffer, "PNG", compress_level=_LEVEL, pnginfo=info)
    return buffer.getvalue()
