"""Handing ready tasks to the queue engine: by priority, then users in turn, then age."""

from dataclasses import dataclass
from datetime import datetime

from domain import db
from domain.events import TaskEvent
from domain.lifecycle import TaskStatus
from domain.models.tasks import Task
from domain.ports import QueueEntry
from domain.queue_state import is_paused
from domain.tasks.deps import TaskDeps
from domain.tasks.transition import locked, move

# `turn` is a task's place among those of its own user, so that users take turns whatever each has queued. A task that
# has lost its worker more than twice is suspected of being the cause: it waits behind the others, so that it cannot
# keep them from ever being done.
_READY = """
SELECT id, user_id, priority FROM (
    SELECT t.id, t.user_id, t.priority, t.created_at, {suspicion} AS suspicion,
        ROW_NUMBER() OVER (PARTITION BY t.user_id, t.priority ORDER BY {suspicion}, t.created_at, t.id) AS turn
    FROM task t
    WHERE t.status = 'PENDING' AND t.released_at IS NULL AND t.ready_at <= {now} AND t.user_id IS NOT NULL
    AND NOT EXISTS (
        SELECT 1 FROM task_dependency d JOIN task p ON p.id = d.depends_on_id
        WHERE d.task_id = t.id AND p.status <> 'COMPLETED'
    )
) AS ready
ORDER BY priority DESC, suspicion, turn, created_at, id
LIMIT {limit}
"""
SUSPICION = "CASE WHEN t.losses > 2 THEN t.losses ELSE 0 END"
_DUE = "SELECT MIN(ready_at) AS due FROM task WHERE status = 'PENDING' AND released_at IS NULL AND ready_at > {now}"
_ORPHANED_DEPENDANTS = """
SELECT d.task_id AS task_id, p.id AS cause, p.status AS status FROM task_dependency d
JOIN task t ON t.id = d.task_id JOIN task p ON p.id = d.depends_on_id
WHERE t.status = 'PENDING' AND p.status IN ('FAILED', 'CANCELLED', 'TIMEOUT')
LIMIT 200
"""


@dataclass(frozen=True, slots=True)
class Released:
    """What a look at the waiting tasks came to."""

    count: int
    #: Whether the queue now holds all it can, so that others may be waiting still.
    full: bool


async def release(deps: TaskDeps) -> int:
    """Release as many ready tasks as the queue has room for; returns how many. Safe in several processes at once."""
    return (await refill(deps)).count


async def refill(deps: TaskDeps) -> Released:
    """See `release`."""
    released_ids: list[str] = []
    async with db.transaction():
        await db.lock_release()
        if await is_paused():
            return Released(0, full=False)
        room = deps.queue.capacity - await _held()
        if room <= 0:
            return Released(0, full=True)
        now = deps.clock.now()
        entries = await _ready(now, room)
        if not entries:
            return Released(0, full=False)
        released_ids = [entry.task_id for entry in entries]
        await Task.filter(id__in=released_ids, status=TaskStatus.PENDING).update(released_at=now)
        await deps.queue.enqueue(entries)
    return Released(len(released_ids), full=len(released_ids) == room)


async def _held() -> int:
    _, rows = await db.connection().execute_query(
        "SELECT COUNT(*) AS held FROM task WHERE status = 'PENDING' AND released_at IS NOT NULL"
    )
    return int(rows[0]["held"])


async def _ready(now: datetime, limit: int) -> list[QueueEntry]:
    marks = {"now": "$1", "limit": "$2"} if db.is_postgres() else {"now": "?", "limit": "?"}
    marks["suspicion"] = SUSPICION
    value = now if db.is_postgres() else str(now)
    _, rows = await db.connection().execute_query(_READY.format(**marks), [value, limit])
    return [QueueEntry(row["id"], row["user_id"], row["priority"]) for row in rows]


async def withhold() -> None:
    """Take back what was released and not begun, because the queue was paused; the ids in the queue lead to nothing."""
    await Task.filter(status=TaskStatus.PENDING, released_at__isnull=False).update(released_at=None)


async def next_ready_at(now: datetime) -> datetime | None:
    """Return when the next task that waits for its time (a retry delay) becomes ready; None when none does."""
    postgres = db.is_postgres()
    _, rows = await db.connection().execute_query(
        _DUE.format(now="$1" if postgres else "?"), [now if postgres else str(now)]
    )
    due = rows[0]["due"]
    return datetime.fromisoformat(due) if isinstance(due, str) else due


async def fail_dependants(deps: TaskDeps) -> int:
    """FAIL the waiting tasks of which a task they wait for ended without completing; returns how many."""
    _, rows = await db.connection().execute_query(_ORPHANED_DEPENDANTS)
    events: list[TaskEvent | None] = []
    for row in rows:
        async with db.transaction():
            task = await locked(row["task_id"])
            if task is None or task.status is not TaskStatus.PENDING:
                continue
            message = f"The task it waits for, {row['cause']}, ended as {row['status']}."
            events.append(
                await move(
                    task,
                    TaskStatus.FAILED,
                    f"failed: {message}",
                    deps.clock.now(),
                    error_code="DEPENDENCY_FAILED",
                    error_message=message,
                    error_retryable=True,
                )
            )
    await deps.tell(events)
    return len(events)
