"""Adding the journal up into counters and tallies, and forgetting tallies that no window reaches any more."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from domain import db
from domain.figures.tally import Tally
from domain.kinds import TaskKind
from domain.lifecycle import TaskStatus
from domain.models.figures import TaskTally
from domain.statements import execute_each, fetch

#: Stands for everybody where a user's id is expected.
EVERYBODY: Final = ""
MINUTE: Final = 60
HOUR: Final = 3600
#: How long a tally is kept, by the length of its stretch of time; more than the longest window that reads it.
KEPT: Final = {MINUTE: timedelta(hours=3), HOUR: timedelta(days=8)}
#: Endings that one transaction folds.
BATCH: Final = 500

_READ = """
SELECT id, user_id, status, change, kind, provider, at, run_seconds, wait_seconds FROM task_ending ORDER BY id LIMIT ?
"""
_COUNT = """
INSERT INTO task_count (user_id, status, number) VALUES (?, ?, ?)
ON CONFLICT (user_id, status) DO UPDATE SET number = task_count.number + excluded.number
"""
_TALLY = """
INSERT INTO task_tally (user_id, span_seconds, starts_at, kind, provider, tally) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (user_id, span_seconds, starts_at, kind, provider) DO UPDATE SET tally = excluded.tally
"""


class Slot(NamedTuple):
    """What a tally is of."""

    user_id: str
    span_seconds: int
    starts_at: datetime
    kind: TaskKind
    provider: str


def start_of(at: datetime, span_seconds: int) -> datetime:
    """Return when the minute or hour (by its length in seconds) began that an instant lies in."""
    return at - timedelta(seconds=at.timestamp() % span_seconds)


def instant(value: Any) -> datetime:  # noqa: ANN401 (as a driver returns it)
    """Return a column's instant: SQLite keeps it as text."""
    return datetime.fromisoformat(value) if isinstance(value, str) else value


async def fold() -> int:
    """Fold everything that is there, in small transactions; returns how many endings. Safe in several processes."""
    folded = 0
    while True:
        async with db.transaction():
            # One folds at a time: a tally is read, added to and written.
            await db.lock_figures()
            rows = await fetch(_READ, [BATCH])
            await _fold(rows)
        folded += len(rows)
        if len(rows) < BATCH:
            return folded


async def forget(now: datetime) -> int:
    """Remove the tallies that no window reaches any more; returns how many."""
    gone = 0
    for span_seconds, kept in KEPT.items():
        gone += await TaskTally.filter(span_seconds=span_seconds, starts_at__lt=now - kept).delete()
    return gone


async def add_counts(counts: Mapping[tuple[str, TaskStatus], int]) -> None:
    """Inside a transaction that holds the lock on figures: add to the counters of users and statuses."""
    changed = sorted((user_id, status, number) for (user_id, status), number in counts.items() if number)
    await execute_each(_COUNT, changed)


async def _fold(rows: list[Any]) -> None:
    if not rows:
        return
    counts: defaultdict[tuple[str, TaskStatus], int] = defaultdict(int)
    tallies: defaultdict[Slot, Tally] = defaultdict(Tally)
    for row in rows:
        status, change = TaskStatus(row["status"]), row["change"]
        for user_id in (row["user_id"], EVERYBODY):
            counts[user_id, status] += change
            for slot in _slots(user_id, row):
                tallies[slot].add(status, change, row["run_seconds"], row["wait_seconds"])
    await add_counts(counts)
    await _add_tallies(tallies)
    await execute_each("DELETE FROM task_ending WHERE id = ?", [(row["id"],) for row in rows])


def _slots(user_id: str, row: Any) -> list[Slot]:  # noqa: ANN401 (a driver's row)
    if row["at"] is None:
        return []
    at, kind = instant(row["at"]), TaskKind(row["kind"])
    return [Slot(user_id, span, start_of(at, span), kind, row["provider"] or "") for span in KEPT]


async def _add_tallies(tallies: Mapping[Slot, Tally]) -> None:
    if not tallies:
        return
    for slot, known in await _known(tallies):
        if slot in tallies:
            tallies[slot].merge(known)
    await execute_each(_TALLY, [(*slot, tally.to_text()) for slot, tally in sorted(tallies.items(), key=_by_slot)])


def _by_slot(item: tuple[Slot, Tally]) -> Slot:
    return item[0]


async def _known(slots: Iterable[Slot]) -> list[tuple[Slot, Tally]]:
    """Return the tallies that are there of the same users and times, and perhaps a few more."""
    rows = await TaskTally.filter(
        user_id__in=list({slot.user_id for slot in slots}), starts_at__in=list({slot.starts_at for slot in slots})
    )
    return [
        (Slot(row.user_id, row.span_seconds, row.starts_at, row.kind, row.provider), Tally.from_text(row.tally))
        for row in rows
    ]
