"""Subscriptions: what is told, in order, without gap, and fresh."""

import asyncio
from typing import Any

from domain.lifecycle import TaskStage
from domain.models.accounts import User
from domain.models.tasks import Task
from domain.tasks import work
from domain.tasks.release import release
from resolvers.root import schema
from tests.helpers.api import Api
from tests.helpers.room import make_project

PROGRESS = """subscription ($id: ID!, $after: Int) { taskProgress(taskId: $id, after: $after) {
    taskId sequence status stage progress message attempt qualityRetries at
    task { status progress project { name } } } }"""
PROJECT = "subscription ($id: ID!) { projectProgress(projectId: $id) { taskId sequence status } }"
PROJECT_AFTER = """subscription ($id: ID!, $after: String) { projectProgress(projectId: $id, after: $after) {
    taskId sequence status cursor } }"""
STATS = "subscription ($seconds: Float) { queueStats(intervalSeconds: $seconds) { pending running workers } }"


async def _claimed(api: Api, task: Task) -> work.Claim:
    await release(api.room.deps)
    claim = await work.claim(api.room.deps, task.id)
    assert claim is not None
    return claim


async def _run(api: Api, task: Task) -> None:
    claim = await _claimed(api, task)
    for share in (0.5, 1.0):
        await work.step(api.room.deps, claim, TaskStage.ASSET_GENERATOR, share, f"{share:.0%}")
    await work.complete(api.room.deps, claim, [], "done", degraded=False)


async def _next(results: Any) -> Any:
    async with asyncio.timeout(5):
        result = await anext(results)
    assert result.errors is None, result.errors
    [told] = result.data.values()
    return told


async def test_a_task_is_followed_from_where_it_stands_to_its_end(api: Api) -> None:
    task = await api.room.submit()
    results = await api.follow(PROGRESS, id=task.id)
    told = [await _next(results)]
    assert (told[0]["sequence"], told[0]["status"], told[0]["message"]) == (1, "PENDING", "queued")
    await _run(api, task)
    told += [next(iter(result.data.values())) async for result in results]
    assert [event["sequence"] for event in told] == [1, 2, 3, 4, 5]
    assert [event["status"] for event in told[1:]] == ["RUNNING", "RUNNING", "RUNNING", "COMPLETED"]
    assert told[-1]["task"] == {"status": "COMPLETED", "progress": 100.0, "project": {"name": "史莱姆 game"}}
    assert api.room.broadcaster.listeners == 0


async def test_with_after_everything_later_is_told(api: Api) -> None:
    task = await api.room.submit()
    await _run(api, task)
    for after, expected in ((0, [1, 2, 3, 4, 5]), (3, [4, 5]), (5, []), (99, []), (None, [5])):
        results = await api.follow(PROGRESS, id=task.id, after=after)
        told = [result.data["taskProgress"]["sequence"] async for result in results]
        assert told == expected, after


async def test_each_event_shows_the_task_as_it_is_then(api: Api) -> None:
    task = await api.room.submit()
    results = await api.follow(PROGRESS, id=task.id)
    assert (await _next(results))["task"]["status"] == "PENDING"
    claim = await _claimed(api, task)
    assert (await _next(results))["task"]["status"] == "RUNNING"
    await work.step(api.room.deps, claim, TaskStage.ASSET_GENERATOR, 0.5, "half")
    assert (await _next(results))["task"]["progress"] == 40.0
    await results.aclose()
    assert api.room.broadcaster.listeners == 0


async def test_operations_that_share_a_context_do_not_share_what_they_read(api: Api) -> None:
    task = await api.room.submit()
    context = api.context(api.room.user)
    document = "query ($id: ID!) { task(id: $id) { status } }"
    before = await api.execute(document, context, id=task.id)
    await api.room.tasks.cancel(api.room.user.id, task.id)
    after = await api.execute(document, context, id=task.id)
    assert (before.data, after.data) == ({"task": {"status": "PENDING"}}, {"task": {"status": "CANCELLED"}})


async def test_a_project_tells_of_all_its_tasks_new_ones_included(api: Api) -> None:
    elsewhere = await make_project(api.room.deps.clock, api.room.user)
    results = await api.follow(PROJECT, id=api.room.project.id)
    waiting = asyncio.ensure_future(_next(results))
    while not api.room.broadcaster.listeners:
        await asyncio.sleep(0.001)
    await api.room.submit("elsewhere", project_id=elsewhere.id)
    while not waiting.done():  # what is queued before the feed has read where it begins is not told of
        first = await api.room.submit(f"first, at {asyncio.get_running_loop().time()}")
        await asyncio.wait([waiting], timeout=3)
    second = await api.room.submit("second")
    told = [await waiting, await _next(results)]
    assert [(event["taskId"], event["sequence"]) for event in told] == [(first.id, 1), (second.id, 1)]
    await api.room.tasks.cancel(api.room.user.id, first.id)
    assert await _next(results) == {"taskId": first.id, "sequence": 2, "status": "CANCELLED"}
    await results.aclose()
    assert api.room.broadcaster.listeners == 0


async def test_a_project_is_followed_on_from_any_step(api: Api) -> None:
    tasks = [await api.room.submit(f"t{number}") for number in range(3)]
    results = await api.follow(PROJECT_AFTER, id=api.room.project.id, after="")
    told = [await _next(results) for _ in tasks]
    await results.aclose()
    assert [(event["taskId"], event["sequence"]) for event in told] == [(task.id, 1) for task in tasks]
    await _run(api, tasks[0])
    for place in range(3):
        results = await api.follow(PROJECT_AFTER, id=api.room.project.id, after=told[place]["cursor"])
        again = [await _next(results) for _ in range(2 - place + 4)]
        assert [event["taskId"] for event in again] == [task.id for task in tasks[place + 1 :]] + [tasks[0].id] * 4
        assert [event["sequence"] for event in again][-4:] == [2, 3, 4, 5]
        await results.aclose()
    assert api.room.broadcaster.listeners == 0


async def test_a_cursor_of_elsewhere_is_refused(api: Api) -> None:
    await api.room.submit()
    elsewhere = await make_project(api.room.deps.clock, api.room.user)
    results = await api.follow(PROJECT_AFTER, id=api.room.project.id, after="")
    cursor = (await _next(results))["cursor"]
    await results.aclose()
    for project_id, after in ((elsewhere.id, cursor), (api.room.project.id, "nonsense")):
        [result] = [result async for result in await api.follow(PROJECT_AFTER, id=project_id, after=after)]
        assert result.errors[0].extensions == {"code": "BAD_REQUEST"}
        assert "not a cursor of this project" in result.errors[0].message
    for unknown in (api.room.other_project.id, "prj_nothing"):
        [result] = [result async for result in await api.follow(PROJECT_AFTER, id=unknown, after=cursor)]
        assert result.errors[0].extensions == {"code": "NOT_FOUND"}


async def test_a_deleted_project_ends_its_own_subscription(api: Api) -> None:
    await api.room.submit()
    results = await api.follow(PROJECT_AFTER, id=api.room.project.id, after="")
    await _next(results)
    await api.room.tasks.delete_project(api.room.user.id, api.room.project.id)
    async with asyncio.timeout(5):
        assert [result.data["projectProgress"]["status"] async for result in results] == ["CANCELLED"]
    assert api.room.broadcaster.listeners == 0


async def test_a_deleted_project_ends_what_is_followed_in_it(api: Api) -> None:
    task = await api.room.submit()
    results = await api.follow("subscription ($id: ID!) { taskProgress(taskId: $id) { status } }", id=task.id)
    await _next(results)
    await api.room.tasks.delete_project(api.room.user.id, api.room.project.id)
    assert [result.data["taskProgress"]["status"] async for result in results] == ["CANCELLED"]


async def test_a_task_that_went_with_its_project_is_not_found_by_its_last_event(api: Api) -> None:
    task = await api.room.submit()
    results = await api.follow(PROGRESS, id=task.id)
    await _next(results)
    await api.room.tasks.delete_project(api.room.user.id, api.room.project.id)
    last = [result async for result in results]
    assert [error.extensions for result in last for error in result.errors] == [{"code": "NOT_FOUND"}]


async def test_figures_are_told_again_and_again(api: Api) -> None:
    results = await api.follow(STATS, seconds=0.2)
    assert (await _next(results))["pending"] == 0
    await api.room.submit()
    assert (await _next(results)) == {"pending": 1, "running": 0, "workers": 3}
    await results.aclose()
    unset = await api.follow(STATS, seconds=None)
    assert (await _next(unset))["pending"] == 1
    await unset.aclose()


async def test_figures_of_an_administrator_are_those_of_everybody(api: Api) -> None:
    await api.room.submit()
    await User.filter(id=api.room.stranger.id).update(role="ADMIN")
    admin = await User.get(id=api.room.stranger.id)
    document = "{ queueStats { pending capacity successRate windowSeconds paused } }"
    assert (await api.ask(document, admin))["queueStats"] == {
        "pending": 1,
        "capacity": 100,
        "successRate": None,
        "windowSeconds": 3600,
        "paused": False,
    }
    results = await api.follow(STATS, admin)
    assert (await _next(results))["pending"] == 1
    await results.aclose()


async def test_intervals_have_limits(api: Api) -> None:
    for seconds in (0.0, -1.0, 0.1, 61.0):
        [result] = [result async for result in await api.follow(STATS, seconds=seconds)]
        assert result.errors[0].extensions == {"code": "BAD_REQUEST"}


async def test_providers_are_listed(api: Api) -> None:
    document = "{ providers { name kinds assetTypes asynchronous available model } }"
    [provider] = (await api.ask(document))["providers"]
    assert (provider["name"], provider["model"], provider["asynchronous"]) == ("stub", "1", False)
    assert "VIDEO" in provider["assetTypes"]
    assert "IMAGE_TO_VIDEO" in provider["kinds"]


async def test_queries_run_over_streams_as_well(api: Api) -> None:
    context = api.context(api.room.user)
    results: list[Any] = [result async for result in await schema.stream("{ me { id } }", context_value=context)]
    assert [result.data for result in results] == [{"me": {"id": api.room.user.id}}]
