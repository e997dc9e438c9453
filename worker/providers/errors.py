"""Why a provider did not deliver: a few classes, by which callers decide, whatever the service calls them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from worker.providers.base import ProviderError


@dataclass(frozen=True, slots=True)
class FailureKind:
    """One class of failure."""

    code: str
    #: What happened and what to do, for people; begins after the provider's name.
    message: str
    #: Whether trying the whole task again, by itself, can help and may be done.
    retryable: bool
    #: Whether it is certain that nothing was paid, so that another provider may be asked instead.
    unpaid: bool


AUTH: Final = FailureKind(
    "PROVIDER_AUTH",
    "refuses this server's key, or the key may not use this model. The operator must set it right.",
    retryable=False,
    unpaid=True,
)
QUOTA: Final = FailureKind(
    "PROVIDER_QUOTA", "has no credit left. The operator must top it up.", retryable=False, unpaid=True
)
RATE_LIMITED: Final = FailureKind(
    "PROVIDER_RATE_LIMITED", "takes no more requests just now. Try again later.", retryable=True, unpaid=True
)
CONTENT_POLICY: Final = FailureKind(
    "CONTENT_POLICY",
    "refuses this as against its content policy. Use other words, or another source image.",
    retryable=False,
    unpaid=False,
)
INVALID_REQUEST: Final = FailureKind(
    "PROVIDER_INVALID_REQUEST", "does not take this request.", retryable=False, unpaid=True
)
TIMEOUT: Final = FailureKind(
    "PROVIDER_TIMEOUT", "did not answer in time. Try again later.", retryable=True, unpaid=True
)
UNAVAILABLE: Final = FailureKind(
    "PROVIDER_UNAVAILABLE", "cannot be used just now. Try again later.", retryable=True, unpaid=True
)
OUTCOME_UNKNOWN: Final = FailureKind(
    "PROVIDER_OUTCOME_UNKNOWN",
    "took the request and never said what became of it. It may have been charged, so it is not sent again by itself.",
    retryable=False,
    unpaid=False,
)
BAD_ANSWER: Final = FailureKind(
    "PROVIDER_BAD_ANSWER",
    "answered with something that is not what was asked for.",
    retryable=True,
    unpaid=False,
)
JOB_GONE: Final = FailureKind(
    "PROVIDER_JOB_GONE",
    "has cancelled the job, or does not know it any more. It may have been charged, so it is not made again by itself.",
    retryable=False,
    unpaid=False,
)

#: Codes of failures after which it is certain that nothing was paid.
UNPAID_CODES: Final = frozenset(
    kind.code for kind in (AUTH, QUOTA, RATE_LIMITED, INVALID_REQUEST, TIMEOUT, UNAVAILABLE) if kind.unpaid
)
_MAX_SAID: Final = 300
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,100}")
_ITS_ID: Final = "Its request id: {}."
_HIDDEN: Final = "***"
#: Shorter secrets are not worth hiding, and would tear holes into every text.
_MIN_SECRET: Final = 6


def failure(
    kind: FailureKind,
    provider: str,
    *,
    said: str = "",
    request_id: str | None = None,
    retry_after_seconds: float | None = None,
) -> ProviderError:
    """Return the error to raise; `said` are the service's own words, free of secrets already."""
    words = tidied(said)
    parts = [f"{provider} {kind.message}"]
    if words:
        parts.append(f'It said: "{words}"')
    if request_id:
        parts.append(_ITS_ID.format(request_id))
    return ProviderError(
        kind.code,
        " ".join(parts),
        retryable=kind.retryable,
        outcome_unknown=kind is OUTCOME_UNKNOWN,
        unpaid=kind.unpaid,
        request_id=request_id,
        retry_after_seconds=retry_after_seconds,
    )


def with_request_id(error: ProviderError, request_id: str) -> ProviderError:
    """Return the error with the service's id of what failed, unless it tells one; an id that is none is left out.

    Of an id that is a path, as jobs have at some services, the last part counts.
    """
    told = checked_request_id(request_id.rpartition("/")[2])
    if error.request_id is not None or told is None:
        return error
    return ProviderError(
        error.code,
        f"{error.message} {_ITS_ID.format(told)}",
        retryable=error.retryable,
        outcome_unknown=error.outcome_unknown,
        unpaid=error.unpaid,
        request_id=told,
        retry_after_seconds=error.retry_after_seconds,
    )


def tidied(text: str) -> str:
    """Return a service's words in one line of bounded length, without control characters."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text[: 4 * _MAX_SAID]).split())
    return line if len(line) <= _MAX_SAID else line[: _MAX_SAID - 1] + "…"


def checked_request_id(value: str | None) -> str | None:
    """Return a service's request id when it looks like one; what a stranger's header says goes nowhere else."""
    return value if value is not None and _REQUEST_ID.fullmatch(value) else None


def without_secrets(text: str, secrets: Sequence[str]) -> str:
    """Return a text in which no key stands: services like to repeat what they were sent."""
    for secret in secrets:
        if len(secret) >= _MIN_SECRET:
            text = text.replace(secret, _HIDDEN)
    return text
