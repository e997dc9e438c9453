"""Estimates as clients read and follow them."""

from datetime import datetime

import pytest

from domain.tasks import work
from tests.conftest import MovableClock
from tests.domain.figures.test_window import begin, end, run_one
from tests.helpers.api import Api
from tests.helpers.sql import recorded_sql

FIELDS = "id status queuePosition attemptStartedAt estimatedStartAt estimatedFinishAt"
FOLLOW = """subscription($id: ID!, $every: Float) { taskEstimate(taskId: $id, intervalSeconds: $every) {
    taskId status queuePosition estimatedStartAt estimatedFinishAt at } }"""


def seconds_from(clock: MovableClock, value: str | None) -> float | None:
    return None if value is None else (datetime.fromisoformat(value) - clock.now()).total_seconds()


async def test_a_list_of_a_hundred_tasks_takes_the_same_statements_as_one_of_two(api: Api, clock: MovableClock) -> None:
    await run_one(api.room, clock, 1, 10)
    await begin(api.room, await api.room.submit("at work"))
    document = f"{{ tasks(first: 100) {{ edges {{ node {{ {FIELDS} }} }} }} }}"
    numbers = []
    for more in (0, 98):
        for number in range(more):
            await api.room.submit(f"waits {number}")
        with recorded_sql() as statements:
            nodes = [edge["node"] for edge in (await api.ask(document))["tasks"]["edges"]]
        numbers.append((len(nodes), len(statements)))
    assert numbers[0][0] == 2
    assert numbers[1][0] == 100
    # tasks, positions, recent durations, what is at work, whether the queue is paused
    assert numbers[0][1] <= numbers[1][1] == 5
    waiting = {node["queuePosition"]: node for node in nodes if node["status"] == "PENDING"}
    # Three workers, one of them at work for another 10 s.
    starts = [seconds_from(clock, waiting[position]["estimatedStartAt"]) for position in range(1, 5)]
    assert starts == [0, 0, 10, 10]
    assert seconds_from(clock, waiting[98]["estimatedFinishAt"]) == 10 * (97 // 3) + 10
    ended = next(node for node in nodes if node["status"] == "COMPLETED")
    assert (ended["estimatedStartAt"], ended["estimatedFinishAt"]) == (None, None)
    assert ended["attemptStartedAt"] is not None


async def test_nobody_asks_about_the_queue_for_tasks_that_have_ended(api: Api, clock: MovableClock) -> None:
    await run_one(api.room, clock, 1, 10)
    with recorded_sql() as statements:
        await api.ask(f"{{ tasks {{ edges {{ node {{ {FIELDS} }} }} }} }}")
    assert len(statements) == 1


async def test_an_event_shows_the_estimate_of_its_moment(api: Api, clock: MovableClock) -> None:
    room = api.room
    await run_one(room, clock, 1, 10)
    task = await room.submit("mine")
    stream = await api.follow(
        f"subscription($id: ID!) {{ taskProgress(taskId: $id) {{ status task {{ {FIELDS} }} }} }}", id=task.id
    )
    first = (await anext(stream)).data["taskProgress"]["task"]
    assert (first["queuePosition"], seconds_from(clock, first["estimatedStartAt"])) == (1, 0)
    clock.advance(50)
    claim = await begin(room, task)
    running = (await anext(stream)).data["taskProgress"]["task"]
    assert running["estimatedStartAt"] == running["attemptStartedAt"]
    assert seconds_from(clock, running["estimatedFinishAt"]) == 10, "the 50 s of waiting are no work"
    clock.advance(2)
    await end(room, claim)
    assert (await anext(stream)).data["taskProgress"]["task"]["estimatedFinishAt"] is None
    await stream.aclose()


async def test_who_waits_is_told_when_the_queue_moves_and_when_the_task_has_ended(
    api: Api, clock: MovableClock
) -> None:
    room = api.room
    await run_one(room, clock, 1, 10)
    others = [await room.submit(f"before {number}") for number in range(3)]
    task = await room.submit("mine")
    stream = await api.follow(FOLLOW, id=task.id, every=0.2)
    first = (await anext(stream)).data["taskEstimate"]
    assert (first["queuePosition"], seconds_from(clock, first["estimatedStartAt"])) == (4, 10)
    await room.tasks.cancel(room.user.id, others[0].id)
    moved = (await anext(stream)).data["taskEstimate"]
    assert (moved["queuePosition"], seconds_from(clock, moved["estimatedStartAt"])) == (3, 0)
    for other in others[1:]:
        await room.tasks.cancel(room.user.id, other.id)
    claim = await begin(room, task)
    running = (await anext(stream)).data["taskEstimate"]
    assert (running["status"], running["queuePosition"]) == ("RUNNING", None)
    assert seconds_from(clock, running["estimatedFinishAt"]) == 10
    await work.complete(room.deps, claim, [], "completed", degraded=False)
    last = (await anext(stream)).data["taskEstimate"]
    assert (last["status"], last["estimatedStartAt"], last["estimatedFinishAt"]) == ("COMPLETED", None, None)
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


async def test_nothing_is_sent_while_nothing_changes_and_a_deleted_task_ends_it(
    api: Api, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = api.room
    claim = await begin(room, await room.submit("mine"))
    stream = await api.follow(FOLLOW, id=claim.task.id, every=0.2)
    await anext(stream)
    looks = 0

    async def no_wait(seconds: float) -> None:
        nonlocal looks
        assert seconds == 0.2
        looks += 1
        if looks == 5:
            await room.tasks.delete_project(room.user.id, room.project.id)

    monkeypatch.setattr("resolvers.estimates.asyncio.sleep", no_wait)
    with pytest.raises(StopAsyncIteration):
        await anext(stream)
    assert looks == 5


async def test_estimates_are_the_owners_and_intervals_have_limits(api: Api) -> None:
    task = await api.room.submit("mine")
    for user, every, code in (
        (api.room.stranger, 1.0, "NOT_FOUND"),
        (api.room.user, 0.1, "BAD_REQUEST"),
        (api.room.user, 61.0, "BAD_REQUEST"),
    ):
        stream = await api.follow(FOLLOW, user, id=task.id, every=every)
        result = await anext(stream)
        assert [error.extensions for error in result.errors] == [{"code": code}]
