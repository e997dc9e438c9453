"""Whose task is worked on when: priorities, users in turn, one user's cancellation, and what counts as work."""

import asyncio
from datetime import timedelta
from pathlib import Path

from domain.kinds import AssetType
from domain.lifecycle import TaskStatus
from domain.models.tasks import Task
from domain.tasks.queries import TaskFilter
from domain.tasks.requests import GenerateRequest
from tests.conftest import MovableClock
from tests.helpers.room import Room
from tests.helpers.source import ROOT
from tests.helpers.stub import sprite
from tests.helpers.workshop import workshop
from worker.artifacts import GenerationRequest
from worker.process_pool import ProcessPool


async def states(room: Room) -> dict[str, list[TaskStatus]]:
    found: dict[str, list[TaskStatus]] = {}
    for task in await Task.all().order_by("created_at", "id"):
        found.setdefault(str(task.user_id), []).append(task.status)
    return found


async def test_cancelling_everything_of_one_user_touches_nobody_elses_running_or_waiting_tasks(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path, workers=2) as shop:
        shop.provider.gate.clear()
        for number in range(3):
            await shop.submit(f"mine {number}")
            theirs = await shop.submit(f"theirs {number}", user=room.stranger)
        async with asyncio.timeout(20):
            while len({request.task_id for request in shop.provider.requests}) < 2:
                await asyncio.sleep(0.005)
        for statuses in (await states(room)).values():
            assert sorted(statuses) == ["PENDING", "PENDING", "RUNNING"]
        assert await shop.tasks.cancel_many(room.user.id, TaskFilter()) == 3
        assert set((await states(room))[room.user.id]) == {TaskStatus.CANCELLED}
        assert not set((await states(room))[room.stranger.id]) & {TaskStatus.CANCELLED, TaskStatus.FAILED}
        shop.provider.gate.set()
        await shop.ended(theirs)
        async with asyncio.timeout(20):
            while set((await states(room))[room.stranger.id]) != {TaskStatus.COMPLETED}:
                await asyncio.sleep(0.01)


async def test_thirty_tasks_of_one_user_delay_a_single_one_of_another_by_one_turn(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path, workers=1) as shop:
        shop.provider.gate.clear()
        for number in range(30):
            await shop.submit(f"many {number}")
        async with asyncio.timeout(20):
            await shop.provider.waiting.wait()
        single = await shop.submit("single", user=room.stranger)
        shop.provider.gate.set()
        await shop.ended(single)
        order = list(dict.fromkeys(request.subject for request in shop.provider.requests))
        assert order.index("single") <= 2


async def test_hundreds_of_one_user_beyond_the_queues_capacity_delay_nobody_by_more_than_a_turn_or_two(
    room: Room, pool: ProcessPool, tmp_path: Path, clock: MovableClock
) -> None:
    def one_second(request: GenerationRequest) -> bytes:
        clock.advance(1)
        return sprite(request.seed)

    room.queue._capacity = 2
    async with workshop(room, pool, tmp_path, workers=1) as shop:
        shop.provider.gate.clear()
        shop.provider.draw = one_second
        for number in range(40):
            await shop.submit(f"many {number}")
            clock.advance(0.01)
        async with asyncio.timeout(20):
            await shop.provider.waiting.wait()
        few = [await shop.submit(f"few {number}", user=room.stranger) for number in range(4)]
        shop.provider.gate.set()
        for task in few:
            await shop.ended(task)
        turns = "".join({request.task_id: request.subject[0] for request in shop.provider.requests}.values())
        # One was begun before, and two were in the queue.
        assert "mmmm" not in turns[: turns.rindex("f")]
        assert turns.index("f") <= 3
        assert turns.rindex("f") <= 3 + 2 * len(few)


async def test_of_one_batch_the_highest_priority_starts_first_as_the_documentation_says(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path, workers=1) as shop:
        requests = [
            GenerateRequest(room.project.id, f"priority {priority}", AssetType.SPRITE, priority=priority)
            for priority in (1, 9, 5)
        ]
        await shop.tasks.submit_batch(room.user, requests, all_or_nothing=True)
        async with asyncio.timeout(30):
            while await Task.filter(status=TaskStatus.COMPLETED).count() < 3:
                await asyncio.sleep(0.01)
        order = list(dict.fromkeys(request.subject for request in shop.provider.requests))
        assert order == ["priority 9", "priority 5", "priority 1"]
    assert "Higher `priority` (0 to 9) first." in (ROOT / "docs" / "lifecycle.md").read_text()


async def test_work_is_counted_from_its_start_and_not_from_the_request(
    room: Room, pool: ProcessPool, tmp_path: Path, clock: MovableClock
) -> None:
    def three_seconds(request: GenerationRequest) -> bytes:
        clock.advance(3)
        return sprite(request.seed)

    async with workshop(room, pool, tmp_path, workers=1) as shop:
        shop.provider.gate.clear()
        shop.provider.draw = three_seconds
        tasks = [await shop.submit(f"t{number}") for number in range(2)]
        shop.provider.gate.set()
        first, second = [await shop.ended(task) for task in tasks]
    assert first.created_at == second.created_at
    assert first.finished_at is not None
    assert second.finished_at is not None
    assert second.started_at is not None
    assert second.started_at >= first.finished_at
    assert second.finished_at - second.started_at == timedelta(seconds=3)
