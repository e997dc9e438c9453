"""PNG and APNG at the level of chunks, after the PNG specification, third edition (which includes APNG)."""

import io
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence

from PIL import Image, PngImagePlugin

from worker.imaging.indexed import Indexed, Pixels
from worker.imaging.pixels import encode_png

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LEVEL = 6
_HEAD_BYTES = 12
_REPLACE = 0
_CLEAR_AFTER = 1


def encode_indexed(indexed: Indexed, texts: Mapping[str, str] | None = None) -> bytes:
    """Return a PNG with a palette; translucent entries are kept, in a tRNS chunk. Texts are iTXt chunks by keyword."""
    info = PngImagePlugin.PngInfo()
    for keyword, text in (texts or {}).items():
        info.add_itxt(keyword, text)
    image = Image.fromarray(indexed.pixels)
    image.putpalette(indexed.palette[:, :3].tobytes())
    alpha = indexed.palette[:, 3].tobytes()
    extra = {"transparency": alpha} if min(alpha) < 255 else {}  # noqa: PLR2004 (opaque)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=_LEVEL, pnginfo=info, **extra)
    return buffer.getvalue()


def encode_animated(
    frames: Sequence[Pixels], durations_ms: Sequence[int], *, loop: bool, texts: Mapping[str, str] | None = None
) -> bytes:
    """Return an APNG. Every frame is written whole, so that none is merged and every duration is kept."""
    height, width = frames[0].shape[:2]
    parts = [_SIGNATURE]
    sequence = 0
    for number, (frame, duration) in enumerate(zip(frames, durations_ms, strict=True)):
        chunks = dict(_chunks(encode_png(frame)))
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
