"""What an answer's status says when a service's own words say nothing more exact. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from worker.providers.errors import (
    AUTH,
    BAD_ANSWER,
    INVALID_REQUEST,
    OUTCOME_UNKNOWN,
    QUOTA,
    RATE_LIMITED,
    UNAVAILABLE,
    FailureKind,
)
from worker.providers.http.answer import Answer
from worker.retry_after import retry_after_seconds

_MILLISECONDS: Final = 1000
#: What these say is certain. 408, 409 and 503: the service has not begun; it gave up waiting for us, is locked, or
#: turns everybody away.
_CERTAIN: Final[Mapping[int, FailureKind]] = {
    401: AUTH,
    402: QUOTA,
    403: AUTH,
    408: UNAVAILABLE,
    409: UNAVAILABLE,
    425: RATE_LIMITED,
    429: RATE_LIMITED,
    503: UNAVAILABLE,
}
_OWN_FAULT: Final = 500
_FIRST_ERROR: Final = 400


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is not the one hoped for."""

    kind: FailureKind
    #: The service's own words.
    said: str = ""
    #: The wait that it asks for.
    retry_after_seconds: float | None = None
    #: Whether it is certain that nothing was made, so that the same request may be sent again.
    resend: bool = False
    #: The service's own id of the request, where its body has it and no header.
    request_id: str | None = None


def refusal_by_status(answer: Answer, *, paid: bool, said: str, now: datetime) -> Refusal | None:
    """Return what a status means, None for success.

    Of a paid request, 502 and 504 leave open what happened behind the gateway, and 500 at which point it went wrong:
    whether it is charged is not known.
    """
    status = answer.status
    if answer.succeeded:
        return None
    wait = asked_wait(answer, now)
    if kind := _CERTAIN.get(status):
        # Words about a refused key may repeat it.
        return Refusal(kind, "" if kind is AUTH else said, wait, resend=kind in (RATE_LIMITED, UNAVAILABLE))
    if status >= _OWN_FAULT:
        return Refusal(OUTCOME_UNKNOWN if paid else UNAVAILABLE, said, wait, resend=not paid)
    if status < _FIRST_ERROR:
        return Refusal(BAD_ANSWER, f"HTTP {status}, a redirect")
    return Refusal(INVALID_REQUEST, said or f"HTTP {status}")


def asked_wait(answer: Answer, now: datetime) -> float | None:
    """Return the wait in seconds that `retry-after-ms` or `Retry-After` asks for."""
    milliseconds = answer.headers.get("retry-after-ms", "")
    if milliseconds.isascii() and milliseconds.isdigit():
        return float(milliseconds[:12]) / _MILLISECONDS
    return retry_after_seconds(answer.headers.get("retry-after"), now)
