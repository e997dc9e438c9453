"""One task in a worker's hands, from claim to end, whatever happens meanwhile."""

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import Final

from domain import db
from domain.errors import InvalidInput, ProviderUnavailable, StorageError
from domain.lifecycle import TaskStatus
from domain.models.tasks import Asset, Task
from domain.ports import Subscription
from domain.tasks import work
from domain.tasks.work import Claim, Failure, OwnershipLost
from domain.timeouts import life_ends_at, life_seconds, work_seconds
from worker.failures import classify
from worker.pipeline.graph import run_pipeline
from worker.pipeline.run import Parked, Run, Tools, new_run
from worker.pipeline.source_image import load_source_image

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Completed:
    """The pipeline went to its end."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The pipeline raised."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The attempt, or the whole task, took longer than it may."""

    limit: "TimeLimit"


@dataclass(frozen=True, slots=True)
class Lost:
    """The task was cancelled, deleted, or taken by someone else."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The process stops."""


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """How long the work may go on, and what is said when it has."""

    seconds: float
    message: str


Outcome = Completed | Parked | Failed | TimedOut | Lost | Stopped
#: How many renewals fit into a lease, so that one may fail.
_RENEWALS_PER_LEASE: Final = 3


async def run_task(task_id: str, tools: Tools) -> None:
    """Claim a task, run its pipeline under guard, and end it; raises nothing but cancellation.

    Cancellation means that the process stops: the task is handed back first.
    """
    # Listened to from before the claim on, so that no end by others is missed.
    async with tools.deps.broadcaster.subscribe(task_id) as live:
        claim = await work.claim(tools.deps, task_id)
        if claim is not None:
            await _run_claimed(claim, live, tools)


async def _run_claimed(claim: Claim, live: Subscription, tools: Tools) -> None:
    run: Run | None = None
    stopped: asyncio.CancelledError | None = None
    try:
        provider = tools.deps.catalog.choose(claim.task.kind, claim.task.asset_type, claim.task.provider)
        run = new_run(claim, provider)
        outcome = await _guarded(run, live, tools)
    except asyncio.CancelledError as error:
        outcome, stopped = Stopped(), error
    except ProviderUnavailable as error:
        outcome = Failed(Failure("PROVIDER_UNAVAILABLE", error.message, retryable=True))
    except InvalidInput:
        message = f"The provider {claim.task.provider} is no longer configured."
        outcome = Failed(Failure("PROVIDER_UNAVAILABLE", message, retryable=True))
    if not isinstance(outcome, Completed):
        await _settle(claim, outcome, tools)
    if run is not None and not isinstance(outcome, Completed):
        await _remove_files(run, tools)
    if stopped is not None:
        raise stopped


async def _guarded(run: Run, live: Subscription, tools: Tools) -> Outcome:
    """Run the pipeline beside a watch on its lease and one on its end by others."""
    limit = _time_limit(run, tools)
    pipeline = asyncio.create_task(_pipeline(run, tools))
    guards = [
        asyncio.create_task(_keep_lease(run.claim, tools)),
        asyncio.create_task(_wait_for_end(run.claim, live)),
    ]
    everything = [pipeline, *guards]
    try:
        done, _ = await asyncio.wait(everything, timeout=limit.seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in everything:
            task.cancel()
        await asyncio.wait(everything)
    # Read after the cancellation: a pipeline that got to its end meanwhile has completed its task.
    if not pipeline.cancelled():
        return pipeline.result()
    return Lost() if done else TimedOut(limit)


def _time_limit(run: Run, tools: Tools) -> TimeLimit:
    """Return the shorter of what is left of the attempt's time and of the whole task's."""
    settings, task = tools.deps.settings, run.task
    seconds = work_seconds(settings, task.kind, run.provider_name)
    now = tools.deps.clock.now()
    life_left = life_ends_at(settings, task.kind, run.provider_name, task.started_at or now) - now
    if life_left.total_seconds() < seconds:
        whole = life_seconds(settings, task.kind, run.provider_name)
        return TimeLimit(max(life_left.total_seconds(), 0), f"The task took longer than {whole:g} seconds in all.")
    return TimeLimit(seconds, f"The work took longer than {seconds:g} seconds.")


async def _pipeline(run: Run, tools: Tools) -> Outcome:
    try:
        run.source_image = await load_source_image(run.task, tools.storage)
        finished = await run_pipeline(run, tools)
    except OwnershipLost:
        return Lost()
    except Exception as error:  # noqa: BLE001 (boundary: a fault of ours ends one attempt, not the worker)
        return Failed(_not_paid_twice(run, classify(error, run.task.id)))
    return Completed() if finished else Parked()


def _not_paid_twice(run: Run, failure: Failure) -> Failure:
    """Return the failure as one after which nothing is made, and charged, anew unless somebody asks for it."""
    if not run.paid or not failure.retryable:
        return failure
    said = "What was made until then has been charged, so the task is not begun again by itself; retryTask does that."
    return replace(failure, message=f"{failure.message} {said}", unasked=False)


async def _keep_lease(claim: Claim, tools: Tools) -> None:
    """Renew the lease; return when it is lost, or could not be renewed until it ran out."""
    deps = tools.deps
    renewed_at = deps.clock.now()
    while True:
        await asyncio.sleep(deps.settings.lease_seconds / _RENEWALS_PER_LEASE)
        try:
            await work.renew(deps, claim)
            renewed_at = deps.clock.now()
        except OwnershipLost:
            return
        except db.DATABASE_ERRORS as error:
            _log.warning("task %s: the lease could not be renewed: %s", claim.task.id, type(error).__name__)
            if (deps.clock.now() - renewed_at).total_seconds() >= deps.settings.lease_seconds:
                return


async def _wait_for_end(claim: Claim, live: Subscription) -> None:
    """Return when somebody else has ended the task, or taken it."""
    while True:
        event = await live.next()
        if event is None:
            if not await _is_ours(claim):
                return
        # COMPLETED is our own doing: only the owner completes. And an event is told after its commit, so the end of an
        # earlier attempt may be heard of in this one.
        elif event.ends_task and event.status is not TaskStatus.COMPLETED and event.attempt == claim.task.attempt:
            return


async def _is_ours(claim: Claim) -> bool:
    return await Task.filter(id=claim.task.id, owner_token=claim.owner_token).exists()


async def _settle(claim: Claim, outcome: Outcome, tools: Tools) -> None:
    """Write how the attempt ended. A database out of reach leaves that to the reconciler, when the lease runs out."""
    try:
        # As the row stands: what this process knows may be from a transaction that was undone.
        task = await Task.filter(id=claim.task.id, owner_token=claim.owner_token).first()
        if task is None:
            return
        claim.task = task
        match outcome:
            case Failed(failure):
                await work.fail(tools.deps, claim, failure)
            case TimedOut(limit):
                await work.time_out(tools.deps, claim, Failure("TIMEOUT", limit.message, retryable=True))
            case Stopped():
                await work.hand_back(tools.deps, claim)
            case Completed() | Parked() | Lost():
                pass
    except OwnershipLost:
        return
    except db.DATABASE_ERRORS as error:
        _log.warning("task %s: its end could not be written: %s", claim.task.id, type(error).__name__)


async def _remove_files(run: Run, tools: Tools) -> None:
    """Remove what this run has stored and no row names; what cannot be removed now, the outbox removes later."""
    if not run.written_keys:
        return
    try:
        kept = {asset.storage_key for asset in await Asset.filter(storage_key__in=run.written_keys)}
        await tools.storage.delete([key for key in run.written_keys if key not in kept])
    except (StorageError, *db.DATABASE_ERRORS) as error:
        _log.warning("task %s: its files could not be removed yet: %s", run.task.id, type(error).__name__)
