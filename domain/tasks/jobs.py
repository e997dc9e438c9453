"""Jobs at asynchronous providers as rows: written before they are created, kept until nobody needs them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain import db
from domain.ids import IdPrefix, new_id
from domain.lifecycle import JobState
from domain.models.jobs import ExternalJob
from domain.models.tasks import Task
from domain.spending.ledger import Charge, Purpose, charge_within, give_back_within
from domain.tasks.deps import TaskDeps
from domain.tasks.work import Claim, Failure, OwnershipLost

_OPEN: Final = (JobState.SUBMITTING, JobState.WAITING)


@dataclass(frozen=True, slots=True)
class JobPlan:
    """What a job is to make."""

    round: int
    variation: int
    provider: str
    seed: int
    prompt: dict[str, str]
    #: What it costs; counted before the job is created. None: nobody is left to be charged.
    charge: Charge | None = None


async def jobs_of(task: Task) -> list[ExternalJob]:
    """Return the jobs of a task's present attempt, by round and variation."""
    return await ExternalJob.filter(task_id=task.id, attempt=task.attempt).order_by("round", "variation")


async def begin_job(deps: TaskDeps, claim: Claim, plan: JobPlan) -> ExternalJob:
    """Write down that a job is about to be created, and count it; raises `OwnershipLost` and `BudgetExceeded`."""
    task = claim.task
    async with db.transaction():
        # The fence and the mark in one: whoever ends the attempt from here on sees that there are jobs.
        if not await Task.filter(id=task.id, owner_token=claim.owner_token).update(external=True):
            raise OwnershipLost
        if plan.charge is not None:
            await charge_within(plan.charge, deps.settings)
        job = await ExternalJob.create(
            id=new_id(IdPrefix.JOB),
            task_id=task.id,
            attempt=task.attempt,
            round=plan.round,
            variation=plan.variation,
            provider=plan.provider,
            seed=plan.seed,
            prompt=plan.prompt,
            model=plan.charge.model if plan.charge is not None else "",
            cost_micros=plan.charge.cost_micros if plan.charge is not None else 0,
            created_at=deps.clock.now(),
        )
    task.external = True
    return job


async def job_created(job: ExternalJob, external_id: str, now: datetime) -> None:
    """Write down the provider's id of a job; also when nobody wants the job any more, who then cancels it there."""
    async with db.transaction():
        found = ExternalJob.filter(id=job.id, state=JobState.SUBMITTING)
        await found.update(state=JobState.WAITING, external_id=external_id, submitted_at=now)
        # Cancelled while it was created: now that the id is known the provider can be told.
        await ExternalJob.filter(id=job.id, cancel_at__isnull=False).update(cancel_at=now)
        await Task.filter(id=job.task_id, attempt=job.attempt).update(external_id=external_id)
    job.state, job.external_id, job.submitted_at = JobState.WAITING, external_id, now


async def job_refused(job: ExternalJob) -> None:
    """Forget a job that certainly was not created, and what it would have cost."""
    async with db.transaction():
        if await ExternalJob.filter(id=job.id, state=JobState.SUBMITTING).delete():
            await _give_back(job)


async def job_previewed(job: ExternalJob, preview: bytes) -> None:
    """Keep a picture of what a job has made so far, in place of the one before; it goes with the job's end."""
    await ExternalJob.filter(id=job.id, state=JobState.WAITING).update(preview=preview)


async def job_done(job: ExternalJob, now: datetime) -> None:
    """Write down that a job has a result to fetch."""
    found = ExternalJob.filter(id=job.id, state=JobState.WAITING)
    await found.update(state=JobState.DONE, finished_at=now, preview=None)


async def job_failed(job: ExternalJob, failure: Failure, now: datetime, *, unpaid: bool = False) -> None:
    """Write down that a job ended without a result; `unpaid` gives back what it would have cost."""
    async with db.transaction():
        failed = await ExternalJob.filter(id=job.id, state__in=list(_OPEN)).update(
            state=JobState.FAILED,
            finished_at=now,
            preview=None,
            error_code=failure.code,
            error_message=failure.message,
            error_retryable=failure.retryable,
        )
        if failed and unpaid:
            await _give_back(job)


async def _give_back(job: ExternalJob) -> None:
    task = await Task.filter(id=job.task_id).only("id", "user_id", "project_id").first()
    if task is None or task.user_id is None or not job.model:
        return  # nothing is counted of what was deleted, and nothing was by versions before the ledger
    await give_back_within(
        Charge(
            user_id=task.user_id,
            project_id=task.project_id,
            provider=job.provider,
            model=job.model,
            purpose=Purpose.GENERATION,
            pictures=1,
            cost_micros=job.cost_micros,
            at=job.created_at,
        )
    )


async def job_fetched(job: ExternalJob, result: Mapping[str, object]) -> None:
    """Write down where a job's result is stored."""
    await ExternalJob.filter(id=job.id, state=JobState.DONE).update(state=JobState.FETCHED, result=dict(result))
    job.state, job.result = JobState.FETCHED, dict(result)


async def claim_cancellation(job: ExternalJob, now: datetime, seconds: float) -> bool:
    """Take a job that is to be cancelled for so long; of several processes one gets it."""
    due = ExternalJob.filter(id=job.id, cancel_at=job.cancel_at)
    # With the id as it was read: one that became known meanwhile has made the row due anew.
    due = due.filter(external_id__isnull=True) if job.external_id is None else due.filter(external_id=job.external_id)
    job.cancel_at = now + timedelta(seconds=seconds)
    return bool(await due.update(cancel_at=job.cancel_at, cancel_tries=job.cancel_tries + 1))


async def providers_to_tell(now: datetime) -> list[str]:
    """Return the providers that are to be told of jobs that nobody wants any more."""
    names = await ExternalJob.filter(cancel_at__lte=now).distinct().values_list("provider", flat=True)
    return sorted(str(name) for name in names)


async def jobs_to_cancel(now: datetime, provider: str, limit: int) -> list[ExternalJob]:
    """Return a provider's jobs that nobody wants any more and that it is to be told of, longest due first."""
    return await ExternalJob.filter(cancel_at__lte=now, provider=provider).order_by("cancel_at").limit(limit)


async def forget_job(job: ExternalJob) -> None:
    """Delete the row of a job that nobody wants, once no more is to be done about it."""
    await ExternalJob.filter(id=job.id).delete()
