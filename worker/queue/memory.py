"""The queue of a single process: in memory, fair, rebuilt from rows at start."""

import asyncio
import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from domain.clock import Clock, SystemClock
from domain.ports import QueueEntry, TaskHandler


@dataclass(slots=True)
class _Line:
    """What one user has in the queue at one priority and suspicion."""

    waiting_since: datetime
    #: Decides between lines that have waited since the same instant.
    number: int
    #: When each task was made, and its id, in order.
    tasks: list[tuple[datetime, str]] = field(default_factory=list)


class MemoryQueue:
    """Fills `domain.ports.TaskQueue` for one process.

    Within a priority users take turns: whoever was served goes to the end of the line. What is enqueued inside a
    transaction that is then rolled back stays here as an id that no worker can claim, which is harmless.
    """

    def __init__(self, capacity: int, clock: Clock | None = None) -> None:
        self._whole = self._capacity = capacity
        self._clock = clock or SystemClock()
        self._number = 0
        #: Rank (lower first) -> user -> line; no empty ones.
        self._lines: dict[tuple[int, int], dict[str, _Line]] = {}
        self._entries: dict[str, QueueEntry] = {}
        self._in_work: set[str] = set()
        self._arrival = asyncio.Condition()

    @property
    def capacity(self) -> int:
        """How many released ids it holds at most."""
        return self._capacity

    def narrow(self, capacity: int) -> None:
        """Hold at most so many from now on, since other processes can take the rest; what is held already stays."""
        self._capacity = min(capacity, self._whole)

    def widen(self) -> None:
        """Hold as many as set."""
        self._capacity = self._whole

    async def enqueue(self, entries: Sequence[QueueEntry]) -> None:
        """Add released tasks; an id that is held already takes the new priority."""
        async with self._arrival:
            for entry in entries:
                self._drop(entry.task_id)
                self._entries[entry.task_id] = entry
                lines = self._lines.setdefault(_rank(entry), {})
                if entry.user_id not in lines:
                    lines[entry.user_id] = _Line(entry.waiting_since, self._next_number())
                bisect.insort(lines[entry.user_id].tasks, (entry.created_at, entry.task_id))
            self._arrival.notify(len(entries))

    async def missing(self, task_ids: Sequence[str]) -> list[str]:
        """Return those of the ids that are neither held nor being worked on."""
        return [task_id for task_id in task_ids if task_id not in self._entries and task_id not in self._in_work]

    async def work(self, handler: TaskHandler, workers: int) -> None:
        """Feed ids to the handler, at most `workers` at a time, until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(self._consume(handler))
            await asyncio.Event().wait()  # also without any worker: a server that only accepts

    async def _consume(self, handler: TaskHandler) -> None:
        while True:
            task_id = await self._next()
            try:
                await handler(task_id)
            finally:
                self._in_work.discard(task_id)

    async def _next(self) -> str:
        async with self._arrival:
            await self._arrival.wait_for(lambda: self._entries)
            lines = self._lines[min(self._lines)].values()
            line = min(lines, key=lambda line: (line.waiting_since, line.number))
            _, task_id = line.tasks[0]
            self._drop(task_id)
            line.waiting_since, line.number = self._clock.now(), self._next_number()
            self._in_work.add(task_id)
            return task_id

    def _next_number(self) -> int:
        self._number += 1
        return self._number

    def _drop(self, task_id: str) -> None:
        entry = self._entries.pop(task_id, None)
        if entry is None:
            return
        lines = self._lines[_rank(entry)]
        tasks = lines[entry.user_id].tasks
        tasks.remove((entry.created_at, task_id))
        if not tasks:
            del lines[entry.user_id]
        if not lines:
            del self._lines[_rank(entry)]


def _rank(entry: QueueEntry) -> tuple[int, int]:
    return (-entry.priority, entry.suspicion)
