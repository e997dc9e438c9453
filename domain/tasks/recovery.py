"""Finding tasks whose worker or whose place in the queue is gone, and putting them back on their way."""

from domain import db
from domain.events import TaskEvent
from domain.lifecycle import TaskStatus
from domain.models.tasks import Task
from domain.tasks.control import fresh_run
from domain.tasks.deps import TaskDeps
from domain.tasks.leftovers import record_leftovers
from domain.tasks.transition import locked, move, release_fields

_BATCH = 500


async def recover_at_start(deps: TaskDeps) -> int:
    """Take back every task of this process's dead predecessor; returns how many were running.

    Only for a process that is alone on its database (`domain.instance`): what is RUNNING then has no worker, and the
    queue in memory, with all that was released to it, is gone.
    """
    await Task.filter(status=TaskStatus.PENDING, released_at__isnull=False).update(released_at=None)
    ids = await Task.filter(status=TaskStatus.RUNNING).order_by("id").values_list("id", flat=True)
    return await _take_back(deps, [str(task_id) for task_id in ids], only_expired=False)


async def reclaim_expired(deps: TaskDeps) -> int:
    """Take back the RUNNING tasks whose lease has run out; returns how many."""
    now = deps.clock.now()
    ids = (
        await Task.filter(status=TaskStatus.RUNNING, lease_until__lt=now)
        .order_by("lease_until")
        .limit(_BATCH)
        .values_list("id", flat=True)
    )
    return await _take_back(deps, [str(task_id) for task_id in ids], only_expired=True)


async def release_lost_again(deps: TaskDeps) -> int:
    """Make the released tasks that the queue engine does not know wait as rows again; returns how many."""
    ids = await Task.filter(status=TaskStatus.PENDING, released_at__isnull=False).values_list("id", flat=True)
    lost = await deps.queue.missing([str(task_id) for task_id in ids])
    if lost:
        # PENDING still: a worker that took the task meanwhile has changed the status.
        await Task.filter(id__in=lost, status=TaskStatus.PENDING).update(released_at=None)
    return len(lost)


async def _take_back(deps: TaskDeps, task_ids: list[str], *, only_expired: bool) -> int:
    events: list[TaskEvent | None] = []
    for task_id in task_ids:
        async with db.transaction():
            task = await locked(task_id)
            if task is None or task.status is not TaskStatus.RUNNING:
                continue
            if only_expired and task.lease_until is not None and task.lease_until >= deps.clock.now():
                continue
            events.append(await _lose_worker(deps, task))
    await deps.tell(events)
    return len(events)


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
    return await move(
        task,
        TaskStatus.PENDING,
        "the worker was lost: queued again",
        now,
        **fresh_run(),
        **release_fields(),
        attempt=task.attempt + 1,
        losses=losses,
        ready_at=now,
    )
