"""The broadcaster of a single process."""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Final

from domain.events import TaskEvent

#: Events kept for a listener that does not read; when they are more, it is told to read the rows instead.
MAX_BACKLOG: Final = 64


class MemorySubscription:
    """One listener's bounded view of a topic."""

    def __init__(self) -> None:
        self._backlog: deque[TaskEvent] = deque()
        self._dropped = False
        self._arrival = asyncio.Event()

    def offer(self, event: TaskEvent) -> None:
        """Add an event, or note that one was dropped; never waits."""
        if len(self._backlog) >= MAX_BACKLOG:
            self._backlog.clear()
            self._dropped = True
        elif not self._dropped:
            self._backlog.append(event)
        self._arrival.set()

    def lag(self) -> None:
        """Tell the listener that it may have missed something."""
        self._backlog.clear()
        self._dropped = True
        self._arrival.set()

    async def next(self) -> TaskEvent | None:
        """Wait for the next event; None when events were dropped."""
        await self._arrival.wait()
        if self._dropped:
            self._dropped = False
            self._arrival.clear()
            return None
        event = self._backlog.popleft()
        if not self._backlog:
            self._arrival.clear()
        return event


class MemoryBroadcaster:
    """Fills `domain.ports.Broadcaster` for one process."""

    def __init__(self) -> None:
        self._topics: dict[str, set[MemorySubscription]] = {}

    async def publish(self, events: Sequence[TaskEvent]) -> None:
        """Hand events to the listeners of their task and of their project."""
        for event in events:
            for topic in (event.task_id, event.project_id):
                for subscription in self._topics.get(topic, ()):
                    subscription.offer(event)

    async def recheck(self, topic: str) -> None:
        """Send the listeners of a topic to the rows."""
        self.lag([topic])

    def lag(self, topics: Sequence[str]) -> None:
        """Send the listeners of some topics to the rows."""
        for topic in topics:
            for subscription in self._topics.get(topic, ()):
                subscription.lag()

    def lag_all(self) -> None:
        """Send every listener to the rows."""
        self.lag(list(self._topics))

    @contextlib.asynccontextmanager
    async def subscribe(self, topic: str) -> AsyncIterator[MemorySubscription]:
        """Listen to a task id or a project id until the context ends."""
        subscription = MemorySubscription()
        self._topics.setdefault(topic, set()).add(subscription)
        try:
            yield subscription
        finally:
            listeners = self._topics[topic]
            listeners.discard(subscription)
            if not listeners:
                del self._topics[topic]

    @property
    def listeners(self) -> int:
        """How many listeners there are, over all topics."""
        return sum(len(listeners) for listeners in self._topics.values())
