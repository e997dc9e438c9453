"""Ids of somebody else, in every place of the schema that takes an id (a fault that users of another server reported).

The places are read from the schema, so that a new field is tried as well. Each must answer for what is somebody else's
as for what nobody has.
"""

import asyncio
import contextlib
from typing import Any

import pytest
from graphql import GraphQLObjectType

from domain.accounts import Viewer
from domain.ids import IdPrefix, prefix_of
from domain.models.projects import UploadedImage
from domain.models.tasks import Asset
from resolvers.root import schema
from tests.helpers.api import Api
from tests.helpers.history import finish
from tests.helpers.keys import make_key, open_session
from tests.helpers.slots import Slot, slots
from tests.helpers.traces import rows_that_mention
from tests.helpers.webhooks import make_webhook

SLOTS = slots(schema._schema)
#: What ends or removes something comes last, and projects, which take everything along, after that.
SLOTS.sort(key=lambda slot: (any(word in slot.name for word in ("delete", "revoke")), slot.name == "deleteProject"))
NONSENSE = "\x00 ' OR 1=1 --"
#: A new project has no pictures yet.
NOTHING_TO_FIND = {"Mutation.createProject.input.style.referenceImageIds"}
Ids = dict[IdPrefix, str]


async def belongings(api: Api, viewer: Viewer) -> Ids:
    """Return an id of each kind that a user can have."""
    room, user = api.room, viewer.user
    project = room.project if user.id == room.user.id else room.other_project
    task = await room.submit("done", user=user)
    await finish(room, task)
    waiting = await room.submit("waiting", user=user)
    image = await UploadedImage.create(
        id="img_" + ("1" if user.id == room.user.id else "2") * 26,
        user_id=user.id,
        project_id=project.id,
        storage_key=f"users/{user.id}/projects/{project.id}/uploads/1.png",
        media_type="image/png",
        width=1,
        height=1,
        size_bytes=1,
        sha256="0" * 64,
        created_at=room.deps.clock.now(),
    )
    webhook = await make_webhook(room, user=user)
    return {
        IdPrefix.USER: user.id,
        IdPrefix.PROJECT: project.id,
        IdPrefix.TASK: waiting.id,
        IdPrefix.ASSET: (await Asset.get(task_id=task.id, position=0)).id,
        IdPrefix.IMAGE: image.id,
        IdPrefix.WEBHOOK: webhook.webhook.id,
        IdPrefix.DELIVERY: (await api.services.webhooks.ping(user.id, webhook.webhook.id)).id,
        IdPrefix.API_KEY: (await make_key(api.services.api_keys, viewer)).row.id,
        IdPrefix.SESSION: viewer.session_id,
    }


def own_id(ids: Ids, place: str) -> str:
    """Return the id that a place wants, as its name tells."""
    words = {
        "Project": IdPrefix.PROJECT,
        "project": IdPrefix.PROJECT,
        "Webhook": IdPrefix.WEBHOOK,
        "delivery": IdPrefix.DELIVERY,
        "ApiKey": IdPrefix.API_KEY,
        "Session": IdPrefix.SESSION,
        "user": IdPrefix.USER,
        "asset": IdPrefix.ASSET,
        "Image": IdPrefix.IMAGE,
    }
    _, field, *path = place.split(".")
    for text in (path[-1], field):
        for word, prefix in words.items():
            if word in text:
                return ids[prefix]
    return ids[IdPrefix.TASK]


async def answer(api: Api, viewer: Viewer, slot: Slot, value: str, mine: Ids) -> Any:
    """Return data and errors of the operation, of a subscription those of its first answer; None while it is silent."""
    variables = slot.variables(value, lambda place: own_id(mine, place))
    context = api.context(None, viewer)
    if slot.kind != "subscription":
        result = await api.execute(slot.document(), context, **variables)
    else:
        stream = await api.follow(slot.document(), context=context, **variables)
        first = asyncio.ensure_future(anext(stream))
        await asyncio.wait([first], timeout=1)
        if not first.done():
            first.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await first
            return None
        result = first.result()
        await stream.aclose()
    errors = [(error.message, error.extensions, error.path) for error in result.errors or []]
    return result.data, errors


@pytest.fixture
async def ada(api: Api) -> Viewer:
    return await open_session(api.room.deps.clock, api.room.user)


@pytest.fixture
async def eve(api: Api) -> Viewer:
    return await open_session(api.room.deps.clock, api.room.stranger)


def test_the_places_are_found() -> None:
    places = {slot.place for slot in SLOTS}
    assert len(places) >= 30
    for known in ("Query.node.id", "Mutation.generate.input.dependsOn", "Mutation.revokeApiKey.id"):
        assert known in places
    assert "Mutation.updateProject.input.style.referenceImageIds" in places


async def test_an_id_of_somebody_else_is_an_id_of_nobody_everywhere(api: Api, ada: Viewer, eve: Viewer) -> None:
    hers, mine = await belongings(api, ada), await belongings(api, eve)
    before = await rows_that_mention(*hers.values())
    effective = set()
    for slot in SLOTS:
        nonsense = await answer(api, eve, slot, NONSENSE, mine)
        for prefix, value in hers.items():
            nobodys = await answer(api, eve, slot, f"{prefix}_{'0' * 26}", mine)
            foreign = await answer(api, eve, slot, value, mine)
            assert foreign == nobodys == nonsense, (slot.place, prefix)
        if await answer(api, eve, slot, own_id(mine, slot.place), mine) != nonsense:
            effective.add(slot.place)
    assert await rows_that_mention(*hers.values()) == before
    # Otherwise the places were asked for in a way in which nobody finds anything.
    assert {slot.place for slot in SLOTS if not slot.owner.startswith("Admin")} - effective == NOTHING_TO_FIND


async def test_the_rows_that_were_looked_for_are_of_every_kind(api: Api, ada: Viewer) -> None:
    hers = await belongings(api, ada)
    named = {prefix for prefix in IdPrefix if prefix in hers}
    assert {prefix_of(value) for value in hers.values()} == named
    nobodys = {IdPrefix.WORKER, IdPrefix.INSTANCE, IdPrefix.CLEANUP_RUN, IdPrefix.AUDIT_ENTRY}
    without_owner = nobodys | {IdPrefix.TOKEN, IdPrefix.JOB}
    assert set(IdPrefix) - named == without_owner


async def test_a_cursor_of_somebody_else_shows_nothing_of_theirs(api: Api, ada: Viewer, eve: Viewer) -> None:
    hers, mine = await belongings(api, ada), await belongings(api, eve)
    root = schema._schema.query_type
    assert isinstance(root, GraphQLObjectType)
    lists = [f"{name}(%s)" for name, field in root.fields.items() if "after" in field.args]
    assert len(lists) >= 2
    lists += ["me { apiKeys(%s)", "me { sessions(%s)"]
    for text in lists:
        closing = "}" * text.count("{")
        document = "{ " + text + " { edges { cursor node { id } } } " + closing + " }"
        seen: dict[str, list[str]] = {}
        cursors: list[str] = []
        for name, viewer in (("ada", ada), ("eve", eve)):
            found = await api.execute(document % "first: 100", api.context(None, viewer))
            seen[name] = [edge["node"]["id"] for edge in edges(found.data)]
            cursors += [edge["cursor"] for edge in edges(found.data) if viewer is ada]
        assert set(seen["ada"]) & set(hers.values()), text
        for cursor in cursors:
            for argument in (f'after: "{cursor}"', f'last: 100, before: "{cursor}"'):
                shown = await api.execute(document % argument, api.context(None, eve))
                assert {edge["node"]["id"] for edge in edges(shown.data)} <= set(seen["eve"]), text
    assert set(mine.values()) & set(seen["eve"])


def edges(data: Any) -> list[dict[str, Any]]:
    while "edges" not in data:
        [data] = data.values()
    found: list[dict[str, Any]] = data["edges"]
    return found
