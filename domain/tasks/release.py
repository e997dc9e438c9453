"""Handing ready tasks to the queue engine: by priority, then users in turn, then age. Whose turn it is: `turns`."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from domain import db
from domain.figures.folding import instant
from domain.lifecycle import TaskStatus
from domain.models.tasks import Task
from domain.ports import QueueEntry
from domain.queue_state import is_paused
from domain.statements import execute_each, fetch
from domain.tasks.deps import TaskDeps
from domain.tasks.gates import settle
from domain.tasks.turns import Line, later, ranks, take_turns

#: Of a ready task, in the words of the index `task_lines`; for the name of the table, and the instant.
WAITS: Final = (
    "{name}.status = 'PENDING' AND {name}.released_at IS NULL AND {name}.gate = 0 AND {name}.user_id IS NOT NULL"
    " AND {name}.ready_at <= ?"
)
# From one line to the next: another user, else another suspicion, else another priority. A comparison of rows would say
# the same, but SQLite would read the whole line for it.
_NEXT: Final = f"""
SELECT n.id FROM task n {{lines}} WHERE {WAITS.format(name="n")} AND {{further}}
ORDER BY n.priority, n.suspicion, n.user_id, n.created_at, n.id LIMIT 1
"""  # noqa: S608 (no values)
_FURTHER: Final = (
    "n.priority = h.priority AND n.suspicion = h.suspicion AND n.user_id > h.user_id",
    "n.priority = h.priority AND n.suspicion > h.suspicion",
    "n.priority > h.priority",
)
# The first ready task of each line, by one look into the index for each: what waits behind it is not read.
_HEADS: Final = f"""
WITH RECURSIVE head(id, priority, suspicion, user_id, created_at, ready_at) AS (
    SELECT t.id, t.priority, t.suspicion, t.user_id, t.created_at, t.ready_at
    FROM task t WHERE t.id = ({_NEXT.replace("{further}", "TRUE")})
    UNION ALL
    SELECT t.id, t.priority, t.suspicion, t.user_id, t.created_at, t.ready_at
    FROM head h JOIN task t ON t.id = COALESCE(({"), (".join(_NEXT.replace("{further}", by) for by in _FURTHER)}))
)
SELECT h.id, h.priority, h.suspicion, h.user_id, h.created_at, h.ready_at, q.at AS turn_at
FROM head h LEFT JOIN queue_turn q ON q.user_id = h.user_id AND q.priority = h.priority
"""  # noqa: S608 (no values)
_HELD: Final = """
SELECT t.id, t.priority, t.suspicion, t.user_id, t.created_at, t.ready_at, t.released_to, q.at AS turn_at
FROM task t {held} LEFT JOIN queue_turn q ON q.user_id = t.user_id AND q.priority = t.priority
WHERE t.status = 'PENDING' AND t.released_at IS NOT NULL ORDER BY t.created_at, t.id
"""
# So many tasks of each line, from its head on.
_FIRST: Final = f"""
WITH RECURSIVE pick(line, priority, suspicion, user_id, remaining, id, created_at) AS (
    SELECT a.line, t.priority, t.suspicion, t.user_id, a.wanted - 1, t.id, t.created_at
    FROM ({{asked}}) AS a JOIN task t ON t.id = a.head
    UNION ALL
    SELECT k.line, t.priority, t.suspicion, t.user_id, k.remaining - 1, t.id, t.created_at
    FROM pick k JOIN task t ON t.id = (
        SELECT n.id FROM task n {{lines}} WHERE {WAITS.format(name="n")}
        AND n.priority = k.priority AND n.suspicion = k.suspicion AND n.user_id = k.user_id
        AND (n.created_at, n.id) > (k.created_at, k.id || '')
        ORDER BY n.created_at, n.id LIMIT 1
    ) WHERE k.remaining > 0
)
SELECT line, id, created_at FROM pick
"""  # noqa: S608 (no values)
_ASKED_SQLITE: Final = """
SELECT json_extract(value, '$[0]') AS line, json_extract(value, '$[1]') AS head, json_extract(value, '$[2]') AS wanted
FROM json_each(?)
"""
_ASKED_POSTGRES: Final = """
SELECT CAST(value->>0 AS INT) AS line, value->>1 AS head, CAST(value->>2 AS INT) AS wanted
FROM json_array_elements(CAST(? AS JSON))
"""
# Without statistics SQLite would read every waiting task by another index.
_BY_SQLITE: Final = {"lines": "INDEXED BY task_lines", "held": "INDEXED BY task_held"}
_BY_POSTGRES: Final = dict.fromkeys(_BY_SQLITE, "")
_RELEASE: Final = "UPDATE task SET released_at = ?, released_to = ? WHERE id = ? AND status = 'PENDING'"
_DUE: Final = "SELECT MIN(ready_at) AS due FROM task WHERE status = 'PENDING' AND released_at IS NULL AND ready_at > ?"


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
    """See `release`. What it costs goes by the number of users who wait and the room, not by what each has waiting."""
    await settle(deps)
    async with db.transaction():
        await db.lock_release()
        if await is_paused():
            return Released(0, full=False)
        held = await fetch(_HELD.format(**by_index()), [])
        # Turns are taken over all processes, and each holds as many as it may.
        room = deps.queue.capacity - sum(row["released_to"] == deps.instance_id for row in held)
        if room <= 0:
            return Released(0, full=True)
        now = deps.clock.now()
        entries = await _next_in_turn(held, now, room)
        if not entries:
            return Released(0, full=False)
        # One by one: for many at once SQLite goes through all that have the status.
        await execute_each(_RELEASE, [[now, deps.instance_id, entry.task_id] for entry in entries])
        await deps.queue.enqueue(entries)
    return Released(len(entries), full=len(entries) == room)


async def _next_in_turn(held: Sequence[Any], now: datetime, room: int) -> list[QueueEntry]:
    heads = await _heads(held, now)
    entries: list[QueueEntry] = []
    for lines in ranks(list(heads)):
        entries += await _of_one_rank(lines, heads, now, room - len(entries))
        if len(entries) >= room:
            break
    return entries


async def _heads(held: Sequence[Any], now: datetime) -> dict[Line, Any]:
    """Return every line of which a task is ready, with the row of the first such task."""
    ahead = Counter(_name(row) for row in held)
    first = {_name(row): row for row in reversed(held)}
    heads = {}
    for row in await fetch(_HEADS.format(**by_index()), [now] * 4):
        front = first.get(_name(row), row)
        turn_at = None if front["turn_at"] is None else instant(front["turn_at"])
        line = Line(
            row["user_id"],
            row["priority"],
            row["suspicion"],
            ahead[_name(row)],
            later(turn_at, instant(front["ready_at"])),
            (instant(front["created_at"]), front["id"]),
        )
        heads[line] = row
    return heads


def _name(row: Any) -> tuple[str, int, int]:  # noqa: ANN401 (a row, as the driver returns it)
    return row["user_id"], row["priority"], row["suspicion"]


async def _of_one_rank(lines: Sequence[Line], heads: Mapping[Line, Any], now: datetime, room: int) -> list[QueueEntry]:
    """Return the next tasks of lines that take turns with each other, in order."""
    found: dict[int, list[tuple[str, datetime]]] = {
        place: [(heads[line]["id"], instant(heads[line]["created_at"]))] for place, line in enumerate(lines)
    }
    lengths: dict[int, int] = {}
    while True:
        order = take_turns(lines, room, lengths)
        wanted = {place: number for place, number in Counter(order).items() if number > len(found[place])}
        if not wanted:
            break
        found |= await _first(wanted, {place: heads[lines[place]]["id"] for place in wanted}, now)
        lengths |= {place: len(found[place]) for place, number in wanted.items() if len(found[place]) < number}
    rest = {place: iter(tasks) for place, tasks in found.items()}
    return [_entry(lines[place], *next(rest[place])) for place in order]


async def _first(wanted: Mapping[int, int], heads: Mapping[int, str], now: datetime) -> dict[int, list[Any]]:
    """Return the first tasks of some lines, as many as are wanted or there are: their ids and when they were made."""
    asked = [[place, heads[place], number] for place, number in wanted.items()]
    source = _ASKED_POSTGRES if db.is_postgres() else _ASKED_SQLITE
    found: dict[int, list[Any]] = {place: [] for place in wanted}
    for row in await fetch(_FIRST.format(asked=source, **by_index()), [json.dumps(asked), now]):
        found[row["line"]].append((row["id"], instant(row["created_at"])))
    for tasks in found.values():
        tasks.sort(key=lambda task: (task[1], task[0]))
    return found


def by_index() -> dict[str, str]:
    """Return what a statement says of the indexes that it is served by."""
    return _BY_POSTGRES if db.is_postgres() else _BY_SQLITE


def _entry(line: Line, task_id: str, created_at: datetime) -> QueueEntry:
    return QueueEntry(task_id, line.user_id, line.priority, line.suspicion, created_at, line.waiting_since)


async def withhold() -> None:
    """Take back what was released and not begun, because the queue was paused; the ids in the queue lead to nothing."""
    await Task.filter(status=TaskStatus.PENDING, released_at__isnull=False).update(released_at=None, released_to=None)


async def next_ready_at(now: datetime) -> datetime | None:
    """Return when the next task that waits for its time (a retry delay) becomes ready; None when none does."""
    due = (await fetch(_DUE, [now]))[0]["due"]
    return None if due is None else instant(due)


async def fail_dependants(deps: TaskDeps) -> int:
    """FAIL the waiting tasks of which a task they wait for ended without completing; returns how many."""
    return await settle(deps)
