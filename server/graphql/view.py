"""The API as one ASGI application: requests and sockets at the same address."""

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from schema.context import Services
from server.graphql.channels import OpenChannels
from server.graphql.connection import Connection, SocketLimits
from server.graphql.execution import Executor
from server.graphql.frames import PROTOCOL, CloseCode
from server.graphql.http import HttpEndpoint
from server.graphql.identity import client_address
from server.graphql.origins import Origins
from server.graphql.streams import HEARTBEAT_SECONDS
from server.graphql.trusted import TrustedDocuments
from server.pages import Page


class GraphQLApp:
    """Serves the schema; `ide` is the page that a browser gets, if any."""

    def __init__(
        self,
        services: Services,
        channels: OpenChannels,
        *,
        ide: Page | None = None,
        trusted: TrustedDocuments | None = None,
        limits: SocketLimits | None = None,
        heartbeat_seconds: float = HEARTBEAT_SECONDS,
    ) -> None:
        self._channels = channels
        self._limits = limits or SocketLimits()
        self._origins = Origins(services.settings)
        self._executor = Executor(services, trusted or TrustedDocuments())
        self._http = HttpEndpoint(self._executor, channels, self._origins, ide, heartbeat_seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or serve a socket until its end."""
        if scope["type"] == "websocket":
            await self._serve_socket(WebSocket(scope, receive, send))
            return
        response = await self._http.respond(Request(scope, receive))
        await response(scope, receive, send)

    async def _serve_socket(self, socket: WebSocket) -> None:
        if not self._origins.allows(Headers(scope=socket.scope)):
            await socket.close()  # before it is accepted: the handshake is answered with 403
            return
        if PROTOCOL not in socket.scope["subprotocols"]:
            await socket.accept()
            await socket.close(CloseCode.NO_PROTOCOL, f"The subprotocol must be {PROTOCOL}")
            return
        await socket.accept(PROTOCOL)
        if self._channels.stopping:
            await socket.close(CloseCode.RESTART, "The server stops")
            return
        address = client_address(socket.scope)
        if not self._channels.claim_address(address):
            await socket.close(CloseCode.TRY_AGAIN, "Too many sockets from this address")
            return
        try:
            await Connection(socket, self._executor, self._channels, self._limits).serve()
        finally:
            self._channels.release_address(address)
