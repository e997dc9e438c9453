"""The GraphQL endpoint on a real socket of this machine, around the real schema, rows and domain."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route, WebSocketRoute
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from domain.accounts import Accounts, Viewer
from schema.context import Services
from server.connections import ConnectionTimes, Gate
from server.graphql.channels import OpenChannels
from server.graphql.connection import SocketLimits
from server.graphql.streams import HEARTBEAT_SECONDS
from server.graphql.trusted import TrustedDocuments
from server.graphql.view import GraphQLApp
from server.middleware import RequestLog
from server.pages import Page
from server.serving import gate_of, server_config
from tests.helpers.room import Room

PROTOCOL = Subprotocol("graphql-transport-ws")
INIT = {"type": "connection_init"}


class FragileAccounts(Accounts):
    """Accounts whose database a test can take away."""

    failure: Exception | None = None

    async def authenticate(self, access_token: str) -> Viewer | None:
        if self.failure is not None:
            raise self.failure
        return await super().authenticate(access_token)


class _Uvicorn(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        """Leave the signals to the tests."""
        yield


@dataclass
class Endpoint:
    """A served endpoint, and what is behind it."""

    address: str
    room: Room
    accounts: Accounts
    channels: OpenChannels
    server: uvicorn.Server
    gate: Gate
    client: httpx.AsyncClient = field(init=False)

    async def post(self, body: Any, token: str | None = None, **headers: str) -> httpx.Response:
        """Send a body: bytes and text as they are, anything else as JSON."""
        sent = {"content-type": "application/json", **{name.replace("_", "-"): text for name, text in headers.items()}}
        if token is not None:
            sent["authorization"] = f"Bearer {token}"
        content = body if isinstance(body, bytes | str) else json.dumps(body)
        return await self.client.post("/graphql", content=content, headers=sent)

    async def sign_up(self, email: str = "grace@example.com") -> str:
        return (await self.accounts.signup(email, "correct horse", None)).access_token

    @contextlib.asynccontextmanager
    async def socket(
        self, init: Any = INIT, *, query: str = "", subprotocol: Subprotocol | None = PROTOCOL, **headers: str
    ) -> AsyncIterator["Socket"]:
        """Open a socket; with `init` the first message is sent and its acknowledgement awaited."""
        url = self.address.replace("http", "ws", 1) + "/graphql" + query
        subprotocols = [subprotocol] if subprotocol else None
        async with connect(url, subprotocols=subprotocols, additional_headers=headers, close_timeout=1) as raw:
            opened = Socket(raw)
            if init is not None:
                await opened.send(init)
                assert await opened.receive() == {"type": "connection_ack"}
            yield opened


class Socket:
    """A client's end of a socket."""

    def __init__(self, raw: ClientConnection) -> None:
        self.raw = raw

    async def send(self, message: Any) -> None:
        """Send a message: bytes and text as they are, anything else as JSON."""
        await self.raw.send(message if isinstance(message, bytes | str) else json.dumps(message))

    async def receive(self) -> Any:
        """Return the next message that is no ping."""
        while (message := json.loads(await asyncio.wait_for(self.raw.recv(), 10))) == {"type": "ping"}:
            await self.send({"type": "pong"})
        return message

    async def subscribe(self, document: str, operation_id: str = "1", **variables: Any) -> None:
        payload = {"query": document, "variables": variables}
        await self.send({"type": "subscribe", "id": operation_id, "payload": payload})

    async def closed(self) -> tuple[int | None, str | None]:
        """Wait for the end; returns its code and reason."""
        with contextlib.suppress(ConnectionClosed):
            for _ in range(100):
                await asyncio.wait_for(self.raw.recv(), 10)
        return self.raw.close_code, self.raw.close_reason


@dataclass(frozen=True)
class Wires:
    """What lies below the endpoint."""

    times: ConnectionTimes = field(default_factory=ConnectionTimes)
    h11: bool = False
    send_buffer_bytes: int | None = None


@contextlib.asynccontextmanager
async def serving(
    room: Room,
    services: Services,
    channels: OpenChannels,
    limits: SocketLimits | None = None,
    ide: Page | None = None,
    trusted: TrustedDocuments | None = None,
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
    wires: Wires | None = None,
) -> AsyncIterator[Endpoint]:
    """Serve the endpoint on a free port, exactly as `wonder serve` does, until the context ends."""
    graphql = GraphQLApp(
        services, channels, ide=ide, trusted=trusted, limits=limits, heartbeat_seconds=heartbeat_seconds
    )
    routes = [Route("/graphql", graphql), WebSocketRoute("/graphql", graphql)]
    app = Starlette(routes=routes, middleware=[Middleware(RequestLog)])
    wires = wires or Wires()
    gate = gate_of(services.settings, wires.times)
    server = _Uvicorn(server_config(app, services.settings, gate, h11=wires.h11))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        if wires.send_buffer_bytes is not None:  # what is accepted inherits it
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, wires.send_buffer_bytes)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        task = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:
            await asyncio.sleep(0.005)
        endpoint = Endpoint(address, room, services.accounts, channels, server, gate)
        try:
            async with httpx.AsyncClient(base_url=address, timeout=30) as endpoint.client:
                yield endpoint
        finally:
            await channels.close_all()
            server.should_exit = True
            await task
