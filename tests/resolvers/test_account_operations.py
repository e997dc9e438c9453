"""Accounts through the API."""

from typing import Any

from domain.models.accounts import User
from domain.password_attempts import FROM_ONE_ADDRESS
from tests.helpers.api import Api

PASSWORD = "correct horse 电池"
SESSION = "{ user { id email displayName role } accessToken refreshToken expiresAt errors { code message path } }"
SIGNUP = f"mutation ($input: SignupInput!) {{ signup(input: $input) {SESSION} }}"
LOGIN = f"mutation ($input: LoginInput!) {{ login(input: $input) {SESSION} }}"
REFRESH = f"mutation ($token: String!) {{ refreshSession(refreshToken: $token) {SESSION} }}"
CHANGE = f"mutation ($input: ChangePasswordInput!) {{ changePassword(input: $input) {SESSION} }}"
ME = "{ me { id email displayName role createdAt limits { activeTasks maxActiveTasks } } }"


async def _signup(api: Api, email: str = "小明@Example.com", **fields: object) -> dict[str, Any]:
    data = await api.ask(SIGNUP, input={"email": email, "password": PASSWORD, **fields})
    return dict(data["signup"])


async def test_signing_up_opens_a_session(api: Api) -> None:
    answer = await _signup(api, "Grace@Example.com", displayName="格蕾丝 🛠️")
    assert answer["errors"] == []
    assert answer["user"]["displayName"] == "格蕾丝 🛠️"
    assert answer["expiresAt"] == "2026-12-01T12:15:00.000000Z"
    viewer = await api.services.accounts.authenticate(str(answer["accessToken"]))
    assert viewer is not None
    result = await api.execute(ME, api.context(None, viewer))
    assert result.data is not None
    assert result.data["me"]["email"] == "grace@example.com"


async def test_me_is_null_without_a_token_and_shows_ones_limits_with_one(api: Api) -> None:
    assert (await api.execute(ME, api.context(None))).data == {"me": None}
    await api.room.submit()
    me = (await api.ask(ME))["me"]
    assert me["id"] == api.room.user.id
    assert me["limits"] == {"activeTasks": 1, "maxActiveTasks": 1000}
    assert me["createdAt"] == "2026-12-01T12:00:00.000000Z"


async def test_a_new_user_sees_their_limits_at_once(api: Api) -> None:
    document = """mutation ($input: SignupInput!) { signup(input: $input) {
        user { limits { activeTasks maxActiveTasks } } errors { code } } }"""
    signup = {"email": "grace@example.com", "password": PASSWORD}
    result = await api.execute(document, api.context(None), input=signup)
    assert result.errors is None
    limits = {"activeTasks": 0, "maxActiveTasks": api.services.settings.max_active_tasks}
    assert result.data == {"signup": {"user": {"limits": limits}, "errors": []}}


async def test_expected_failures_of_accounts_are_data(api: Api) -> None:
    await _signup(api, "grace@example.com")
    taken = await _signup(api, "GRACE@example.com")
    weak = (await api.ask(SIGNUP, input={"email": "a@example.com", "password": "short"}))["signup"]
    wrong = (await api.ask(LOGIN, input={"email": "grace@example.com", "password": "wrong password"}))["login"]
    unknown = (await api.ask(LOGIN, input={"email": "nobody@example.com", "password": "wrong password"}))["login"]
    stale = (await api.ask(REFRESH, token="no token"))["refreshSession"]
    changed = (await api.ask(CHANGE, input={"currentPassword": "x", "newPassword": "short"}))["changePassword"]
    for answer, code, path in (
        (taken, "EMAIL_TAKEN", ["input", "email"]),
        (weak, "WEAK_PASSWORD", ["input", "password"]),
        (wrong, "INVALID_CREDENTIALS", None),
        (unknown, "INVALID_CREDENTIALS", None),
        (stale, "INVALID_CREDENTIALS", None),
        (changed, "WEAK_PASSWORD", ["input", "newPassword"]),
    ):
        [error] = answer["errors"]
        assert (error["code"], error["path"]) == (code, path)
        assert answer["user"] is answer["accessToken"] is answer["refreshToken"] is None
    assert wrong["errors"] == unknown["errors"]


async def test_characters_that_no_database_takes_are_refused_as_data(api: Api) -> None:
    for text in ("a\x00b", "a\ud800b"):
        for document, fields in (
            (SIGNUP, {"email": f"{text}@example.com", "password": PASSWORD}),
            (SIGNUP, {"email": "b@example.com", "password": PASSWORD + text}),
            (SIGNUP, {"email": "c@example.com", "password": PASSWORD, "displayName": text}),
            (LOGIN, {"email": f"{text}@example.com", "password": PASSWORD}),
            (LOGIN, {"email": "ada@example.com", "password": PASSWORD + text}),
            (CHANGE, {"currentPassword": "long enough", "newPassword": PASSWORD + text}),
        ):
            [answer] = (await api.ask(document, input=fields)).values()
            assert [error["code"] for error in answer["errors"]] in (["INVALID_INPUT"], ["INVALID_CREDENTIALS"])
        [answer] = (await api.ask(REFRESH, token=text)).values()
        assert [error["code"] for error in answer["errors"]] == ["INVALID_CREDENTIALS"]
    assert await User.filter(email__not_in=["ada@example.com", "eve@example.com"]).count() == 0


async def test_sessions_rotate_end_and_change_their_password(api: Api) -> None:
    first = await _signup(api, "grace@example.com")
    second = (await api.ask(REFRESH, token=first["refreshToken"]))["refreshSession"]
    assert second["errors"] == []
    viewer = await api.services.accounts.authenticate(second["accessToken"])
    assert viewer is not None
    change = {"currentPassword": PASSWORD, "newPassword": "another one"}
    result = await api.execute(CHANGE, api.context(None, viewer), input=change)
    assert result.data is not None
    assert result.data["changePassword"]["errors"] == []
    assert await api.services.accounts.authenticate(second["accessToken"]) is None
    third = (await api.ask(LOGIN, input={"email": "grace@example.com", "password": "another one"}))["login"]
    viewer = await api.services.accounts.authenticate(third["accessToken"])
    result = await api.execute("mutation { logout { errors { code } } }", api.context(None, viewer))
    assert result.data == {"logout": {"errors": []}}
    assert await api.services.accounts.authenticate(third["accessToken"]) is None


async def test_guessing_passwords_slows_down_and_is_told_when_to_come_back(api: Api) -> None:
    await _signup(api, "grace@example.com")
    login = LOGIN.replace("path }", "path retryAfterSeconds }")
    for email in ("grace@example.com", "nobody@example.com"):
        guess = {"email": email, "password": "a guess"}
        answers = [(await api.ask(login, input=guess))["login"]["errors"] for _ in range(FROM_ONE_ADDRESS.free + 1)]
        assert [error["code"] for [error] in answers[:-1]] == ["INVALID_CREDENTIALS"] * FROM_ONE_ADDRESS.free
        message = "Too many wrong passwords. Try again in 1 s."
        assert answers[-1] == [{"code": "RATE_LIMITED", "message": message, "path": None, "retryAfterSeconds": 1}]
