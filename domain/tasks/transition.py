"""The one compare-and-set through which every change of a task goes."""

from dataclasses import fields
from datetime import datetime
from typing import Final

from domain import db
from domain.events import TaskEvent
from domain.figures.journal import record_end, take_back_end
from domain.lifecycle import TERMINAL, TaskStatus, may_become
from domain.models.tasks import Task, TaskEventRow
from domain.statements import fetch, insert, update_where
from domain.tasks.abandonment import abandon_jobs
from domain.webhooks.recording import record_outcome

_EVENT_COLUMNS: Final = tuple(field.name for field in fields(TaskEvent))
_TASK: Final = "SELECT * FROM task WHERE id = ?"
_CHECK_DEPENDANTS: Final = (
    "INSERT INTO gate_check (task_id) SELECT task_id FROM task_dependency WHERE depends_on_id = ?"
)


class IllegalTransition(Exception):
    """The transition table has no such arrow: a fault of ours, never an answer to a client."""


def release_fields() -> dict[str, object]:
    """Return what a task loses when nobody works on it any more."""
    return {"owner_token": None, "lease_until": None}


def parked(next_check_at: datetime) -> dict[str, object]:
    """Return the fields of a RUNNING task that has no worker while its jobs at a provider are at work."""
    return {**release_fields(), "released_at": None, "released_to": None, "next_check_at": next_check_at}


async def move(task: Task, target: TaskStatus, message: str, now: datetime, **changes: object) -> TaskEvent | None:
    """Change the status, and the fields in `changes`, if the row is still as `task` shows it; write the event.

    An end is also written down for the queue's figures, for the webhooks that are to be told of it, and for the tasks
    that depend on this one (`domain.tasks.gates`). Jobs at a provider that belong to an attempt which so ends are to be
    cancelled.

    To be called inside a transaction. The event number is the row's version: the update holds only where status,
    sequence and owner are those of `task`, so of two that read the same row one wins. Returns the event to broadcast
    after the commit, with `task` brought up to date, or None when the row has moved on: then nothing was written.
    """
    if not may_become(task.status, target):
        raise IllegalTransition(f"{task.status} to {target}")
    values: dict[str, object] = {
        "status": target,
        "sequence": task.sequence + 1,
        **_attempt_fields(task, target, now),
        **changes,
    }
    if target in TERMINAL:
        values |= {"finished_at": now, "active_fingerprint": None, **release_fields()}
    external, attempt = task.external and (target in TERMINAL or "attempt" in changes), task.attempt
    if external:
        values |= {"external": False, "next_check_at": None}
    present = {"id": task.id, "status": task.status, "sequence": task.sequence, "owner_token": task.owner_token}
    if not await update_where("task", values, present):
        return None
    if target in TERMINAL:
        await record_end(task, target, now)
        await fetch(_CHECK_DEPENDANTS, [task.id])
    elif task.status in TERMINAL:
        await take_back_end(task)
    for name, value in values.items():
        setattr(task, name, value)
    if external:
        await abandon_jobs(task, attempt, now)
    event = await write_event(task, message, now)
    if event.ends_task:
        await record_outcome(task, event)
    return event


def _attempt_fields(task: Task, target: TaskStatus, now: datetime) -> dict[str, object]:
    """Return what tells working from waiting, as the move changes it."""
    if target is TaskStatus.PENDING:
        again = {"wait_seconds": None} if task.status in TERMINAL else {}
        return {"attempt_started_at": None, **again}
    if target is TaskStatus.RUNNING and task.status is TaskStatus.PENDING:
        # Before its first start a task has been ready since it was queued, or queued again by its owner.
        waited = {"wait_seconds": max((now - task.ready_at).total_seconds(), 0.0)} if task.started_at is None else {}
        return {"attempt_started_at": now, **waited}
    return {}


async def write_event(task: Task, message: str, now: datetime) -> TaskEvent:
    """Write the row of the event that `task.sequence` numbers; for `move` and for a task's first event."""
    event = TaskEvent(
        task_id=task.id,
        project_id=task.project_id,
        sequence=task.sequence,
        status=task.status,
        stage=task.stage,
        progress=task.progress,
        message=message,
        attempt=task.attempt,
        quality_retries=task.quality_retries,
        at=now,
    )
    await insert("task_event", {name: getattr(event, name) for name in _EVENT_COLUMNS})
    return event


def event_of(row: TaskEventRow) -> TaskEvent:
    """Return the event that a row holds."""
    return TaskEvent(
        task_id=row.task_id,
        project_id=row.project_id,
        sequence=row.sequence,
        status=row.status,
        stage=row.stage,
        progress=row.progress,
        message=row.message,
        attempt=row.attempt,
        quality_retries=row.quality_retries,
        at=row.at,
    )


async def locked(task_id: str) -> Task | None:
    """Inside a transaction: read a task and keep others from changing it until the end."""
    rows = await fetch(f"{_TASK} FOR UPDATE" if db.is_postgres() else _TASK, [task_id])
    # What Tortoise does with a row that it has read by a query of its own.
    return Task._init_from_db(**dict(rows[0])) if rows else None  # noqa: SLF001
