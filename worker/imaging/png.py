"""PNG and APNG at the level of chunks, after the PNG specification, third edition (which includes APNG)."""

import io
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from PIL import Image

from worker.imaging.indexed import Indexed, Pixels

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LEVEL = 6
_HEAD_BYTES = 12
_REPLACE = 0
_CLEAR_AFTER = 1


def encode_rgba(array: Pixels, texts: Mapping[str, str] | None = None) -> bytes:
    """Return (height, width, 4) straight RGBA as a PNG of 8 bits a channel, with iTXt chunks by keyword."""
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(array)).save(buffer, "PNG", compress_level=_LEVEL)
    return _with_texts(buffer.getvalue(), texts)


def encode_indexed(indexed: Indexed, texts: Mapping[str, str] | None = None) -> bytes:
    """Return a PNG with a palette; translucent entries are kept, in a tRNS chunk."""
    buffer = io.BytesIO()
    image = Image.fromarray(indexed.pixels)
    image.putpalette(indexed.palette[:, :3].tobytes())
    alpha = indexed.palette[:, 3].tobytes()
    extra = {"transparency": alpha} if min(alpha) < 255 else {}  # noqa: PLR2004 (opaque)
    image.save(buffer, "PNG", compress_level=_LEVEL, **extra)
    return _with_texts(buffer.getvalue(), texts)


def encode_animated(
    frames: Sequence[Pixels], durations_ms: Sequence[int], *, loop: bool, texts: Mapping[str, str] | None = None
) -> bytes:
    """Return an APNG. Every frame is written whole, so that none is merged and every duration is kept."""
    height, width = frames[0].shape[:2]
    parts = [_SIGNATURE]
    sequence = 0
    for number, (frame, duration) in enumerate(zip(frames, durations_ms, strict=True)):
        chunks = dict(_chunks(encode_rgba(frame)))
        if number == 0:
            parts += [_chunk(b"IHDR", chunks[b"IHDR"]), *_text_chunks(texts)]
            parts.append(_chunk(b"acTL", struct.pack(">II", len(frames), 0 if loop else 1)))
        control = struct.pack(">5I2H2B", sequence, width, height, 0, 0, duration, 1000, _CLEAR_AFTER, _REPLACE)
        parts.append(_chunk(b"fcTL", control))
        sequence += 1
        if number == 0:
            parts.append(_chunk(b"IDAT", chunks[b"IDAT"]))
        else:
            parts.append(_chunk(b"fdAT", struct.pack(">I", sequence) + chunks[b"IDAT"]))
            sequence += 1
    return b"".join([*parts, _chunk(b"IEND", b"")])


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the chunks of a PNG; the pieces of its image data as one."""
    position = len(_SIGNATURE)
    pixels = b""
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        body = data[position + 8 : position + 8 + length]
        if kind == b"IDAT":
            pixels += body
        else:
            if kind == b"IEND":
                yield b"IDAT", pixels
            yield kind, body
        position += _HEAD_BYTES + length


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _text_chunks(texts: Mapping[str, str] | None) -> list[bytes]:
    """Write iTXt, which holds UTF-8: keyword, two zero bytes for "not compressed", no language, no translation."""
    return [
        _chunk(b"iTXt", keyword.encode("latin-1") + b"\0\0\0\0\0" + text.encode())
        for keyword, text in (texts or {}).items()
    ]


def _with_texts(data: bytes, texts: Mapping[str, str] | None) -> bytes:
    """Put text right after the header, where readers that stop at the pixels find it."""
    end = len(_SIGNATURE) + _HEAD_BYTES + 13
    return b"".join([data[:end], *_text_chunks(texts), data[end:]])
