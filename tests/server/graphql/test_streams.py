"""Answers that go on over HTTP: server-sent events and parts, held to the same rules."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from schema.context import Services
from server.connections import ConnectionTimes
from server.graphql.channels import MAX_STREAMS_PER_USER, OpenChannels
from tests.helpers.endpoint import INIT, Endpoint, FragileAccounts, Wires, serving
from tests.helpers.room import Room
from tests.helpers.streams import PARTS, SSE, TRANSPORTS, Stream, streaming
from tests.helpers.wire import Wire

TYPE = "{ __typename }"
STATS = "subscription { queueStats(intervalSeconds: 60) { pending } }"
QUICK = "subscription { queueStats(intervalSeconds: 0.2) { pending } }"
PROGRESS = "subscription($id: ID!) { taskProgress(taskId: $id) { sequence status } }"
CANCEL = "mutation($id: ID!) { cancelTask(id: $id) { errors { code } } }"

each_transport = pytest.mark.parametrize("transport", TRANSPORTS)


async def all_of(stream: Stream) -> list[Any]:
    """Return everything until the end."""
    told = []
    while (payload := await stream.next()) is not None:
        told.append(payload)
    return told


async def refusal(stream: Stream) -> tuple[int, str]:
    """Return status and code of an answer that is no stream."""
    body = json.loads(await stream.response.aread())
    assert stream.response.headers["content-type"].startswith("application/json")
    return stream.response.status_code, body["errors"][0]["extensions"]["code"]


async def nothing_is_left(endpoint: Endpoint) -> None:
    async with asyncio.timeout(5):
        while endpoint.channels.count or endpoint.channels.streams or endpoint.room.broadcaster.listeners:
            await asyncio.sleep(0.01)


@pytest.fixture
async def token(endpoint: Endpoint) -> str:
    return await endpoint.sign_up()


@pytest.fixture
async def task(endpoint: Endpoint, token: str) -> str:
    """A waiting task of the token's owner."""
    query = 'mutation { createProject(input: {name: "P"}) { project { id } } }'
    project = (await endpoint.post({"query": query}, token)).json()["data"]["createProject"]["project"]["id"]
    query = 'mutation($p: ID!) { generate(input: {projectId: $p, prompt: "a key", assetType: ICON}) { task { id } } }'
    body = {"query": query, "variables": {"p": project}}
    answer = (await endpoint.post(body, token)).json()["data"]["generate"]["task"]["id"]
    assert isinstance(answer, str)
    return answer


@each_transport
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_subscription_is_followed_to_its_end(
    endpoint: Endpoint, token: str, task: str, transport: str, method: str
) -> None:
    async with streaming(endpoint, transport, PROGRESS, token, method=method, id=task) as stream:
        first = await stream.next()
        assert first["data"]["taskProgress"]["status"] == "PENDING"
        await endpoint.post({"query": CANCEL, "variables": {"id": task}}, token)
        rest = await all_of(stream)
        assert rest[-1]["data"]["taskProgress"]["status"] == "CANCELLED"
        assert stream.completed
        assert stream.ids == ([str(number + 1) for number in range(len(rest) + 1)] if transport == SSE else [])
    await nothing_is_left(endpoint)


@each_transport
async def test_the_response_says_what_it_is_and_passes_proxies(endpoint: Endpoint, transport: str) -> None:
    async with streaming(endpoint, transport, TYPE) as stream:
        headers = stream.response.headers
        assert headers["content-type"] == ("text/event-stream; charset=utf-8" if transport == SSE else PARTS)
        assert (headers["cache-control"], headers["vary"], headers["x-accel-buffering"]) == ("no-store", "accept", "no")
        assert await all_of(stream) == [{"data": {"__typename": "Query"}}]


async def test_the_bytes_are_those_of_the_protocols(endpoint: Endpoint) -> None:
    events = await endpoint.post({"query": TYPE}, accept=SSE)
    assert events.text == (
        ':\n\nid: 1\nevent: next\ndata: {"data":{"__typename":"Query"}}\n\nevent: complete\ndata:\n\n'
    )
    parts = await endpoint.post({"query": TYPE}, accept=PARTS)
    assert parts.text == (
        "\r\n--graphql\r\ncontent-type: application/json\r\n\r\n"
        '{"payload":{"data":{"__typename":"Query"}}}\r\n--graphql--\r\n'
    )


@each_transport
async def test_queries_and_mutations_come_over_a_stream_too(
    endpoint: Endpoint, token: str, task: str, transport: str
) -> None:
    async with streaming(endpoint, transport, "query($id: ID!) { task(id: $id) { id } }", token, id=task) as stream:
        assert await all_of(stream) == [{"data": {"task": {"id": task}}}]
    async with streaming(endpoint, transport, CANCEL, token, id=task) as stream:
        assert await all_of(stream) == [{"data": {"cancelTask": {"errors": []}}}]
        assert stream.completed
    async with streaming(endpoint, transport, CANCEL, token, method="GET", id=task) as stream:
        assert await refusal(stream) == (405, "BAD_REQUEST")
        assert stream.response.headers["allow"] == "POST"
    await nothing_is_left(endpoint)


@each_transport
async def test_what_cannot_be_run_is_told_in_the_stream_without_data(endpoint: Endpoint, transport: str) -> None:
    for document, code in (
        ("{", "BAD_REQUEST"),
        ("{ nonsense }", "BAD_REQUEST"),
        ("subscription { nonsense }", "BAD_REQUEST"),
        (PROGRESS, "BAD_REQUEST"),
        ("{ " + "me { id } " * 180 + "}", "QUERY_TOO_COMPLEX"),
        (STATS, "UNAUTHENTICATED"),
    ):
        async with streaming(endpoint, transport, document) as stream:
            [payload] = await all_of(stream)
            assert set(payload) == {"errors"}, document
            assert payload["errors"][0]["extensions"]["code"] == code
            assert stream.completed
    async with streaming(endpoint, transport, PROGRESS, await endpoint.sign_up(), id="nothing") as stream:
        [payload] = await all_of(stream)
        assert payload["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    await nothing_is_left(endpoint)


async def test_a_body_that_is_no_request_opens_no_stream(endpoint: Endpoint) -> None:
    for transport in TRANSPORTS:
        for body in ("", "[]", "{}", b"\xff"):
            response = await endpoint.post(body, accept=transport)
            assert response.status_code == 400
            assert response.json()["errors"][0]["extensions"]["code"] == "BAD_REQUEST"


async def test_a_subscription_without_a_stream_is_told_the_transports(endpoint: Endpoint, token: str) -> None:
    for accept in ("*/*", "application/json", "multipart/mixed", "application/graphql-response+json"):
        response = await endpoint.post({"query": STATS}, token, accept=accept)
        assert response.status_code == 406
        for name in ("text/event-stream", "subscriptionSpec=1.0", "graphql-transport-ws"):
            assert name in response.json()["errors"][0]["message"]


@each_transport
async def test_a_token_in_the_address_is_for_those_who_cannot_set_a_header(
    endpoint: Endpoint, token: str, transport: str
) -> None:
    me = "{ me { email } }"
    async with streaming(endpoint, transport, me, method="GET", query={"token": token}) as stream:
        assert await all_of(stream) == [{"data": {"me": {"email": "grace@example.com"}}}]
    other = await endpoint.sign_up("other@example.com")
    async with streaming(endpoint, transport, me, other, method="GET", query={"token": token}) as stream:
        assert await all_of(stream) == [{"data": {"me": {"email": "other@example.com"}}}]
    plain = await endpoint.client.get("/graphql", params={"query": me, "token": token})
    assert plain.json() == {"data": {"me": None}}


@each_transport
async def test_wrong_credentials_are_not_taken_for_none(endpoint: Endpoint, transport: str) -> None:
    async with streaming(endpoint, transport, TYPE, "garbage") as stream:
        assert await refusal(stream) == (401, "UNAUTHENTICATED")
        assert stream.response.headers["www-authenticate"] == "Bearer"
    async with streaming(endpoint, transport, TYPE, query={"token": "garbage"}) as stream:
        assert await refusal(stream) == (401, "UNAUTHENTICATED")
    assert endpoint.channels.streams == 0


@each_transport
async def test_a_stream_ends_with_its_token(endpoint: Endpoint, token: str, transport: str, clock: Any) -> None:
    clock.advance(899.8)
    async with streaming(endpoint, transport, STATS, token) as stream:
        assert "data" in await stream.next()
        [last] = await all_of(stream)
        assert last["errors"] == [{"message": "Token expired.", "extensions": {"code": "UNAUTHENTICATED"}}]
        assert stream.completed is (transport != SSE)  # where it is missing, clients connect again
    await nothing_is_left(endpoint)


@each_transport
async def test_a_stream_ends_with_its_session(endpoint: Endpoint, token: str, transport: str) -> None:
    kept_token = await endpoint.sign_up("other@example.com")
    async with (
        streaming(endpoint, transport, STATS, token) as stream,
        streaming(endpoint, transport, QUICK, kept_token) as kept,
    ):
        assert "data" in await stream.next()
        viewer = await endpoint.accounts.authenticate(token)
        assert viewer is not None
        await endpoint.accounts.logout(viewer)
        [last] = await all_of(stream)
        assert last["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"
        assert "data" in await kept.next()
        assert "data" in await kept.next()


@each_transport
async def test_a_quiet_stream_shows_that_it_is_alive(
    room: Room, services: Services, channels: OpenChannels, transport: str
) -> None:
    async with serving(room, services, channels, heartbeat_seconds=0.05) as endpoint:
        token = await endpoint.sign_up()
        async with streaming(endpoint, transport, QUICK, token) as stream:
            for _ in range(4):
                assert "data" in await stream.next()
            assert stream.heartbeats >= 4


@each_transport
async def test_a_client_that_goes_away_frees_its_generator_at_once(
    endpoint: Endpoint, token: str, task: str, transport: str, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(20):
        async with streaming(endpoint, transport, PROGRESS, token, id=task) as stream:
            await stream.next()
            assert endpoint.room.broadcaster.listeners == 1
            assert (endpoint.channels.count, endpoint.channels.streams) == (1, 1)
        await nothing_is_left(endpoint)
    assert [record for record in caplog.records if record.levelname in {"ERROR", "CRITICAL"}] == []


@each_transport
async def test_a_client_that_takes_nothing_frees_its_generator(
    room: Room, services: Services, channels: OpenChannels, transport: str, caplog: pytest.LogCaptureFixture
) -> None:
    schema = "{ __schema { types { name description fields { name description args { name description } } } } }"
    wires = Wires(ConnectionTimes(stall_seconds=0.2), send_buffer_bytes=8192)
    async with serving(room, services, channels, wires=wires) as endpoint:
        wire = await Wire.to(endpoint.address, receive_buffer_bytes=4096)
        wire.writer.transport.pause_reading()
        body = json.dumps({"query": schema})
        head = f"POST /graphql HTTP/1.1\nHost: localhost\nAccept: {transport}\nContent-Type: application/json\n"
        wire.send(f"{head}Content-Length: {len(body)}\n\n{body}")
        async with asyncio.timeout(5):
            while not endpoint.channels.count:
                await asyncio.sleep(0.01)
        await nothing_is_left(endpoint)
        assert endpoint.gate.count == 0
        wire.cut()
    assert [record for record in caplog.records if record.levelname in {"ERROR", "CRITICAL"}] == []


@each_transport
async def test_a_stopping_server_says_so(endpoint: Endpoint, token: str, task: str, transport: str) -> None:
    async with streaming(endpoint, transport, PROGRESS, token, id=task) as stream:
        await stream.next()
        await endpoint.channels.close_all()
        [last] = await all_of(stream)
        assert last["errors"] == [{"message": "The server stops.", "extensions": {"code": "UNAVAILABLE"}}]
        await nothing_is_left(endpoint)
    async with streaming(endpoint, transport, STATS, token) as late:
        assert await refusal(late) == (503, "UNAVAILABLE")
        assert late.response.headers["retry-after"]


async def test_what_runs_is_counted_over_all_transports(endpoint: Endpoint, token: str) -> None:
    viewer = await endpoint.accounts.authenticate(token)
    assert viewer is not None
    for _ in range(MAX_STREAMS_PER_USER - 3):
        assert endpoint.channels.claim_stream(viewer.user.id)
    async with (
        streaming(endpoint, SSE, STATS, token) as first,
        streaming(endpoint, PARTS, STATS, token) as second,
        endpoint.socket({**INIT, "payload": {"token": token}}) as socket,
    ):
        await first.next()
        await second.next()
        await socket.subscribe(STATS, "fits")
        assert (await socket.receive())["type"] == "next"
        await socket.subscribe(STATS, "one too many")
        answer = await socket.receive()
        assert (answer["id"], answer["payload"][0]["extensions"]["code"]) == ("one too many", "RATE_LIMITED")
        for transport in TRANSPORTS:
            async with streaming(endpoint, transport, STATS, token) as late:
                assert await refusal(late) == (429, "RATE_LIMITED")
                assert late.response.headers["retry-after"]
        other = await endpoint.sign_up("other@example.com")
        async with streaming(endpoint, SSE, STATS, other) as stream:
            assert "data" in await stream.next()
        await socket.send({"type": "complete", "id": "fits"})
        async with asyncio.timeout(5):
            while endpoint.channels.streams >= MAX_STREAMS_PER_USER:
                await asyncio.sleep(0.01)
        async with streaming(endpoint, SSE, STATS, token) as stream:
            assert "data" in await stream.next()


@each_transport
async def test_a_failure_of_ours_is_masked(
    endpoint: Endpoint, token: str, accounts: FragileAccounts, transport: str
) -> None:
    for failure, expected in (
        (ConnectionRefusedError("password=hunter2"), (503, "UNAVAILABLE")),
        (RuntimeError("password=hunter2"), (500, "INTERNAL")),
    ):
        accounts.failure = failure
        async with streaming(endpoint, transport, TYPE, token) as stream:
            assert await refusal(stream) == expected
    assert endpoint.channels.streams == 0


async def test_urql_gets_json_for_queries_and_events_for_subscriptions(endpoint: Endpoint, token: str) -> None:
    every = (
        "application/graphql-response+json, application/graphql+json, application/json, "
        "text/event-stream, multipart/mixed"
    )
    response = await endpoint.post({"query": TYPE}, accept=every)
    assert response.headers["content-type"].startswith("application/graphql-response+json")
    assert response.json() == {"data": {"__typename": "Query"}}
    async with (
        httpx.AsyncClient(base_url=endpoint.address) as client,
        client.stream(
            "POST", "/graphql", json={"query": STATS}, headers={"accept": every, "authorization": f"Bearer {token}"}
        ) as streamed,
    ):
        assert streamed.headers["content-type"].startswith(SSE)
        assert "data" in await Stream(streamed, SSE).next()
