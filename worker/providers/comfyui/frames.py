"""Binary messages of ComfyUI's socket: pictures of what a sampler has so far. Pure.

Layouts of version 0.3.64: a big-endian number says what follows. 1 is a picture behind a number for its format; 4 is a
picture behind its description in JSON, which names the prompt and comes to those only who have asked for it.
"""

import json
import struct
from dataclasses import dataclass
from typing import Final

#: What a client says first, so that descriptions come with pictures.
FEATURES: Final = json.dumps({"type": "feature_flags", "data": {"supports_preview_metadata": True}})
#: A larger picture is no preview.
MAX_PREVIEW_BYTES: Final = 2 * 1024 * 1024
_HEAD: Final = struct.Struct(">II")
_PLAIN, _DESCRIBED = 1, 4


@dataclass(frozen=True, slots=True)
class Preview:
    """An encoded picture, and of which prompt it is; None: of the one that the server is at work on."""

    data: bytes
    prompt_id: str | None


def read_preview(message: bytes) -> Preview | None:
    """Return the picture that a message brings; None when it brings something else, or nothing that can be read."""
    if len(message) < _HEAD.size or len(message) > MAX_PREVIEW_BYTES:
        return None
    kind, number = _HEAD.unpack_from(message)
    rest = message[_HEAD.size :]
    if kind == _PLAIN:
        return Preview(rest, None) if rest else None
    if kind != _DESCRIBED or number >= len(rest):
        return None
    try:
        described = json.loads(rest[:number])
    except (ValueError, RecursionError):
        return None
    prompt_id = described.get("prompt_id") if isinstance(described, dict) else None
    return Preview(rest[number:], prompt_id) if isinstance(prompt_id, str) else None
