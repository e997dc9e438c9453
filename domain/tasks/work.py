"""What a worker does to a task: take it, tell of each step, and end it. Every write is conditional on the fence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from domain import db, quotas
from domain.events import TaskEvent
from domain.ids import IdPrefix, new_id
from domain.lifecycle import ACTIVE, STAGE_SPANS, TaskStage, TaskStatus
from domain.models.tasks import Asset, Task
from domain.spending.ledger import Charge, count
from domain.statements import insert_all, insert_models
from domain.tasks.control import fresh_run
from domain.tasks.deps import TaskDeps
from domain.tasks.leftovers import record_leftovers
from domain.tasks.transition import locked, move, parked, release_fields
from domain.tasks.turns import record_turn
from domain.timeouts import life_ends_at


class OwnershipLost(Exception):
    """The task is someone else's now: stop at once and leave it alone."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt ended without a result, as the task will show it."""

    code: str
    message: str
    #: Whether trying the whole task again can help.
    retryable: bool
    #: Whether that may be done without being asked: not where it would be paid for a second time.
    unasked: bool = True


@dataclass(slots=True)
class Claim:
    """A task that a worker owns; `task` is kept as the row stands."""

    task: Task
    owner_token: str
    #: The highest progress told in this attempt: what people see never falls within one.
    progress: float = field(default=0.0)


async def claim(deps: TaskDeps, task_id: str) -> Claim | None:
    """Take a released task, waiting for its start or come back from a provider; None when there is nothing to take."""
    now = deps.clock.now()
    token = new_id(IdPrefix.WORKER)

    async def take() -> tuple[Task, TaskEvent] | None:
        # Locked, not just read: the id may have come before the transaction that released it was committed.
        task = await locked(task_id)
        if task is None or not _waits_for_worker(task):
            return None
        goes_on = task.status is TaskStatus.RUNNING
        event = await move(
            task,
            TaskStatus.RUNNING,
            _started(task),
            now,
            stage=task.stage if goes_on else TaskStage.PROMPT_BUILDER,
            owner_token=token,
            lease_until=now + timedelta(seconds=deps.settings.lease_seconds),
            started_at=task.started_at or now,
        )
        if event is not None and not goes_on:
            await record_turn(task, now)
        return None if event is None else (task, event)

    taken = await db.together(take)
    if taken is None:
        return None
    task, event = taken
    await deps.tell([event])
    return Claim(task, token, progress=task.progress)


def _waits_for_worker(task: Task) -> bool:
    released = task.released_at is not None and task.owner_token is None
    return released and task.status in ACTIVE and task.user_id is not None


def _started(task: Task) -> str:
    if task.status is TaskStatus.RUNNING:
        return f"{task.provider} has answered: going on"
    return "started" if task.attempt == 1 else f"started, attempt {task.attempt}"


async def renew(deps: TaskDeps, claim: Claim) -> None:
    """Extend the lease; raises `OwnershipLost`."""
    until = deps.clock.now() + timedelta(seconds=deps.settings.lease_seconds)
    if not await Task.filter(id=claim.task.id, owner_token=claim.owner_token).update(lease_until=until):
        raise OwnershipLost


async def step(
    deps: TaskDeps,
    claim: Claim,
    stage: TaskStage,
    share: float,
    message: str,
    *,
    verdicts: Sequence[Mapping[str, object]] = (),
    calls: Sequence[Charge] = (),
    **changes: object,
) -> None:
    """Write where the work stands, with the verdicts of a round if it ends one; raises `OwnershipLost`.

    Verdicts are rows of `QualityCheckRow`, by column; `calls` are calls that cost nothing and are not counted yet.
    `share` is the part of the stage that is done, 0 to 1.
    """
    now = deps.clock.now()
    claim.progress = max(claim.progress, STAGE_SPANS[stage].at(share))

    async def write() -> TaskEvent | None:
        event = await move(
            claim.task,
            TaskStatus.RUNNING,
            message,
            now,
            stage=stage,
            progress=claim.progress,
            lease_until=now + timedelta(seconds=deps.settings.lease_seconds),
            **changes,
        )
        if event is not None:
            await insert_all("quality_check", verdicts)
            for call in calls:
                await count(call)
        return event

    await _told(deps, await db.together(write))


async def complete(deps: TaskDeps, claim: Claim, assets: Sequence[Asset], message: str, *, degraded: bool) -> None:
    """End the task with its files, stored already.

    Raises `OwnershipLost`, and `QuotaExceeded` when its user or project may not store so much; then nothing has
    changed, and the files are the caller's.
    """
    now = deps.clock.now()

    async def end() -> TaskEvent | None:
        event = await move(claim.task, TaskStatus.COMPLETED, message, now, progress=100.0, degraded=degraded)
        if event is not None:
            size_bytes = sum(asset.size_bytes for asset in assets)
            await quotas.take(str(claim.task.user_id), claim.task.project_id, size_bytes, deps.settings)
            await insert_models(assets)
        return event

    await _told(deps, await db.together(end))
    deps.wake()


async def fail(deps: TaskDeps, claim: Claim, failure: Failure) -> None:
    """End the attempt: the whole task is tried again later if that can help and is allowed, else FAILED.

    A task whose life would be over before it could be tried again is TIMEOUT.
    """
    now, task = deps.clock.now(), claim.task
    async with db.transaction():
        await record_leftovers(task, now, deps.settings)
        again = failure.retryable and failure.unasked
        if not again or task.retries >= deps.settings.task_retries:
            event = await move(task, TaskStatus.FAILED, f"failed: {failure.message}", now, **_error(failure))
        elif _has_time_left(deps, task, now):
            event = await _try_again(deps, task, failure, now)
        else:
            late = Failure("TIMEOUT", f"The task took too long. Its last failure: {failure.message}", retryable=True)
            event = await move(task, TaskStatus.TIMEOUT, late.message, now, **_error(late))
    await _told(deps, event)
    deps.wake()


def _has_time_left(deps: TaskDeps, task: Task, now: datetime) -> bool:
    ends_at = life_ends_at(deps.settings, task.kind, task.provider, task.started_at or now)
    return now + timedelta(seconds=deps.settings.task_retry_delay_seconds) < ends_at


async def _try_again(deps: TaskDeps, task: Task, failure: Failure, now: datetime) -> TaskEvent | None:
    delay = deps.settings.task_retry_delay_seconds
    return await move(
        task,
        TaskStatus.PENDING,
        f"attempt {task.attempt} failed ({failure.message}) Trying again in {delay:g} s.",
        now,
        **fresh_run(task),
        **release_fields(),
        attempt=task.attempt + 1,
        retries=task.retries + 1,
        ready_at=now + timedelta(seconds=delay),
    )


async def time_out(deps: TaskDeps, claim: Claim, failure: Failure) -> None:
    """End the task as TIMEOUT."""
    now = deps.clock.now()
    async with db.transaction():
        await record_leftovers(claim.task, now, deps.settings)
        event = await move(claim.task, TaskStatus.TIMEOUT, failure.message, now, **_error(failure))
    await _told(deps, event)
    deps.wake()


async def hand_back(deps: TaskDeps, claim: Claim) -> None:
    """Give the task back unfinished, because this process stops: it is ready at once, for a new attempt.

    With jobs at a provider it is parked instead, to go on with them.
    """
    now, task = deps.clock.now(), claim.task
    async with db.transaction():
        await record_leftovers(task, now, deps.settings)
        if task.external:
            event = await move(task, TaskStatus.RUNNING, "the server is stopping: goes on later", now, **parked(now))
        else:
            event = await move(
                task,
                TaskStatus.PENDING,
                "the server is stopping: queued again",
                now,
                **fresh_run(task),
                **release_fields(),
                attempt=task.attempt + 1,
                ready_at=now,
            )
    await _told(deps, event)


def _error(failure: Failure) -> dict[str, object]:
    return {
        "error_code": failure.code,
        "error_message": failure.message,
        "error_retryable": failure.retryable,
    }


async def _told(deps: TaskDeps, event: TaskEvent | None) -> None:
    if event is None:
        raise OwnershipLost
    await deps.tell([event])
