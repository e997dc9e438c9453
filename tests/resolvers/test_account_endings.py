"""Deleting and disabling accounts through the API."""

import pytest

from domain.accounts import Viewer
from domain.kinds import Role
from domain.models.accounts import User
from domain.passwords import PasswordHasher
from tests.helpers.api import Api
from tests.helpers.keys import open_session

PASSWORD = "correct horse 电池"
DELETE = (
    "mutation ($password: String!) { deleteAccount(password: $password) { deletedId errors { code message path } } }"
)
DISABLE = """mutation ($id: ID!, $disabled: Boolean!) { admin { setUserDisabled(userId: $id, disabled: $disabled) {
    user { id disabledAt } errors { code path } } } }"""
DELETE_USER = "mutation ($id: ID!) { admin { deleteUser(userId: $id) { deletedId errors { code path } } } }"


@pytest.fixture
async def viewer(api: Api, password_hasher: PasswordHasher) -> Viewer:
    await User.filter(id=api.room.user.id).update(password_hash=await password_hasher.hash(PASSWORD))
    return await open_session(api.room.deps.clock, api.room.user)


async def test_a_user_deletes_their_account_with_the_password(api: Api, viewer: Viewer) -> None:
    context = api.context(None, viewer)
    wrong = (await api.execute(DELETE, context, password="a guess")).data
    assert wrong == {
        "deleteAccount": {
            "deletedId": None,
            "errors": [{"code": "INVALID_CREDENTIALS", "message": "The password is wrong.", "path": ["password"]}],
        }
    }
    done = (await api.execute(DELETE, context, password=PASSWORD)).data
    assert done == {"deleteAccount": {"deletedId": api.room.user.id, "errors": []}}
    assert await User.filter(id=api.room.user.id).count() == 0


async def test_administrators_disable_enable_and_delete(api: Api) -> None:
    await User.filter(id=api.room.stranger.id).update(role=Role.ADMIN)
    admin, user_id = await User.get(id=api.room.stranger.id), api.room.user.id
    shut = (await api.ask(DISABLE, admin, id=user_id, disabled=True))["admin"]["setUserDisabled"]
    assert shut == {"user": {"id": user_id, "disabledAt": "2026-12-01T12:00:00.000000Z"}, "errors": []}
    let_in = (await api.ask(DISABLE, admin, id=user_id, disabled=False))["admin"]["setUserDisabled"]
    assert let_in == {"user": {"id": user_id, "disabledAt": None}, "errors": []}
    gone = (await api.ask(DELETE_USER, admin, id=user_id))["admin"]["deleteUser"]
    assert gone == {"deletedId": user_id, "errors": []}
    for document, fields in ((DISABLE, {"disabled": True}), (DELETE_USER, {})):
        [[answer]] = [part.values() for part in (await api.ask(document, admin, id=user_id, **fields)).values()]
        assert answer["errors"] == [{"code": "NOT_FOUND", "path": ["userId"]}]


async def test_others_neither_disable_nor_delete(api: Api) -> None:
    for document, fields in ((DISABLE, {"disabled": True}), (DELETE_USER, {})):
        code, _ = await api.refused(document, api.room.user, id=api.room.stranger.id, **fields)
        assert code == "FORBIDDEN"
