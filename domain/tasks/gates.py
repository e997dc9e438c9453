"""The gate before a task that depends on others: shut until all of them have completed.

Whoever may change what a gate depends on leaves a row in `gate_check`, in the same transaction; `settle` looks at the
tasks that such rows name. So nothing goes through all that wait, and a process that dies leaves the rows for the next.
"""

from typing import Final

from domain import db
from domain.events import TaskEvent
from domain.lifecycle import TaskStatus
from domain.models.tasks import Task
from domain.statements import fetch, insert, update_where
from domain.tasks.deps import TaskDeps
from domain.tasks.transition import locked, move

OPEN: Final = 0
SHUT: Final = 1
_BATCH: Final = 200
_FAIL: Final = (TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.TIMEOUT)
_CHECKS: Final = f"SELECT id, task_id FROM gate_check ORDER BY id LIMIT {_BATCH}"  # noqa: S608 (a number)
# Of one that was cleaned up the archive tells how it ended; one that is in neither was deleted with its project.
_DEPENDENCIES: Final = """
SELECT d.depends_on_id AS id, COALESCE(p.status, a.status) AS status FROM task_dependency d
LEFT JOIN task p ON p.id = d.depends_on_id LEFT JOIN archived_task a ON a.id = d.depends_on_id
WHERE d.task_id = ?
"""
# Until the transaction ends, none of those that a new task depends on can end unseen by it.
_HOLD: Final = """
SELECT p.id FROM task p WHERE p.id IN (SELECT depends_on_id FROM task_dependency WHERE task_id = ?) FOR SHARE
"""
_HAS_DEPENDENCIES: Final = "SELECT 1 FROM task_dependency WHERE task_id = ? LIMIT 1"


async def shut_gate(task_id: str) -> int:
    """Inside the transaction that makes a task wait, its dependencies written: return its gate.

    One that has dependencies is shut and will be looked at.
    """
    if not await fetch(_HAS_DEPENDENCIES, [task_id]):
        return OPEN
    if db.is_postgres():
        await fetch(_HOLD, [task_id])
    await insert("gate_check", {"task_id": task_id})
    return SHUT


async def settle(deps: TaskDeps) -> int:
    """Open the gates whose tasks may go on, and FAIL the tasks that wait for one that did not complete.

    Returns how many failed. What depends on these is looked at as well.
    """
    failed = 0
    while rows := await fetch(_CHECKS, []):
        checks: dict[str, list[int]] = {}
        for row in rows:
            checks.setdefault(row["task_id"], []).append(row["id"])
        for task_id, ids in checks.items():
            event = await _settle_one(deps, task_id, ids)
            failed += event is not None
            await deps.tell([event])
    return failed


async def _settle_one(deps: TaskDeps, task_id: str, check_ids: list[int]) -> TaskEvent | None:
    async def look() -> TaskEvent | None:
        # Locked before its dependencies are read: of what ends after that, a row of its own tells.
        task = await locked(task_id)
        event = None
        if task is not None and task.status is TaskStatus.PENDING and task.gate == SHUT:
            event = await _decide(deps, task)
        marks = ", ".join("?" for _ in check_ids)
        await fetch(f"DELETE FROM gate_check WHERE id IN ({marks})", check_ids)  # noqa: S608 (marks)
        return event

    return await db.together(look)


async def _decide(deps: TaskDeps, task: Task) -> TaskEvent | None:
    dependencies = sorted((row["id"], row["status"]) for row in await fetch(_DEPENDENCIES, [task.id]))
    for cause, status in dependencies:
        if status is None or status in _FAIL:
            became = "was deleted" if status is None else f"ended as {status}"
            message = f"The task it waits for, {cause}, {became}."
            return await move(
                task,
                TaskStatus.FAILED,
                f"failed: {message}",
                deps.clock.now(),
                error_code="DEPENDENCY_FAILED",
                error_message=message,
                error_retryable=True,
            )
    if all(status == TaskStatus.COMPLETED for _, status in dependencies):
        await update_where("task", {"gate": OPEN}, {"id": task.id})
    return None
