"""Finding tasks whose worker or whose place in the queue is gone, and putting them back on their way."""

from datetime import datetime

from tortoise.expressions import Q
from tortoise.queryset import QuerySet

from domain import db
from domain.events import TaskEvent
from domain.instances.membership import known_ids
from domain.lifecycle import ACTIVE, TaskStatus
from domain.models.tasks import Task
from domain.tasks.control import fresh_run
from domain.tasks.deps import TaskDeps
from domain.tasks.leftovers import record_leftovers
from domain.tasks.transition import locked, move, parked, release_fields
from domain.tasks.turns import suspicion_of

_BATCH = 500


async def recover_at_start(deps: TaskDeps) -> int:
    """Take back every task of this process's dead predecessor; returns how many were running.

    Those with jobs at a provider are parked, to go on with them. Only for a process that is alone on its database
    (`domain.instances`): what is RUNNING then has no worker, and the queue in memory, with all that was released to it,
    is gone.
    """
    await Task.filter(status=TaskStatus.PENDING, released_at__isnull=False).update(released_at=None, released_to=None)
    await _waiting_for_worker().update(**parked(deps.clock.now()))
    ids = await Task.filter(status=TaskStatus.RUNNING).order_by("id").values_list("id", flat=True)
    return await _take_back(deps, [str(task_id) for task_id in ids], only_expired=False)


async def reclaim_expired(deps: TaskDeps) -> int:
    """Take back the RUNNING tasks that nobody has in hand; returns how many."""
    ids = await abandoned(deps.clock.now()).limit(_BATCH).values_list("id", flat=True)
    return await _take_back(deps, [str(task_id) for task_id in ids], only_expired=True)


def abandoned(now: datetime) -> QuerySet[Task]:
    """Return the RUNNING tasks whose lease has run out, or that neither have a worker nor wait for anything."""
    nowhere = Q(owner_token__isnull=True, released_at__isnull=True, next_check_at__isnull=True)
    return Task.filter(Q(lease_until__lt=now) | nowhere, status=TaskStatus.RUNNING)


async def lost_entries(deps: TaskDeps) -> list[str]:
    """Return the released tasks that no queue engine knows: not this process's, and no living one's."""
    released = Task.filter(status__in=list(ACTIVE), owner_token__isnull=True, released_at__isnull=False)
    here = await released.filter(released_to=deps.instance_id).values_list("id", flat=True)
    missing = await deps.queue.missing([str(task_id) for task_id in here])
    elsewhere = Q(released_to__isnull=True) | Q(released_to__not_in=[deps.instance_id, *await known_ids()])
    return missing + [str(task_id) for task_id in await released.filter(elsewhere).values_list("id", flat=True)]


async def release_lost_again(deps: TaskDeps) -> int:
    """Make the released tasks that no queue engine knows wait as rows again; returns how many."""
    lost = await lost_entries(deps)
    if lost:
        # PENDING still: a worker that took the task meanwhile has changed the status.
        await Task.filter(id__in=lost, status=TaskStatus.PENDING).update(released_at=None, released_to=None)
        await _waiting_for_worker().filter(id__in=lost).update(**parked(deps.clock.now()))
    return len(lost)


async def give_up_released(deps: TaskDeps) -> None:
    """Let the tasks that this process's queue holds be released anew, to whoever has room for them."""
    mine = Task.filter(released_to=deps.instance_id, owner_token__isnull=True, released_at__isnull=False)
    await mine.filter(status=TaskStatus.PENDING).update(released_at=None, released_to=None)


def _waiting_for_worker() -> QuerySet[Task]:
    """Return the RUNNING tasks that came back from a provider and that no worker has taken yet."""
    return Task.filter(status=TaskStatus.RUNNING, owner_token__isnull=True, released_at__isnull=False)


async def _take_back(deps: TaskDeps, task_ids: list[str], *, only_expired: bool) -> int:
    events: list[TaskEvent | None] = []
    for task_id in task_ids:
        async with db.transaction():
            task = await locked(task_id)
            if task is None or task.status is not TaskStatus.RUNNING or _is_waiting(task):
                continue
            if only_expired and task.lease_until is not None and task.lease_until >= deps.clock.now():
                continue
            events.append(await _lose_worker(deps, task))
    await deps.tell(events)
    return len(events)


def _is_waiting(task: Task) -> bool:
    return task.owner_token is None and (task.released_at is not None or task.next_check_at is not None)


async def _lose_worker(deps: TaskDeps, task: Task) -> TaskEvent | None:
    now, losses = deps.clock.now(), task.losses + 1
    await record_leftovers(task, now, deps.settings)
    if losses >= deps.settings.max_worker_losses:
        message = f"The server stopped {losses} times while working on this task, which may be the cause."
        return await move(
            task,
            TaskStatus.FAILED,
            f"failed: {message}",
            now,
            losses=losses,
            error_code="WORKER_LOST",
            error_message=message,
            error_retryable=True,
        )
    if task.external:
        message = "the worker was lost: goes on with what the provider has"
        return await move(task, TaskStatus.RUNNING, message, now, losses=losses, **parked(now))
    return await move(
        task,
        TaskStatus.PENDING,
        "the worker was lost: queued again",
        now,
        **fresh_run(task),
        **release_fields(),
        attempt=task.attempt + 1,
        losses=losses,
        suspicion=suspicion_of(losses),
        ready_at=now,
    )
