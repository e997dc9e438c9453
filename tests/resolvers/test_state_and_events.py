"""What is read and what is told fit together: no gap between them, and nobody else's in them."""

import asyncio
from typing import Any

import pytest

from domain.ids import IdPrefix, new_id
from domain.lifecycle import TaskStage
from domain.models.accounts import User
from domain.models.tasks import Task
from domain.tasks import work
from domain.tasks.cleanup import clean_up
from domain.tasks.release import release
from tests.conftest import MovableClock
from tests.helpers.api import Api

STATE = "query ($id: ID!) { task(id: $id) { status events(first: 500) { sequence status } } }"
PROGRESS = """subscription ($id: ID!, $after: Int) { taskProgress(taskId: $id, after: $after) {
    taskId sequence status message task { prompt } } }"""
PROJECT = "subscription ($id: ID!) { projectProgress(projectId: $id) { taskId message } }"


async def _run(api: Api, task: Task, steps: int = 2) -> None:
    await release(api.room.deps)
    claim = await work.claim(api.room.deps, task.id)
    assert claim is not None
    for number in range(steps):
        await work.step(api.room.deps, claim, TaskStage.ASSET_GENERATOR, number / steps, f"step {number}")
    await work.complete(api.room.deps, claim, [], "done", degraded=False)


async def _told(results: Any) -> list[Any]:
    async with asyncio.timeout(20):
        return [next(iter(result.data.values())) async for result in results]


@pytest.mark.slow
async def test_two_hundred_times_what_was_read_and_what_was_told_leave_no_gap_in_either_order(api: Api) -> None:
    for number in range(200):
        task = await api.room.submit(f"t{number}")
        running = asyncio.create_task(_run(api, task))
        for _ in range(number % 23):
            await asyncio.sleep(0)
        if number % 2:
            state = (await api.ask(STATE, id=task.id))["task"]
            read = [event["sequence"] for event in state["events"]]
            told = await _told(await api.follow(PROGRESS, id=task.id, after=read[-1]))
            sequences = [*read, *(event["sequence"] for event in told)]
        else:
            results = await api.follow(PROGRESS, id=task.id)
            first = (await anext(results)).data["taskProgress"]
            state = (await api.ask(STATE, id=task.id))["task"]
            read = [event["sequence"] for event in state["events"]]
            told = [first, *await _told(results)]
            assert first["sequence"] <= read[-1], "what was read later is not older"
            sequences = [*range(1, first["sequence"]), *(event["sequence"] for event in told)]
        await running
        assert sequences == [1, 2, 3, 4, 5], number
        assert (told[-1]["status"] if told else state["status"]) == "COMPLETED"
        assert read == list(range(1, len(read) + 1))


async def test_of_two_users_with_a_running_task_each_is_told_of_their_own_alone(api: Api) -> None:
    room = api.room
    mine, theirs = await room.submit("my secret"), await room.submit("their secret", user=room.stranger)
    people: list[tuple[User, Task, str]] = [
        (room.user, mine, room.project.id),
        (room.stranger, theirs, room.other_project.id),
    ]
    following = [asyncio.create_task(_told(await api.follow(PROGRESS, user, id=task.id))) for user, task, _ in people]
    projects = [await api.follow(PROJECT, user, id=project) for user, _, project in people]
    firsts = [asyncio.ensure_future(anext(results)) for results in projects]
    while room.broadcaster.listeners < 4:
        await asyncio.sleep(0.001)
    await asyncio.gather(_run(api, mine, 5), _run(api, theirs, 5))
    for (_, task, _), told in zip(people, await asyncio.gather(*following), strict=True):
        assert {event["taskId"] for event in told} == {task.id}
        assert {event["task"]["prompt"] for event in told} == {task.prompt}
        assert told[-1]["status"] == "COMPLETED"
    for (_, task, _), first, results in zip(people, firsts, projects, strict=True):
        assert (await first).data["projectProgress"]["taskId"] == task.id
        await results.aclose()


async def test_an_unknown_a_foreign_and_a_cleaned_up_task_are_not_found_in_the_same_words(
    api: Api, clock: MovableClock
) -> None:
    foreign = await api.room.submit("foreign", user=api.room.stranger)
    pruned = await api.room.submit("pruned")
    await _run(api, pruned)
    clock.advance(10)
    assert (await clean_up(api.room.deps, 0)).tasks == 1
    answers = set()
    for task_id in (new_id(IdPrefix.TASK), "does-not-exist", foreign.id, pruned.id):
        assert (await api.ask(STATE, id=task_id)) == {"task": None}
        assert (await api.ask("query ($id: ID!) { node(id: $id) { id } }", id=task_id)) == {"node": None}
        for name in ("cancelTask", "retryTask"):
            document = f"mutation ($id: ID!) {{ {name}(id: $id) {{ task {{ id }} errors {{ code message }} }} }}"
            answer = (await api.ask(document, id=task_id))[name]
            assert answer["task"] is None
            answers.add(tuple(answer["errors"][0].values()))
        [result] = [result async for result in await api.follow(PROGRESS, id=task_id)]
        answers.add((result.errors[0].extensions["code"], result.errors[0].message))
    assert answers == {("NOT_FOUND", "There is no such task.")}
