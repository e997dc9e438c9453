"""What hangs on projects, tasks and assets."""

from typing import Any

from domain.kinds import AssetType
from domain.models.tasks import Asset, Task
from tests.helpers.api import Api
from tests.helpers.history import add_asset, finish, provenance
from tests.helpers.room import make_project

PAGE = "totalCount edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }"
TASKS = f"""query ($id: ID!, $first: Int, $after: String, $last: Int, $before: String, $filter: TaskFilter) {{
    project(id: $id) {{ ...Tasks }}
    projects {{ edges {{ node {{ id ...Tasks }} }} }} }}
    fragment Tasks on Project {{
        tasks(first: $first, after: $after, last: $last, before: $before, filter: $filter) {{ {PAGE} }} }}"""
TASK = """query ($id: ID!, $after: Int, $first: Int) { task(id: $id) {
    events(after: $after, first: $first) { sequence status message at taskId }
    qualityChecks { attempt round variation name score threshold passed reason }
    assets { id name role url mediaType sizeBytes sha256 metadata createdAt task { id }
        provenance { provider model seed prompt negativePrompt attempt round requestId durationSeconds }
        qualityChecks { round name } } } }"""


def _ids(page: Any) -> list[str]:
    return [edge["node"]["id"] for edge in page["edges"]]


async def _several_projects(api: Api, tasks_each: int) -> dict[str, list[str]]:
    """Fill three projects; returns the task ids of each, newest first."""
    made: dict[str, list[str]] = {}
    projects = [api.room.project] + [await make_project(api.room.deps.clock, api.room.user) for _ in range(2)]
    for number in range(tasks_each):
        for project in projects:
            api.room.deps.clock.advance(1)  # type: ignore[attr-defined]
            task = await api.room.submit(f"slime {number}", project_id=project.id)
            made.setdefault(project.id, []).insert(0, task.id)
    return made


async def test_lists_of_many_projects_are_those_of_each(api: Api) -> None:
    made = await _several_projects(api, 5)
    asked: list[dict[str, Any]] = [{}, {"first": 2}, {"first": 0}, {"last": 2}, {"first": 5}]
    for arguments in (*asked, {"filter": {"search": "slime 3"}}):
        answer = await api.ask(TASKS, id=api.room.project.id, **arguments)
        listed = {edge["node"]["id"]: edge["node"]["tasks"] for edge in answer["projects"]["edges"]}
        assert set(listed) == set(made)
        assert listed[api.room.project.id] == answer["project"]["tasks"]
        for project_id, page in listed.items():
            ids = made[project_id]
            expected = {
                "first": ids[: arguments.get("first", 20)],
                "last": ids[-2:],
                "filter": [ids[1]],
            }[next(iter(arguments), "first")]
            assert _ids(page) == expected
            assert page["totalCount"] == (1 if "filter" in arguments else 5)
            assert page["pageInfo"]["hasNextPage"] == (arguments in ({"first": 2}, {"first": 0}))
            assert page["pageInfo"]["hasPreviousPage"] == (arguments == {"last": 2})


async def test_a_nested_list_goes_on_from_its_cursor(api: Api) -> None:
    made = await _several_projects(api, 5)
    seen: list[str] = []
    cursor = None
    for _ in range(3):
        page = (await api.ask(TASKS, id=api.room.project.id, first=2, after=cursor))["project"]["tasks"]
        seen += _ids(page)
        cursor = page["pageInfo"]["endCursor"]
    assert seen == made[api.room.project.id]
    back = (await api.ask(TASKS, id=api.room.project.id, last=2, before=page["pageInfo"]["startCursor"]))["project"]
    assert _ids(back["tasks"]) == seen[2:4]


async def test_the_assets_of_a_project_are_listed_by_type(api: Api) -> None:
    sprite, icon = await api.room.submit("a"), await api.room.submit("b", asset_type=AssetType.ICON)
    other = await make_project(api.room.deps.clock, api.room.user)
    elsewhere = await api.room.submit("c", project_id=other.id)
    for task in (sprite, icon, elsewhere):
        await finish(api.room, task)
    document = f"""query ($type: AssetType) {{ projects {{ edges {{ node {{ id
        assets(assetType: $type, first: 3) {{ {PAGE} }} }} }} }} }}"""
    for asset_type, expected in ((None, [sprite.id, icon.id]), ("ICON", [icon.id]), ("VIDEO", [])):
        answer = await api.ask(document, type=asset_type)
        [page] = [
            edge["node"]["assets"] for edge in answer["projects"]["edges"] if edge["node"]["id"] == api.room.project.id
        ]
        assert page["totalCount"] == 2 * len(expected)
        assert {asset.task_id for asset in await Asset.filter(id__in=_ids(page))} == set(expected)
        assert page["pageInfo"]["hasNextPage"] == (asset_type is None)


async def test_a_task_tells_its_whole_history(api: Api) -> None:
    task = await api.room.submit()
    await finish(api.room, task, rounds=3)
    shown = (await api.ask(TASK, id=task.id))["task"]
    assert [(event["sequence"], event["status"]) for event in shown["events"]] == [
        (1, "PENDING"),
        (2, "RUNNING"),
        (3, "RUNNING"),
        (4, "COMPLETED"),
    ]
    assert [(check["round"], check["name"], check["passed"]) for check in shown["qualityChecks"]] == [
        (number, name, number == 2) for number in range(3) for name in ("size", "palette")
    ]
    main, preview = shown["assets"]
    assert (main["role"], preview["role"]) == ("image", "preview")
    assert (main["provenance"]["seed"], main["metadata"]) == (7, {"palette": ["#00ff00"]})
    assert main["url"].startswith("https://wonder.test/")
    assert main["qualityChecks"] == [{"round": 2, "name": "size"}, {"round": 2, "name": "palette"}]


async def test_events_are_read_in_bounded_parts(api: Api) -> None:
    task = await api.room.submit()
    await finish(api.room, task, rounds=5, files=0)
    parts: list[tuple[dict[str, Any], list[int]]] = [
        ({"first": 2}, [1, 2]),
        ({"after": 2, "first": 3}, [3, 4, 5]),
        ({"after": 5}, [6]),
        ({"after": -7, "first": 1}, [1]),
        ({"first": 0}, []),
        ({"first": -1}, []),
        ({"first": 100_000}, [1, 2, 3, 4, 5, 6]),
        ({"after": 2**31 - 1, "first": 500}, []),
    ]
    for arguments, expected in parts:
        events = (await api.ask(TASK, id=task.id, **arguments))["task"]["events"]
        assert [event["sequence"] for event in events] == expected, arguments


async def test_an_asset_shows_the_verdicts_of_its_own_round_only(api: Api) -> None:
    task = await api.room.submit()
    await finish(api.room, task, rounds=2, files=0)
    asset = await add_asset(api.room, task, 0, provenance(round=0))
    document = "query ($id: ID!) { asset(id: $id) { qualityChecks { round reason } task { id status } } }"
    shown = (await api.ask(document, id=asset.id))["asset"]
    assert [check["reason"] for check in shown["qualityChecks"]] == ["size of round 0", "palette of round 0"]
    assert shown["task"] == {"id": task.id, "status": "COMPLETED"}


async def test_why_a_task_ended_is_shown(api: Api) -> None:
    task = await api.room.submit()
    document = "query ($id: ID!) { task(id: $id) { error { code message retryable } } }"
    assert (await api.ask(document, id=task.id))["task"]["error"] is None
    await Task.filter(id=task.id).update(error_code="REFUSED", error_message="不行", error_retryable=False)
    assert (await api.ask(document, id=task.id))["task"]["error"] == {
        "code": "REFUSED",
        "message": "不行",
        "retryable": False,
    }
