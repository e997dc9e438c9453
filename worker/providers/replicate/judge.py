"""Reading the answers of Replicate: RFC 7807 problems, and predictions that failed with a sentence.

Shapes: the vendor's Python SDK and documentation, autumn 2026. What a model was refused or failed for is said in words
only, and differs from model to model; codes such as E005 stand at the end of some.
"""

import re
from datetime import datetime
from typing import Final

from worker.providers.errors import AUTH, CONTENT_POLICY, INVALID_REQUEST, RATE_LIMITED, UNAVAILABLE, FailureKind
from worker.providers.http.answer import Answer
from worker.providers.http.refusal import Refusal, refusal_by_status

_POLICY: Final = re.compile(
    r"\bnsfw\b|\(E005\)|flagged as|content polic|content moderation|safety (filter|system|checker)|sensitive content",
    re.IGNORECASE,
)
_PASSING: Final = re.compile(
    r"\(E00[1-4]\)|\(code: PA\)|out of memory|interrupted|timed? ?out|overloaded|temporar|try again later",
    re.IGNORECASE,
)
_EXPECTED: Final = re.compile(r"available in (\d{1,6}) ?s")


def kind_of(said: str) -> FailureKind:
    """Return the class of a prediction's failure."""
    if _POLICY.search(said):
        return CONTENT_POLICY
    return UNAVAILABLE if _PASSING.search(said) else INVALID_REQUEST


def judge_replicate(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    """Return why an answer is none: `{"title", "detail", "status"}`."""
    if answer.succeeded:
        return None
    body = answer.json_object()
    said = str(body.get("detail") or body.get("title") or "") or answer.text()
    refusal = refusal_by_status(answer, paid=paid, said=said, now=now)
    if refusal is None or refusal.kind is AUTH:
        return refusal
    if refusal.kind is INVALID_REQUEST and _POLICY.search(said):
        return Refusal(CONTENT_POLICY, said)
    if refusal.kind is RATE_LIMITED and refusal.retry_after_seconds is None and (found := _EXPECTED.search(said)):
        return Refusal(RATE_LIMITED, said, float(found[1]), resend=True)
    return refusal
