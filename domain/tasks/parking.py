"""Tasks that wait for a provider without a worker: parking them, asking again in time, and sending them on."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from domain import db
from domain.events import TaskEvent
from domain.lifecycle import STAGE_SPANS, TaskStage, TaskStatus
from domain.models.tasks import Task
from domain.ports import QueueEntry
from domain.tasks.deps import TaskDeps
from domain.tasks.transition import locked, move, parked
from domain.tasks.work import Claim, OwnershipLost
from domain.timeouts import CheckPlan, life_ends_at


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What checking parked tasks came to."""

    asked: int
    #: Sent on to a worker, or ended.
    moved: int


async def park(deps: TaskDeps, claim: Claim, plan: CheckPlan, message: str) -> None:
    """Give the worker up while the jobs at the provider are at work; raises `OwnershipLost`."""
    now, task = deps.clock.now(), claim.task
    life_ends = life_ends_at(deps.settings, task.kind, task.provider, task.started_at or now)
    async with db.transaction():
        event = await move(
            task,
            TaskStatus.RUNNING,
            message,
            now,
            **parked(now + timedelta(seconds=plan.interval_seconds)),
            check_count=0,
            max_checks=plan.max_checks,
            last_check_at=None,
            external_until=min(now + timedelta(seconds=plan.limit_seconds), life_ends),
        )
    if event is None:
        raise OwnershipLost
    await deps.tell([event])
    deps.wake_checker()


async def due_checks(now: datetime, limit: int) -> list[Task]:
    """Return parked tasks whose provider is to be asked now, longest due first."""
    return await Task.filter(next_check_at__lte=now).order_by("next_check_at").limit(limit)


async def next_check_at() -> datetime | None:
    """Return when the next parked task is due; None when none is parked."""
    first = await Task.filter(next_check_at__isnull=False).order_by("next_check_at").limit(1).only("next_check_at")
    return first[0].next_check_at if first else None


async def check_all_now(now: datetime) -> int:
    """Make every parked task due; returns how many there are."""
    return await Task.filter(next_check_at__isnull=False).update(next_check_at=now)


async def claim_check(task: Task, now: datetime, interval_seconds: float) -> bool:
    """Take the right to ask about a task; of several that try, one gets it. Counts the check."""
    due, task.next_check_at = task.next_check_at, now + timedelta(seconds=interval_seconds)
    still_due = Task.filter(id=task.id, sequence=task.sequence, owner_token__isnull=True, next_check_at=due)
    task.check_count, task.last_check_at = task.check_count + 1, now
    return bool(
        await still_due.update(
            next_check_at=task.next_check_at, check_count=task.check_count, last_check_at=task.last_check_at
        )
    )


def checks_are_over(task: Task, now: datetime) -> bool:
    """Tell whether a parked task has been asked about often enough, or for long enough."""
    asked = task.max_checks is not None and task.check_count >= task.max_checks
    return asked or (task.external_until is not None and now >= task.external_until)


async def send_on(deps: TaskDeps, task: Task, message: str) -> bool:
    """Hand a parked task to the queue, for a worker to go on with it; False when it has moved on by itself."""
    now = deps.clock.now()
    async with db.transaction():
        changes = {"released_at": now, "next_check_at": None}
        event = await move(task, TaskStatus.RUNNING, message, now, **changes)
        if event is not None and task.user_id is not None:
            await deps.queue.enqueue([QueueEntry(task.id, task.user_id, task.priority)])
    await deps.tell([event])
    return event is not None


async def tell_share(deps: TaskDeps, task: Task, share: float, message: str) -> None:
    """Write how much of a parked task's jobs is done, 0 to 1, for all who watch."""
    progress = max(task.progress, STAGE_SPANS[TaskStage.ASSET_GENERATOR].at(share))
    async with db.transaction():
        event = await move(task, TaskStatus.RUNNING, message, deps.clock.now(), progress=progress)
    await deps.tell([event])


async def time_out_parked(deps: TaskDeps, task: Task, message: str) -> bool:
    """End a parked task as TIMEOUT; its jobs are cancelled. False when it has moved on by itself."""
    now = deps.clock.now()
    event: TaskEvent | None = None
    async with db.transaction():
        present = await locked(task.id)
        if present is not None and present.next_check_at is not None:
            event = await move(
                present,
                TaskStatus.TIMEOUT,
                message,
                now,
                error_code="TIMEOUT",
                error_message=message,
                error_retryable=True,
            )
    await deps.tell([event])
    deps.wake()
    return event is not None
