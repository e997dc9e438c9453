"""Writing down that a task ended, or that its end no longer counts, in the transaction that changes it.

Rows are only ever added here, so that workers never wait for one another over a counter; `domain.figures.folding` adds
them up.
"""

from collections.abc import Mapping
from datetime import datetime

from domain.lifecycle import TaskStatus
from domain.models.tasks import Task
from domain.statements import insert


async def record_end(task: Task, status: TaskStatus, at: datetime) -> None:
    """Write down that the task, which still shows what it was before, ends so at this moment."""
    await _record(task, status, at, 1)


async def take_back_end(task: Task) -> None:
    """Write down that the end of the task, which still shows it, counts no more: it is tried again."""
    await _record(task, task.status, task.finished_at, -1)


async def take_back_counts(user_id: str, numbers: Mapping[TaskStatus, int]) -> None:
    """Write down that so many of a user's tasks that ended so are deleted; what they did in their time stays told."""
    for status, number in sorted(numbers.items()):
        await insert("task_ending", {"user_id": user_id, "status": status, "change": -number})


async def _record(task: Task, status: TaskStatus, at: datetime | None, change: int) -> None:
    if task.user_id is None:
        return  # its project was deleted meanwhile; it counts no more
    began, run_seconds = task.attempt_started_at, None
    if status is TaskStatus.COMPLETED and began is not None and at is not None:
        run_seconds = max((at - began).total_seconds(), 0.0)
    row: dict[str, object] = {
        "user_id": task.user_id,
        "status": status,
        "change": change,
        "kind": task.kind,
        "provider": task.provider,
        "at": at,
        "run_seconds": run_seconds,
        "wait_seconds": task.wait_seconds,
    }
    await insert("task_ending", row)
