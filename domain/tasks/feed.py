"""The events of all tasks of a project, each once, from any point on."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from domain import db
from domain.events import TaskEvent
from domain.lifecycle import TaskStage, TaskStatus
from domain.tasks.cursor import FeedCursor

#: Events of one read.
READ_ROWS: Final = 200
#: So many events of transactions that overlap one that still runs are told; a cursor lists each of them.
MAX_OPEN: Final = 1000
_COLUMNS: Final = (
    "id, transaction_id, task_id, project_id, sequence, status, stage, progress, message, attempt, quality_retries, at"
)
# Both functions and the rows are of one snapshot: a row is there if its transaction ended before it.
_POSTGRES_BOUNDS: Final = (
    "pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon, "
    "pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS beyond"
)
_SQLITE_READ: Final = f"""
SELECT {_COLUMNS}, 0 AS horizon, 0 AS beyond FROM task_event WHERE project_id = ? AND id > ? ORDER BY id LIMIT ?
"""  # noqa: S608 (names of our own)
_BEYOND_IDS: Final = 2**63 - 1
# Rows are compared as a whole, or PostgreSQL might walk along the ids of all projects from that point on.
_POSTGRES_READ: Final = f"""
SELECT {_COLUMNS}, {_POSTGRES_BOUNDS} FROM (
    (SELECT {_COLUMNS} FROM task_event WHERE project_id = $1 AND id <= $2 AND transaction_id >= $3)
    UNION ALL
    (SELECT {_COLUMNS} FROM task_event WHERE (project_id, id) > ($1, $2) AND (project_id, id) < ($1, {_BEYOND_IDS})
        ORDER BY project_id, id LIMIT $4)
) AS event WHERE id > $2 OR transaction_id < pg_snapshot_xmax(pg_current_snapshot())::text::bigint ORDER BY id
"""  # noqa: S608 (names of our own)
_SQLITE_NOW: Final = "SELECT 0 AS horizon, MAX(id) AS last_id, NULL AS open_ids FROM task_event WHERE project_id = ?"
_POSTGRES_NOW: Final = f"""
SELECT MAX(id) AS last_id, ARRAY_AGG(id) FILTER (
    WHERE transaction_id >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    AND transaction_id < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
) AS open_ids, {_POSTGRES_BOUNDS} FROM task_event WHERE project_id = $1
"""  # noqa: S608 (names of our own)


@dataclass(frozen=True, slots=True)
class FeedEvent:
    """An event, and where a reader stands that has been told it."""

    event: TaskEvent
    cursor: FeedCursor


class Feed:
    """A reader that has a place. See `FeedCursor` for why that is more than a number."""

    def __init__(self, cursor: FeedCursor) -> None:
        self.cursor = cursor
        #: Whether events wait until a transaction ends that has run for very long; then nothing wakes the reader.
        self.held_back = False
        #: Whether there may be more to read at once.
        self.more = False

    async def read(self) -> list[FeedEvent]:
        """Return the next events, each task's in order: at most READ_ROWS, and those that were committed late."""
        before = self.cursor
        rows = await self._rows()
        told: list[FeedEvent] = []
        self.held_back = False
        late = [row for row in rows if row["id"] <= before.last_id]
        new = [row for row in rows if row["id"] > before.last_id]
        for row in late:
            if row["id"] not in before.open_ids:
                self._note(told, row, before.horizon, self.cursor.open_ids | {row["id"]})
        # Everything up to `last_id` has been told now, so that the horizon may move.
        open_ids = {row["id"] for row in late if _is_open(row)}
        if rows:
            horizon = rows[0]["horizon"]
            self.cursor = FeedCursor(before.project_id, horizon, before.last_id, frozenset(open_ids))
        self.more = len(new) == READ_ROWS
        for row in new:
            if _is_open(row):
                if len(open_ids) >= MAX_OPEN:
                    self.held_back, self.more = True, False
                    break
                open_ids.add(row["id"])
            self._note(told, row, row["horizon"], frozenset(open_ids))
        return told

    def _note(self, told: list[FeedEvent], row: Any, horizon: int, open_ids: frozenset[int]) -> None:  # noqa: ANN401 (a row)
        last_id = max(self.cursor.last_id, row["id"])
        self.cursor = FeedCursor(self.cursor.project_id, horizon, last_id, open_ids)
        told.append(FeedEvent(_event_of(row), self.cursor))

    async def _rows(self) -> list[Any]:
        cursor = self.cursor
        if not db.is_postgres():
            _, rows = await db.connection().execute_query(_SQLITE_READ, [cursor.project_id, cursor.last_id, READ_ROWS])
            return list(rows)
        values = [cursor.project_id, cursor.last_id, cursor.horizon, READ_ROWS]
        _, rows = await db.connection().execute_query(_POSTGRES_READ, values)
        return list(rows)


async def feed_from_now(project_id: str) -> Feed:
    """Return a reader to whom only what happens from now on is new."""
    text = _POSTGRES_NOW if db.is_postgres() else _SQLITE_NOW
    _, rows = await db.connection().execute_query(text, [project_id])
    [row] = rows
    return Feed(FeedCursor(project_id, row["horizon"], row["last_id"] or 0, frozenset(row["open_ids"] or ())))


async def feed_from(cursor: FeedCursor) -> Feed:
    """Return a reader that goes on where one stood, perhaps long ago."""
    if not db.is_postgres():
        return Feed(cursor)
    _, [row] = await db.connection().execute_query(f"SELECT {_POSTGRES_BOUNDS}")
    # Transactions of a database that was moved to another server are counted anew, from a lower number.
    horizon = min(cursor.horizon, row["horizon"])
    return Feed(FeedCursor(cursor.project_id, horizon, cursor.last_id, cursor.open_ids))


def _is_open(row: Any) -> bool:  # noqa: ANN401 (a row)
    """Tell whether others may become visible yet that were written in the same moments.

    A transaction beyond those that there are so far wrote its row on another server, of which this one is a copy.
    """
    return row["transaction_id"] is not None and row["horizon"] <= row["transaction_id"] < row["beyond"]


def _event_of(row: Any) -> TaskEvent:  # noqa: ANN401 (a row)
    at, stage = row["at"], row["stage"]
    return TaskEvent(
        task_id=row["task_id"],
        project_id=row["project_id"],
        sequence=row["sequence"],
        status=TaskStatus(row["status"]),
        stage=None if stage is None else TaskStage(stage),
        progress=row["progress"],
        message=row["message"],
        attempt=row["attempt"],
        quality_retries=row["quality_retries"],
        at=datetime.fromisoformat(at) if isinstance(at, str) else at,
    )
