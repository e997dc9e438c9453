"""What ended within a window of time, by kind and provider. The cost depends on the window, not on the table."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from domain.figures.folding import EVERYBODY, HOUR, MINUTE, instant, start_of
from domain.figures.tally import Tally
from domain.kinds import TaskKind
from domain.lifecycle import TaskStatus
from domain.statements import fetch

MIN_WINDOW_SECONDS: Final = 60
MAX_WINDOW_SECONDS: Final = 7 * 86_400
#: Longer windows are read by the hour.
_MAX_MINUTES_SECONDS: Final = 2 * HOUR
#: A mean is taken over the latest hours that hold so many completed tasks, and over a day at most.
_ENOUGH: Final = 20
_A_DAY: Final = timedelta(days=1)

# One statement, hence one moment: an ending that is folded just now is in one half or in the other.
_ENDED = """
SELECT kind, provider, starts_at AS at, tally, NULL AS status, NULL AS change, NULL AS run_seconds,
    NULL AS wait_seconds
FROM task_tally WHERE user_id = ? AND span_seconds = ? AND starts_at >= ?
UNION ALL SELECT kind, provider, at, NULL, status, change, run_seconds, wait_seconds
FROM task_ending WHERE at >= ?{mine}
"""


@dataclass(frozen=True, slots=True)
class Group:
    """What tasks are told apart by; the provider is None for those that ended before it was decided."""

    kind: TaskKind
    provider: str | None


async def ended_since(user_id: str | None, now: datetime, window_seconds: int) -> dict[Group, Tally]:
    """Return what ended in a window up to now, of a user or with None of everybody; one statement.

    The window begins at the beginning of its first minute; one of more than two hours, of its first hour.
    """
    span = MINUTE if window_seconds <= _MAX_MINUTES_SECONDS else HOUR
    tallies: defaultdict[Group, Tally] = defaultdict(Tally)
    for row in await _rows(user_id, span, start_of(now - timedelta(seconds=window_seconds), span)):
        _add(tallies[_group(row)], row)
    return dict(tallies)


async def recent(now: datetime) -> dict[Group, Tally]:
    """Return how long everybody's tasks took lately, by kind and provider; one statement.

    Of each the latest hours that together hold enough completed tasks to take a mean of, at most a day's.
    """
    rows = await _rows(None, HOUR, start_of(now - _A_DAY, HOUR))
    tallies: defaultdict[Group, Tally] = defaultdict(Tally)
    for row in sorted(rows, key=_instant_of, reverse=True):
        tally = tallies[_group(row)]
        if tally.run.count < _ENOUGH:
            _add(tally, row)
    return dict(tallies)


async def _rows(user_id: str | None, span: int, since: datetime) -> list[Any]:
    if user_id is None:
        return await fetch(_ENDED.format(mine=""), [EVERYBODY, span, since, since])
    return await fetch(_ENDED.format(mine=" AND user_id = ?"), [user_id, span, since, since, user_id])


def _instant_of(row: Any) -> datetime:  # noqa: ANN401 (a driver's row)
    return instant(row["at"])


def _group(row: Any) -> Group:  # noqa: ANN401 (a driver's row)
    return Group(TaskKind(row["kind"]), row["provider"] or None)


def _add(tally: Tally, row: Any) -> None:  # noqa: ANN401 (a driver's row)
    if row["tally"] is not None:
        tally.merge(Tally.from_text(row["tally"]))
    else:
        tally.add(TaskStatus(row["status"]), row["change"], row["run_seconds"], row["wait_seconds"])
