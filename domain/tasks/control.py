"""What an owner may do to a task: cancel it, try it again, move it in the queue."""

from domain import db
from domain.errors import Conflict, InvalidInput, NotCancellable, NotFound, NotRetryable
from domain.events import TaskEvent
from domain.ids import IdPrefix, is_id
from domain.lifecycle import ACTIVE, RETRYABLE, TaskStatus
from domain.models.accounts import User
from domain.models.tasks import Task
from domain.tasks.admission import admit
from domain.tasks.deps import TaskDeps
from domain.tasks.gates import shut_gate
from domain.tasks.leftovers import record_leftovers
from domain.tasks.queries import TaskFilter, filtered
from domain.tasks.requests import MAX_PRIORITY
from domain.tasks.transition import locked, move
from domain.tasks.turns import entry_of


async def owned(user_id: str, task_id: str) -> Task:
    """Return a user's task; raises `NotFound`, in the same words, for what is not theirs or not there."""
    task = await Task.filter(id=task_id, user_id=user_id).first() if is_id(task_id, IdPrefix.TASK) else None
    if task is None:
        raise NotFound("There is no such task.", path=("id",))
    return task


async def cancel(deps: TaskDeps, user_id: str, task_id: str) -> Task:
    """End a waiting or running task as CANCELLED; raises `NotFound` or `NotCancellable`.

    When this returns the task is cancelled for good: a worker that still holds it has lost it, and is told to stop.
    """
    async with db.transaction():
        task = await _locked_and_owned(user_id, task_id)
        if task.status not in ACTIVE:
            raise NotCancellable(f"The task has already ended as {task.status}.", path=("id",))
        event = await cancel_row(deps, task, "cancelled")
    await deps.tell([event])
    deps.wake()
    return task


async def cancel_many(deps: TaskDeps, user_id: str, wanted: TaskFilter) -> int:
    """Cancel every active task of a user that fits; returns how many. What ends by itself meanwhile stays so."""
    query = filtered(Task.filter(user_id=user_id, status__in=list(ACTIVE)), wanted)
    if wanted.statuses is not None:
        query = query.filter(status__in=list(wanted.statuses))
    if wanted.asset_types is not None:
        query = query.filter(asset_type__in=list(wanted.asset_types))
    cancelled = 0
    for task_id in await query.order_by("id").values_list("id", flat=True):
        try:
            await cancel(deps, user_id, str(task_id))
        except (NotCancellable, NotFound):
            continue
        cancelled += 1
    return cancelled


async def cancel_row(deps: TaskDeps, task: Task, message: str) -> TaskEvent | None:
    """Inside a transaction that has locked the row: cancel it and record what its worker may leave behind."""
    now = deps.clock.now()
    await record_leftovers(task, now, deps.settings)
    return await move(task, TaskStatus.CANCELLED, message, now)


async def retry(deps: TaskDeps, user: User, task_id: str) -> Task:
    """Make a failed, cancelled or timed-out task PENDING again, as a new attempt of the same input.

    Its history stays: events go on counting, earlier verdicts are kept. Raises `NotFound`, `NotRetryable`, and what
    `admit` raises.
    """
    now = deps.clock.now()
    async with db.transaction():
        await db.lock_admission()
        task = await _locked_and_owned(user.id, task_id)
        if task.status not in RETRYABLE:
            state = "has completed" if task.status is TaskStatus.COMPLETED else "is still active"
            raise NotRetryable(
                f"The task {state}; only a failed, cancelled or timed-out one can be retried.", path=("id",)
            )
        await admit(user, deps.settings)
        twin = await Task.filter(user_id=user.id, active_fingerprint=task.fingerprint).exists()
        event = await move(
            task,
            TaskStatus.PENDING,
            "queued again",
            now,
            attempt=task.attempt + 1,
            active_fingerprint=None if twin else task.fingerprint,
            **fresh_run(task),
            retries=0,
            losses=0,
            suspicion=0,
            gate=await shut_gate(task.id),
            error_code=None,
            error_message=None,
            error_retryable=None,
            ready_at=now,
            started_at=None,
            finished_at=None,
        )
    await deps.tell([event])
    deps.wake()
    return task


def fresh_run(task: Task) -> dict[str, object]:
    """Return the fields of a task whose pipeline has not begun; a provider that was not asked for is chosen anew."""
    return {
        "provider": task.requested_provider,
        "stage": None,
        "progress": 0.0,
        "quality_retries": 0,
        "degraded": False,
        "released_at": None,
        "released_to": None,
        "external_id": None,
        "check_count": 0,
        "max_checks": None,
        "last_check_at": None,
        "external_until": None,
    }


async def set_priority(deps: TaskDeps, user_id: str, task_id: str, priority: int) -> Task:
    """Move a waiting task up or down; raises `InvalidInput`, `NotFound`, or `Conflict` once it is no longer queued.

    Among the user's tasks of its new priority it stands where its age puts it, so back at the old one it has its old
    place.
    """
    if not 0 <= priority <= MAX_PRIORITY:
        raise InvalidInput(f"priority must be 0 to {MAX_PRIORITY}.", path=("priority",))
    async with db.transaction():
        await db.lock_release()  # or it could be handed over meanwhile with the priority that it had
        task = await _locked_and_owned(user_id, task_id)
        if task.status is not TaskStatus.PENDING:
            raise Conflict(f"The task is no longer queued: it is {task.status}.", path=("id",))
        await Task.filter(id=task.id).update(priority=priority)
        task.priority = priority
        if task.released_at is not None and task.released_to == deps.instance_id:
            await deps.queue.enqueue([await entry_of(task)])
        elif task.released_at is not None:  # in the queue of another process: to be released anew, where it now belongs
            await Task.filter(id=task.id).update(released_at=None, released_to=None)
    deps.wake()
    return task


async def _locked_and_owned(user_id: str, task_id: str) -> Task:
    task = await locked(task_id) if is_id(task_id, IdPrefix.TASK) else None
    if task is None or task.user_id != user_id:
        raise NotFound("There is no such task.", path=("id",))
    return task
