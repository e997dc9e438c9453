"""How many sockets one user may have, and what does not count."""

import asyncio
import contextlib

from server.graphql.sockets import MAX_SOCKETS_PER_USER, OpenSockets
from tests.helpers.endpoint import INIT, Endpoint


def test_users_are_counted_apart() -> None:
    sockets = OpenSockets()
    assert all(sockets.claim("ada") for _ in range(MAX_SOCKETS_PER_USER))
    assert not sockets.claim("ada")
    assert sockets.claim("eve")


async def test_a_socket_too_many_is_sent_away_until_another_closes(endpoint: Endpoint) -> None:
    init = {**INIT, "payload": {"token": await endpoint.sign_up()}}
    async with contextlib.AsyncExitStack() as open_ones:
        first = await open_ones.enter_async_context(endpoint.socket(init))
        for _ in range(MAX_SOCKETS_PER_USER - 1):
            await open_ones.enter_async_context(endpoint.socket(init))
        async with endpoint.socket(None) as late:
            await late.send(init)
            assert await late.closed() == (1013, "Too many sockets of one user")
        async with endpoint.socket(), endpoint.socket({**INIT, "payload": {"token": await endpoint.sign_up("b@b.co")}}):
            pass  # nobody, and somebody else
        await first.raw.close()
        async with asyncio.timeout(5):
            while endpoint.sockets.count >= MAX_SOCKETS_PER_USER:
                await asyncio.sleep(0.01)
        async with endpoint.socket(init):
            pass
    async with asyncio.timeout(5):
        while endpoint.sockets.count:
            await asyncio.sleep(0.01)
    async with endpoint.socket(init):
        assert endpoint.sockets.count == 1


async def test_bombs_end_as_error_messages_and_the_socket_stays(endpoint: Endpoint) -> None:
    async with endpoint.socket() as socket:
        for document in (
            "{ " + "me { id } " * 180 + "}",
            "{ " + "," * 40_000 + "me { id } }",
            "{ " + "me " * 2000 + "}",
        ):
            await socket.subscribe(document)
            answer = await socket.receive()
            assert (answer["type"], answer["payload"][0]["extensions"]["code"]) == ("error", "QUERY_TOO_COMPLEX")
        await socket.subscribe("query($ids: [ID!]!) { nodes(ids: $ids) { id } }", ids=["x"] * 5000)
        assert (await socket.receive())["payload"][0]["extensions"]["code"] == "QUERY_TOO_COMPLEX"
        await socket.subscribe("{ __typename }")
        assert (await socket.receive())["type"] == "next"
