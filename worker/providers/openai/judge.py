"""Reading the answers of OpenAI and of servers that speak like it.

`{"error": {"message", "type", "param", "code"}}`; servers also send the error as a plain string, or FastAPI's
`{"detail": [...]}`. The header `x-should-retry` overrides what the status says.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from worker.providers.errors import (
    AUTH,
    CONTENT_POLICY,
    INVALID_REQUEST,
    OUTCOME_UNKNOWN,
    QUOTA,
    RATE_LIMITED,
    UNAVAILABLE,
)
from worker.providers.http.answer import Answer
from worker.providers.http.refusal import Refusal, asked_wait, refusal_by_status

_POLICY_CODES: Final = frozenset({"moderation_blocked", "content_policy_violation", "content_filter"})
_QUOTA_CODES: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_SUCCESS: Final = 200
_OWN_FAULT: Final = 500


def judge_openai(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    """Return why an answer is not what was asked for, also where a success holds an error; None when it is."""
    body = answer.json_object()
    error = body.get("error")
    if answer.succeeded and not error:
        return None
    refusal = by_code(error, answer, now)
    if refusal is None:
        refusal = refusal_by_status(answer, paid=paid, said=message_of(body) or answer.text(), now=now)
    if refusal is None:  # 200 that holds an error of no known code
        refusal = Refusal(INVALID_REQUEST, message_of(body))
    return _overridden(refusal, answer)


def by_code(error: object, answer: Answer, now: datetime) -> Refusal | None:
    """Return what the error's own code says, None when it says nothing that the status does not."""
    fields = error if isinstance(error, Mapping) else {}
    code, kind = str(fields.get("code") or ""), str(fields.get("type") or "")
    message = str(fields.get("message") or "")
    if code in _POLICY_CODES or kind in _POLICY_CODES or "safety_violations" in message:
        return Refusal(CONTENT_POLICY, message)
    if code in _QUOTA_CODES or kind in _QUOTA_CODES:
        return Refusal(QUOTA, message)
    if code == "invalid_api_key":
        return Refusal(AUTH)
    if code == "rate_limit_exceeded":
        return Refusal(RATE_LIMITED, message, asked_wait(answer, now), resend=True)
    return None


def message_of(body: Mapping[str, object]) -> str:
    """Return an error body's words, whatever shape they have."""
    error = body.get("error")
    if isinstance(error, Mapping):
        return str(error.get("message") or error.get("code") or "")
    if isinstance(error, str):
        return error
    detail = body.get("detail")
    if isinstance(detail, list):  # FastAPI: where it is wrong, and what
        return "; ".join(_located(item) for item in detail[:4] if isinstance(item, Mapping))
    return str(detail or body.get("message") or "")


def _located(item: Mapping[str, object]) -> str:
    place = item.get("loc")
    where = ".".join(str(part) for part in place) if isinstance(place, list) else ""
    return f"{where}: {item.get('msg')}".removeprefix(": ")


def _overridden(refusal: Refusal, answer: Answer) -> Refusal:
    advice = answer.headers.get("x-should-retry")
    if refusal.kind is OUTCOME_UNKNOWN and answer.status == _OWN_FAULT and advice == "true":
        # The service itself says of its fault that nothing was done.
        return Refusal(UNAVAILABLE, refusal.said, refusal.retry_after_seconds, resend=True)
    if advice not in {"true", "false"} or refusal.kind not in (RATE_LIMITED, UNAVAILABLE):
        return refusal
    return Refusal(refusal.kind, refusal.said, refusal.retry_after_seconds, resend=advice == "true")
