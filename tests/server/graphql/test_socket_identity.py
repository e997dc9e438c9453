"""Who a socket speaks for, and how long."""

from typing import Any

import pytest

from domain.models.accounts import Session
from tests.helpers.endpoint import INIT, Endpoint, FragileAccounts

ME = "{ me { email } }"
STATS = "subscription { queueStats(intervalSeconds: 60) { pending } }"


def init(**payload: Any) -> dict[str, Any]:
    return {**INIT, "payload": payload}


async def email_over(endpoint: Endpoint, message: Any, **options: Any) -> str | None:
    async with endpoint.socket(message, **options) as socket:
        await socket.subscribe(ME)
        me = (await socket.receive())["payload"]["data"]["me"]
        return me["email"] if me else None


async def test_a_token_may_come_in_any_of_its_places(endpoint: Endpoint) -> None:
    token = await endpoint.sign_up()
    for message, options in (
        (init(Authorization=f"Bearer {token}"), {}),
        (init(authorization=f"bearer {token}"), {}),
        (init(AUTHORIZATION=f"BEARER {token}"), {}),
        (init(token=token), {}),
        (init(token=f"Bearer {token}"), {}),
        (INIT, {"query": f"?token={token}"}),
        (init(), {"Authorization": f"Bearer {token}"}),
        (init(token=None, Authorization=""), {"query": f"?token={token}"}),
        (init(token=token), {"query": "?token=other", "Authorization": "Bearer other"}),
    ):
        assert await email_over(endpoint, message, **options) == "grace@example.com", message


async def test_without_credentials_a_socket_is_nobody(endpoint: Endpoint) -> None:
    for message in (INIT, init(), {**INIT, "payload": None}, init(headers={"x": "y"})):
        assert await email_over(endpoint, message) is None
    async with endpoint.socket() as socket:
        await socket.subscribe(STATS)
        answer = await socket.receive()
        assert (answer["type"], answer["payload"][0]["extensions"]["code"]) == ("error", "UNAUTHENTICATED")
        await socket.subscribe("{ __typename }")
        assert (await socket.receive())["type"] == "next"


async def test_wrong_credentials_are_not_taken_for_none(endpoint: Endpoint) -> None:
    token = await endpoint.sign_up()
    for payload, query in (
        ({"Authorization": "Bearer garbage"}, ""),
        ({"Authorization": f"Basic {token}"}, ""),
        ({"Authorization": ["Bearer", token]}, ""),
        ({"token": "garbage"}, ""),
        ({"token": 1}, ""),
        ({"token": token[:-1]}, ""),
        ({}, "?token=garbage"),
    ):
        async with endpoint.socket(None, query=query) as socket:
            await socket.send(init(**payload))
            assert await socket.closed() == (4403, "The token is not valid or has expired"), payload


async def test_a_refresh_token_opens_no_socket(endpoint: Endpoint) -> None:
    signed_in = await endpoint.accounts.signup("grace@example.com", "correct horse", None)
    async with endpoint.socket(None) as socket:
        await socket.send(init(token=signed_in.refresh_token))
        assert (await socket.closed())[0] == 4403


async def test_a_socket_ends_with_its_token(endpoint: Endpoint, clock: Any) -> None:
    token = await endpoint.sign_up()
    clock.advance(899.8)
    async with endpoint.socket(init(token=token)) as socket:
        await socket.subscribe(STATS)
        assert (await socket.receive())["type"] == "next"
        assert await socket.closed() == (4403, "Token expired")


@pytest.mark.parametrize("way", ["logout", "change password", "refresh token reused"])
async def test_a_socket_ends_with_its_session(endpoint: Endpoint, way: str) -> None:
    signed_in = await endpoint.accounts.signup("grace@example.com", "correct horse", None)
    other = await endpoint.sign_up("other@example.com")
    async with (
        endpoint.socket(init(token=signed_in.access_token)) as socket,
        endpoint.socket(init(token=other)) as kept,
    ):
        await socket.subscribe(STATS)
        assert (await socket.receive())["type"] == "next"
        viewer = await endpoint.accounts.authenticate(signed_in.access_token)
        assert viewer is not None
        match way:
            case "logout":
                await endpoint.accounts.logout(viewer)
            case "change password":
                await endpoint.accounts.change_password(viewer, "correct horse", "battery staple")
            case _:
                await endpoint.post({"query": REFRESH, "variables": {"token": signed_in.refresh_token}})
                await endpoint.post({"query": REFRESH, "variables": {"token": signed_in.refresh_token}})
        assert await socket.closed() == (4403, "The session has ended")
        await kept.subscribe("{ __typename }")
        assert (await kept.receive())["type"] == "next"


REFRESH = "mutation($token: String!) { refreshSession(refreshToken: $token) { errors { code } } }"


async def test_a_session_that_ended_elsewhere_is_noticed_at_the_next_operation(endpoint: Endpoint, clock: Any) -> None:
    token = await endpoint.sign_up()
    async with endpoint.socket(init(token=token)) as socket:
        await Session.all().update(revoked_at=clock.now())
        await socket.subscribe("{ __typename }")
        assert await socket.closed() == (4403, "The session has ended")


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (ConnectionRefusedError("password=hunter2"), "Try again later"),
        (RuntimeError("password=hunter2"), "Something went wrong on our side"),
    ],
)
async def test_a_server_that_cannot_tell_who_it_is_asks_to_come_again(
    endpoint: Endpoint, accounts: FragileAccounts, failure: Exception, reason: str
) -> None:
    accounts.failure = failure
    async with endpoint.socket(None) as socket:
        await socket.send(init(token="any"))
        assert await socket.closed() == (1013, reason)


@pytest.mark.parametrize(
    ("failure", "code"),
    [(ConnectionRefusedError("password=hunter2"), "UNAVAILABLE"), (RuntimeError("hunter2"), "INTERNAL")],
)
async def test_a_failure_ends_one_operation_and_shows_nothing(
    endpoint: Endpoint, accounts: FragileAccounts, failure: Exception, code: str
) -> None:
    token = await endpoint.sign_up()
    async with endpoint.socket(init(token=token)) as socket:
        accounts.failure = failure
        await socket.subscribe(ME)
        answer = await socket.receive()
        assert (answer["type"], answer["payload"][0]["extensions"]["code"]) == ("error", code)
        assert "hunter2" not in str(answer)
        accounts.failure = None
        await socket.subscribe(ME)
        assert (await socket.receive())["payload"]["data"]["me"] == {"email": "grace@example.com"}
