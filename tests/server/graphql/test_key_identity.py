"""API keys in the place of tokens."""

import asyncio
from datetime import timedelta
from typing import Any

from domain.accounts import Viewer
from domain.api_keys import NewApiKey
from domain.kinds import ApiKeyScope
from schema.context import Services
from tests.helpers.endpoint import INIT, Endpoint
from tests.helpers.files import red_png
from tests.helpers.keys import make_key

ME = "{ me { email } }"
STATS = "subscription { queueStats(intervalSeconds: 60) { pending } }"


def init(**payload: Any) -> dict[str, Any]:
    return {**INIT, "payload": payload}


async def signed_up(endpoint: Endpoint, email: str = "grace@example.com") -> Viewer:
    viewer = await endpoint.accounts.authenticate(await endpoint.sign_up(email))
    assert viewer is not None
    return viewer


async def new_key(endpoint: Endpoint, services: Services, *scopes: ApiKeyScope, **options: Any) -> NewApiKey:
    return await make_key(services.api_keys, await signed_up(endpoint), *scopes, **options)


async def test_a_key_is_taken_wherever_a_token_is(endpoint: Endpoint, services: Services) -> None:
    key = (await new_key(endpoint, services)).text
    answer = await endpoint.post({"query": ME}, key)
    assert answer.json() == {"data": {"me": {"email": "grace@example.com"}}}
    for message, options in (
        (init(Authorization=f"Bearer {key}"), {}),
        (init(token=key), {}),
        (INIT, {"query": f"?token={key}"}),
        (INIT, {"Authorization": f"Bearer {key}"}),
    ):
        async with endpoint.socket(message, **options) as socket:
            await socket.subscribe(ME)
            assert (await socket.receive())["payload"]["data"] == {"me": {"email": "grace@example.com"}}


async def test_files_are_taken_of_a_key_that_may(endpoint: Endpoint, services: Services) -> None:
    viewer = await signed_up(endpoint)
    operations = """{"query": "mutation ($file: Upload!) { uploadImage(projectId: \\"x\\", file: $file) {
        errors { code } } }", "variables": {"file": null}}""".replace("\n", " ")
    form = {"operations": operations, "map": '{"0": ["variables.file"]}'}
    for scope, expected in ((ApiKeyScope.READ, "FORBIDDEN"), (ApiKeyScope.GENERATE, "NOT_FOUND")):
        key = await make_key(services.api_keys, viewer, scope)
        headers = {"authorization": f"Bearer {key.text}"}
        files = {"0": ("a.png", red_png(), "image/png")}
        answer = await endpoint.client.post("/graphql", data=form, files=files, headers=headers)
        assert expected in answer.text


async def test_a_socket_ends_at_once_with_its_key(endpoint: Endpoint, services: Services) -> None:
    viewer = await signed_up(endpoint)
    key, other = await make_key(services.api_keys, viewer), await make_key(services.api_keys, viewer)
    async with endpoint.socket(init(token=key.text)) as socket, endpoint.socket(init(token=other.text)) as kept:
        await socket.subscribe(STATS)
        assert (await socket.receive())["type"] == "next"
        await services.api_keys.revoke(viewer.user.id, key.row.id)
        assert (await socket.closed())[0] == 4403
        await kept.subscribe(ME)
        assert (await kept.receive())["type"] == "next"
    async with endpoint.socket(None) as again:
        await again.send(init(token=key.text))
        assert await again.closed() == (4403, "The token is not valid or has expired")


async def test_a_socket_ends_with_its_keys_time(endpoint: Endpoint, services: Services, clock: Any) -> None:
    key = await new_key(endpoint, services, expires_at=clock.instant + timedelta(hours=1))
    clock.advance(3600 - 0.2)
    async with endpoint.socket(init(token=key.text)) as socket:
        await socket.subscribe(STATS)
        assert (await socket.receive())["type"] == "next"
        assert (await socket.closed())[0] == 4403


async def test_a_key_lives_on_when_its_session_ends(endpoint: Endpoint, services: Services) -> None:
    viewer = await signed_up(endpoint)
    key = await make_key(services.api_keys, viewer)
    async with endpoint.socket(init(token=key.text)) as socket:
        await endpoint.accounts.logout(viewer)
        await asyncio.sleep(0)
        await socket.subscribe(ME)
        assert (await socket.receive())["payload"]["data"] == {"me": {"email": "grace@example.com"}}


async def test_a_socket_is_held_to_the_scopes_of_its_key(endpoint: Endpoint, services: Services) -> None:
    key = await new_key(endpoint, services, ApiKeyScope.READ)
    async with endpoint.socket(init(token=key.text)) as socket:
        await socket.subscribe("mutation { logout { errors { code } } }")
        answer = await socket.receive()
        [error] = answer["payload"]["errors"] if answer["type"] == "next" else answer["payload"]
        assert error["extensions"]["code"] == "FORBIDDEN"


async def test_sockets_of_tokens_and_keys_end_with_their_account(
    endpoint: Endpoint, services: Services, clock: Any
) -> None:
    admin = await endpoint.accounts.create_admin("root@example.com", "correct horse")
    for number, way in enumerate(("deleted", "deleted by another", "disabled")):
        email = f"grace{number}@example.com"
        signed_in = await endpoint.accounts.signup(email, "correct horse", None)
        viewer = await endpoint.accounts.authenticate(signed_in.access_token)
        assert viewer is not None
        key = await make_key(services.api_keys, viewer)
        async with (
            endpoint.socket(init(token=key.text)) as first,
            endpoint.socket(init(token=signed_in.access_token)) as second,
        ):
            match way:
                case "deleted":
                    await services.account_control.delete_own(viewer, "correct horse")
                case "disabled":
                    await services.account_control.set_disabled(admin, viewer.user.id, disabled=True)
                case _:
                    await services.account_control.delete(admin, viewer.user.id)
            for socket in (first, second):
                assert (await socket.closed())[0] == 4403
        assert (await endpoint.post({"query": ME}, key.text)).json() == {"data": {"me": None}}


async def test_a_log_in_keeps_what_the_client_calls_itself(endpoint: Endpoint) -> None:
    await endpoint.sign_up()
    login = 'mutation { login(input: { email: "grace@example.com", password: "correct horse" }) { accessToken } }'
    answer = await endpoint.post({"query": login}, user_agent="My Game/1.0")
    token = answer.json()["data"]["login"]["accessToken"]
    listed = await endpoint.post({"query": "{ me { sessions { edges { node { current userAgent } } } } }"}, token)
    nodes = [edge["node"] for edge in listed.json()["data"]["me"]["sessions"]["edges"]]
    assert {"current": True, "userAgent": "My Game/1.0"} in nodes


async def test_a_socket_ends_when_its_session_is_ended_from_elsewhere(endpoint: Endpoint, services: Services) -> None:
    signed_in = await endpoint.accounts.signup("grace@example.com", "correct horse", None)
    viewer = await endpoint.accounts.authenticate(signed_in.access_token)
    assert viewer is not None
    async with endpoint.socket(init(token=signed_in.access_token)) as socket:
        await socket.subscribe(STATS)
        assert (await socket.receive())["type"] == "next"
        await services.sessions.revoke(viewer.user.id, viewer.session_id)
        assert (await socket.closed())[0] == 4403
