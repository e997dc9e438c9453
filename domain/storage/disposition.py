"""How a downloaded file is named: the Content-Disposition header of RFC 6266, in any language by RFC 8187."""

import unicodedata
from typing import Final
from urllib.parse import quote

#: `attr-char` of RFC 8187 beyond letters and digits.
_ATTR_CHARACTERS: Final = "!#$&+-.^_`|~"
_FALLBACK_REFUSED: Final = frozenset('"\\%')
_SHOWN: Final = frozenset({"image", "video", "audio"})
#: Embeddings, overrides and isolates of direction.
_TURNING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
#: A picture that can hold scripts.
_ACTIVE: Final = frozenset({"image/svg+xml"})


def content_disposition(media_type: str, name: str) -> str:
    """Return the header's value: pictures, films and sounds are shown in place, everything else is downloaded.

    `filename` is ASCII for old clients; `filename*`, which wins, is there when the name has more than that.
    """
    shown = media_type.partition("/")[0] in _SHOWN and media_type not in _ACTIVE
    clean = "".join("_" if character in "/\\" or is_unsafe(character) else character for character in name)
    if not clean.strip(". "):
        clean = "download"  # what is nothing but dots is no file anywhere
    fallback = "".join(_ascii(character) for character in clean)
    value = f'{"inline" if shown else "attachment"}; filename="{fallback}"'
    return value if fallback == clean else f"{value}; filename*=UTF-8''{quote(clean, safe=_ATTR_CHARACTERS)}"


def is_unsafe(character: str) -> bool:
    """Tell what no file name of ours holds, separators of folders apart.

    Control characters, lone surrogates, and what turns the direction of the text around, which can make the end of
    a name look like another one. Marks of direction and joiners, which writing and emoji need, are none of these.
    """
    return unicodedata.category(character) in {"Cc", "Cs"} or character in _TURNING


def _ascii(character: str) -> str:
    return character if character.isascii() and character not in _FALLBACK_REFUSED else "_"
