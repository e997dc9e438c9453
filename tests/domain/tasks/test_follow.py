"""Following a task: a snapshot, then every event once, then the end."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.errors import NotFound
from domain.events import TaskEvent
from domain.lifecycle import TaskStage, TaskStatus
from domain.models.tasks import Task
from domain.tasks import work
from domain.tasks.release import release
from tests.helpers.room import Room
from worker.broadcast.memory import MAX_BACKLOG, MemorySubscription


async def run_to_end(room: Room, task: Task, steps: int = 3) -> None:
    await release(room.deps)
    claim = await work.claim(room.deps, task.id)
    assert claim is not None
    for number in range(steps):
        await work.step(room.deps, claim, TaskStage.ASSET_GENERATOR, number / steps, f"step {number}")
    await work.complete(room.deps, claim, [], "completed", degraded=False)


async def collect(events: AsyncIterator[TaskEvent]) -> list[TaskEvent]:
    async with asyncio.timeout(20):
        return [event async for event in events]


async def test_before_during_and_after_see_the_same_end(room: Room) -> None:
    task = await room.submit()
    before = asyncio.create_task(collect(room.tasks.follow(room.user.id, task.id, None)))
    many = [asyncio.create_task(collect(room.tasks.follow(room.user.id, task.id, 0))) for _ in range(20)]
    await asyncio.sleep(0)
    await run_to_end(room, task)
    after = await collect(room.tasks.follow(room.user.id, task.id, None))
    everything = await collect(room.tasks.follow(room.user.id, task.id, 0))
    assert [event.sequence for event in everything] == [1, 2, 3, 4, 5, 6]
    assert everything[-1].status is TaskStatus.COMPLETED
    assert after == everything[-1:]
    seen = await before
    assert seen == everything[-len(seen) :]
    assert await asyncio.gather(*many) == [everything] * 20
    assert room.broadcaster.listeners == 0


async def test_a_reconnect_goes_on_after_the_last_event(room: Room) -> None:
    task = await room.submit()
    await run_to_end(room, task)
    assert [event.sequence for event in await collect(room.tasks.follow(room.user.id, task.id, 4))] == [5, 6]
    assert await collect(room.tasks.follow(room.user.id, task.id, 6)) == []
    assert await collect(room.tasks.follow(room.user.id, task.id, 600)) == []


async def test_a_number_beyond_the_end_waits_for_the_end_and_no_longer(room: Room) -> None:
    task = await room.submit()
    beyond = asyncio.create_task(collect(room.tasks.follow(room.user.id, task.id, 100_000)))
    while not room.broadcaster.listeners:
        await asyncio.sleep(0)
    await run_to_end(room, task)
    assert await beyond == []


async def test_a_slow_listener_is_caught_up_from_rows(room: Room) -> None:
    task = await room.submit()
    events = room.tasks.follow(room.user.id, task.id, None)
    seen = [await anext(events)]
    await run_to_end(room, task, steps=3 * MAX_BACKLOG)
    seen += await collect(events)
    assert [event.sequence for event in seen] == list(range(1, 3 * MAX_BACKLOG + 4))


async def test_others_tasks_and_projects_are_not_found(room: Room) -> None:
    task = await room.submit()
    for stream in (
        room.tasks.follow(room.stranger.id, task.id, None),
        room.tasks.follow(room.user.id, "tsk_unknown", None),
        room.tasks.follow_project(room.stranger.id, room.project.id, None),
    ):
        with pytest.raises(NotFound):
            await anext(stream)


async def test_quick_tasks_never_show_a_gap(room: Room) -> None:
    """Subscribed before, in the middle of and after the run: from the first event seen, all that follow are seen."""
    for number in range(60):
        task = await room.submit(f"t{number}")
        stream = asyncio.create_task(collect(room.tasks.follow(room.user.id, task.id, None)))
        for _ in range(number % 7):
            await asyncio.sleep(0)
        await run_to_end(room, task, steps=2)
        seen = [event.sequence for event in await stream]
        assert seen == list(range(seen[0], 6)), number


async def test_a_project_tells_of_all_its_tasks_also_when_the_listener_lags(room: Room) -> None:
    stream = room.tasks.follow_project(room.user.id, room.project.id, None)
    first = asyncio.ensure_future(anext(stream))
    early = []
    while not first.done():
        # What is queued before the feed has read where it begins is not told of.
        if room.broadcaster.listeners:
            early.append(await room.submit(f"early {len(early)}"))
        await asyncio.wait([first], timeout=0.2)
    seen = [first.result().event]
    tasks = [task for task in early if task.id == seen[0].task_id]
    tasks += [await room.submit(f"t{number}") for number in range(2)]
    await room.submit("foreign", user=room.stranger)
    for task in tasks:
        await run_to_end(room, task, steps=40)
    ended = 0
    async with asyncio.timeout(20):
        async for item in stream:
            seen.append(item.event)
            ended += item.event.ends_task
            if ended == 3:
                break
    await stream.aclose()
    for task in tasks:
        mine = [event.sequence for event in seen if event.task_id == task.id]
        assert mine == list(range(1, 44))
    assert {event.project_id for event in seen} == {room.project.id}


def event(sequence: int) -> TaskEvent:
    now = datetime(2026, 12, 1, tzinfo=UTC)
    return TaskEvent("tsk_1", "prj_1", sequence, TaskStatus.RUNNING, None, 0, "", 1, 0, now)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bursts=st.lists(st.integers(1, 2 * MAX_BACKLOG), max_size=6))
async def test_a_listener_gets_everything_or_is_told_that_it_did_not(bursts: list[int]) -> None:
    subscription, sequence = MemorySubscription(), 0
    for burst in bursts:
        for _ in range(burst):
            sequence += 1
            subscription.offer(event(sequence))
        assert len(subscription._backlog) <= MAX_BACKLOG
        got = []
        while subscription._arrival.is_set():
            got.append(await subscription.next())
        if burst <= MAX_BACKLOG:
            assert [item.sequence for item in got if item] == list(range(sequence - burst + 1, sequence + 1))
        else:
            assert None in got
