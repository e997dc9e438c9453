"""Untrusted pictures: judged by their header, decoded whole, and written again as pixels only.

Nothing but the pixels survives: no EXIF (its orientation is applied first), colour profile (converted to sRGB first),
text, thumbnail, further frame or trailing data. Runs in a process of the picture pool.
"""

import contextlib
import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError

from domain.errors import TooLarge, UnsupportedMedia
from domain.kinds import ImageFormat
from domain.uploads import MAX_UPLOAD_PIXELS, InspectedImage
from worker.imaging.encode import encode_still
from worker.imaging.pixels import grey_of_16_bits, settle_transparency


@dataclass(frozen=True, slots=True)
class _Type:
    name: str
    media_type: str
    extension: str


_PNG: Final = _Type("PNG", "image/png", "png")
_JPEG: Final = _Type("JPEG", "image/jpeg", "jpg")
_WEBP: Final = _Type("WEBP", "image/webp", "webp")
_GIF: Final = _Type("GIF", "image/gif", "gif")
#: By Pillow's name. An MPO is a JPEG with further pictures behind the first, as telephones make them.
_TYPES: Final = {"PNG": _PNG, "JPEG": _JPEG, "MPO": _JPEG, "WEBP": _WEBP, "GIF": _GIF}
#: What Pillow's decoders raise for broken files, by the bugs and reports of years.
_BROKEN: Final = (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, struct.error, zlib.error)
_TOO_MANY_PIXELS: Final = f"The picture has more than {MAX_UPLOAD_PIXELS // 1_000_000} megapixels."
_QUALITY: Final = 95
_RIFF_HEAD_BYTES: Final = 12
_CHUNK_HEAD_BYTES: Final = 8
_FRAME_HEAD_BYTES: Final = 16


def inspect_image(data: bytes) -> InspectedImage:
    """Return the picture in a file of the same type, PNG, JPEG, WebP or GIF, told by the bytes alone.

    Of an animation the first frame counts. Raises `UnsupportedMedia` for anything else and anything broken, and
    `TooLarge` for too many pixels, before memory is taken for them.
    """
    with _judged():
        image = Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP", "GIF"))
        image_type = _TYPES[image.format or ""]
        if image.width * image.height > MAX_UPLOAD_PIXELS:
            raise TooLarge(_TOO_MANY_PIXELS, path=("file",))
        settle_transparency(image, data)
        image.load()
        pixels = _plain(image)
        encoded = io.BytesIO()
        _save(pixels, image_type, encoded, lossless=image_type is _WEBP and _is_lossless_webp(data))
    return InspectedImage(encoded.getvalue(), image_type.media_type, image_type.extension, pixels.width, pixels.height)


@contextlib.contextmanager
def _judged() -> Iterator[None]:
    """Turn what the decoders say into what the user can do about it."""
    try:
        with warnings.catch_warnings():
            # Warnings are about broken metadata, which goes anyway, and about size, which is judged here.
            warnings.simplefilter("ignore")
            yield
    except UnidentifiedImageError:
        raise UnsupportedMedia(path=("file",)) from None
    except Image.DecompressionBombError:
        raise TooLarge(_TOO_MANY_PIXELS, path=("file",)) from None
    except _BROKEN:
        raise UnsupportedMedia("The picture is damaged or incomplete.", path=("file",)) from None


def _plain(image: Image.Image) -> Image.Image:
    """Return an upright sRGB picture, 8 bits a channel, in mode L, RGB or RGBA, with no information attached.

    Large pictures are changed in place where it can be done: each copy may take 160 MB.
    """
    ImageOps.exif_transpose(image, in_place=True)
    if image.mode.startswith("I"):
        grey = Image.fromarray(grey_of_16_bits(image))
        return grey if "transparency" in image.info else grey.getchannel("R")
    opaque_mode = "L" if image.mode in {"1", "L"} else "RGB"
    mode = "RGBA" if image.has_transparency_data else opaque_mode
    profile = image.info.get("icc_profile")
    if profile:
        # A profile that cannot be read is as good as none.
        with contextlib.suppress(ImageCms.PyCMSError, OSError):
            return _bare(_converted(image, profile, mode))
    return _bare(image if image.mode == mode and "transparency" not in image.info else image.convert(mode))


def _converted(image: Image.Image, profile: bytes, mode: str) -> Image.Image:
    own, target = ImageCms.ImageCmsProfile(io.BytesIO(profile)), ImageCms.createProfile("sRGB")
    if own.profile.xcolor_space.strip() == "GRAY":
        if image.mode not in {"1", "L", "LA"}:
            return image.convert(mode)
        colored = ImageCms.profileToProfile(image.convert("L"), own, target, outputMode="RGB")
        if colored is not None and mode == "RGBA":
            colored.putalpha(image.convert("RGBA").getchannel("A"))
        return colored or image.convert(mode)
    mode = "RGB" if mode == "L" else mode
    source = image if image.mode in {"RGB", "RGBA", "CMYK"} else image.convert(mode)
    # It returns None only when told to change the picture in place.
    return ImageCms.profileToProfile(source, own, target, outputMode=mode) or source


def _bare(image: Image.Image) -> Image.Image:
    """Drop what would be written into the new file beside the pixels."""
    image.info.clear()
    return image


def _save(image: Image.Image, image_type: _Type, target: io.BytesIO, *, lossless: bool) -> None:
    if image_type is _JPEG:
        image.save(target, "JPEG", quality=_QUALITY, subsampling="4:4:4")
    elif image_type is _WEBP:
        image.save(target, "WEBP", lossless=lossless, quality=50 if lossless else _QUALITY, exact=True, method=2)
    elif image_type is _GIF and image.mode == "RGBA":
        # Pillow would choose new colours, also when there are few enough.
        target.write(encode_still(np.asarray(image), ImageFormat.GIF, None))
    else:
        image.save(target, image_type.name)


def _is_lossless_webp(data: bytes) -> bool:
    """Tell whether the first picture chunk of the RIFF file is VP8L; a still may stand behind VP8X and ICCP."""
    position = _RIFF_HEAD_BYTES
    while True:
        kind, length = struct.unpack_from("<4sI", data, position)
        if kind in {b"VP8L", b"VP8 "}:
            return bool(kind == b"VP8L")
        # An animation's frame is 16 bytes of place and time, then chunks again.
        position += _CHUNK_HEAD_BYTES + (_FRAME_HEAD_BYTES if kind == b"ANMF" else length + length % 2)
