"""File names that every file system, archive and URL takes: lower-case ASCII letters, digits and dashes."""

import hashlib
import re
import unicodedata
from typing import Final

#: Upper limit of a whole name; the parts below keep every name well under it.
MAX_NAME_BYTES: Final = 120
_MAX_STEM: Final = 48
_MAX_PART: Final = 24
_HASH_DIGITS: Final = 8
_SEPARATORS: Final = re.compile("[^a-z0-9]+")
#: Windows takes these for devices, whatever follows the dot.
_DEVICES: Final = re.compile("con|prn|aux|nul|(com|lpt)[0-9]")


def slug(text: str, fallback: str, maximum: int = _MAX_STEM) -> str:
    """Return the text's ASCII letters and digits joined by dashes, accents dropped, cut between words if it can be.

    Text of which nothing readable is left (other scripts, emoji, a single letter) gives the fallback, which must be
    a safe name itself, and a short hash of the text, so that different texts rarely share a name.
    """
    # Marks vanish from their letters ("é" is "e" and a mark); whatever else is not ASCII parts words.
    plain = "".join(
        character if character.isascii() else "" if unicodedata.combining(character) else " "
        for character in unicodedata.normalize("NFKD", text)
    ).lower()
    name = _SEPARATORS.sub("-", plain).strip("-")
    if len(name) > maximum:
        cut = name[: maximum + 1].rfind("-")
        name = name[: cut if cut > maximum // 2 else maximum].strip("-")
    if len(name) < 2 or _DEVICES.fullmatch(name):  # noqa: PLR2004 (one letter says nothing)
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_HASH_DIGITS]
        return f"{fallback}-{digest}"
    return name


class Names:
    """Hands out the file names of one job: all begin with the same stem, and none is given twice."""

    def __init__(self, subject: str, asset_type: str, variation: int, variations: int) -> None:
        """Derive the stem from what was asked for; variations, counted from 0, are told apart by -1, -2, …."""
        suffix = f"-{variation + 1}" if variations > 1 else ""
        self.stem = slug(subject, asset_type.lower()) + suffix
        self._given: set[str] = set()

    def part(self, text: str, extension: str) -> str:
        """Return a name for a part, such as an animation: the stem, the part's own slug and the extension."""
        own = slug(text, "part", _MAX_PART)
        return self.take(f"{self.stem}-{own}", extension)

    def take(self, stem: str, extension: str) -> str:
        """Return the name if it is free, else with a number that makes it so."""
        name = f"{stem}{extension}"
        number = 2
        while name in self._given:
            name = f"{stem}-{number}{extension}"
            number += 1
        self._given.add(name)
        return name
