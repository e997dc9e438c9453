"""How many sockets one user may have, and what does not count."""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from schema.context import Context, Services
from server.addresses import AddressCount
from server.graphql.channels import MAX_SOCKETS_PER_USER, OpenChannels
from server.graphql.connection import SocketLimits
from server.graphql.execution import Executor
from server.graphql.frames import Subscribe
from server.graphql.operations import MAX_OPERATIONS, Operations
from server.graphql.requests import GraphQLRequest
from server.graphql.trusted import TrustedDocuments
from tests.helpers.endpoint import INIT, Endpoint, serving
from tests.helpers.room import Room
from tests.helpers.streams import SSE, streaming

STATS = "subscription { queueStats(intervalSeconds: 60) { pending } }"


def test_users_are_counted_apart() -> None:
    channels = OpenChannels()
    assert all(channels.claim_socket("ada") for _ in range(MAX_SOCKETS_PER_USER))
    assert not channels.claim_socket("ada")
    assert channels.claim_socket("eve")


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
            while endpoint.channels.count >= MAX_SOCKETS_PER_USER:
                await asyncio.sleep(0.01)
        async with endpoint.socket(init):
            pass
    async with asyncio.timeout(5):
        while endpoint.channels.count:
            await asyncio.sleep(0.01)
    async with endpoint.socket(init):
        assert endpoint.channels.count == 1


async def test_an_address_has_so_many_sockets_and_streams(room: Room, services: Services) -> None:
    channels = OpenChannels(AddressCount(2))
    async with serving(room, services, channels) as endpoint:
        token = await endpoint.sign_up()
        async with endpoint.socket(), streaming(endpoint, SSE, STATS, token) as stream:
            await stream.next()
            async with endpoint.socket(None) as late:
                assert await late.closed() == (1013, "Too many sockets from this address")
            async with streaming(endpoint, SSE, STATS, token) as refused:
                assert refused.response.status_code == 429
                assert b"RATE_LIMITED" in await refused.response.aread()
            # A proxy that is trusted says who it really is.
            for _ in range(2):
                async with endpoint.socket(**{"X-Forwarded-For": "192.0.2.7"}):
                    pass
        async with asyncio.timeout(5):
            while channels.count:
                await asyncio.sleep(0.01)
        async with endpoint.socket():
            pass


async def test_nobody_else_is_believed_about_where_they_are(room: Room, services: Services) -> None:
    believed = services.settings.model_copy(update={"trusted_proxies": ("192.0.2.1",)})
    channels = OpenChannels(AddressCount(1))
    async with (
        serving(room, replace(services, settings=believed), channels) as endpoint,
        endpoint.socket(),
        endpoint.socket(None, **{"X-Forwarded-For": "192.0.2.7"}) as late,
    ):
        assert (await late.closed())[0] == 1013


async def test_a_client_that_says_too_much_is_asked_to_come_again(
    room: Room, services: Services, channels: OpenChannels
) -> None:
    limits = SocketLimits(messages_per_second=0.001, messages_at_once=10)
    async with serving(room, services, channels, limits) as endpoint, endpoint.socket() as socket:
        for _ in range(9):  # and connection_init
            await socket.send({"type": "ping"})
            assert (await socket.receive())["type"] == "pong"
        await socket.send({"type": "ping"})
        assert await socket.closed() == (1013, "Too many messages at once")


async def test_messages_are_not_compressed(endpoint: Endpoint) -> None:
    async with endpoint.socket() as socket:
        assert socket.raw.protocol.extensions == []


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


async def test_operations_that_clean_up_slowly_cannot_be_piled_up(services: Services, channels: OpenChannels) -> None:
    sent: list[Mapping[str, Any]] = []
    cleaned_up = asyncio.Event()

    async def send(message: Mapping[str, Any] | str) -> None:
        assert not isinstance(message, str)
        sent.append(message)

    async def slow_context() -> Context | None:
        try:
            await asyncio.Event().wait()
        finally:
            await cleaned_up.wait()
        return None

    operations = Operations(send, Executor(services, TrustedDocuments()), slow_context, channels)
    for number in range(3 * MAX_OPERATIONS):
        await operations.start(Subscribe(str(number), GraphQLRequest("{ __typename }")))
        await asyncio.sleep(0)  # so that it has begun
        operations.stop(str(number))
    refused = [message["id"] for message in sent if message["type"] == "error"]
    assert refused == [str(number) for number in range(2 * MAX_OPERATIONS, 3 * MAX_OPERATIONS)]
    assert {message["payload"][0]["extensions"]["code"] for message in sent} == {"RATE_LIMITED"}
    cleaned_up.set()
    await operations.stop_all()
    await operations.start(Subscribe("again", GraphQLRequest("{ __typename }")))
    assert "again" in operations
    await operations.stop_all()
