"""The queue of a single process: in memory, fair, rebuilt from rows at start."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Sequence

from domain.ports import QueueEntry, TaskHandler


class MemoryQueue:
    """Fills `domain.ports.TaskQueue` for one process.

    Within a priority users take turns: whoever was served goes to the end of the line. What is enqueued inside a
    transaction that is then rolled back stays here as an id that no worker can claim, which is harmless.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        #: priority -> user -> that user's task ids, in order; no empty ones.
        self._lines: dict[int, OrderedDict[str, deque[str]]] = {}
        self._entries: dict[str, QueueEntry] = {}
        self._in_work: set[str] = set()
        self._arrival = asyncio.Condition()

    @property
    def capacity(self) -> int:
        """How many released ids it holds at most."""
        return self._capacity

    async def enqueue(self, entries: Sequence[QueueEntry]) -> None:
        """Add released tasks; an id that is held already takes the new priority."""
        async with self._arrival:
            for entry in entries:
                self._drop(entry.task_id)
                self._entries[entry.task_id] = entry
                self._lines.setdefault(entry.priority, OrderedDict()).setdefault(entry.user_id, deque()).append(
                    entry.task_id
                )
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
            priority = max(self._lines)
            line = self._lines[priority]
            user_id = next(iter(line))
            task_id = line[user_id][0]
            self._drop(task_id)
            if user_id in line:
                line.move_to_end(user_id)
            self._in_work.add(task_id)
            return task_id

    def _drop(self, task_id: str) -> None:
        entry = self._entries.pop(task_id, None)
        if entry is None:
            return
        line = self._lines[entry.priority]
        line[entry.user_id].remove(task_id)
        if not line[entry.user_id]:
            del line[entry.user_id]
        if not line:
            del self._lines[entry.priority]
