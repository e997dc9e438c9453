"""Identifiers: opaque to clients, sortable by time for us.

An id is a three-letter prefix that names the type, an underscore, and 26 characters of Crockford base 32: 48 bits of
milliseconds since 1970 and 80 random bits (the layout of a ULID). Ids are safe in URLs, file names and storage keys.
"""

import re
import secrets
import time
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH: Final = 26
_PATTERN: Final = re.compile(rf"(?P<prefix>[a-z]{{3}})_[{_ALPHABET}]{{{_LENGTH}}}")


class IdPrefix(StrEnum):
    """What an id names."""

    USER = "usr"
    PROJECT = "prj"
    TASK = "tsk"
    ASSET = "ast"
    IMAGE = "img"
    SESSION = "ses"
    TOKEN = "tok"  # noqa: S105 (a prefix, no secret)
    WORKER = "wrk"
    CLEANUP_RUN = "cln"
    AUDIT_ENTRY = "aud"
    WEBHOOK = "whk"
    DELIVERY = "msg"
    JOB = "job"
    API_KEY = "key"
    INSTANCE = "ins"


def new_id(prefix: IdPrefix) -> str:
    """Return a fresh id; ids made later sort later, to the millisecond."""
    number = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    characters = [_ALPHABET[number >> shift & 31] for shift in range((_LENGTH - 1) * 5, -1, -5)]
    return f"{prefix}_{''.join(characters)}"


def is_id(value: str, prefix: IdPrefix) -> bool:
    """Tell whether this is the id of such a thing; what is not never reaches the database, which may choke on it."""
    return prefix_of(value) is prefix


def prefix_of(value: str) -> IdPrefix | None:
    """Return what an id names, or None when it is not an id of ours at all."""
    match = _PATTERN.fullmatch(value)
    if match is None:
        return None
    try:
        return IdPrefix(match["prefix"])
    except ValueError:
        return None


def made_at(value: str) -> datetime | None:
    """Return when an id was made, by this machine's clock, to the millisecond; None when it is not an id of ours."""
    if prefix_of(value) is None:
        return None
    number = 0
    for character in value.partition("_")[2]:
        number = number << 5 | _ALPHABET.index(character)
    return datetime.fromtimestamp((number >> 80) / 1000, UTC)
