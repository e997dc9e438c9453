"""Reading the answers of MiniMax: status 200 whatever came of a request, and `base_resp` that says it.

Codes: the vendor's documentation, autumn 2026.
"""

import re
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
    FailureKind,
)
from worker.providers.http.answer import Answer
from worker.providers.http.refusal import Refusal, asked_wait, refusal_by_status

_KINDS: Final[Mapping[int, FailureKind]] = {
    1000: UNAVAILABLE,
    1001: UNAVAILABLE,
    1002: RATE_LIMITED,
    1004: AUTH,
    1008: QUOTA,
    1024: UNAVAILABLE,
    1026: CONTENT_POLICY,
    1027: CONTENT_POLICY,
    1033: UNAVAILABLE,
    1039: INVALID_REQUEST,
    1042: INVALID_REQUEST,
    2013: INVALID_REQUEST,
    2049: AUTH,
    2056: QUOTA,
}
#: After these nobody knows whether a job was created: it did not know itself, or gave up waiting for another part.
_UNKNOWN: Final = frozenset({1000, 1001, 1033})
_POLICY: Final = re.compile(r"sensitive|content[ _]policy|moderation", re.IGNORECASE)
#: Fields of an answer that tells of a job, and not of the request.
_JOB: Final = ("status", "task")


def kind_of(code: object, said: str = "") -> FailureKind | None:
    """Return the class of a code, or of words where the code is not known; None when neither says anything."""
    kind = _KINDS.get(int(code)) if isinstance(code, int | str) and str(code).isdigit() else None
    return CONTENT_POLICY if kind is None and _POLICY.search(f"{code} {said}") else kind


def complaint_of(body: Mapping[str, object]) -> tuple[object, str]:
    """Return the code, 0 for none, and the words of an answer, in the form of either interface."""
    for name, code, words in (("base_resp", "status_code", "status_msg"), ("error", "code", "message")):
        found = body.get(name)
        if isinstance(found, Mapping) and found.get(code):
            return found[code], str(found.get(words) or "")
    return 0, ""


def judge_minimax(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    """Return why an answer is none; one that tells of a job that has failed is what was asked for."""
    body = answer.json_object()
    code, said = complaint_of(body)
    if answer.succeeded and (not code or any(body.get(name) for name in _JOB)):
        return None
    kind = kind_of(code, said)
    if kind is None:
        refusal = refusal_by_status(answer, paid=paid, said=said or answer.text(), now=now)
        return refusal or Refusal(INVALID_REQUEST, said)
    if paid and str(code).isdigit() and int(str(code)) in _UNKNOWN:
        return Refusal(OUTCOME_UNKNOWN, said)
    resend = kind is RATE_LIMITED or (kind is UNAVAILABLE and not paid)
    # Words about a refused key may repeat it.
    return Refusal(kind, "" if kind is AUTH else said, asked_wait(answer, now), resend=resend)
