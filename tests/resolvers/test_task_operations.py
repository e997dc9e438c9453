"""Tasks through the API."""

from typing import Any

from domain.kinds import AssetType
from domain.lifecycle import TaskStatus
from domain.models.accounts import User
from domain.models.tasks import Task
from tests.helpers.api import Api

GENERATE = """mutation ($input: GenerateInput!) { generate(input: $input) { deduplicated
    task { id prompt status kind assetType priority attempt progress params { width height seed count format
        animations { name frames fps loop pingPong } atlasFormats padding pivotX } project { id } }
    errors { code message path retryAfterSeconds } } }"""
TASK = "{ task { id status priority attempt } errors { code message path } }"
CANCEL = f"mutation ($id: ID!) {{ cancelTask(id: $id) {TASK} }}"
RETRY = f"mutation ($id: ID!) {{ retryTask(id: $id) {TASK} }}"
PRIORITY = f"mutation ($id: ID!, $priority: Int!) {{ setTaskPriority(id: $id, priority: $priority) {TASK} }}"
LIST = """query ($filter: TaskFilter, $orderBy: TaskOrder, $first: Int, $after: String) {
    tasks(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
        totalCount edges { cursor node { id } } pageInfo { hasNextPage endCursor } } }"""


async def _generate(api: Api, **fields: Any) -> Any:
    given = {"projectId": api.room.project.id, "prompt": "a green slime", "assetType": "SPRITE", **fields}
    return (await api.ask(GENERATE, input=given))["generate"]


async def _listed(api: Api, **variables: Any) -> list[str]:
    return [edge["node"]["id"] for edge in (await api.ask(LIST, **variables))["tasks"]["edges"]]


async def test_generate_answers_with_a_pending_task(api: Api) -> None:
    answer = await _generate(api, prompt="  一只绿色的史莱姆 👾‍🎨 \u202eabc  ", priority=7)
    assert (answer["errors"], answer["deduplicated"]) == ([], False)
    task = answer["task"]
    assert (task["status"], task["kind"], task["priority"]) == ("PENDING", "TEXT_TO_IMAGE", 7)
    assert task["prompt"] == "一只绿色的史莱姆 👾‍🎨 \u202eabc"
    assert (task["params"]["width"], task["params"]["format"]) == (64, "PNG")
    assert isinstance(task["params"]["seed"], int)
    assert task["project"] == {"id": api.room.project.id}


async def test_parameters_arrive_and_those_left_out_or_null_take_their_defaults(api: Api) -> None:
    params = {
        "width": 32,
        "height": None,
        "seed": 0,
        "format": "WEBP",
        "animations": [{"name": "走", "frames": 3, "pingPong": True, "fps": None}],
        "atlasFormats": ["GODOT", "JSON_HASH"],
        "pivotX": 0,
    }
    shown = (await _generate(api, assetType="SPRITESHEET", params=params))["task"]["params"]
    assert (shown["width"], shown["height"], shown["seed"], shown["format"]) == (32, 64, 0, "WEBP")
    assert shown["animations"] == [{"name": "走", "frames": 3, "fps": 8, "loop": True, "pingPong": True}]
    assert (shown["atlasFormats"], shown["pivotX"], shown["padding"]) == (["GODOT", "JSON_HASH"], 0.0, 2)


async def test_an_unset_seed_counts_as_unset_and_null_is_no_other_request(api: Api) -> None:
    first = await _generate(api)
    same: list[dict[str, Any]] = [
        {"params": {}},
        {"params": None},
        {"params": {"seed": None, "count": 1}},
        {"priority": None},
    ]
    for fields in same:
        again = await _generate(api, **fields)
        assert (again["task"]["id"], again["deduplicated"]) == (first["task"]["id"], True)
    assert (await _generate(api, params={"seed": 0}))["deduplicated"] is False


async def test_an_idempotency_key_leads_to_its_task_and_refuses_another_body(api: Api) -> None:
    first = await _generate(api, idempotencyKey="键")
    await api.ask(CANCEL, id=first["task"]["id"])
    again = await _generate(api, idempotencyKey="键")
    assert (again["task"]["id"], again["deduplicated"]) == (first["task"]["id"], True)
    other = await _generate(api, idempotencyKey="键", prompt="another")
    assert (other["task"], other["deduplicated"]) == (None, False)
    assert [(error["code"], error["path"]) for error in other["errors"]] == [("CONFLICT", ["input", "idempotencyKey"])]


WRONG_REQUESTS: list[tuple[dict[str, Any], str, list[str]]] = [
    ({"prompt": " \n "}, "INVALID_INPUT", ["input", "prompt"]),
    ({"prompt": "x" * 4001}, "INVALID_INPUT", ["input", "prompt"]),
    ({"prompt": "a\x00b"}, "INVALID_INPUT", ["input", "prompt"]),
    ({"prompt": "a\ud800b"}, "INVALID_INPUT", ["input", "prompt"]),
    ({"priority": 10}, "INVALID_INPUT", ["input", "priority"]),
    ({"params": {"width": 15}}, "INVALID_INPUT", ["input", "params", "width"]),
    ({"params": {"negativePrompt": "\x00"}}, "INVALID_INPUT", ["input", "params", "negativePrompt"]),
    ({"idempotencyKey": "\ud800"}, "INVALID_INPUT", ["input", "idempotencyKey"]),
    ({"provider": "\x00"}, "INVALID_INPUT", ["input", "provider"]),
    ({"projectId": "\x00"}, "NOT_FOUND", ["input", "projectId"]),
    ({"projectId": "prj_" + "0" * 26}, "NOT_FOUND", ["input", "projectId"]),
    ({"dependsOn": ["\x00"]}, "NOT_FOUND", ["input", "dependsOn"]),
    ({"dependsOn": ["tsk_" + "0" * 26]}, "NOT_FOUND", ["input", "dependsOn"]),
    ({"sourceImageId": "\ud800"}, "NOT_FOUND", ["input", "sourceImageId"]),
    ({"sourceImageId": ""}, "NOT_FOUND", ["input", "sourceImageId"]),
    ({"sourceTaskId": "\ud800"}, "NOT_FOUND", ["input", "sourceTaskId"]),
    ({"sourceTaskId": "tsk_" + "0" * 26}, "NOT_FOUND", ["input", "sourceTaskId"]),
    ({"sourceTaskId": "tsk_x", "sourceImageId": "img_x"}, "INVALID_INPUT", ["input", "sourceTaskId"]),
    ({"sourceIndex": 0}, "INVALID_INPUT", ["input", "sourceIndex"]),
    ({"dependsOnIndexes": [0]}, "INVALID_INPUT", ["input", "dependsOnIndexes"]),
]


async def test_wrong_requests_are_refused_with_the_field_at_fault(api: Api) -> None:
    for fields, code, path in WRONG_REQUESTS:
        answer = await _generate(api, **fields)
        assert answer["task"] is None
        assert [(error["code"], error["path"]) for error in answer["errors"]] == [(code, path)]
    assert await Task.all().count() == 0


async def test_limits_are_told_as_data(api: Api) -> None:
    await User.filter(id=api.room.user.id).update(max_active_tasks=1)
    await _generate(api)
    [error] = (await _generate(api, prompt="another"))["errors"]
    assert (error["code"], "1 active" in error["message"]) == ("TASK_LIMIT_REACHED", True)


async def test_a_task_is_cancelled_and_begun_again(api: Api) -> None:
    task_id = (await _generate(api))["task"]["id"]
    assert [e["code"] for e in (await api.ask(RETRY, id=task_id))["retryTask"]["errors"]] == ["NOT_RETRYABLE"]
    assert (await api.ask(CANCEL, id=task_id))["cancelTask"]["task"]["status"] == "CANCELLED"
    assert [e["code"] for e in (await api.ask(CANCEL, id=task_id))["cancelTask"]["errors"]] == ["NOT_CANCELLABLE"]
    again = (await api.ask(RETRY, id=task_id))["retryTask"]
    assert (again["errors"], again["task"]["status"], again["task"]["attempt"]) == ([], "PENDING", 2)


async def test_a_queued_task_moves_up_and_down(api: Api) -> None:
    task_id = (await _generate(api))["task"]["id"]
    assert (await api.ask(PRIORITY, id=task_id, priority=9))["setTaskPriority"]["task"]["priority"] == 9
    wrong = (await api.ask(PRIORITY, id=task_id, priority=-1))["setTaskPriority"]["errors"]
    await api.ask(CANCEL, id=task_id)
    late = (await api.ask(PRIORITY, id=task_id, priority=1))["setTaskPriority"]["errors"]
    assert [error["code"] for error in wrong + late] == ["INVALID_INPUT", "CONFLICT"]


async def test_tasks_are_filtered(api: Api) -> None:
    slime = await api.room.submit("a green Slime 100%")
    api.room.deps.clock.advance(1)  # type: ignore[attr-defined]
    forest = await api.room.submit("森林", asset_type=AssetType.BACKGROUND)
    api.room.deps.clock.advance(1)  # type: ignore[attr-defined]
    sword = await api.room.submit("a sword", asset_type=AssetType.ICON, priority=5)
    await Task.filter(id=sword.id).update(status=TaskStatus.FAILED)
    for chosen, expected in (
        ({}, [sword, forest, slime]),
        ({"status": ["PENDING"]}, [forest, slime]),
        ({"status": []}, []),
        ({"assetType": ["ICON", "BACKGROUND"]}, [sword, forest]),
        ({"search": "sLIME"}, [slime]),
        ({"search": "100%"}, [slime]),
        ({"search": "%"}, [slime]),
        ({"search": "森"}, [forest]),
        ({"createdAfter": "2026-12-01T12:00:00Z"}, [sword, forest]),
        ({"createdBefore": "2026-12-01T13:00:02+01:00"}, [forest, slime]),
        ({"projectId": api.room.project.id}, [sword, forest, slime]),
        ({"projectId": api.room.other_project.id}, []),
        ({"projectId": "\x00"}, []),
    ):
        assert await _listed(api, filter=chosen) == [task.id for task in expected], chosen
    assert await _listed(api, orderBy="PRIORITY_DESC") == [sword.id, slime.id, forest.id]
    assert await _listed(api, orderBy="CREATED_ASC") == [slime.id, forest.id, sword.id]


async def test_tasks_are_read_page_by_page(api: Api) -> None:
    tasks = [(await api.room.submit(f"slime {number}")).id for number in range(5)]
    first = (await api.ask(LIST, first=2))["tasks"]
    assert (first["totalCount"], first["pageInfo"]["hasNextPage"]) == (5, True)
    await api.room.submit("one that comes in between")
    rest = await _listed(api, first=100, after=first["pageInfo"]["endCursor"])
    assert sorted([edge["node"]["id"] for edge in first["edges"]] + rest) == sorted(tasks)
    for wrong in ({"first": 101}, {"first": -1}, {"after": "nonsense"}, {"after": "\x00"}, {"after": "\ud800"}):
        assert (await api.refused(LIST, api.room.user, **wrong))[0] == "BAD_REQUEST", wrong
    for search in ("a\x00", "\ud800", "x" * 201):
        assert (await api.refused(LIST, api.room.user, filter={"search": search}))[0] == "BAD_REQUEST"


async def test_a_place_in_the_queue_is_shown_to_those_who_wait(api: Api) -> None:
    low, high = await api.room.submit("low"), await api.room.submit("high", priority=5)
    waiting = await api.room.submit("waits for low", depends_on=(low.id,))
    document = "query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Task { queuePosition dependsOn { id } } } }"
    shown = (await api.ask(document, ids=[low.id, high.id, waiting.id]))["nodes"]
    assert [task["queuePosition"] for task in shown] == [2, 1, None]
    assert [task["dependsOn"] for task in shown] == [[], [], [{"id": low.id}]]


async def test_a_chain_of_pictures_is_asked_for_in_one_call(api: Api) -> None:
    document = """mutation($inputs: [GenerateInput!]!) { generateBatch(inputs: $inputs) {
        results { task { id kind sourceTask { id } dependsOn { id } } errors { code path } } errors { code } } }"""
    wishes: list[dict[str, Any]] = [
        {},
        {"sourceIndex": 0},
        {"assetType": "BACKGROUND", "dependsOnIndexes": [1]},
        {"sourceIndex": 4},
    ]
    inputs = [
        {"projectId": api.room.project.id, "prompt": f"knight {place}", "assetType": "SPRITE", **wish}
        for place, wish in enumerate(wishes)
    ]
    answer = (await api.ask(document, inputs=inputs))["generateBatch"]
    base, armoured, stage = (result["task"] for result in answer["results"][:3])
    assert [task["kind"] for task in (base, armoured, stage)] == ["TEXT_TO_IMAGE", "IMAGE_TO_IMAGE", "TEXT_TO_IMAGE"]
    assert (base["sourceTask"], armoured["sourceTask"]) == (None, {"id": base["id"]})
    assert (armoured["dependsOn"], stage["dependsOn"]) == ([{"id": base["id"]}], [{"id": armoured["id"]}])
    [refused] = answer["results"][3]["errors"]
    assert (refused["code"], refused["path"]) == ("INVALID_INPUT", ["input", "sourceIndex"])
