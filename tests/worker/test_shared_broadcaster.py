"""What followers in several processes are told, over notes that a test carries."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime

from domain.events import TaskEvent
from domain.instances.notes import Heard, Note
from domain.lifecycle import TaskStatus
from worker.broadcast.shared import SharedBroadcaster


class Post:
    """Carries the notes of one process to the others at once."""

    def __init__(self) -> None:
        self.others: list[Post] = []
        self.heard: dict[Note, list[Heard]] = {}
        self.sent: list[tuple[Note, list[str]]] = []

    def hear(self, note: Note, heard: Heard) -> None:
        self.heard.setdefault(note, []).append(heard)

    def send(self, note: Note, subjects: Iterable[str] = ()) -> None:
        told = list(subjects)
        self.sent.append((note, told))
        for other in self.others:
            other.arrive(note, told)

    def arrive(self, note: Note, subjects: list[str]) -> None:
        for heard in self.heard.get(note, []):
            heard(subjects)


def _event(task_id: str = "tsk_1", project_id: str = "prj_1", sequence: int = 1) -> TaskEvent:
    at = datetime(2026, 12, 1, tzinfo=UTC)
    return TaskEvent(task_id, project_id, sequence, TaskStatus.PENDING, None, 0.0, "queued", 1, 0, at)


async def test_listeners_here_get_the_event_and_those_elsewhere_are_sent_to_the_rows() -> None:
    here, there = Post(), Post()
    here.others = [there]
    mine, other = SharedBroadcaster(here), SharedBroadcaster(there)
    async with mine.subscribe("tsk_1") as near, other.subscribe("prj_1") as far, other.subscribe("tsk_2") as unmoved:
        await mine.publish([_event()])
        assert await near.next() == _event()
        assert await far.next() is None
        waiting = asyncio.create_task(unmoved.next())
        await asyncio.sleep(0)
        assert not waiting.done()
        waiting.cancel()
    assert (mine.listeners, other.listeners) == (0, 0)
    assert here.sent == [(Note.TOPICS, ["tsk_1", "prj_1"])]
    assert there.sent == []


async def test_nothing_is_told_where_nothing_happened() -> None:
    post = Post()
    await SharedBroadcaster(post).publish([])
    assert post.sent == []


async def test_a_recheck_reaches_every_process() -> None:
    here, there = Post(), Post()
    here.others = [there]
    mine, other = SharedBroadcaster(here), SharedBroadcaster(there)
    async with mine.subscribe("prj_1") as near, other.subscribe("prj_1") as far:
        await mine.recheck("prj_1")
        assert await near.next() is None
        assert await far.next() is None


async def test_lost_notes_send_every_listener_to_the_rows() -> None:
    post = Post()
    broadcaster = SharedBroadcaster(post)
    async with broadcaster.subscribe("tsk_1") as first, broadcaster.subscribe("prj_2") as second:
        post.arrive(Note.GAP, [])
        assert await first.next() is None
        assert await second.next() is None
