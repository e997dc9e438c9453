"""Pictures from an asynchronous provider: every one is a job there, and a row here before it is created.

A process may die between any two lines. The row says then whether the job is certainly there (its id is known), or may
be: such a job is looked up by the name that we gave it and never created again on a guess.
"""

import asyncio
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Final

from domain.lifecycle import JobState
from domain.models.jobs import ExternalJob
from domain.tasks import jobs as rows
from domain.tasks.parking import park
from domain.timeouts import CheckPlan, check_plan
from worker.artifacts import GenerationRequest, GenerationResult
from worker.pipeline.asking import with_references
from worker.pipeline.charging import charge_of, picture_count
from worker.pipeline.job_results import load_result, store_result
from worker.pipeline.prompts import BuiltPrompt
from worker.pipeline.run import Run, Tools, picture_request
from worker.providers.base import AsynchronousProvider, ProviderError
from worker.providers.errors import RATE_LIMITED, TIMEOUT, UNAVAILABLE, UNPAID_CODES

#: Failures to fetch what was made that may pass, and how long after the job's end that is hoped for.
_PASSING: Final = frozenset({UNAVAILABLE.code, TIMEOUT.code, RATE_LIMITED.code})
_FETCH_PATIENCE: Final = timedelta(minutes=10)
#: Twice what the port allows a submission.
_SUBMIT_SECONDS: Final = 120
#: Least wait between two tries to get a place at a provider that has none.
_PLACE_SECONDS: Final = 15.0
_UNKNOWN: Final = (
    "It is not known whether the provider has accepted the job, which may cost money. "
    "Look it up there; retry the task if it is not."
)


async def generate_in_jobs(run: Run, tools: Tools, provider: AsynchronousProvider) -> bool:
    """Get every picture that is still wanted in this round; False when the task is parked until the provider has them.

    Raises `OwnershipLost`, `ProviderError`, `StorageError`.
    """
    jobs = {job.variation: job for job in await rows.jobs_of(run.task) if job.round == run.round}
    plan = check_plan(tools.deps.settings, run.task.kind, provider.name, provider.check_interval_seconds)
    for variation in run.open_variations:
        try:
            jobs[variation] = await _existing_job(run, tools, provider, variation, jobs.get(variation))
        except ProviderError as error:
            if error.code != RATE_LIMITED.code or error.outcome_unknown:
                raise
            # It will have a place later: to fail, or to keep a worker waiting, would be worse.
            await park(tools.deps, run.claim, _patient(plan, error), f"waiting for a place at {provider.name}")
            return False
    wanted = [jobs[variation] for variation in run.open_variations]
    run.paid = tools.providers.is_paid(provider.name) and any(map(_may_be_paid, await rows.jobs_of(run.task)))
    for job in wanted:
        if job.state is JobState.FAILED:
            raise ProviderError(str(job.error_code), str(job.error_message), retryable=bool(job.error_retryable))
    if any(job.state is JobState.WAITING for job in wanted):
        await park(tools.deps, run.claim, plan, f"waiting for {provider.name}")
        return False
    for job in wanted:
        result = await _result(run, tools, provider, job)
        if result is None:
            await park(tools.deps, run.claim, plan, f"fetching from {provider.name} again in a moment")
            return False
        run.add(job.variation, job.seed, result, duration_seconds(job))
    return True


def _patient(plan: CheckPlan, error: ProviderError) -> CheckPlan:
    """Return when to come again for a place: not at once, and not sooner than the provider has said."""
    wait = max(plan.interval_seconds, _PLACE_SECONDS, error.retry_after_seconds or 0)
    return replace(plan, interval_seconds=wait)


def _may_be_paid(job: ExternalJob) -> bool:
    return job.state is not JobState.FAILED or job.error_code not in UNPAID_CODES


def duration_seconds(job: ExternalJob) -> float:
    """Return how long the provider took for a job that has ended."""
    if job.submitted_at is None or job.finished_at is None:
        return 0.0
    return (job.finished_at - job.submitted_at).total_seconds()


async def _existing_job(
    run: Run, tools: Tools, provider: AsynchronousProvider, variation: int, job: ExternalJob | None
) -> ExternalJob:
    """Return a variation's job, which exists at the provider then, or has failed."""
    fresh = job is None
    if job is not None:
        run.prompts[variation] = BuiltPrompt(**job.prompt)
        if job.state is not JobState.SUBMITTING:
            return job
    # Whatever has to be read for it is read before the row says that the job may exist.
    request = await with_references(run, tools, picture_request(run, variation), provider)
    if job is None:
        charge = charge_of(run.task, tools, provider, picture_count(request, asynchronous=True))
        plan = rows.JobPlan(run.round, variation, provider.name, request.seed, asdict(run.prompts[variation]), charge)
        job = await rows.begin_job(tools.deps, run.claim, plan)
    # Not to be interrupted: what was created has to be written down, also for a task that was cancelled meanwhile.
    await tools.unbroken.run(_create(tools, provider, job, request, fresh=fresh))
    run.task.external_id = job.external_id
    return job


async def _create(
    tools: Tools, provider: AsynchronousProvider, job: ExternalJob, request: GenerationRequest, *, fresh: bool
) -> None:
    external_id = None if fresh else await _find(provider, job)
    if external_id is None:
        try:
            external_id = await _submit(provider, request, job.id)
        except ProviderError as error:
            external_id = await _find(provider, job) if error.outcome_unknown else None
            if external_id is None:
                await rows.job_refused(job)
                raise
    await rows.job_created(job, external_id, tools.deps.clock.now())
    tools.deps.wake_checker()


async def _submit(provider: AsynchronousProvider, request: GenerationRequest, job_id: str) -> str:
    """Create the job. A call that nobody can interrupt must end by itself: after so long its outcome is unknown."""
    try:
        async with asyncio.timeout(_SUBMIT_SECONDS):
            return await provider.submit(request, job_id)
    except TimeoutError:
        message = f"{provider.name} has not said in time whether it takes the job."
        raise ProviderError(TIMEOUT.code, message, retryable=True, outcome_unknown=True) from None


async def _find(provider: AsynchronousProvider, job: ExternalJob) -> str | None:
    try:
        async with asyncio.timeout(_SUBMIT_SECONDS):
            return await provider.find(job.id)
    except (ProviderError, TimeoutError) as error:
        raise ProviderError("PROVIDER_OUTCOME_UNKNOWN", _UNKNOWN, retryable=False) from error


async def _result(run: Run, tools: Tools, provider: AsynchronousProvider, job: ExternalJob) -> GenerationResult | None:
    """Return what a job has made; None when it is there and could not be fetched just now."""
    if job.state is JobState.FETCHED:
        return await load_result(tools.storage, job)
    try:
        result = await provider.fetch(str(job.external_id), picture_request(run, job.variation))
    except ProviderError as error:
        # A new attempt would have it made, and charged, anew.
        if error.code not in _PASSING or not _is_fresh(job, tools.deps.clock.now()):
            raise
        return None
    await rows.job_fetched(job, await store_result(tools.storage, run.task, job, result))
    return result


def _is_fresh(job: ExternalJob, now: datetime) -> bool:
    """Tell whether a job ended so recently that its result is worth another try."""
    return job.finished_at is not None and now < job.finished_at + _FETCH_PATIENCE
