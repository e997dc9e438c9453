"""The text of API keys: `wk_`, 43 random characters and 6 that check them, all letters and digits.

The prefix and the checksum let scanners for leaked secrets recognise a key in a text, without asking the server, and
without taking something else for one. The layout follows GitHub's tokens ("Behind GitHub's new authentication token
formats", 2021): a CRC-32 (ISO 3309) of what stands before it, in base 62.
"""

import hashlib
import re
import secrets
import string
import zlib
from typing import Final

PREFIX: Final = "wk_"
_ALPHABET: Final = string.digits + string.ascii_uppercase + string.ascii_lowercase
_RANDOM_BITS: Final = 256
#: The least that hold 256 and 32 bits in base 62.
_RANDOM_CHARACTERS: Final = 43
_CHECK_CHARACTERS: Final = 6
_PATTERN: Final = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{_RANDOM_CHARACTERS + _CHECK_CHARACTERS}}}")
_SHOWN: Final = 4


def new_key_text() -> str:
    """Return a fresh key."""
    body = PREFIX + _base62(secrets.randbits(_RANDOM_BITS), _RANDOM_CHARACTERS)
    return body + _checksum(body)


def is_key_text(text: str) -> bool:
    """Tell whether this could be a key; what was mistyped or cut off is not, and costs no look at the database."""
    return _PATTERN.fullmatch(text) is not None and _checksum(text[:-_CHECK_CHARACTERS]) == text[-_CHECK_CHARACTERS:]


def hash_of_key(text: str) -> str:
    """Return what is stored of a key and looked up: SHA-256 (FIPS 180-4), in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def hint_of_key(text: str) -> str:
    """Return how a key begins and ends, such as `wk_Ab3d...x7Qf`; its owner recognises it, nobody can complete it."""
    return f"{text[: len(PREFIX) + _SHOWN]}...{text[-_SHOWN:]}"


def _checksum(body: str) -> str:
    return _base62(zlib.crc32(body.encode()), _CHECK_CHARACTERS)


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))
