"""What belongs to somebody else does not exist: same answer, same words as for an id that nobody has."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from domain.models.projects import UploadedImage
from domain.models.tasks import Asset
from tests.helpers.api import Api
from tests.helpers.files import RequestFile, red_png
from tests.helpers.history import finish


@dataclass
class Belongings:
    """Ids of what the first user has, or of what nobody has."""

    project: str
    task: str
    asset: str
    image: str
    user: str


NOBODYS = Belongings(*(f"{prefix}_{'0' * 26}" for prefix in ("prj", "tsk", "ast", "img", "usr")))
NONSENSE = Belongings(*(["\x00 \ud800 ' OR 1=1 --"] * 5))
QUERIES: dict[str, Callable[[Belongings], tuple[str, dict[str, Any]]]] = {
    "project": lambda ids: ("query ($id: ID!) { project(id: $id) { id } }", {"id": ids.project}),
    "task": lambda ids: ("query ($id: ID!) { task(id: $id) { id } }", {"id": ids.task}),
    "asset": lambda ids: ("query ($id: ID!) { asset(id: $id) { id } }", {"id": ids.asset}),
    "node": lambda ids: ("query ($id: ID!) { node(id: $id) { id } }", {"id": ids.task}),
    "nodes": lambda ids: (
        "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }",
        {"ids": [ids.project, ids.task, ids.asset, ids.image, ids.user]},
    ),
    "tasks": lambda ids: (
        "query ($id: ID!) { tasks(filter: { projectId: $id }) { totalCount edges { node { id } } } }",
        {"id": ids.project},
    ),
}
FAILED = "errors { code message path }"
MUTATIONS: dict[str, Callable[[Belongings], tuple[str, dict[str, Any]]]] = {
    "updateProject": lambda ids: (
        f'mutation ($id: ID!) {{ updateProject(input: {{ id: $id, name: "mine" }}) {{ project {{ id }} {FAILED} }} }}',
        {"id": ids.project},
    ),
    "style": lambda ids: (
        f"""mutation ($image: ID!) {{ createProject(input: {{ name: "mine", style: {{ referenceImageIds: [$image] }} }})
            {{ project {{ id }} {FAILED} }} }}""",
        {"image": ids.image},
    ),
    "deleteProject": lambda ids: (
        f"mutation ($id: ID!) {{ deleteProject(id: $id) {{ deletedId {FAILED} }} }}",
        {"id": ids.project},
    ),
    "uploadImage": lambda ids: (
        f"""mutation ($id: ID!, $file: Upload!) {{
            uploadImage(projectId: $id, file: $file) {{ image {{ id }} {FAILED} }} }}""",
        {"id": ids.project, "file": RequestFile(red_png())},
    ),
    "cancelTask": lambda ids: (
        f"mutation ($id: ID!) {{ cancelTask(id: $id) {{ task {{ id }} {FAILED} }} }}",
        {"id": ids.task},
    ),
    "retryTask": lambda ids: (
        f"mutation ($id: ID!) {{ retryTask(id: $id) {{ task {{ id }} {FAILED} }} }}",
        {"id": ids.task},
    ),
    "setTaskPriority": lambda ids: (
        f"mutation ($id: ID!) {{ setTaskPriority(id: $id, priority: 1) {{ task {{ id }} {FAILED} }} }}",
        {"id": ids.task},
    ),
}
GENERATE = f"mutation ($input: GenerateInput!) {{ generate(input: $input) {{ task {{ id }} {FAILED} }} }}"
SUBSCRIPTIONS: dict[str, Callable[[Belongings], tuple[str, dict[str, Any]]]] = {
    "taskProgress": lambda ids: (
        "subscription ($id: ID!) { taskProgress(taskId: $id) { sequence } }",
        {"id": ids.task},
    ),
    "projectProgress": lambda ids: (
        "subscription ($id: ID!) { projectProgress(projectId: $id) { sequence } }",
        {"id": ids.project},
    ),
}


@pytest.fixture
async def belongings(api: Api) -> Belongings:
    task = await api.room.submit()
    await finish(api.room, task)
    asset = await Asset.get(task_id=task.id, position=0)
    project_id = api.room.project.id
    image = await UploadedImage.create(
        id="img_" + "1" * 26,
        user_id=api.room.user.id,
        project_id=project_id,
        storage_key=f"users/{api.room.user.id}/projects/{project_id}/uploads/1.png",
        media_type="image/png",
        width=1,
        height=1,
        size_bytes=1,
        sha256="0" * 64,
        created_at=api.room.deps.clock.now(),
    )
    return Belongings(project_id, task.id, asset.id, image.id, api.room.user.id)


async def test_queries_show_nothing_of_somebody_else(api: Api, belongings: Belongings) -> None:
    for name, make in QUERIES.items():
        answers = []
        for ids in (belongings, NOBODYS, NONSENSE):
            document, variables = make(ids)
            answers.append(await api.ask(document, api.room.stranger, **variables))
        assert answers[0] == answers[1] == answers[2], name
        document, variables = make(belongings)
        assert await api.ask(document, **variables) != answers[0], name
    assert answers[0] == {"tasks": {"totalCount": 0, "edges": []}}
    document, variables = QUERIES["nodes"](belongings)
    assert await api.ask(document, api.room.stranger, **variables) == {"nodes": [None] * 5}
    assert None not in (await api.ask(document, **variables))["nodes"]
    everything = "{ projects { edges { node { id } } } tasks { totalCount } queueStats { completed pending } }"
    shown = await api.ask(everything, api.room.stranger)
    assert [edge["node"]["id"] for edge in shown["projects"]["edges"]] == [api.room.other_project.id]
    assert (shown["tasks"], shown["queueStats"]) == ({"totalCount": 0}, {"completed": 0, "pending": 0})


async def test_mutations_find_nothing_of_somebody_else(api: Api, belongings: Belongings) -> None:
    for name, make in MUTATIONS.items():
        answers = []
        for ids in (belongings, NOBODYS, NONSENSE):
            document, variables = make(ids)
            [answer] = (await api.ask(document, api.room.stranger, **variables)).values()
            answers.append(answer)
        assert answers[0] == answers[1] == answers[2], name
        result, failures = answers[0].values()
        assert (result, [failure["code"] for failure in failures]) == (None, ["NOT_FOUND"]), name
    assert (await api.ask("{ tasks { edges { node { status } } } }"))["tasks"]["edges"] == [
        {"node": {"status": "COMPLETED"}}
    ]


async def test_generate_finds_nothing_of_somebody_else(api: Api, belongings: Belongings) -> None:
    own = {"projectId": api.room.other_project.id, "prompt": "mine", "assetType": "SPRITE"}
    for field in ("projectId", "dependsOn", "image", "asset"):
        answers = []
        for ids in (belongings, NOBODYS, NONSENSE):
            named: dict[str, dict[str, Any]] = {
                "projectId": {"projectId": ids.project},
                "dependsOn": {"dependsOn": [ids.task]},
                "image": {"sourceImageId": ids.image},
                "asset": {"sourceImageId": ids.asset},
            }
            given = named[field]
            answers.append((await api.ask(GENERATE, api.room.stranger, input={**own, **given}))["generate"])
        assert answers[0] == answers[1] == answers[2], field
        assert [error["code"] for error in answers[0]["errors"]] == ["NOT_FOUND"]
    for image_id in (belongings.image, belongings.asset):
        mine = {**own, "projectId": belongings.project, "sourceImageId": image_id}
        assert (await api.ask(GENERATE, input=mine))["generate"]["errors"] == []


async def test_subscriptions_tell_nothing_of_somebody_else(api: Api, belongings: Belongings) -> None:
    for name, make in SUBSCRIPTIONS.items():
        answers = []
        for ids in (belongings, NOBODYS, NONSENSE):
            document, variables = make(ids)
            results = [result async for result in await api.follow(document, api.room.stranger, **variables)]
            [error] = results[0].errors
            answers.append((error.message, error.extensions, len(results)))
        assert answers[0] == answers[1] == answers[2], name
        assert answers[0][1] == {"code": "NOT_FOUND"}
    assert api.room.broadcaster.listeners == 0


async def test_nothing_is_answered_without_a_token(api: Api, belongings: Belongings) -> None:
    documents = [make(belongings) for make in (*QUERIES.values(), *MUTATIONS.values())]
    documents += [
        ("{ projects { totalCount } }", {}),
        ("{ queueStats { pending } }", {}),
        ("{ providers { name } }", {}),
        ("mutation { logout { errors { code } } }", {}),
        ('mutation { changePassword(input: { currentPassword: "x", newPassword: "y" }) { errors { code } } }', {}),
        (GENERATE, {"input": {"projectId": belongings.project, "prompt": "x", "assetType": "ICON"}}),
    ]
    for document, variables in documents:
        assert (await api.refused(document, None, **variables))[0] == "UNAUTHENTICATED", document
    live = [make(belongings) for make in SUBSCRIPTIONS.values()]
    for document, variables in (*live, ("subscription { queueStats { pending } }", {})):
        results = [r async for r in await api.follow(document, context=api.context(None), **variables)]
        assert [r.errors[0].extensions for r in results] == [{"code": "UNAUTHENTICATED"}]


async def test_a_user_sees_oneself_only(api: Api) -> None:
    document = "query ($id: ID!) { node(id: $id) { id ... on User { email limits { activeTasks } } } }"
    shown = (await api.ask(document, id=api.room.user.id))["node"]
    assert (shown["email"], shown["limits"]["activeTasks"]) == ("ada@example.com", 0)
    assert (await api.ask(document, id=api.room.stranger.id))["node"] is None


async def test_many_objects_are_asked_for_in_bounded_parts(api: Api) -> None:
    document = "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }"
    ids = [api.room.user.id] * 100
    assert (await api.ask(document, ids=ids))["nodes"] == [{"id": api.room.user.id}] * 100
    assert (await api.refused(document, api.room.user, ids=[*ids, "one more"]))[0] == "BAD_REQUEST"
