"""Messages signed by Standard Webhooks 1.0.0 with symmetric secrets, as Replicate signs them.

The secret is fetched from the service with the key that the provider has, when the first message comes, and anew when a
signature does not fit, but not more often than every few minutes: it may have been rotated.
"""

import asyncio
import base64
import binascii
import contextlib
import hashlib
import hmac
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final

from worker.callbacks.reader import Callback, Message, is_any_of, is_recent
from worker.providers.base import ProviderError

_PREFIX: Final = "whsec_"
_VERSION: Final = "v1,"
_AGAIN: Final = timedelta(minutes=5)
_MAX_SIGNATURES: Final = 10
#: States of a prediction of Replicate's in which it goes on.
_GOING_ON: Final = frozenset({"starting", "processing"})


class StandardReader:
    """Verifies the messages of one account; `fetch` returns its secret, `whsec_…`, or raises `ProviderError`."""

    def __init__(self, fetch: Callable[[], Awaitable[str]]) -> None:
        self._fetch = fetch
        self._key = b""
        self._lock = asyncio.Lock()
        self._asked_at: datetime | None = None

    async def read(self, message: Message, now: datetime) -> Callback | None:
        """Return what a message says once its signature and time are right."""
        number, at = message.headers.get("webhook-id", ""), message.headers.get("webhook-timestamp", "")
        if not number or not is_recent(at, now):
            return None
        signed = b".".join((number.encode(), at.encode(), message.body))
        given = _signatures(message.headers.get("webhook-signature", ""))
        if not given:
            return None
        if not self._fits(signed, given) and not (await self._renewed(now) and self._fits(signed, given)):
            return None
        body = message.json_object()
        name = body.get("id")
        return Callback(body.get("status") not in _GOING_ON, name if isinstance(name, str) else None)

    def _fits(self, signed: bytes, given: list[bytes]) -> bool:
        return bool(self._key) and is_any_of(hmac.digest(self._key, signed, hashlib.sha256), given)

    async def _renewed(self, now: datetime) -> bool:
        """Fetch the secret unless that was done a moment ago; tells whether there is one to try."""
        async with self._lock:  # of many messages at once, one fetches
            if self._asked_at is None or now - self._asked_at >= _AGAIN:
                self._asked_at = now
                with contextlib.suppress(ProviderError):
                    self._key = key_of(await self._fetch()) or self._key
        return bool(self._key)


def key_of(secret: str) -> bytes:
    """Return the key in a secret, nothing when there is none."""
    try:
        return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _signatures(header: str) -> list[bytes]:
    found = []
    for item in header.split()[:_MAX_SIGNATURES]:
        if item.startswith(_VERSION):
            try:
                found.append(base64.b64decode(item.removeprefix(_VERSION), validate=True))
            except (binascii.Error, ValueError):
                continue
    return found
