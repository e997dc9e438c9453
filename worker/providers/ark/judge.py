"""Reading the answers of Ark: `{"error": {"code", "message", "param", "type"}}`.

Codes: the vendor's list of error codes, autumn 2026, and its Python SDK. The same codes stand in the data of an answer
with status 200, beside pictures that came, and in a task that has failed.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from worker.providers.errors import (
    AUTH,
    CONTENT_POLICY,
    INVALID_REQUEST,
    QUOTA,
    RATE_LIMITED,
    UNAVAILABLE,
    FailureKind,
)
from worker.providers.http.answer import Answer
from worker.providers.http.refusal import Refusal, asked_wait, refusal_by_status

#: What goes in and what comes out, in every medium: InputTextSensitiveContentDetected, OutputImageRiskDetection, ...
_POLICY: Final = re.compile(r"(Input|Output)?(Text|Image|Video|Audio)?(SensitiveContentDetected|RiskDetection)")
_PREFIXES: Final[tuple[tuple[str, FailureKind], ...]] = (
    ("AuthenticationError", AUTH),
    ("AccessDenied", AUTH),
    ("OperationDenied", AUTH),
    ("AccountOverdueError", QUOTA),
    ("QuotaExceeded", QUOTA),
    ("SetLimitExceeded", QUOTA),
    ("ServerOverloaded", UNAVAILABLE),
    ("InternalServiceError", UNAVAILABLE),
    ("ServiceUnavailable", UNAVAILABLE),
    # Closed for a while, not for good.
    ("InvalidEndpoint.ClosedEndpoint", UNAVAILABLE),
    ("InvalidEndpoint", INVALID_REQUEST),
    ("ModelNotOpen", INVALID_REQUEST),
    ("MissingParameter", INVALID_REQUEST),
    ("InvalidParameter", INVALID_REQUEST),
)
_RATE: Final = "RateLimitExceeded"
#: Those that turn a request away before anything of it has begun.
_NOT_BEGUN: Final = ("ServerOverloaded", "ServiceUnavailable")
_SERVERS_FAULT: Final = 500


def kind_of(code: str) -> FailureKind | None:
    """Return the class of an error code, None for one that is not known."""
    if _POLICY.match(code):
        return CONTENT_POLICY
    if _RATE in code:
        return RATE_LIMITED
    return next((kind for prefix, kind in _PREFIXES if code.startswith(prefix)), None)


def judge_ark(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    """Return why an answer is none, by its code where that is known, else by its status."""
    body = answer.json_object()
    error = body.get("error")
    if answer.succeeded and (not error or "status" in body):  # a task that has failed is what was asked for
        return None
    code, said = code_of(error), message_of(error)
    kind = kind_of(code) if answer.status < _SERVERS_FAULT else None
    if kind is None:
        refusal = refusal_by_status(answer, paid=paid, said=said or answer.text(), now=now)
        return refusal or Refusal(INVALID_REQUEST, said)
    resend = kind is RATE_LIMITED or code.startswith(_NOT_BEGUN)
    # Words about a refused key may repeat it.
    return Refusal(kind, "" if kind is AUTH else said, asked_wait(answer, now), resend=resend)


def code_of(error: object) -> str:
    """Return an error's code, empty when it has none."""
    return str(error.get("code") or "") if isinstance(error, Mapping) else ""


def message_of(error: object) -> str:
    """Return an error's words; its code when it has no others."""
    if isinstance(error, Mapping):
        return str(error.get("message") or error.get("code") or "")
    return error if isinstance(error, str) else ""
