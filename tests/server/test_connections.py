"""Connections that are opened and not used as they should be, on both of uvicorn's parsers."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from domain.settings import Settings
from server.addresses import AddressCount
from server.connections import ConnectionTimes, Gate
from server.serving import server_config
from tests.helpers.wire import Wire

PARSERS = ("httptools", "h11")
REQUEST = "GET / HTTP/1.1\nHost: localhost\n\n"


class _Uvicorn(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        yield


@dataclass
class Served:
    address: str
    gate: Gate
    cut: asyncio.Event
    wires: list[Wire] = field(default_factory=list)

    async def wire(self, text: str = "") -> Wire:
        wire = await Wire.to(self.address)
        self.wires.append(wire)
        wire.send(text)
        return wire

    async def is_served(self) -> bool:
        async with httpx.AsyncClient(base_url=self.address) as client:
            return (await client.get("/")).text == "served"

    async def open_ones(self, number: int) -> None:
        async with asyncio.timeout(10):
            while self.gate.count != number:
                await asyncio.sleep(0.01)


async def _until(wire: Wire, text: str) -> str:
    seen = ""
    async with asyncio.timeout(5):
        while text not in seen:
            seen += (await wire.reader.read(1000)).decode()
    return seen


Serve = Callable[..., contextlib.AbstractAsyncContextManager[Served]]


@pytest.fixture(params=PARSERS)
def serve(request: pytest.FixtureRequest, settings: Settings) -> Serve:
    """Return what serves a small application behind a gate."""

    @contextlib.asynccontextmanager
    async def served(
        per_address: int = 0, max_waiting: int = 512, send_buffer_bytes: int | None = None, **times: float
    ) -> AsyncIterator[Served]:
        cut = asyncio.Event()

        async def page(_: Request) -> Response:
            return PlainTextResponse("served")

        async def echo(asked: Request) -> Response:
            return PlainTextResponse(await asked.body())

        async def talk(ws: WebSocket) -> None:
            await ws.accept()
            with contextlib.suppress(Exception):
                while True:
                    await ws.send_text(await ws.receive_text())

        routes = [
            Route("/", page),
            Route("/echo", echo, methods=["POST"]),
            Route("/endless", Endless(cut)),
            WebSocketRoute("/", talk),
        ]
        gate = Gate(AddressCount(per_address), ConnectionTimes(**times), max_waiting=max_waiting)
        config = server_config(Starlette(routes=routes), settings, gate, h11=request.param == "h11")
        server = _Uvicorn(config)
        with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
            if send_buffer_bytes is not None:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer_bytes)
            task = asyncio.create_task(server.serve(sockets=[listener]))
            while not server.started:
                await asyncio.sleep(0.005)
            around = Served(f"http://127.0.0.1:{listener.getsockname()[1]}", gate, cut)
            try:
                yield around
            finally:
                for wire in around.wires:
                    wire.cut()
                server.should_exit = True
                await task
        assert gate.count == 0

    return served


class Endless:
    """Sends without end, until the client is gone."""

    def __init__(self, gone: asyncio.Event) -> None:
        self._gone = gone

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        watch = asyncio.create_task(self._watch(receive))
        try:
            while not self._gone.is_set():
                await send({"type": "http.response.body", "body": b"x" * 10_000, "more_body": True})
                await asyncio.sleep(0)
        finally:
            watch.cancel()

    async def _watch(self, receive: Any) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._gone.set()


@pytest.mark.parametrize("sent", ["", "G", "GET / HTTP/1.1\nHost: loc"])
async def test_a_head_that_is_never_complete_is_not_waited_for(serve: Serve, sent: str) -> None:
    async with serve(head_seconds=0.3) as served:
        wire = await served.wire(sent)
        assert await served.is_served()
        assert (await wire.rest()).startswith("HTTP/1.1 408 Request Timeout")
        await served.open_ones(0)


async def test_the_head_of_a_further_request_is_not_waited_for_either(serve: Serve) -> None:
    async with serve(head_seconds=0.3) as served:
        wire = await served.wire(REQUEST)
        assert "served" in await _until(wire, "served")
        wire.send("GET / HT")
        assert await wire.rest(5) == ""
        await served.open_ones(0)


async def test_a_head_that_drips_in_has_no_more_time(serve: Serve) -> None:
    async with serve(head_seconds=0.3) as served:
        wire = await served.wire("GET / HTTP/1.1\n")
        await served.open_ones(1)
        async with asyncio.timeout(5):
            while served.gate.count:
                wire.send("a: b\n")
                await asyncio.sleep(0.02)


async def test_a_head_without_end_is_refused(serve: Serve) -> None:
    async with serve() as served:
        wire = await served.wire("GET / HTTP/1.1\n")
        with contextlib.suppress(ConnectionError):
            for _ in range(100):
                wire.send("a: " + "b" * 4000 + "\n")
                await wire.writer.drain()
        text = await wire.rest()
        assert text == "" or "431" in text or "400" in text
        await served.open_ones(0)


async def test_a_body_may_take_longer_than_a_head(serve: Serve) -> None:
    async with serve(head_seconds=0.2) as served:
        wire = await served.wire("POST /echo HTTP/1.1\nHost: localhost\nContent-Length: 4\n\n")
        for letter in "abcd":
            await asyncio.sleep(0.1)
            wire.send(letter)
        assert b"200" in await wire.reader.readline()
        assert "abcd" in await _until(wire, "abcd")
        wire.cut()


async def test_a_connection_serves_many_requests(serve: Serve) -> None:
    async with serve(head_seconds=0.2) as served:
        wire = await served.wire()
        for _ in range(5):
            await asyncio.sleep(0.1)
            wire.send(REQUEST)
            assert "served" in await _until(wire, "served")
        assert served.gate.count == 1
        wire.cut()
        await served.open_ones(0)


async def test_an_address_holds_so_many_connections_and_no_more(serve: Serve) -> None:
    async with serve(per_address=3) as served:
        wires = [await served.wire() for _ in range(3)]
        await served.open_ones(3)
        late = await served.wire(REQUEST)
        text = await late.rest()
        assert text.startswith("HTTP/1.1 429 Too Many Requests")
        assert "too many connections from this address" in text
        assert served.gate.count == 3
        wires[0].cut()
        await served.open_ones(2)
        assert await served.is_served()


async def test_a_socket_counts_as_the_connection_that_it_is(serve: Serve) -> None:
    async with serve(per_address=1, head_seconds=0.2) as served:
        async with connect(served.address.replace("http", "ws"), close_timeout=1) as ws:
            await ws.send("a")
            assert await ws.recv() == "a"
            assert served.gate.count == 1
            assert "429" in await (await served.wire()).rest()
            await asyncio.sleep(0.4)  # longer than a head may take
            await ws.send("b")
            assert await ws.recv() == "b"
        await served.open_ones(0)


async def test_whoever_has_waited_longest_makes_room(serve: Serve) -> None:
    async with serve(max_waiting=20) as served:
        first = await served.wire("GET / HTTP/1.1\n")
        wires = [await served.wire("GET / HTTP/1.1\n") for _ in range(30)]
        assert await first.rest() == ""
        assert await served.is_served()
        await served.open_ones(20)
        for wire in wires:
            wire.cut()


async def test_hundreds_of_half_open_connections_hold_nobody_up(serve: Serve) -> None:
    async with serve(per_address=1000, max_waiting=50, head_seconds=1) as served:
        wires = [await served.wire("POST /echo HTTP/1.1\nHost: l") for _ in range(300)]
        for _ in range(5):
            assert await served.is_served()
        assert served.gate.count <= 51
        await asyncio.gather(*(wire.rest() for wire in wires))
        await served.open_ones(0)


async def test_a_client_that_takes_nothing_is_cut_off(serve: Serve) -> None:
    async with serve(stall_seconds=0.2, send_buffer_bytes=8192) as served:
        wire = await served.wire("GET /endless HTTP/1.1\nHost: localhost\n\n")
        wire.writer.transport.pause_reading()
        async with asyncio.timeout(10):
            await served.cut.wait()
        await served.open_ones(0)


async def test_a_client_that_takes_slowly_is_not(serve: Serve) -> None:
    async with serve(stall_seconds=0.3, send_buffer_bytes=8192) as served:
        wire = await served.wire("GET /endless HTTP/1.1\nHost: localhost\n\n")
        for _ in range(10):
            await asyncio.sleep(0.1)
            assert len(await wire.reader.read(200_000)) > 0
        assert not served.cut.is_set()
        wire.cut()
        async with asyncio.timeout(10):
            await served.cut.wait()


async def test_a_socket_that_takes_nothing_is_cut_off(serve: Serve) -> None:
    async with (
        serve(stall_seconds=0.2, send_buffer_bytes=8192) as served,
        connect(served.address.replace("http", "ws"), close_timeout=1, max_queue=1) as ws,
    ):
        ws.transport.pause_reading()
        with contextlib.suppress(ConnectionClosed, TimeoutError):
            async with asyncio.timeout(10):
                while served.gate.count:
                    await ws.send("x" * 60_000)
        await served.open_ones(0)


def test_a_handshake_that_is_refused_at_once_leaves_no_timer_behind(serve: Serve) -> None:
    errors: list[dict[str, Any]] = []
    handshake = (
        "GET /talk HTTP/1.1\nHost: localhost\nConnection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 1\n\n"
    )

    async def trial() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
        async with serve(head_seconds=0.2) as served:
            for _ in range(3):
                wire = await served.wire(handshake)
                await wire.reader.read()
            await asyncio.sleep(0.5)  # for as long as the timer would take

    # On the server's own loop: asyncio's takes it lightly that something is written to what is closed.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(trial())
    assert errors == []
