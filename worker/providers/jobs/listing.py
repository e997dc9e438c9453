"""Looking for a job in a service's list of jobs, page by page, without claiming more than the list shows."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from domain.ids import made_at
from worker.providers.errors import OUTCOME_UNKNOWN, failure

#: How far a service's clock may be from ours.
_SKEW: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Listed:
    """One job of a list."""

    external_id: str
    #: When it was created, in seconds since 1970; None when the list does not say.
    created_at: float | None
    #: Whether it is the one that is looked for; None when the list does not say.
    ours: bool | None


@dataclass(frozen=True, slots=True)
class Search:
    """How a list is gone through."""

    #: Returns a page, counted from 1; one with fewer jobs than `page_size` is the last.
    page: Callable[[int], Awaitable[Sequence[Listed]]]
    page_size: int
    pages: int

    async def run(self, provider: str, job_id: str) -> str | None:
        """Return the service's id of the job of this name, None when it is certainly not there.

        Only jobs that are not older than the name count, where the list tells their age. The search ends early in a
        list that runs from new to old. Raises `ProviderError` when the list does not tell.
        """
        since = made_at(job_id)
        oldest = (since - _SKEW).timestamp() if since is not None else 0.0
        before, falling = float("inf"), True
        for number in range(1, self.pages + 1):
            found = await self.page(number)
            recent = [job for job in found if job.created_at is None or job.created_at >= oldest]
            for job in recent:
                if job.ours:
                    return job.external_id
            if any(job.ours is None for job in recent):
                break
            for job in found:
                at = before if job.created_at is None else job.created_at
                falling = falling and job.created_at is not None and at <= before
                before = at
            if len(found) < self.page_size or (falling and before < oldest):
                return None
        raise failure(OUTCOME_UNKNOWN, provider, said="Its list of jobs does not tell whether the job is there.")
