"""Users take turns: whose waiting task goes next.

The waiting tasks of one user at one priority are a line, oldest first. Of equal priority the line goes first that has
the fewest tasks ahead in the queue; of such lines the one that has waited longest, which is since a worker last began
one of its tasks, or since its first task is ready if that was later. So between two turns of a user everybody else of
the same priority has one, whatever each has queued and however few places the queue has; and who comes later stands
behind those who wait already, so that nobody waits for ever.
"""

import heapq
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from domain.figures.folding import instant
from domain.models.tasks import Task
from domain.ports import QueueEntry
from domain.statements import fetch

_TURN: Final = """
INSERT INTO queue_turn (user_id, priority, at) VALUES (?, ?, ?)
ON CONFLICT (user_id, priority) DO UPDATE SET at = excluded.at
"""
_HAD_TURN: Final = "SELECT at FROM queue_turn WHERE user_id = ? AND priority = ?"
_FORGET: Final = "DELETE FROM queue_turn WHERE user_id = ?"
#: A task that has lost its worker more often than this is suspected of being the cause: it waits behind the others of
#: its priority, so that it cannot keep them from ever being done.
_MAX_LOSSES: Final = 2


@dataclass(frozen=True, slots=True)
class Line:
    """Where the waiting tasks of a user stand, at one priority and suspicion."""

    user_id: str
    priority: int
    suspicion: int
    #: How many of its tasks the queue holds, which come before those that wait as rows.
    held: int
    waiting_since: datetime
    #: When the first of its tasks was made, held ones included, and its id: decides between equals.
    head: tuple[datetime, str]

    @property
    def rank(self) -> tuple[int, int]:
        """Lines of a lower rank go first, whatever the others'."""
        return (-self.priority, self.suspicion)


def suspicion_of(losses: int) -> int:
    """Return how far a task that has lost so many workers stands behind the others of its priority."""
    return losses if losses > _MAX_LOSSES else 0


def take_turns(lines: Sequence[Line], room: int, lengths: Mapping[int, int]) -> list[int]:
    """Return which line gives its next task at each of `room` turns, or fewer when all are at their end.

    Lines are meant by their place and are of one rank. `lengths` says of those whose end is known how many of their
    tasks wait as rows; the others count as endless.
    """
    heap = [(line.held, line.waiting_since, line.head, place) for place, line in enumerate(lines)]
    heapq.heapify(heap)
    order: list[int] = []
    while heap and len(order) < room:
        ahead, since, head, place = heap[0]
        if ahead - lines[place].held >= lengths.get(place, room):
            heapq.heappop(heap)
            continue
        order.append(place)
        heapq.heapreplace(heap, (ahead + 1, since, head, place))
    return order


def ranks(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield the lines of each rank, those that go first first."""
    for _, peers in itertools.groupby(sorted(lines, key=lambda line: line.rank), key=lambda line: line.rank):
        yield list(peers)


def later(turn_at: datetime | None, ready_at: datetime) -> datetime:
    """Return since when a line has waited, from its last turn and when its first task was ready."""
    return ready_at if turn_at is None else max(turn_at, ready_at)


async def had_turn(user_id: str, priority: int) -> datetime | None:
    """Return when a worker last began a task of this user at this priority; None when none ever did."""
    rows = await fetch(_HAD_TURN, [user_id, priority])
    return instant(rows[0]["at"]) if rows else None


async def record_turn(task: Task, now: datetime) -> None:
    """Inside the transaction in which a worker begins a task: note that its user had a turn."""
    await fetch(_TURN, [task.user_id, task.priority, now])


async def forget_turns(user_id: str) -> None:
    """Drop what is noted of a user."""
    await fetch(_FORGET, [user_id])


async def entry_of(task: Task) -> QueueEntry:
    """Return a task as the queue takes it; raises `ValueError` for one that is nobody's."""
    if task.user_id is None:
        raise ValueError("A task that is nobody's does not wait.")
    since = later(await had_turn(task.user_id, task.priority), task.ready_at)
    return QueueEntry(task.id, task.user_id, task.priority, task.suspicion, task.created_at, since)
