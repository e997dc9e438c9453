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


#: Bytes of a PNG's head.
_PNG_DEPTH: Final = 24
_PNG_COLOR_TYPE: Final = 25


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
                settle_transparency(image, data)
                # Cameras and some services store a picture lying and say in EXIF how it is to be turned.
                return _rgba(ImageOps.exif_transpose(image))
    except (Image.DecompressionBombError, *_BROKEN) as error:
        raise UnreadablePicture("The bytes are not a picture that can be read.") from error
    raise UnreadablePicture(f"The picture has {image.width} x {image.height} pixels, which is too large.")


def settle_transparency(image: Image.Image, data: bytes) -> None:
    """Before a picture is loaded: say which grey of a PNG of 2 or 4 bits is transparent as it is once it is loaded.

    Pillow scales the greys to 8 bits and leaves the transparent one as the file has it.
    """
    clear = image.info.get("transparency")
    if image.format == "PNG" and isinstance(clear, int) and data[_PNG_COLOR_TYPE] == 0 and data[_PNG_DEPTH] in (2, 4):
        image.info["transparency"] = min(clear * 255 // (2 ** data[_PNG_DEPTH] - 1), 255)


def grey_of_16_bits(image: Image.Image) -> Pixels:
    """Return a grey picture of 16 bits, of which Pillow would clip the levels instead of scaling them, as RGBA."""
    levels = np.asarray(image).astype(np.int64)
    grey = np.clip(levels >> 8, 0, 255).astype(np.uint8)
    clear = image.info.get("transparency")
    alpha = np.where(levels == clear, 0, 255) if isinstance(clear, int) else np.full(levels.shape, 255)
    return np.stack([grey, grey, grey, alpha.astype(np.uint8)], axis=-1)


def _rgba(image: Image.Image) -> Pixels:
    if image.mode.startswith("I"):
        return grey_of_16_bits(image)
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
