"""Reading the answers of fal: `{"detail": …, "error_type"}`, with headers that say whose fault it was.

Shapes: the vendor's Python SDK and documentation, autumn 2026. The queue and the model behind it complain alike; a run
that failed is told of at the address of its result, with the status that the model gave.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from worker.providers.errors import AUTH, CONTENT_POLICY, INVALID_REQUEST, QUOTA, TIMEOUT, UNAVAILABLE, FailureKind
from worker.providers.http.answer import Answer
from worker.providers.http.refusal import Refusal, refusal_by_status
from worker.providers.jobs.complaint import complaint_of

_POLICY: Final = re.compile(r"content_policy|content policy|nsfw|flagged|safety", re.IGNORECASE)
_BROKE: Final = re.compile(r"balance|user is locked|billing", re.IGNORECASE)
_LATE: Final = re.compile(r"(request|startup|generation)_timeout")
_PASSING: Final = re.compile(r"runner_|internal_|downstream_|no_media_generated")
_FORBIDDEN: Final = 403
_SERVERS_FAULT: Final = 500


def kind_of(said: str, types: Sequence[str]) -> FailureKind:
    """Return the class of a run's failure."""
    found = " ".join(types)
    if _POLICY.search(found) or _POLICY.search(said):
        return CONTENT_POLICY
    if _LATE.search(found):
        return TIMEOUT
    return UNAVAILABLE if _PASSING.search(found) else INVALID_REQUEST


def told_by(answer: Answer) -> tuple[str, tuple[str, ...]]:
    """Return an answer's words, and the types of error that it names."""
    body = answer.json_object()
    said, types = complaint_of(body.get("detail"))
    named = str(body.get("error_type") or "") or answer.headers.get("x-fal-error-type", "")
    return said, (*types, named) if named else types


def judge_fal(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    """Return why an answer is none. That a run broke down is what was asked for: its maker reads it."""
    said, types = told_by(answer)
    if answer.succeeded or (not paid and answer.status >= _SERVERS_FAULT and is_of_the_run(answer)):
        return None
    refusal = refusal_by_status(answer, paid=paid, said=said or answer.text(), now=now)
    if answer.status == _FORBIDDEN and _BROKE.search(said):
        return Refusal(QUOTA, said)
    if refusal is None or refusal.kind is AUTH or answer.status >= _SERVERS_FAULT:
        return refusal
    if refusal.kind is INVALID_REQUEST and kind_of(said, types) is CONTENT_POLICY:
        return Refusal(CONTENT_POLICY, said)
    return refusal


def is_of_the_run(answer: Answer) -> bool:
    """Tell whether it is the model that failed, and not the way to it."""
    return "x-fal-retryable" in answer.headers or isinstance(answer.json_object().get("detail"), list)
