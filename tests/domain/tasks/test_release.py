"""From rows to the queue: priority, turns, capacity, dependencies."""

import asyncio

from domain.lifecycle import TaskStatus
from domain.models.tasks import Task
from domain.tasks import work
from domain.tasks.release import Released, fail_dependants, next_ready_at, refill, release
from domain.tasks.turns import suspicion_of
from domain.tasks.work import Failure
from tests.conftest import MovableClock
from tests.helpers.room import Room


async def drain(room: Room, count: int) -> list[str]:
    """Take ids off the queue as workers would, and return the prompts in that order."""
    prompts = []
    for _ in range(count):
        claim = await work.claim(room.deps, await room.queue._next())
        assert claim is not None
        prompts.append(claim.task.prompt)
    return prompts


async def test_higher_priority_starts_first_and_equal_ones_by_age(room: Room, clock: MovableClock) -> None:
    for prompt, priority in (("one", 1), ("nine", 9), ("five", 5), ("five again", 5)):
        await room.submit(prompt, priority=priority)
        clock.advance(1)
    assert await release(room.deps) == 4
    assert await drain(room, 4) == ["nine", "five", "five again", "one"]


async def test_users_take_turns_whatever_each_has_queued(room: Room, clock: MovableClock) -> None:
    for number in range(30):
        await room.submit(f"a{number}")
        clock.advance(1)
    await release(room.deps)
    await room.submit("b0", user=room.stranger)
    await release(room.deps)
    assert "b0" in await drain(room, 2)


async def test_the_queue_holds_its_capacity_and_the_rest_waits_as_rows(
    room: Room, settings: object, clock: MovableClock
) -> None:
    deps_room = room
    deps_room.deps.queue._capacity = 5  # type: ignore[attr-defined]
    for number in range(12):
        await room.submit(f"t{number}")
    assert (await release(room.deps), await release(room.deps)) == (5, 0)
    assert await Task.filter(released_at__isnull=True).count() == 7
    await drain(room, 2)
    assert await release(room.deps) == 2


async def test_a_task_waits_until_it_is_ready(room: Room, clock: MovableClock) -> None:
    task = await room.submit()
    await release(room.deps)
    claim = await work.claim(room.deps, task.id)
    assert claim is not None
    await work.fail(room.deps, claim, Failure("X", "It broke.", retryable=True))
    assert await release(room.deps) == 0
    due = await next_ready_at(clock.now())
    assert due is not None
    clock.advance((due - clock.now()).total_seconds())
    assert await release(room.deps) == 1


async def test_a_dependant_starts_only_when_all_have_completed(room: Room) -> None:
    first = await room.submit("first")
    second = await room.submit("second", depends_on=(first.id,))
    assert await release(room.deps) == 1
    assert await room.tasks.queue_positions([first.id, second.id]) == {first.id: 1}
    claim = await work.claim(room.deps, await room.queue._next())
    assert claim is not None
    await work.complete(room.deps, claim, [], "completed", degraded=False)
    assert (await release(room.deps), await drain(room, 1)) == (1, ["second"])


async def test_a_dependant_fails_with_the_one_it_waits_for(room: Room) -> None:
    first = await room.submit("first")
    second = await room.submit("second", depends_on=(first.id,))
    await room.tasks.cancel(room.user.id, first.id)
    assert await fail_dependants(room.deps) == 1
    failed = await Task.get(id=second.id)
    assert (failed.status, failed.error_code) == (TaskStatus.FAILED, "DEPENDENCY_FAILED")
    assert first.id in (failed.error_message or "")


async def test_a_new_priority_moves_a_task_that_was_already_released(room: Room, clock: MovableClock) -> None:
    tasks = []
    for number in range(3):
        tasks.append(await room.submit(f"t{number}"))
        clock.advance(1)
    await release(room.deps)
    await room.tasks.set_priority(room.user.id, tasks[2].id, 9)
    assert await drain(room, 3) == ["t2", "t0", "t1"]


async def test_positions_follow_the_order_of_release(room: Room, clock: MovableClock) -> None:
    ids = []
    for priority in (0, 5, 0):
        ids.append((await room.submit(f"p{len(ids)}", priority=priority)).id)
        clock.advance(1)
    assert await room.tasks.queue_positions(ids) == {ids[0]: 2, ids[1]: 1, ids[2]: 3}


async def test_a_worker_that_hears_of_a_task_before_its_release_is_committed_waits(room: Room) -> None:
    """The queue in memory hands ids out at once; the transaction that released them may still be open."""
    tasks = [await room.submit(f"t{number}") for number in range(5)]
    claims: list[str] = []

    async def handle(task_id: str) -> None:
        claim = await work.claim(room.deps, task_id)
        assert claim is not None
        claims.append(task_id)

    working = asyncio.create_task(room.queue.work(handle, 3))
    await asyncio.sleep(0)
    await release(room.deps)
    async with asyncio.timeout(10):
        while len(claims) < len(tasks):
            await asyncio.sleep(0.01)
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    assert sorted(claims) == sorted(task.id for task in tasks)


async def test_a_task_that_keeps_losing_its_worker_waits_behind_the_others(room: Room, clock: MovableClock) -> None:
    suspect = await room.submit("suspect")
    clock.advance(1)
    await room.submit("later")
    for losses, order in ((2, ["suspect", "later"]), (3, ["later", "suspect"])):
        await Task.filter(id=suspect.id).update(losses=losses, suspicion=suspicion_of(losses))
        await Task.all().update(status=TaskStatus.PENDING, released_at=None, owner_token=None)
        assert await release(room.deps) == 2
        assert await drain(room, 2) == order


async def test_a_look_tells_whether_the_queue_is_full(room: Room) -> None:
    capacity = room.deps.queue.capacity
    for number in range(capacity):
        await room.submit(f"slime {number}")
    assert await refill(room.deps) == Released(capacity, full=True)
    assert await refill(room.deps) == Released(0, full=True)
    await Task.all().update(status=TaskStatus.COMPLETED)
    await room.submit("one more")
    assert await refill(room.deps) == Released(1, full=False)
