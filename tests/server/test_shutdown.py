"""A stop while clients hold everything that can be held: it ends in time, tells them why, and logs no fault."""

import asyncio
import contextlib
import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.helpers.server import Server, running
from tests.helpers.streams import PARTS, SSE, Stream
from tests.helpers.wire import Wire

STATS = "subscription { queueStats(intervalSeconds: 60) { pending } }"
SCHEMA = "{ __schema { types { name description fields { name description args { name description } } } } }"
#: Answers have 3 seconds, tasks 1; the rest is for a slow machine.
_LONGEST_SECONDS = 10


def post(accept: str, query: str, missing: int = 0) -> str:
    """Return a request, perhaps without its last bytes."""
    body = json.dumps({"query": query})
    head = f"POST /graphql HTTP/1.1\nHost: localhost\nAccept: {accept}\nContent-Type: application/json\n"
    return f"{head}Content-Length: {len(body) + missing}\n\n{body}"


async def followed(address: str, token: str, transport: str, ready: asyncio.Event) -> Any:
    """Follow a stream to its end; returns the last thing that it told."""
    headers = {"accept": transport, "authorization": f"Bearer {token}"}
    async with (
        httpx.AsyncClient(base_url=address, timeout=30) as client,
        client.stream("POST", "/graphql", json={"query": STATS}, headers=headers) as response,
    ):
        stream = Stream(response, transport, patience_seconds=30)
        told = await stream.next()
        ready.set()
        while (payload := await stream.next()) is not None:
            told = payload
        return told


async def close_code(address: str, token: str, ready: asyncio.Event) -> int | None:
    """Follow a subscription on a socket to the socket's end; returns the close code."""
    url = address.replace("http", "ws", 1) + "/graphql"
    async with connect(url, subprotocols=[Subprotocol("graphql-transport-ws")]) as ws:
        await ws.send(json.dumps({"type": "connection_init", "payload": {"token": token}}))
        await ws.send(json.dumps({"type": "subscribe", "id": "1", "payload": {"query": STATS}}))
        with contextlib.suppress(ConnectionClosed):
            while True:
                if json.loads(await ws.recv())["type"] == "next":
                    ready.set()
        return ws.close_code


async def held(server: Server, token: str) -> list[Any]:
    """Hold everything that can be held, stop the server, and return what the followers heard last."""
    ready = [asyncio.Event() for _ in range(3)]
    following = [
        asyncio.create_task(followed(server.address, token, SSE, ready[0])),
        asyncio.create_task(followed(server.address, token, PARTS, ready[1])),
        asyncio.create_task(close_code(server.address, token, ready[2])),
    ]
    wires = [await Wire.to(server.address) for _ in range(4)]
    wires[1].send("POST /graphql HTTP/1.1\nHost: loc")
    wires[2].send(post("application/json", STATS, missing=10))
    wires[3].send("GET /healthz HTTP/1.1\nHost: localhost\n\n")
    stalled = await Wire.to(server.address, receive_buffer_bytes=4096)
    stalled.writer.transport.pause_reading()
    for _ in range(30):  # more than the system takes for it
        stalled.send(post("application/json", SCHEMA))
    async with asyncio.timeout(30):
        for event in ready:
            await event.wait()
    ending = asyncio.create_task(asyncio.to_thread(server.end))
    told = await asyncio.gather(*following)
    assert await ending == 0
    for wire in (*wires, stalled):
        wire.cut()
    return told


@pytest.mark.timeout(120)
@pytest.mark.slow
def test_nothing_that_is_held_open_holds_up_the_end(tmp_path: Path) -> None:
    with running(tmp_path, WONDER_SHUTDOWN_GRACE_SECONDS="1") as server:
        token = server.client().sign_up().token
        assert token is not None
        started = time.monotonic()
        events, parts, code = asyncio.run(held(server, token))
        took = time.monotonic() - started
    assert events["errors"][0]["message"] == parts["errors"][0]["message"] == "The server stops."
    assert code == 1012
    assert took < _LONGEST_SECONDS + 5, took
    log = server.log.read_text()
    assert "Traceback" not in log
    assert " ERROR " not in log, log
    assert "stopped" in log
