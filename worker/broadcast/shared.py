"""The broadcaster of one of several processes: what another has committed is read from the rows."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from domain.events import TaskEvent
from domain.instances.notes import Note, Notes
from worker.broadcast.memory import MemoryBroadcaster, MemorySubscription


class SharedBroadcaster:
    """Fills `domain.ports.Broadcaster` for processes on one PostgreSQL.

    Listeners in this process are handed the events. Those in others are told that the rows have changed: a note holds
    no event, so that its size does not matter, and many changes of a task within a moment make one.
    """

    def __init__(self, notes: Notes, local: MemoryBroadcaster | None = None) -> None:
        """Tell over the notes, and listen to them."""
        self._notes = notes
        self._local = local or MemoryBroadcaster()
        notes.hear(Note.TOPICS, self._local.lag)
        notes.hear(Note.GAP, lambda _: self._local.lag_all())

    async def publish(self, events: Sequence[TaskEvent]) -> None:
        """Hand events to the listeners here, and send those of other processes to the rows."""
        await self._local.publish(events)
        if events:
            self._notes.send(Note.TOPICS, [topic for event in events for topic in (event.task_id, event.project_id)])

    async def recheck(self, topic: str) -> None:
        """Send the listeners of a topic to the rows, in every process."""
        await self._local.recheck(topic)
        self._notes.send(Note.TOPICS, [topic])

    def subscribe(self, topic: str) -> AbstractAsyncContextManager[MemorySubscription]:
        """Listen to a task id or a project id until the context ends."""
        return self._local.subscribe(topic)

    @property
    def listeners(self) -> int:
        """How many listeners there are in this process."""
        return self._local.listeners
