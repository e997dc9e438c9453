"""GIF at the level of blocks, after the GIF89a specification.

Written by hand around Pillow's compressor, because Pillow merges equal frames and so changes their number.
"""

import io
import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from worker.imaging.indexed import Indexed, Pixels, index_colors

#: Alpha from which a pixel is seen: GIF has no translucency.
_OPAQUE_FROM = 128
_MAX_COLORS = 256
#: Players take frames shorter than 20 ms for a mistake and show them for 100.
_LEAST_CENTISECONDS = 2
_DISPOSE_TO_BACKGROUND = 2
_MAX_SUB_BLOCK = 255


def encode_gif(
    frames: Sequence[Pixels], durations_ms: Sequence[int], *, loop: bool, comment: bytes | None = None
) -> bytes:
    """Return a GIF of pictures (height, width, 4) of one size; one picture makes a still one without any timing.

    All frames share one palette of at most 256 colours, transparency included; every frame is written whole and
    cleared after. Durations are rounded to hundredths of a second so that their sum is kept, but none is below 20 ms.
    """
    height, width = frames[0].shape[:2]
    stacked = _indexed(np.concatenate(frames))
    transparent = 0 if stacked.palette[0, 3] == 0 else None
    bits = max(1, (len(stacked.palette) - 1).bit_length())
    table = stacked.palette[:, :3].tobytes().ljust(3 << bits, b"\0")
    parts = [b"GIF89a", struct.pack("<HHBBB", width, height, 0x80 | 0x70 | (bits - 1), transparent or 0, 0), table]
    animated = len(frames) > 1
    if animated and loop:
        parts.append(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0")
    if comment:
        parts += [b"\x21\xfe", _sub_blocks(comment)]
    delays = centiseconds(durations_ms) if animated else [0]
    for number, delay in enumerate(delays):
        parts.append(_control(delay, transparent))
        parts.append(_image(stacked.pixels[number * height : (number + 1) * height]))
    return b"".join([*parts, b";"])


def reduce_to_gif(array: Pixels) -> Pixels:
    """Return a picture as a GIF of it alone shows it: 256 colours, each wholly opaque or wholly transparent."""
    indexed = _indexed(array)
    return indexed.palette[indexed.pixels]


def centiseconds(durations_ms: Sequence[int]) -> list[int]:
    """Return durations in hundredths of a second whose sum is off by no more than half of one, none below 2."""
    delays: list[int] = []
    due_ms = 0
    written = 0
    for duration in durations_ms:
        due_ms += duration
        delay = max(_LEAST_CENTISECONDS, (due_ms + 5) // 10 - written)
        delays.append(delay)
        written += delay
    return delays


def _indexed(array: Pixels) -> Indexed:
    """Reduce to 256 colours of which one may be transparent; a picture that is so already is not changed."""
    hard = array.copy()
    seen = array[..., 3] >= _OPAQUE_FROM
    hard[..., 3] = 255
    hard[~seen] = 0
    return index_colors(hard) or _reduced(hard, seen)


def _reduced(hard: Pixels, seen: NDArray[np.bool_]) -> Indexed:
    """Choose the colours by Pillow's median cut, which is quick enough for all frames of an animation at once."""
    first = 0 if seen.all() else 1
    strip = Image.fromarray(np.ascontiguousarray(hard[seen][None, :, :3]))
    reduced = strip.quantize(_MAX_COLORS - first, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    table = np.array(reduced.getpalette(), dtype=np.uint8).reshape(-1, 3)
    palette = np.zeros((len(table) + first, 4), dtype=np.uint8)
    palette[first:, :3], palette[first:, 3] = table, 255
    pixels = np.zeros(seen.shape, dtype=np.uint8)
    pixels[seen] = np.asarray(reduced)[0] + first
    return Indexed(pixels, palette)


def _control(delay: int, transparent: int | None) -> bytes:
    flags = (_DISPOSE_TO_BACKGROUND << 2) | (0 if transparent is None else 1)
    return b"\x21\xf9" + struct.pack("<BBHBB", 4, flags, delay, transparent or 0, 0)


def _image(pixels: NDArray[np.uint8]) -> bytes:
    """Return an image block, descriptor and data, out of a GIF that Pillow writes of this frame alone."""
    buffer = io.BytesIO()
    image = Image.fromarray(np.ascontiguousarray(pixels))
    image.save(buffer, "GIF", optimize=False, interlace=0)
    data = buffer.getvalue()
    # Header and screen descriptor are 13 bytes, then comes a table if the flag says so; without timing or transparency
    # Pillow writes no extension before the image.
    position = 13 + (3 << ((data[10] & 7) + 1) if data[10] & 0x80 else 0)
    return data[position:-1]


def _sub_blocks(data: bytes) -> bytes:
    pieces = [data[start : start + _MAX_SUB_BLOCK] for start in range(0, len(data), _MAX_SUB_BLOCK)]
    return b"".join(bytes([len(piece)]) + piece for piece in pieces) + b"\0"
