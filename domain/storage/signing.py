"""Addresses of files that open for whoever holds them, for a while: HMAC-SHA-256 over all that they say."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlencode

from domain.clock import Clock
from domain.storage.keys import check_key

PATH: Final = "/files/"
#: What keys of archives begin with, which are made while they are sent. Keys of stored objects never do.
ARCHIVES: Final = "archives/"
#: Keeps these signatures apart from any other use of the same key.
_PURPOSE: Final = b"wonder file address 1"
_STEPS_PER_LIFE: Final = 4


@dataclass(frozen=True, slots=True)
class FileGrant:
    """What a good signature allows: to read one object, served like this."""

    key: str
    media_type: str
    download_name: str
    #: Whole seconds until the address expires, at least 1.
    seconds_left: int


class UrlSigner:
    """Makes and checks signed addresses.

    An address lives at least `ttl_seconds` and at most a quarter longer: its expiry is rounded up to a step, so that
    the same object has the same address for a while and caches can work.
    """

    def __init__(self, key: bytes, clock: Clock, ttl_seconds: int) -> None:
        self._key = key
        self._clock = clock
        self._ttl_seconds = ttl_seconds
        self._step_seconds = max(1, ttl_seconds // _STEPS_PER_LIFE)

    def sign(self, key: str, media_type: str, download_name: str) -> str:
        """Return path and query. Raises `ValueError` for what is no key."""
        earliest = self._now() + self._ttl_seconds
        expires = str(-(-earliest // self._step_seconds) * self._step_seconds)
        query = {
            "expires": expires,
            "type": media_type,
            "name": download_name,
            "signature": self._signature(check_key(key), expires, media_type, download_name),
        }
        return f"{PATH}{quote(key)}?{urlencode(query, quote_via=quote)}"

    def verify(self, key: str, query: Mapping[str, str]) -> FileGrant | None:
        """Return what the address allows; None when it is not ours, was changed or has expired."""
        expires, media_type, download_name = query.get("expires", ""), query.get("type", ""), query.get("name", "")
        expected = self._signature(key, expires, media_type, download_name)
        if not hmac.compare_digest(expected.encode(), _encoded(query.get("signature", ""))):
            return None
        seconds_left = int(expires) - self._now()
        return FileGrant(key, media_type, download_name, seconds_left) if seconds_left > 0 else None

    def _now(self) -> int:
        return int(self._clock.now().timestamp())

    def _signature(self, *fields: str) -> str:
        # Each field goes in with its length, so that no two lists of fields give one message.
        encoded = [_encoded(field) for field in fields]
        message = b"".join([_PURPOSE, *(len(field).to_bytes(8, "big") + field for field in encoded)])
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()


def _encoded(text: str) -> bytes:
    """Encode what may come from outside, lone surrogates included, without losing a difference."""
    return text.encode("utf-8", "surrogatepass")
