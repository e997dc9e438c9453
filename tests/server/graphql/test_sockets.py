"""graphql-transport-ws: the protocol's rules, row by row."""

import asyncio
import json
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from schema.context import Services
from server.graphql.channels import OpenChannels
from server.graphql.connection import SocketLimits
from server.graphql.operations import MAX_OPERATIONS
from tests.helpers.endpoint import INIT, Endpoint, Wires, serving
from tests.helpers.room import Room

TYPE = {"query": "{ __typename }"}
STATS = "subscription { queueStats(intervalSeconds: 60) { pending } }"


BAD_FRAMES: list[Any] = [
    "", "{", "[1]", "null", '"x"', "1", "[" * 30_000, '{"type": "ping", "payload": NaN}', {}, {"type": 1},
    {"type": "nonsense"},
    {"type": "start", "id": "1", "payload": TYPE}, {"type": "ping", "payload": "x"}, {"type": "pong", "payload": [1]},
    {"type": "connection_init", "payload": "x"}, {"type": "connection_init", "payload": [1]},
    {"type": "complete"}, {"type": "complete", "id": 1}, {"type": "subscribe", "id": "1"},
    {"type": "subscribe", "payload": TYPE}, {"type": "subscribe", "id": 1, "payload": TYPE},
    {"type": "subscribe", "id": "", "payload": TYPE}, {"type": "subscribe", "id": ["a"], "payload": TYPE},
    {"type": "subscribe", "id": "1", "payload": "x"}, {"type": "subscribe", "id": "1", "payload": {}},
    {"type": "subscribe", "id": "1", "payload": {"query": 1}},
    {"type": "subscribe", "id": "1", "payload": {**TYPE, "variables": "x"}},
    {"type": "subscribe", "id": "1", "payload": {**TYPE, "operationName": 1}},
    {"type": "subscribe", "id": "1", "payload": {**TYPE, "extensions": []}}, b"binary",
]  # fmt: skip


async def test_a_message_that_is_none_ends_the_socket_with_4400(
    endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    for frame in BAD_FRAMES:
        async with endpoint.socket() as socket:
            await socket.send(frame)
            code, reason = await socket.closed()
            assert (code, bool(reason)) == (4400, True), frame
    assert [record for record in caplog.records if record.levelname in {"ERROR", "CRITICAL"}] == []


@pytest.mark.parametrize("subprotocol", [None, "graphql-ws", "nonsense"])
async def test_another_subprotocol_ends_with_4406(endpoint: Endpoint, subprotocol: str | None) -> None:
    offered = Subprotocol(subprotocol) if subprotocol else None
    async with endpoint.socket(None, subprotocol=offered) as socket:
        assert (await socket.closed())[0] == 4406


async def test_the_order_of_messages_is_held(endpoint: Endpoint) -> None:
    async with endpoint.socket(None) as socket:
        await socket.subscribe("{ __typename }")
        assert (await socket.closed())[0] == 4401
    async with endpoint.socket() as socket:
        await socket.send(INIT)
        assert (await socket.closed())[0] == 4429
    async with endpoint.socket() as socket:
        for _ in range(2):
            await socket.subscribe("subscription { queueStats { pending } }")
        assert (await socket.closed())[0] == 4409


async def test_a_client_that_never_begins_is_let_go(room: Room, services: Services, channels: OpenChannels) -> None:
    async with serving(room, services, channels, SocketLimits(init_seconds=0.05)) as endpoint:
        async with endpoint.socket(None) as socket:
            assert (await socket.closed())[0] == 4408
        async with endpoint.socket(None) as socket:
            await socket.send({"type": "ping"})
            assert (await socket.closed())[0] == 4408


async def test_queries_and_mutations_run_on_a_socket_too(endpoint: Endpoint) -> None:
    async with endpoint.socket() as socket:
        await socket.subscribe("query($id: ID!) { task(id: $id) { id } __typename }", id="x")
        assert (await socket.receive())["payload"]["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"
        assert await socket.receive() == {"id": "1", "type": "complete"}
        await socket.subscribe("{ __typename }")
        assert await socket.receive() == {"id": "1", "type": "next", "payload": {"data": {"__typename": "Query"}}}
        assert await socket.receive() == {"id": "1", "type": "complete"}


async def test_one_bad_document_harms_no_other(endpoint: Endpoint) -> None:
    token = await endpoint.sign_up()
    async with endpoint.socket({**INIT, "payload": {"token": token}}) as socket:
        await socket.subscribe(STATS, "good")
        assert (await socket.receive())["id"] == "good"
        unknown = {"query": "query A { __typename }", "operationName": "B"}
        for number, payload in enumerate(
            [
                {"query": "{"},
                {"query": ""},
                {"query": "{ nonsense }"},
                {"query": "subscription { taskProgress { sequence } }"},
                {"query": 'subscription { taskProgress(taskId: "nothing") { sequence } }'},
                {"query": "query($id: ID!) { node(id: $id) { id } }"},
                unknown,
            ]
        ):
            await socket.send({"type": "subscribe", "id": f"bad {number}", "payload": payload})
            answer = await socket.receive()
            assert (answer["type"], answer["id"]) == ("error", f"bad {number}"), payload
            assert {error["extensions"]["code"] for error in answer["payload"]} <= {"BAD_REQUEST", "NOT_FOUND"}
        await socket.send({"type": "ping", "payload": {"a": 1}})
        assert await socket.receive() == {"type": "pong", "payload": {"a": 1}}


async def test_an_id_is_free_again_when_its_operation_has_ended(endpoint: Endpoint) -> None:
    token = await endpoint.sign_up()
    async with endpoint.socket({**INIT, "payload": {"token": token}}) as socket:
        for _ in range(3):
            await socket.subscribe(STATS)
            assert (await socket.receive())["type"] == "next"
            await socket.send({"type": "complete", "id": "1"})
        await socket.send({"type": "complete", "id": "unknown"})
        await socket.subscribe("{ __typename }")
        assert (await socket.receive())["payload"] == {"data": {"__typename": "Query"}}


async def test_an_operation_too_many_is_refused_alone(endpoint: Endpoint) -> None:
    token = await endpoint.sign_up()
    async with endpoint.socket({**INIT, "payload": {"token": token}}) as socket:
        for number in range(MAX_OPERATIONS):
            await socket.subscribe(STATS, str(number))
            await socket.receive()
        await socket.subscribe(STATS, "one too many")
        answer = await socket.receive()
        assert (answer["id"], answer["type"]) == ("one too many", "error")
        assert answer["payload"][0]["extensions"]["code"] == "RATE_LIMITED"
        await socket.send({"type": "complete", "id": "0"})
        await socket.subscribe(STATS, "in its place")
        assert (await socket.receive())["type"] == "next"


async def test_a_message_that_is_too_long_ends_the_socket(endpoint: Endpoint) -> None:
    async with endpoint.socket() as socket:
        await socket.send({"type": "ping", "payload": {"a": "x" * 65_536}})
        assert (await socket.closed())[0] == 1009


async def test_the_server_pings_and_lets_the_silent_go(room: Room, services: Services, channels: OpenChannels) -> None:
    limits = SocketLimits(ping_seconds=0.05, silence_seconds=0.2)
    async with serving(room, services, channels, limits) as endpoint, endpoint.socket() as socket:
        for _ in range(8):
            assert json.loads(await socket.raw.recv()) == {"type": "ping"}
            await socket.send({"type": "pong"})
        assert await socket.closed() == (4408, "No sign of life")


async def test_pages_of_other_origins_open_no_socket(endpoint: Endpoint) -> None:
    for origin in ("https://evil.example", "null", "http://127.0.0.1", "http://["):
        with pytest.raises(InvalidStatus) as refused:
            async with endpoint.socket(Origin=origin):
                pass
        assert refused.value.response.status_code == 403
    async with endpoint.socket(Origin=endpoint.address):
        pass


async def test_a_stopping_server_sends_everybody_elsewhere(endpoint: Endpoint) -> None:
    token = await endpoint.sign_up()
    async with endpoint.socket({**INIT, "payload": {"token": token}}) as socket, endpoint.socket(None) as idle:
        await socket.subscribe(STATS)
        await socket.receive()
        await endpoint.channels.close_all()
        assert await socket.closed() == (1012, "The server stops")
        assert (await idle.closed())[0] == 1012
        assert endpoint.channels.count == 0
    async with endpoint.socket(None) as late:
        assert (await late.closed())[0] == 1012


PROGRESS = "subscription($id: ID!) { taskProgress(taskId: $id) { sequence } }"


@pytest.fixture
async def followed(endpoint: Endpoint) -> tuple[Endpoint, str, str]:
    """An endpoint with a waiting task, and its owner's token."""
    token = await endpoint.sign_up()
    query = 'mutation { createProject(input: {name: "P"}) { project { id } } }'
    project = (await endpoint.post({"query": query}, token)).json()["data"]["createProject"]["project"]["id"]
    query = 'mutation($p: ID!) { generate(input: {projectId: $p, prompt: "a key", assetType: ICON}) { task { id } } }'
    body = {"query": query, "variables": {"p": project}}
    return endpoint, token, (await endpoint.post(body, token)).json()["data"]["generate"]["task"]["id"]


async def nobody_listens(endpoint: Endpoint) -> None:
    async with asyncio.timeout(5):
        while endpoint.room.broadcaster.listeners:
            await asyncio.sleep(0.01)


async def test_whatever_ends_a_subscription_frees_its_generator(followed: tuple[Endpoint, str, str]) -> None:
    endpoint, token, task = followed
    init = {**INIT, "payload": {"token": token}}
    for way in ("complete", "close", "abort", "bad frame", "stop"):
        async with endpoint.socket(init) as socket:
            await socket.subscribe(PROGRESS, id=task)
            assert (await socket.receive())["payload"]["data"]["taskProgress"]["sequence"] >= 1
            assert endpoint.room.broadcaster.listeners == 1
            match way:
                case "complete":
                    await socket.send({"type": "complete", "id": "1"})
                case "close":
                    await socket.raw.close()
                case "abort":
                    socket.raw.transport.abort()
                case "bad frame":
                    await socket.send("[1]")
                case "stop":
                    await endpoint.channels.close_all()
            await nobody_listens(endpoint)
    assert endpoint.channels.count == 0


async def test_a_hundred_abrupt_ends_leave_nothing(
    followed: tuple[Endpoint, str, str], caplog: pytest.LogCaptureFixture
) -> None:
    endpoint, token, task = followed
    tasks_before = len(asyncio.all_tasks())
    for _ in range(100):
        async with endpoint.socket({**INIT, "payload": {"token": token}}) as socket:
            await socket.subscribe(PROGRESS, id=task)
            socket.raw.transport.abort()
    await nobody_listens(endpoint)
    async with asyncio.timeout(5):
        while endpoint.channels.count or len(asyncio.all_tasks()) > tasks_before:
            await asyncio.sleep(0.01)
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_a_client_that_takes_nothing_is_let_go(room: Room, services: Services, channels: OpenChannels) -> None:
    limits = SocketLimits(send_seconds=0.2, messages_per_second=10_000)
    async with serving(room, services, channels, limits, wires=Wires(send_buffer_bytes=8192)) as endpoint:
        schema = "{ __schema { types { name description fields { name description args { name description } } } } }"
        async with endpoint.socket() as socket:
            socket.raw.transport.pause_reading()
            with pytest.raises((ConnectionClosed, TimeoutError)):
                async with asyncio.timeout(20):
                    for number in range(10_000):
                        await socket.subscribe(schema, str(number))
                        await asyncio.sleep(0.002)
                        if not endpoint.channels.count:
                            raise TimeoutError
            assert endpoint.channels.count == 0
