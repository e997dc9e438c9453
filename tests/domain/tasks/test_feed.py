"""Following a project from any point on: every event once, whatever commits late and whenever the reader comes back."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from typing import Any

import asyncpg
import pytest

from domain.errors import InvalidInput
from domain.events import TaskEvent
from domain.lifecycle import TaskStatus
from domain.models.tasks import Task, TaskEventRow
from domain.tasks import feed as feeds
from domain.tasks.cursor import FeedCursor, read_cursor
from domain.tasks.feed import Feed, FeedEvent, feed_from, feed_from_now
from tests.domain.tasks.test_follow import run_to_end
from tests.helpers.room import Room

#: SQLite has one writing transaction at a time, so that nothing there commits out of order.
overlapping = pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
_INSERT = """INSERT INTO task_event
(task_id, project_id, sequence, status, progress, message, attempt, quality_retries, at)
VALUES ($1, $2, $3, 'RUNNING', 0, '', 1, 0, now())"""


def told(events: Sequence[FeedEvent]) -> list[tuple[str, int]]:
    return [(item.event.task_id, item.event.sequence) for item in events]


async def everything(room: Room) -> list[tuple[str, int]]:
    rows = await TaskEventRow.filter(project_id=room.project.id).order_by("id")
    return [(row.task_id, row.sequence) for row in rows]


async def resumed(room: Room, item: FeedEvent) -> Feed:
    return await feed_from(read_cursor(room.project.id, item.cursor.encode()))


async def read_all(feed: Feed) -> list[FeedEvent]:
    found = await feed.read()
    while feed.more:
        found += await feed.read()
    return found


@pytest.fixture
async def writers(room: Room, database: str) -> AsyncIterator[list[Any]]:
    """Three connections of their own, on which transactions can be held open."""
    host = database.partition("host=")[2]
    found = [await asyncpg.connect(user="postgres", database="wonder_test", host=host) for _ in range(3)]
    try:
        yield found
    finally:
        for connection in found:
            await connection.close()


async def test_from_each_cursor_on_comes_what_comes_after_it(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "READ_ROWS", 4)
    for number in range(3):
        await run_to_end(room, await room.submit(f"t{number}"))
    await room.submit("foreign", user=room.stranger)
    found = await read_all(Feed(FeedCursor(room.project.id)))
    assert told(found) == await everything(room)
    for place, item in enumerate(found):
        assert told(await read_all(await resumed(room, item))) == told(found[place + 1 :])


async def test_who_begins_now_is_told_only_what_happens_from_now_on(room: Room) -> None:
    await room.submit("before")
    feed = await feed_from_now(room.project.id)
    assert await feed.read() == []
    task = await room.submit("after")
    assert told(await feed.read()) == [(task.id, 1)]
    assert await feed.read() == []


@overlapping
async def test_an_event_that_commits_late_is_told_once_and_from_every_cursor(room: Room, writers: list[Any]) -> None:
    project, (first, second, _) = room.project.id, writers
    live = await feed_from_now(project)
    late = first.transaction()
    await late.start()
    await first.execute(_INSERT, "tsk_late", project, 1)
    await second.execute(_INSERT, "tsk_quick", project, 1)
    before = await live.read()
    assert told(before) == [("tsk_quick", 1)]
    await second.execute(_INSERT, "tsk_quick", project, 2)
    before += await live.read()
    await late.commit()
    after = await live.read()
    assert told(after) == [("tsk_late", 1)], "its id is lower than those that were told before"
    assert await live.read() == []
    assert told(await (await resumed(room, before[0])).read()) == [("tsk_late", 1), ("tsk_quick", 2)]
    assert told(await (await resumed(room, before[1])).read()) == [("tsk_late", 1)]
    assert await (await resumed(room, after[0])).read() == []


@overlapping
async def test_every_event_knows_the_transaction_that_wrote_it(room: Room) -> None:
    await run_to_end(room, await room.submit())
    numbers = [row.transaction_id for row in await TaskEventRow.all().order_by("id")]
    assert numbers == sorted(number or 0 for number in numbers)
    assert len(set(numbers)) == 6


@overlapping
async def test_what_is_under_way_when_one_begins_is_told_when_it_commits(room: Room, writers: list[Any]) -> None:
    project, (first, second, _) = room.project.id, writers
    under_way = first.transaction()
    await under_way.start()
    await first.execute(_INSERT, "tsk_late", project, 1)
    await second.execute(_INSERT, "tsk_before", project, 1)
    live = await feed_from_now(project)
    assert await live.read() == []
    await under_way.commit()
    assert told(await live.read()) == [("tsk_late", 1)]


@overlapping
async def test_what_is_rolled_back_is_never_told_and_holds_nothing_up(room: Room, writers: list[Any]) -> None:
    project, (first, second, _) = room.project.id, writers
    live = await feed_from_now(project)
    undone = first.transaction()
    await undone.start()
    await first.execute(_INSERT, "tsk_undone", project, 1)
    await second.execute(_INSERT, "tsk_quick", project, 1)
    assert told(await live.read()) == [("tsk_quick", 1)]
    await undone.rollback()
    await second.execute(_INSERT, "tsk_quick", project, 2)
    [item] = await live.read()
    assert item.cursor.open_ids == frozenset(), "nothing that runs overlaps what was told"
    assert await (await resumed(room, item)).read() == []


@overlapping
async def test_a_transaction_that_stays_open_for_very_long_holds_events_back_and_loses_none(
    room: Room, writers: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "MAX_OPEN", 3)
    project, (first, second, _) = room.project.id, writers
    live = await feed_from_now(project)
    late = first.transaction()
    await late.start()
    await first.execute(_INSERT, "tsk_late", project, 1)
    for number in range(1, 6):
        await second.execute(_INSERT, "tsk_quick", project, number)
    seen = await live.read()
    assert (len(seen), live.held_back) == (3, True)
    assert (await live.read(), live.held_back) == ([], True)
    assert (await (await resumed(room, seen[1])).read())[0].event.sequence == 3
    await late.commit()
    assert told(await live.read()) == [("tsk_late", 1), ("tsk_quick", 4), ("tsk_quick", 5)]
    assert not live.held_back


@overlapping
async def test_rows_of_another_server_of_which_this_is_a_copy_come_once(room: Room, writers: list[Any]) -> None:
    project = room.project.id
    await writers[0].execute(_INSERT, "tsk_old", project, 1)
    await writers[0].execute("UPDATE task_event SET transaction_id = 1000000000000")
    old = FeedCursor(project, 1_000_000_000_001, (await TaskEventRow.all().first()).id)  # type: ignore[union-attr]
    await writers[0].execute(_INSERT, "tsk_new", project, 1)
    feed = await feed_from(old)
    [item] = await feed.read()
    assert (item.event.task_id, item.cursor.open_ids) == ("tsk_new", frozenset())
    assert await feed.read() == []
    assert told(await Feed(FeedCursor(project)).read()) == [("tsk_old", 1), ("tsk_new", 1)]


@overlapping
@pytest.mark.parametrize("seed", range(8))
async def test_readers_that_come_and_go_beside_overlapping_transactions_miss_nothing(
    room: Room, writers: list[Any], seed: int
) -> None:
    chance, project = random.Random(seed), room.project.id
    live = await feed_from_now(project)
    seen: list[FeedEvent] = []
    pending: dict[int, Any] = {}
    sequences = [0, 0, 0]
    for _ in range(120):
        place = chance.randrange(3)
        if place in pending:
            if chance.random() < 0.4:
                await (pending.pop(place)).commit()
        else:
            pending[place] = writers[place].transaction()
            await pending[place].start()
        if place in pending:
            sequences[place] += 1
            await writers[place].execute(_INSERT, f"tsk_{place}", project, sequences[place])
        if chance.random() < 0.5:
            seen += await live.read()
        if seen and chance.random() < 0.3:
            kept = chance.randrange(max(0, len(seen) - 4), len(seen))
            live, seen = await resumed(room, seen[kept]), seen[: kept + 1]
    for transaction in pending.values():
        await transaction.commit()
    seen += await read_all(live)
    assert sorted(told(seen)) == sorted(await everything(room))
    for place, last in enumerate(sequences):
        mine = [item.event.sequence for item in seen if item.event.task_id == f"tsk_{place}"]
        assert mine == list(range(1, last + 1))


@pytest.mark.parametrize("text", ["x", "%", "ä", "MTI", "A" * 200_000, "MTpwcmpfeDowOjA", "eyJ9", " "])
async def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_cursor("prj_01m8qx6k6zt57e22m99vq9cb52", text)


async def test_a_cursor_comes_back_as_it_was_and_is_of_one_project(room: Room) -> None:
    cursor = FeedCursor(room.project.id, 77, 1000, frozenset({1000, 990, 5}))
    assert read_cursor(room.project.id, cursor.encode()) == cursor
    assert read_cursor(room.project.id, "") == FeedCursor(room.project.id)
    for changes in ({"horizon": 2**63}, {"last_id": -1}):
        with pytest.raises(InvalidInput):
            read_cursor(room.project.id, FeedCursor(**{"project_id": room.project.id, **changes}).encode())  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="not a cursor of this project"):
        read_cursor(room.other_project.id, cursor.encode())


async def test_a_deleted_project_ends_its_followers_after_what_its_tasks_came_to(room: Room) -> None:
    task = await room.submit()
    streams = [room.tasks.follow_project(room.user.id, room.project.id, after) for after in (None, "")]
    following = [asyncio.create_task(_collected(stream)) for stream in streams]
    while room.broadcaster.listeners < 2:
        await asyncio.sleep(0)
    await asyncio.sleep(0.05)  # until both wait: what they do before takes a few statements
    await room.tasks.delete_project(room.user.id, room.project.id)
    async with asyncio.timeout(5):
        live, whole = await asyncio.gather(*following)
    assert [(event.sequence, event.status) for event in live] == [(2, TaskStatus.CANCELLED)]
    assert [event.sequence for event in whole] == [1, 2]
    assert {event.task_id for event in whole} == {task.id}
    assert room.broadcaster.listeners == 0


async def test_a_deleted_project_without_active_tasks_ends_its_followers_too(room: Room) -> None:
    following = asyncio.create_task(_collected(room.tasks.follow_project(room.user.id, room.project.id, None)))
    while not room.broadcaster.listeners:
        await asyncio.sleep(0)
    await room.tasks.delete_project(room.user.id, room.project.id)
    async with asyncio.timeout(5):
        assert await following == []


async def test_reconnects_at_random_moments_beside_busy_tasks_show_no_gap(room: Room) -> None:
    chance, seen, cursor = random.Random(1), [], ""
    busy = asyncio.create_task(_busy(room, 40))
    async with asyncio.timeout(60):
        while not busy.done() or len(seen) < await TaskEventRow.filter(project_id=room.project.id).count():
            stream = room.tasks.follow_project(room.user.id, room.project.id, cursor)
            for _ in range(chance.randrange(1, 6)):
                if busy.done() and len(seen) == await TaskEventRow.filter(project_id=room.project.id).count():
                    break
                item = await anext(stream)
                seen.append((item.event.task_id, item.event.sequence))
                cursor = item.cursor.encode()
            await stream.aclose()
    await busy
    assert sorted(seen) == sorted(await everything(room))
    for task in await Task.filter(project_id=room.project.id):
        assert [number for task_id, number in seen if task_id == task.id] == list(range(1, task.sequence + 1))


async def _busy(room: Room, count: int) -> None:
    for number in range(count):
        await run_to_end(room, await room.submit(f"t{number}"), steps=2)


async def _collected(stream: AsyncIterator[FeedEvent]) -> list[TaskEvent]:
    return [item.event async for item in stream]
