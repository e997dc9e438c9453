"""API keys through the API."""

from typing import Any

import pytest

from domain.accounts import Viewer
from domain.kinds import ApiKeyScope, Role
from domain.models.accounts import ApiKey, User
from tests.helpers.api import Api
from tests.helpers.keys import make_key, open_session

KEY = "id name hint scopes createdAt expiresAt lastUsedAt revokedAt"
CREATE = f"""mutation ($input: CreateApiKeyInput!) {{ createApiKey(input: $input) {{
    apiKey {{ {KEY} }} key errors {{ code message path }} }} }}"""
REVOKE = "mutation ($id: ID!) { revokeApiKey(id: $id) { apiKey { id revokedAt } key errors { code message } } }"
LIST = f"{{ me {{ apiKeys(first: 10) {{ totalCount edges {{ node {{ {KEY} }} }} }} }} }}"


@pytest.fixture
async def viewer(api: Api) -> Viewer:
    return await open_session(api.room.deps.clock, api.room.user)


async def answer(api: Api, viewer: Viewer, document: str, **variables: Any) -> Any:
    result = await api.execute(document, api.context(None, viewer), **variables)
    assert result.errors is None, result.errors
    return result.data


async def holder(api: Api, viewer: Viewer, *scopes: ApiKeyScope) -> Viewer:
    """Return who asks with a fresh key of these scopes."""
    made = await make_key(api.services.api_keys, viewer, *scopes)
    found = await api.services.accounts.authenticate(made.text)
    assert found is not None
    return found


async def test_a_key_is_made_listed_and_revoked(api: Api, viewer: Viewer) -> None:
    fields = {"name": "构建 server", "scopes": ["GENERATE", "READ", "READ"], "expiresInDays": 30}
    made = (await answer(api, viewer, CREATE, input=fields))["createApiKey"]
    assert made["errors"] == []
    assert await api.services.accounts.authenticate(made["key"]) is not None
    entry = made["apiKey"]
    assert entry == {
        "id": entry["id"],
        "name": "构建 server",
        "hint": f"{made['key'][:7]}...{made['key'][-4:]}",
        "scopes": ["READ", "GENERATE"],
        "createdAt": "2026-12-01T12:00:00.000000Z",
        "expiresAt": "2026-12-31T12:00:00.000000Z",
        "lastUsedAt": None,
        "revokedAt": None,
    }
    assert (await answer(api, viewer, LIST))["me"]["apiKeys"] == {"totalCount": 1, "edges": [{"node": entry}]}
    node = "query ($id: ID!) { node(id: $id) { ... on ApiKey { name } } }"
    assert (await answer(api, viewer, node, id=entry["id"]))["node"] == {"name": "构建 server"}
    revoked = (await answer(api, viewer, REVOKE, id=entry["id"]))["revokeApiKey"]
    at = "2026-12-01T12:00:00.000000Z"
    assert revoked == {"apiKey": {"id": entry["id"], "revokedAt": at}, "key": None, "errors": []}
    assert await api.services.accounts.authenticate(made["key"]) is None


async def test_what_is_wrong_with_a_key_is_data(api: Api, viewer: Viewer) -> None:
    for fields, path in (
        ({"name": "", "scopes": ["READ"]}, "name"),
        ({"name": "ci", "scopes": []}, "scopes"),
        ({"name": "ci", "scopes": ["ADMIN"]}, "scopes"),
        ({"name": "ci", "scopes": ["READ"], "expiresInDays": 0}, "expiresInDays"),
        ({"name": "ci", "scopes": ["READ"], "expiresAt": "2026-12-01T12:00:00Z"}, "expiresAt"),
    ):
        made = (await answer(api, viewer, CREATE, input=fields))["createApiKey"]
        assert made["apiKey"] is made["key"] is None
        assert [(error["code"], error["path"]) for error in made["errors"]] == [("INVALID_INPUT", ["input", path])]
    assert await ApiKey.all().count() == 0


#: An operation of each kind, and the scope that it needs; None: a session.
OPERATIONS: list[tuple[str, ApiKeyScope | None]] = [
    ("{ projects { totalCount } }", ApiKeyScope.READ),
    ('{ node(id: "x") { id } }', ApiKeyScope.READ),
    ("{ queueStats { pending } }", ApiKeyScope.READ),
    ('mutation { createProject(input: { name: "game" }) { errors { code } } }', ApiKeyScope.GENERATE),
    ('mutation { cancelTask(id: "x") { errors { code } } }', ApiKeyScope.GENERATE),
    ('mutation { deleteWebhook(id: "x") { errors { code } } }', ApiKeyScope.GENERATE),
    ("{ admin { schedules { name } } }", ApiKeyScope.ADMIN),
    ("mutation { admin { pauseQueue { paused } } }", ApiKeyScope.ADMIN),
    ('mutation { createApiKey(input: { name: "x", scopes: [READ] }) { key } }', None),
    ('mutation { revokeApiKey(id: "x") { key } }', None),
    ("mutation { logout { errors { code } } }", None),
    ('mutation { changePassword(input: { currentPassword: "x", newPassword: "y" }) { errors { code } } }', None),
    (LIST, None),
]


@pytest.mark.parametrize("scopes", [(scope,) for scope in ApiKeyScope], ids=str)
async def test_a_key_does_what_its_scopes_allow_and_is_told_which_one_it_lacks(
    api: Api, scopes: tuple[ApiKeyScope, ...]
) -> None:
    await User.filter(id=api.room.user.id).update(role=Role.ADMIN)
    viewer = await open_session(api.room.deps.clock, await User.get(id=api.room.user.id))
    with_key = await holder(api, viewer, *scopes)
    for document, needed in OPERATIONS:
        result = await api.execute(document, api.context(None, with_key))
        if needed is not None and (needed is ApiKeyScope.READ or needed in scopes):
            assert result.errors is None, document
            continue
        assert result.errors is not None, document
        assert [error.extensions for error in result.errors] == [{"code": "FORBIDDEN"}]
        expected = "An API key cannot manage the account" if needed is None else f"lacks the scope {needed.value}."
        assert expected in result.errors[0].message, document


async def test_scopes_hold_for_live_operations_and_whatever_a_field_is_called_in_the_answer(
    api: Api, viewer: Viewer
) -> None:
    reader = await holder(api, viewer, ApiKeyScope.READ)
    context = api.context(None, reader)
    stream = await api.follow("subscription { queueStats { pending } }", context=context)
    assert (await anext(stream)).data == {"queueStats": {"pending": 0}}
    await stream.aclose()
    hidden = """mutation { me: createProject(input: { name: "x" }) { errors { code } } ...More }
        fragment More on Mutation { login: cancelTasks { cancelled } }"""
    result = await api.execute(hidden, context)
    assert result.errors is not None
    assert [error.extensions for error in result.errors] == [{"code": "FORBIDDEN"}] * len(result.errors)


async def test_anybody_with_a_key_may_ask_who_they_are(api: Api, viewer: Viewer) -> None:
    reader = await holder(api, viewer, ApiKeyScope.READ)
    assert await answer(api, reader, "{ me { email } }") == {"me": {"email": "ada@example.com"}}


async def test_an_administrators_key_without_the_scope_sees_what_a_user_sees(api: Api) -> None:
    task = await api.room.submit(user=api.room.stranger)
    await User.filter(id=api.room.user.id).update(role=Role.ADMIN)
    viewer = await open_session(api.room.deps.clock, await User.get(id=api.room.user.id))
    document = "query ($id: ID!) { task(id: $id) { id } node(id: $id) { id } queueStats { pending } }"
    unseen = {"task": None, "node": None, "queueStats": {"pending": 0}}
    seen = {"task": {"id": task.id}, "node": {"id": task.id}, "queueStats": {"pending": 1}}
    for scopes, expected in (
        ((ApiKeyScope.READ,), unseen),
        ((ApiKeyScope.GENERATE,), unseen),
        ((ApiKeyScope.ADMIN,), seen),
    ):
        assert await answer(api, await holder(api, viewer, *scopes), document, id=task.id) == expected
    assert await answer(api, viewer, document, id=task.id) == seen


async def test_keys_are_seen_by_their_owner_alone(api: Api, viewer: Viewer) -> None:
    made = await make_key(api.services.api_keys, viewer)
    await User.filter(id=api.room.stranger.id).update(role=Role.ADMIN)
    admin = await open_session(api.room.deps.clock, await User.get(id=api.room.stranger.id))
    node = "query ($id: ID!) { node(id: $id) { id } }"
    assert await answer(api, admin, node, id=made.row.id) == {"node": None}
    [refused] = (await answer(api, admin, REVOKE, id=made.row.id))["revokeApiKey"]["errors"]
    assert refused == {"code": "NOT_FOUND", "message": "There is no such API key."}
    users = "{ admin { users { edges { node { apiKeys { totalCount } } } } } }"
    result = await api.execute(users, api.context(None, admin))
    assert result.errors is not None
    assert {error.message for error in result.errors} == {"Only their owner sees API keys and sessions."}
    with_key = await holder(api, viewer, ApiKeyScope.GENERATE)
    assert await answer(api, with_key, node, id=made.row.id) == {"node": None}
