"""Figures of the queue, from rows, so that they are the same after a restart."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain import db
from domain.clock import Clock
from domain.lifecycle import TaskStatus
from domain.models.tasks import Task
from domain.queue_state import is_paused
from domain.settings import Settings

DEFAULT_WINDOW_SECONDS: Final = 3600

_WINDOW = """
SELECT COUNT(*) AS finished,
    SUM(CASE WHEN status = 'COMPLETED' THEN 1 ELSE 0 END) AS completed,
    AVG(CASE WHEN status = 'COMPLETED' THEN {run} END) AS run_seconds,
    AVG(CASE WHEN started_at IS NOT NULL THEN {wait} END) AS wait_seconds
FROM task WHERE status IN ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT') AND finished_at > {since}
"""
_SECONDS = {
    True: "EXTRACT(EPOCH FROM {end} - {start})",
    False: "(JULIANDAY({end}) - JULIANDAY({start})) * 86400.0",
}


@dataclass(frozen=True, slots=True)
class QueueStatistics:
    """Counts of tasks by state now, and rates over the window that has just passed."""

    pending: int
    running: int
    completed: int
    failed: int
    cancelled: int
    timed_out: int
    capacity: int
    workers: int
    busy_workers: int
    #: Completed of finished; None when nothing finished.
    success_rate: float | None
    #: Start to finish of completed tasks.
    average_seconds: float | None
    #: Creation to start.
    average_wait_seconds: float | None
    window_seconds: int
    paused: bool
    at: datetime


class Statistics:
    """Reads the figures; four statements, whatever the number of rows in the answer."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    async def queue_stats(self, user_id: str | None, window_seconds: int = DEFAULT_WINDOW_SECONDS) -> QueueStatistics:
        """Return the figures of one user's tasks, or with None of everybody's."""
        now = self._clock.now()
        counts = await self._counts(user_id)
        finished, completed, run_seconds, wait_seconds = await self._window(
            user_id, now - timedelta(seconds=window_seconds)
        )
        busy = counts[TaskStatus.RUNNING] if user_id is None else await Task.filter(status=TaskStatus.RUNNING).count()
        return QueueStatistics(
            pending=counts[TaskStatus.PENDING],
            running=counts[TaskStatus.RUNNING],
            completed=counts[TaskStatus.COMPLETED],
            failed=counts[TaskStatus.FAILED],
            cancelled=counts[TaskStatus.CANCELLED],
            timed_out=counts[TaskStatus.TIMEOUT],
            capacity=self._settings.queue_capacity,
            workers=self._settings.workers,
            busy_workers=min(busy, self._settings.workers),
            success_rate=completed / finished if finished else None,
            average_seconds=run_seconds,
            average_wait_seconds=wait_seconds,
            window_seconds=window_seconds,
            paused=await is_paused(),
            at=now,
        )

    async def _counts(self, user_id: str | None) -> dict[TaskStatus, int]:
        where, values = _of_user(user_id, 1)
        _, rows = await db.connection().execute_query(
            f"SELECT status, COUNT(*) AS number FROM task WHERE user_id IS NOT NULL{where} GROUP BY status",  # noqa: S608 (constant text, bound values)
            values,
        )
        found = {TaskStatus(row["status"]): int(row["number"]) for row in rows}
        return {status: found.get(status, 0) for status in TaskStatus}

    async def _window(self, user_id: str | None, since: datetime) -> tuple[int, int, float | None, float | None]:
        postgres = db.is_postgres()
        where, values = _of_user(user_id, 2)
        seconds = _SECONDS[postgres]
        text = _WINDOW.format(
            run=seconds.format(end="finished_at", start="started_at"),
            wait=seconds.format(end="started_at", start="created_at"),
            since="$1" if postgres else "?",
        )
        _, rows = await db.connection().execute_query(text + where, [since if postgres else str(since), *values])
        row = rows[0]
        run, wait = row["run_seconds"], row["wait_seconds"]
        return (
            int(row["finished"]),
            int(row["completed"] or 0),
            None if run is None else float(run),
            None if wait is None else float(wait),
        )


def _of_user(user_id: str | None, place: int) -> tuple[str, list[object]]:
    if user_id is None:
        return "", []
    return f" AND user_id = {f'${place}' if db.is_postgres() else '?'}", [user_id]
