"""Signing in at Kling, and reading its answers: `{"code", "message", "request_id", "data"}`.

The key is a pair: with the secret a short-lived token is signed (JWT, HS256), which names the access key. Newer
accounts also have plain keys, which are sent as they are. Codes: the vendor's table; the HTTP status that they come
with means nothing: no credit comes as 429.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from domain.clock import Clock
from domain.tokens import signed_claims
from worker.providers.errors import (
    AUTH,
    CONTENT_POLICY,
    INVALID_REQUEST,
    QUOTA,
    RATE_LIMITED,
    UNAVAILABLE,
    FailureKind,
    checked_request_id,
)
from worker.providers.http.answer import Answer
from worker.providers.http.refusal import Refusal, asked_wait, refusal_by_status

_LIFE_SECONDS: Final = 1800
_EARLIER_SECONDS: Final = 5
#: Tokens are signed anew so long before they end.
_RENEWAL_SECONDS: Final = 300
#: A token that is refused as expired at such an age is not: the clocks differ too much.
_YOUNG_SECONDS: Final = 60
_EXPIRED: Final = 1004
_KINDS: Final[Mapping[int, FailureKind]] = {
    1000: AUTH,
    1001: AUTH,
    1002: AUTH,
    1003: AUTH,
    1004: AUTH,
    1100: QUOTA,
    1101: QUOTA,
    1102: QUOTA,
    1103: AUTH,
    1200: INVALID_REQUEST,
    1201: INVALID_REQUEST,
    1202: INVALID_REQUEST,
    1203: INVALID_REQUEST,
    1300: CONTENT_POLICY,
    1301: CONTENT_POLICY,
    1302: RATE_LIMITED,
    1303: RATE_LIMITED,
    1304: AUTH,
}
_HIDDEN: Final = "***"


class KlingKey:
    """Signs requests with a key, and judges what is answered to them."""

    def __init__(self, access_key: str, secret: str, clock: Clock) -> None:
        """Without a secret the key is sent as it is."""
        self._access_key = access_key
        self._secret = secret
        self._clock = clock
        self._token = ""
        self._signed_at = 0.0

    def headers(self) -> Mapping[str, str]:
        """Return the header that signs a request in."""
        if not self._access_key:
            return {}
        return {"authorization": f"Bearer {self._current() if self._secret else self._access_key}"}

    def _current(self) -> str:
        """Return the token, signed anew when it is about to end; it holds for half an hour."""
        now = self._clock.now().timestamp()
        if not self._token or not 0 <= now - self._signed_at < _LIFE_SECONDS - _RENEWAL_SECONDS:
            seconds = int(now)
            claims = {"iss": self._access_key, "exp": seconds + _LIFE_SECONDS, "nbf": seconds - _EARLIER_SECONDS}
            self._token, self._signed_at = signed_claims(claims, self._secret), now
        return self._token

    def judge(self, answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
        """Return why an answer is none; one refused for a token that has ended is sent again with a fresh one."""
        body = answer.json_object()
        code = body.get("code")
        if answer.succeeded and code in (0, None):
            return None
        said = str(body.get("message") or "")
        number = checked_request_id(str(body.get("request_id") or "") or None)
        kind = _KINDS.get(code) if isinstance(code, int) else None
        if code == _EXPIRED and self._forget():
            return Refusal(UNAVAILABLE, "The token has ended.", 0.0, resend=True, request_id=number)
        if kind is not None:
            # Words about a refused key may repeat it.
            words = "" if kind is AUTH else self._tidied(said)
            return Refusal(kind, words, asked_wait(answer, now), resend=kind is RATE_LIMITED, request_id=number)
        words = self._tidied(said or answer.text())
        refusal = refusal_by_status(answer, paid=paid, said=words, now=now) or Refusal(INVALID_REQUEST, words)
        return Refusal(refusal.kind, refusal.said, refusal.retry_after_seconds, refusal.resend, number)

    def _forget(self) -> bool:
        """Drop a token that is not young; tells whether there was one."""
        if not self._token or self._clock.now().timestamp() - self._signed_at < _YOUNG_SECONDS:
            return False
        self._token = ""
        return True

    def _tidied(self, said: str) -> str:
        return said.replace(self._token, _HIDDEN) if self._token else said
