"""The connection between processes on one PostgreSQL, on a real one."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

import pytest

from domain import db
from domain.errors import SettingsError
from domain.instances import channel as module
from domain.instances.channel import Channel
from domain.instances.notes import Note

pytestmark = pytest.mark.parametrize("database_url", ["postgres"], indirect=True)


class Ear:
    """Remembers what is heard."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[tuple[Note, list[str]]] = asyncio.Queue()

    def listen(self, channel: Channel, *notes: Note) -> None:
        for note in notes:

            def hear(subjects: Sequence[str], note: Note = note) -> None:
                self.heard.put_nowait((note, list(subjects)))

            channel.hear(note, hear)

    async def next(self) -> tuple[Note, list[str]]:
        async with asyncio.timeout(10):
            return await self.heard.get()


@contextlib.asynccontextmanager
async def running(channel: Channel) -> AsyncIterator[None]:
    await channel.open()
    work = asyncio.create_task(channel.run())
    try:
        yield
    finally:
        work.cancel()
        await asyncio.wait([work])
        await channel.close()


async def _cut(*numbers: int) -> None:
    """End connections as a database that is started again does."""
    text = (
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 "
        "AND objid = ANY($1::bigint[])"
    )
    await db.connection().execute_query(text, [list(numbers)])


async def test_what_one_tells_the_others_hear_and_it_does_not_hear_itself(database: str) -> None:
    first, second = Channel(database, "ins_1", 1), Channel(database, "ins_2", 2)
    own, other = Ear(), Ear()
    own.listen(first, Note.TOPICS)
    other.listen(second, Note.TOPICS, Note.RELEASE)
    async with running(first), running(second):
        first.send(Note.TOPICS, ["tsk_1", "任务"])
        assert await other.next() == (Note.TOPICS, ["tsk_1", "任务"])
        second.send(Note.TOPICS, ["tsk_2"])
        assert await own.next() == (Note.TOPICS, ["tsk_2"])
    assert own.heard.empty()


async def test_what_is_left_to_tell_is_told_at_the_end(database: str) -> None:
    first, second = Channel(database, "ins_1", 1), Channel(database, "ins_2", 2)
    other = Ear()
    other.listen(second, Note.MEMBERS)
    async with running(second):
        await first.open()
        first.send(Note.MEMBERS)
        await first.close()
        assert await other.next() == (Note.MEMBERS, [])
    await first.close()


async def test_a_broken_connection_is_made_anew_and_both_sides_look_at_everything(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_RETRY_SECONDS", 0.01)
    first, second = Channel(database, "ins_1", 1), Channel(database, "ins_2", 2)
    mine, other = Ear(), Ear()
    mine.listen(first, Note.GAP, Note.RELEASE)
    other.listen(second, Note.TOPICS)
    async with running(first), running(second):
        await _cut(1)
        assert await mine.next() == (Note.GAP, [])
        assert await mine.next() == (Note.RELEASE, [])
        first.send(Note.TOPICS, ["tsk_after"])
        assert await other.next() == (Note.TOPICS, ["tsk_after"])


async def test_what_could_not_be_told_is_told_as_missed(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_RETRY_SECONDS", 0.01)
    first, second = Channel(database, "ins_1", 1), Channel(database, "ins_2", 2)
    other = Ear()
    other.listen(second, Note.GAP)
    async with running(second):
        await first.open()
        await _cut(1)
        first.send(Note.TOPICS, ["tsk_lost"])
        work = asyncio.create_task(first.run())
        assert await other.next() == (Note.GAP, [])
        work.cancel()
        await asyncio.wait([work])
        await first.close()


async def test_one_process_starts_at_a_time(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_START_SECONDS", 0.1)
    first, second = Channel(database, "ins_1", 1), Channel(database, "ins_2", 2)
    await first.open()
    await second.open()
    async with first.alone():
        with pytest.raises(SettingsError, match="has been starting on this database"):
            async with second.alone():
                pass
    async with second.alone():
        pass
    await first.close()
    await second.close()


async def test_a_process_that_gives_up_opening_leaves_no_session(database: str) -> None:
    first, same = Channel(database, "ins_1", 1), Channel(database, "ins_1", 1)
    await first.open()
    waiting = asyncio.create_task(same.open())  # the number is still taken
    for _ in range(50):
        await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    await first.close()
    await first.open()
    await first.close()
