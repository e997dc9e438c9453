"""Figures of the queue, from rows, so that they are the same after a restart."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from domain.clock import Clock
from domain.errors import InvalidInput
from domain.figures.counters import ended_counts
from domain.figures.tally import Tally
from domain.figures.window import MAX_WINDOW_SECONDS, MIN_WINDOW_SECONDS, Group, ended_since
from domain.kinds import TaskKind
from domain.lifecycle import TaskStatus
from domain.queue_state import is_paused
from domain.settings import Settings
from domain.statements import fetch

DEFAULT_WINDOW_SECONDS: Final = 3600
_MOST: Final = 0.95
Part = TypeVar("Part")

# By an index of the active tasks alone: however many have ended, they are not looked at.
_ACTIVE = """
SELECT kind, provider, status, COUNT(*) AS number FROM task
WHERE status IN ('PENDING', 'RUNNING') AND user_id {mine} GROUP BY kind, provider, status
"""
# Of all the servers that share the database.
_WORKERS = """
SELECT (SELECT COUNT(*) FROM task WHERE status = 'RUNNING' AND owner_token IS NOT NULL) AS busy,
    (SELECT SUM(workers) FROM instance) AS workers, (SELECT SUM(queue_capacity) FROM instance) AS capacity
"""


@dataclass(frozen=True, slots=True)
class Rates:
    """What is active now, and what ended in the window, of all tasks or of a part of them."""

    pending: int
    running: int
    tally: Tally

    @property
    def average_seconds(self) -> float | None:
        """From the start of the attempt that completed to its end, exact."""
        return self.tally.run.mean

    @property
    def p95_seconds(self) -> float | None:
        """What 95 of 100 completed tasks did not exceed, within `domain.figures.tally.RELATIVE_ERROR`."""
        return self.tally.run.quantile(_MOST)

    @property
    def average_wait_seconds(self) -> float | None:
        """From being queued to the first start, exact."""
        return self.tally.wait.mean

    @property
    def p95_wait_seconds(self) -> float | None:
        """What 95 of 100 tasks did not wait longer than, as exact as `p95_seconds`."""
        return self.tally.wait.quantile(_MOST)


@dataclass(frozen=True, slots=True)
class QueueStatistics:
    """Counts of tasks by state now, and rates over the window that has just passed."""

    overall: Rates
    by_kind: dict[TaskKind, Rates]
    #: None stands for tasks whose provider is not decided.
    by_provider: dict[str | None, Rates]
    #: How many ended so, ever; archived ones count, deleted ones do not.
    ended: dict[TaskStatus, int]
    capacity: int
    workers: int
    busy_workers: int
    window_seconds: int
    paused: bool
    at: datetime


class Statistics:
    """Reads the figures; five statements, whatever the number of tasks that have ended."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    async def queue_stats(self, user_id: str | None, window_seconds: int = DEFAULT_WINDOW_SECONDS) -> QueueStatistics:
        """Return the figures of one user's tasks, or with None of everybody's.

        Raises `InvalidInput` for a window that is not MIN_WINDOW_SECONDS to MAX_WINDOW_SECONDS long.
        """
        if not MIN_WINDOW_SECONDS <= window_seconds <= MAX_WINDOW_SECONDS:
            raise InvalidInput(
                f"windowSeconds must be {MIN_WINDOW_SECONDS} to {MAX_WINDOW_SECONDS}.", path=("windowSeconds",)
            )
        now = self._clock.now()
        active = await _active(user_id)
        tallies = await ended_since(user_id, now, window_seconds)
        [counts] = await fetch(_WORKERS, [])
        workers = int(counts["workers"] or self._settings.workers)
        return QueueStatistics(
            overall=_rates(active, tallies, active.keys() | tallies.keys()),
            by_kind=_parts(active, tallies, lambda group: group.kind),
            by_provider=_parts(active, tallies, lambda group: group.provider),
            ended=await ended_counts(user_id),
            capacity=int(counts["capacity"] or self._settings.queue_capacity),
            workers=workers,
            busy_workers=min(int(counts["busy"]), workers),
            window_seconds=window_seconds,
            paused=await is_paused(),
            at=now,
        )


_Active = Mapping[Group, Mapping[TaskStatus, int]]


async def _active(user_id: str | None) -> _Active:
    rows = await fetch(_ACTIVE.format(mine="IS NOT NULL" if user_id is None else "= ?"), [user_id] if user_id else [])
    found: defaultdict[Group, dict[TaskStatus, int]] = defaultdict(dict)
    for row in rows:
        found[Group(TaskKind(row["kind"]), row["provider"])][TaskStatus(row["status"])] = int(row["number"])
    return found


def _rates(active: _Active, tallies: Mapping[Group, Tally], groups: Iterable[Group]) -> Rates:
    pending, running, tally = 0, 0, Tally()
    for group in groups:
        pending += active.get(group, {}).get(TaskStatus.PENDING, 0)
        running += active.get(group, {}).get(TaskStatus.RUNNING, 0)
        if group in tallies:
            tally.merge(tallies[group])
    return Rates(pending, running, tally)


def _parts(active: _Active, tallies: Mapping[Group, Tally], part_of: Callable[[Group], Part]) -> dict[Part, Rates]:
    groups: defaultdict[Part, list[Group]] = defaultdict(list)
    for group in sorted(active.keys() | tallies.keys(), key=lambda group: (group.kind, group.provider or "")):
        groups[part_of(group)].append(group)
    return {part: _rates(active, tallies, members) for part, members in groups.items()}
