"""WebP, lossless; animations at the level of RIFF chunks, after RFC 9649.

libwebp's own animation encoder merges equal frames and so changes their number.
"""

import io
import struct
from collections.abc import Sequence

import numpy as np
from PIL import Image

from worker.imaging.indexed import Pixels

_ANIMATION, _XMP, _ALPHA = 0x02, 0x04, 0x10
#: Of a frame: put in place of what is there, and clear the canvas after.
_REPLACE, _CLEAR_AFTER = 0x02, 0x01
_METHOD = 4
_RIFF_HEAD_BYTES = 12


def encode_webp(array: Pixels, xmp: bytes | None = None) -> bytes:
    """Return straight RGBA (height, width, 4) as a lossless WebP; colours under transparent pixels are kept."""
    buffer = io.BytesIO()
    extra = {"xmp": xmp} if xmp else {}
    image = Image.fromarray(np.ascontiguousarray(array))
    image.save(buffer, "WEBP", lossless=True, exact=True, method=_METHOD, **extra)
    return buffer.getvalue()


def encode_animated_webp(
    frames: Sequence[Pixels],
    durations_ms: Sequence[int],
    *,
    loop: bool,
    xmp: bytes | None = None,
    quality: int | None = None,
) -> bytes:
    """Return an animated WebP; every frame is written whole, so that none is merged and every duration is kept.

    With a quality, 0 to 100, opaque frames are written with loss, which for clips takes a fraction of the space.
    """
    height, width = frames[0].shape[:2]
    flags = _ANIMATION | (_ALPHA if quality is None else 0) | (_XMP if xmp else 0)
    parts = [
        _chunk(b"VP8X", struct.pack("<I", flags) + _uint24(width - 1) + _uint24(height - 1)),
        _chunk(b"ANIM", struct.pack("<IH", 0, 0 if loop else 1)),
    ]
    for frame, duration in zip(frames, durations_ms, strict=True):
        head = _uint24(0) * 2 + _uint24(width - 1) + _uint24(height - 1) + _uint24(duration)
        # A still picture without alpha and metadata, or a lossless one, is a RIFF head and one chunk of pixels: that
        # goes into the frame.
        still = encode_webp(frame) if quality is None else _encode_lossy(frame, quality)
        pixels = still[_RIFF_HEAD_BYTES:]
        parts.append(_chunk(b"ANMF", head + bytes([_REPLACE | _CLEAR_AFTER]) + pixels))
    if xmp:
        parts.append(_chunk(b"XMP ", xmp))
    body = b"WEBP" + b"".join(parts)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _encode_lossy(array: Pixels, quality: int) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(array[..., :3])).save(buffer, "WEBP", quality=quality, method=_METHOD)
    return buffer.getvalue()


def _chunk(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)


def _uint24(value: int) -> bytes:
    return value.to_bytes(3, "little")
