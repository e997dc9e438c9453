"""Reading the answers of Black Forest Labs: `{"detail": …}`, as FastAPI writes it.

Statuses: the vendor's documentation, autumn 2026. Moderation is told of as the state of a job, not here.
"""

from datetime import datetime

from worker.providers.http.answer import Answer
from worker.providers.http.refusal import Refusal, refusal_by_status
from worker.providers.jobs.complaint import complaint_of


def judge_bfl(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    """Return why an answer is none, by its status."""
    said, _ = complaint_of(answer.json_object().get("detail"))
    return refusal_by_status(answer, paid=paid, said=said or answer.text(), now=now)
