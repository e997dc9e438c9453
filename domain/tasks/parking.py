"""Tasks that wait for a provider without a worker: parking them, asking again in time, and sending them on."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from tortoise.expressions import F, Q

from domain import db
from domain.events import TaskEvent
from domain.lifecycle import STAGE_SPANS, JobState, TaskStage, TaskStatus
from domain.models.jobs import ExternalJob
from domain.models.tasks import Task
from domain.tasks.deps import TaskDeps
from domain.tasks.transition import locked, move, parked
from domain.tasks.turns import entry_of
from domain.tasks.work import Claim, OwnershipLost
from domain.timeouts import CheckPlan, life_ends_at

#: Between two questions about a task, whatever hurries them.
_REST: Final = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What checking parked tasks came to."""

    asked: int
    #: Sent on to a worker, or ended.
    moved: int


async def park(deps: TaskDeps, claim: Claim, plan: CheckPlan, message: str) -> None:
    """Give the worker up while the jobs at the provider are at work; raises `OwnershipLost`."""
    now, task = deps.clock.now(), claim.task
    until = external_until(deps, task, plan)
    async with db.transaction():
        event = await move(
            task,
            TaskStatus.RUNNING,
            message,
            now,
            **parked(min(now + timedelta(seconds=plan.interval_seconds), until)),
            check_count=0,
            max_checks=plan.max_checks,
            last_check_at=None,
            external_until=until,
        )
    if event is None:
        raise OwnershipLost
    await deps.tell([event])
    deps.wake_checker()


async def providers_due(now: datetime) -> list[str]:
    """Return the providers that are to be asked about parked tasks now; '' stands for tasks that name none."""
    names = await Task.filter(next_check_at__lte=now).distinct().values_list("provider", flat=True)
    return sorted({str(name or "") for name in names})


async def due_checks(now: datetime, provider: str, limit: int) -> list[str]:
    """Return the ids of parked tasks about which a provider is to be asked now, longest due first.

    Ids only, so that a row that cannot be read keeps no other from being found.
    """
    due = Task.filter(_of(provider), next_check_at__lte=now)
    return [str(key) for key in await due.order_by("next_check_at").limit(limit).values_list("id", flat=True)]


async def next_check_at(without: Collection[str] = ()) -> datetime | None:
    """Return when the next parked task, except those of some providers, is due; None when none is parked."""
    parked_ones = Task.filter(next_check_at__isnull=False)
    if without:
        named = parked_ones.filter(Q(provider__isnull=True) | Q(provider__not_in=list(without)))
        parked_ones = named.filter(provider__isnull=False) if "" in without else named
    times = await parked_ones.order_by("next_check_at").limit(1).values_list("next_check_at", flat=True)
    return times[0] if times else None  # type: ignore[return-value]  # a flat list of one column


async def overdue(now: datetime, limit: int = 500) -> list[tuple[str, str]]:
    """Return parked tasks whose time is over, longest first, each with its provider."""
    late = Task.filter(next_check_at__isnull=False, external_until__lte=now).order_by("external_until")
    return [(str(key), str(name or "")) for key, name in await late.limit(limit).values_list("id", "provider")]


def _of(provider: str) -> Q:
    return Q(provider=provider) if provider else Q(provider__isnull=True) | Q(provider="")


async def check_all_now(now: datetime) -> int:
    """Make every parked task due; returns how many there are."""
    return await Task.filter(next_check_at__isnull=False).update(next_check_at=now)


async def claim_check(deps: TaskDeps, task: Task, plan: CheckPlan) -> bool:
    """Take the right to ask about a task; of several that try, one gets it. Counts the check.

    The next one is an interval away, or at the end of the task's time, whichever comes first. A task that was parked
    because its worker was lost gets its limits here.
    """
    now, due = deps.clock.now(), task.next_check_at
    still_due = Task.filter(id=task.id, sequence=task.sequence, owner_token__isnull=True, next_check_at=due)
    task.check_count, task.last_check_at = task.check_count + 1, now
    task.max_checks = task.max_checks or plan.max_checks
    task.external_until = task.external_until or external_until(deps, task, plan)
    next_at = now + timedelta(seconds=plan.interval_seconds)
    task.next_check_at = min(next_at, task.external_until) if task.external_until > now else next_at
    return bool(
        await still_due.update(
            next_check_at=task.next_check_at,
            check_count=task.check_count,
            last_check_at=task.last_check_at,
            max_checks=task.max_checks,
            external_until=task.external_until,
        )
    )


def external_until(deps: TaskDeps, task: Task, plan: CheckPlan) -> datetime:
    """Return until when the jobs of a task that is parked now may take."""
    now = deps.clock.now()
    life_ends = life_ends_at(deps.settings, task.kind, task.provider, task.started_at or now)
    return min(now + timedelta(seconds=plan.limit_seconds), life_ends)


async def set_aside(task_id: str, until: datetime) -> None:
    """Leave a parked task alone until then, whatever its row says."""
    await Task.filter(id=task_id, next_check_at__isnull=False).update(next_check_at=until)


def late_message(task: Task) -> str:
    """Say for people that the provider of a parked task has not answered in time."""
    return f"{task.provider} has not answered in time: asked {task.check_count} times."


async def hurry(provider: str, job_id: str, external_id: str | None, now: datetime) -> bool:
    """Make the task of a job due, which its provider is said to have ended; False when there is nothing to hurry.

    Only of a job that is waited for, and never sooner than a moment after the last question. The question comes on top
    of those that the task has, so that nobody can use them up.
    """
    job = await ExternalJob.filter(id=job_id, provider=provider, state=JobState.WAITING, cancel_at__isnull=True).first()
    if job is None or external_id not in (None, job.external_id):
        return False
    task = await Task.filter(id=job.task_id, attempt=job.attempt).first().only("id", "last_check_at")
    if task is None:
        return False
    due = now if task.last_check_at is None else max(now, task.last_check_at + _REST)
    later = Task.filter(id=task.id, attempt=job.attempt, next_check_at__gt=due)
    return bool(await later.update(next_check_at=due, max_checks=F("max_checks") + 1))


def checks_are_over(task: Task, now: datetime) -> bool:
    """Tell whether a parked task has been asked about often enough, or for long enough."""
    asked = task.max_checks is not None and task.check_count >= task.max_checks
    return asked or (task.external_until is not None and now >= task.external_until)


async def send_on(deps: TaskDeps, task: Task, message: str) -> bool:
    """Hand a parked task to the queue, for a worker to go on with it; False when it has moved on by itself."""
    now = deps.clock.now()
    async with db.transaction():
        changes = {"released_at": now, "released_to": deps.instance_id, "next_check_at": None}
        event = await move(task, TaskStatus.RUNNING, message, now, **changes)
        if event is not None and task.user_id is not None:
            await deps.queue.enqueue([await entry_of(task)])
    await deps.tell([event])
    return event is not None


async def tell_share(deps: TaskDeps, task: Task, share: float, message: str) -> None:
    """Write how much of a parked task's jobs is done, 0 to 1, for all who watch."""
    progress = STAGE_SPANS[TaskStage.ASSET_GENERATOR].at(share)
    if progress <= task.progress:
        return  # nothing new; each telling is a row
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
