"""From pixels to the bytes of a file. The same pixels and provenance give the same bytes.

PNG, WebP, APNG and GIF are written without loss, except that GIF has 256 colours and no translucency. JPEG has neither
transparency nor exact colours: pictures are laid on white and written at quality 95 without chroma subsampling.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from PIL import Image

from domain.kinds import ImageFormat
from worker.artifacts import Provenance
from worker.imaging.gif import centiseconds, encode_gif, reduce_to_gif
from worker.imaging.indexed import Pixels, index_colors
from worker.imaging.pixels import encode_png
from worker.imaging.png import encode_animated, encode_indexed
from worker.imaging.provenance import as_json, png_texts, xmp_packet
from worker.imaging.webp import encode_animated_webp, encode_webp

_JPEG_QUALITY: Final = 95


@dataclass(frozen=True, slots=True)
class FileKind:
    """How files of one format are named and served."""

    extension: str
    media_type: str


FILE_KINDS: Final[Mapping[ImageFormat, FileKind]] = {
    ImageFormat.PNG: FileKind(".png", "image/png"),
    ImageFormat.WEBP: FileKind(".webp", "image/webp"),
    ImageFormat.JPEG: FileKind(".jpg", "image/jpeg"),
    ImageFormat.GIF: FileKind(".gif", "image/gif"),
    ImageFormat.APNG: FileKind(".apng", "image/apng"),
}


def encode_still(
    array: Pixels, image_format: ImageFormat, provenance: Provenance | None, *, indexed: bool = False
) -> bytes:
    """Return one picture, (height, width, 4) straight RGBA, as a file; provenance is embedded when given.

    `indexed` asks for a PNG with a palette, which is written when the picture has at most 256 colours. A still GIF
    or APNG is a file of one frame.
    """
    match image_format:
        case ImageFormat.PNG:
            texts = png_texts(provenance) if provenance else None
            palette = index_colors(array) if indexed else None
            return encode_indexed(palette, texts) if palette else encode_png(array, texts)
        case ImageFormat.WEBP:
            return encode_webp(array, xmp_packet(provenance) if provenance else None)
        case ImageFormat.JPEG:
            return _encode_jpeg(array, xmp_packet(provenance) if provenance else None)
        case ImageFormat.GIF | ImageFormat.APNG:
            return encode_animation([array], [0], image_format, provenance, loop=False)


def encode_animation(
    frames: Sequence[Pixels],
    durations_ms: Sequence[int],
    image_format: ImageFormat,
    provenance: Provenance | None,
    *,
    loop: bool,
) -> bytes:
    """Return frames of one size, each with its duration, as an animated GIF, APNG or WebP.

    The file holds exactly the frames given, equal neighbours included. Raises `ValueError` for other formats.
    """
    match image_format:
        case ImageFormat.GIF:
            return encode_gif(frames, durations_ms, loop=loop, comment=as_json(provenance) if provenance else None)
        case ImageFormat.APNG:
            return encode_animated(frames, durations_ms, loop=loop, texts=png_texts(provenance) if provenance else None)
        case ImageFormat.WEBP:
            xmp = xmp_packet(provenance) if provenance else None
            return encode_animated_webp(frames, durations_ms, loop=loop, xmp=xmp)
        case ImageFormat.PNG | ImageFormat.JPEG:
            raise ValueError(f"{image_format} holds no animation.")


def held_pixels(array: Pixels, image_format: ImageFormat) -> Pixels:
    """Return the pixels that a file of the format holds; of a JPEG those before its loss."""
    match image_format:
        case ImageFormat.GIF:
            return reduce_to_gif(array)
        case ImageFormat.JPEG:
            return flatten(array)
        case ImageFormat.PNG | ImageFormat.WEBP | ImageFormat.APNG:
            return array


def held_durations(durations_ms: Sequence[int], image_format: ImageFormat) -> list[int]:
    """Return the durations, in ms, that an animation of the format holds: GIF counts in hundredths of a second."""
    if image_format is ImageFormat.GIF:
        return [10 * delay for delay in centiseconds(durations_ms)]
    return list(durations_ms)


def flatten(array: Pixels) -> Pixels:
    """Lay a picture on white, opaque."""
    alpha = array[..., 3:].astype(np.uint16)
    color = (array[..., :3].astype(np.uint16) * alpha + 255 * (255 - alpha) + 127) // 255
    return np.concatenate((color, np.full_like(alpha, 255)), axis=2).astype(np.uint8)


def _encode_jpeg(array: Pixels, xmp: bytes | None) -> bytes:
    buffer = io.BytesIO()
    extra = {"xmp": xmp} if xmp else {}
    image = Image.fromarray(np.ascontiguousarray(flatten(array)[..., :3]))
    image.save(buffer, "JPEG", quality=_JPEG_QUALITY, subsampling=0, **extra)
    return buffer.getvalue()
