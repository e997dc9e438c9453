"""Sessions through the API."""

import pytest

from domain.accounts import Viewer
from domain.kinds import Role
from domain.models.accounts import User
from tests.helpers.api import Api
from tests.helpers.keys import make_key, open_session

LIST = "{ me { sessions { totalCount edges { node { id current userAgent createdAt lastUsedAt expiresAt } } } } }"
NODE = "query ($id: ID!) { node(id: $id) { id } }"
REVOKE = "mutation ($id: ID!) { revokeSession(id: $id) { deletedId errors { code message path } } }"


@pytest.fixture
async def viewer(api: Api) -> Viewer:
    return await open_session(api.room.deps.clock, api.room.user)


async def test_sessions_are_listed_and_ended(api: Api, viewer: Viewer) -> None:
    other = await open_session(api.room.deps.clock, api.room.user)
    context = api.context(None, viewer)
    listed = (await api.execute(LIST, context)).data
    assert listed is not None
    assert listed["me"]["sessions"]["totalCount"] == 2
    shown = {edge["node"]["id"]: edge["node"]["current"] for edge in listed["me"]["sessions"]["edges"]}
    assert shown == {viewer.session_id: True, other.session_id: False}
    assert (await api.execute(NODE, context, id=other.session_id)).data == {"node": {"id": other.session_id}}
    ended = (await api.execute(REVOKE, context, id=other.session_id)).data
    assert ended == {"revokeSession": {"deletedId": other.session_id, "errors": []}}
    assert (await api.execute(NODE, context, id=other.session_id)).data == {"node": None}


async def test_logging_out_everywhere_leaves_none(api: Api, viewer: Viewer) -> None:
    key = await make_key(api.services.api_keys, viewer)
    context = api.context(None, viewer)
    done = await api.execute("mutation { logoutEverywhere { errors { code } } }", context)
    assert done.data == {"logoutEverywhere": {"errors": []}}
    assert await api.services.accounts.authenticate(key.text) is not None
    assert (await api.services.sessions.owned(viewer.user.id, [viewer.session_id])) == {}
    await api.execute("mutation { logoutEverywhere(apiKeys: true) { errors { code } } }", context)
    assert await api.services.accounts.authenticate(key.text) is None


async def test_sessions_are_seen_by_their_owner_alone_and_by_no_key(api: Api, viewer: Viewer) -> None:
    await User.filter(id=api.room.stranger.id).update(role=Role.ADMIN)
    admin = await open_session(api.room.deps.clock, await User.get(id=api.room.stranger.id))
    assert (await api.execute(NODE, api.context(None, admin), id=viewer.session_id)).data == {"node": None}
    [refused] = (await api.execute(REVOKE, api.context(None, admin), id=viewer.session_id)).data["revokeSession"][  # type: ignore[index]
        "errors"
    ]
    assert refused == {"code": "NOT_FOUND", "message": "There is no such session.", "path": ["id"]}
    made = await make_key(api.services.api_keys, viewer)
    with_key = api.context(None, await api.services.accounts.authenticate(made.text))
    assert (await api.execute(NODE, with_key, id=viewer.session_id)).data == {"node": None}
    for document in (LIST, REVOKE.replace("($id: ID!)", "").replace("$id", '"x"')):
        result = await api.execute(document, with_key)
        assert result.errors is not None
        assert result.errors[0].extensions == {"code": "FORBIDDEN"}
