"""What bytes really are, told by the bytes: headers of services are often wrong.

Signatures: PNG (ISO/IEC 15948), JPEG (ISO/IEC 10918-1), GIF89a, RIFF/WebP, ISO base media (ISO/IEC 14496-12, `ftyp`),
Matroska/WebM (EBML).
"""

from typing import Final

PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
CLIPS: Final = frozenset({"video/mp4", "video/quicktime", "video/webm"})
_PREFIXES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\x1aE\xdf\xa3", "video/webm"),
)
#: Bytes that are enough to tell.
HEAD_BYTES: Final = 16


def media_type_of(data: bytes) -> str | None:
    """Return the media type of a picture or clip, None for anything else."""
    for prefix, media_type in _PREFIXES:
        if data.startswith(prefix):
            return media_type
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:8] == b"ftyp":
        return "video/quicktime" if data[8:12] == b"qt  " else "video/mp4"
    return None
