"""Messages of fal: Ed25519 over request id, user id, time and the body's SHA-256, keys from a list at a fixed address.

Header names and the order of what is signed: fal's documentation, which independent verifiers agree with, autumn 2026.
Keys are JWK (RFC 8037): `{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": …}]}`.
"""

import asyncio
import base64
import binascii
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from worker.callbacks.reader import Callback, Message, is_recent
from worker.providers.base import ProviderError

KEYS_URL: Final = "https://rest.fal.ai/.well-known/jwks.json"
_HEADERS: Final = tuple(f"x-fal-webhook-{name}" for name in ("request-id", "user-id", "timestamp", "signature"))
_MAX_AGE: Final = timedelta(hours=24)
_AGAIN: Final = timedelta(minutes=5)
_MAX_KEYS: Final = 16
_MAX_HEADER: Final = 256
_SIGNATURE_BYTES: Final = 64


class FalReader:
    """Verifies with the keys that `fetch` returns as JSON data, kept for a day; it raises `ProviderError`.

    They are fetched anew when no key fits, but not more often than every few minutes.
    """

    def __init__(self, fetch: Callable[[], Awaitable[Mapping[str, object]]]) -> None:
        self._fetch = fetch
        self._lock = asyncio.Lock()
        self._keys: tuple[Ed25519PublicKey, ...] = ()
        self._asked_at: datetime | None = None
        self._fetched_at: datetime | None = None

    async def read(self, message: Message, now: datetime) -> Callback | None:
        """Return what a message says once its signature and time are right."""
        request_id, user_id, at, signature = (message.headers.get(name, "")[:_MAX_HEADER] for name in _HEADERS)
        if not request_id or not is_recent(at, now):
            return None
        try:
            given = bytes.fromhex(signature)
        except ValueError:
            return None
        signed = "\n".join((request_id, user_id, at, hashlib.sha256(message.body).hexdigest())).encode()
        if len(given) != _SIGNATURE_BYTES or not await self._fits(signed, given, now):
            return None
        name = message.json_object().get("request_id")
        return Callback(ended=True, external_id=name if isinstance(name, str) else request_id)

    async def _fits(self, signed: bytes, given: bytes, now: datetime) -> bool:
        stale = self._fetched_at is None or now - self._fetched_at > _MAX_AGE
        if not stale and self._any(signed, given):
            return True
        await self._renew(now, stale=stale)
        return self._any(signed, given)

    async def _renew(self, now: datetime, *, stale: bool) -> None:
        async with self._lock:  # of many messages at once, one fetches
            if self._asked_at is not None and now - self._asked_at < _AGAIN:
                return
            self._asked_at = now
            try:
                self._keys = keys_of(await self._fetch()) or self._keys
            except ProviderError:
                if stale:
                    self._keys = ()
                return
            self._fetched_at = now

    def _any(self, signed: bytes, given: bytes) -> bool:
        return any(_verified(key, signed, given) for key in self._keys)


def keys_of(data: Mapping[str, object]) -> tuple[Ed25519PublicKey, ...]:
    """Return the keys of a list that are of the kind used; others are passed over."""
    listed = data.get("keys")
    found = []
    for item in listed[:_MAX_KEYS] if isinstance(listed, list) else ():
        if isinstance(item, Mapping) and item.get("kty") == "OKP" and item.get("crv") == "Ed25519":
            text = str(item.get("x") or "")
            try:
                raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
                found.append(Ed25519PublicKey.from_public_bytes(raw))
            except (binascii.Error, ValueError):
                continue
    return tuple(found)


def _verified(key: Ed25519PublicKey, signed: bytes, given: bytes) -> bool:
    try:
        key.verify(given, signed)
    except InvalidSignature:
        return False
    return True
