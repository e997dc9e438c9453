"""One socket that speaks graphql-transport-ws, from its first message to its close code."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from domain import db
from domain.accounts import Viewer
from schema.context import Context
from server.graphql.channels import Ending, OpenChannels, end_with_token
from server.graphql.execution import Executor
from server.graphql.frames import (
    BadMessage,
    ClientMessage,
    Close,
    CloseCode,
    Complete,
    Init,
    Ping,
    Pong,
    Subscribe,
    read_message,
)
from server.graphql.identity import bearer_token, credentials_of_init
from server.graphql.lifetime import Lifetime
from server.graphql.operations import Operations
from server.graphql.pace import Pace
from server.graphql.strict_json import write_json

_log = logging.getLogger("wonder.sockets")

_GOODBYE_SECONDS: Final = 1.0
_CODES: Final = {
    Ending.EXPIRED: CloseCode.FORBIDDEN,
    Ending.REVOKED: CloseCode.FORBIDDEN,
    Ending.STOPPING: CloseCode.RESTART,
}
_FAULT: Final = Close(CloseCode.TRY_AGAIN, "Something went wrong on our side")


@dataclass(frozen=True, slots=True)
class SocketLimits:
    """How patient a socket is, in seconds, and how fast its client may be."""

    #: From the handshake to connection_init.
    init_seconds: float = 5.0
    #: Between our own pings; uvicorn's come later, since the code that it closes with keeps clients from coming back.
    ping_seconds: float = 10.0
    #: A client that sent nothing for so long is gone.
    silence_seconds: float = 25.0
    #: A client that takes nothing for so long is let go, and the generators that it held with it.
    send_seconds: float = 5.0
    #: Messages of the client: so many a second for ever, and so many at once.
    messages_per_second: float = 50.0
    messages_at_once: int = 200


class Connection:
    """An accepted socket."""

    def __init__(self, socket: WebSocket, executor: Executor, channels: OpenChannels, limits: SocketLimits) -> None:
        self._socket = socket
        self._executor = executor
        self._channels = channels
        self._limits = limits
        self._pace = Pace(limits.messages_per_second, limits.messages_at_once)
        self._life = Lifetime[Close](_FAULT)
        self._operations = Operations(self._send, executor, self._context, channels)
        self._init_received = False
        self._acknowledged = asyncio.Event()
        self._token: str | None = None
        self._viewer: Viewer | None = None
        self._heard_at = asyncio.get_running_loop().time()

    @property
    def viewer(self) -> Viewer | None:
        """Who the socket is authenticated for; None for anybody."""
        return self._viewer

    def end(self, ending: Ending) -> None:
        """Have the socket closed; the first reason counts."""
        self._life.end(Close(_CODES[ending], ending.value))

    async def serve(self) -> None:
        """Serve the client until either side ends it; every operation has ended and cleaned up when this returns."""
        self._channels.add(self)
        try:
            async with self._life.running(self._read(), self._await_init(), self._ping(), self._expire()) as ending:
                await self._say_goodbye(await ending)
        finally:
            await self._operations.stop_all()
            if self._viewer is not None:
                self._channels.release_socket(self._viewer.user.id)
            self._channels.remove(self)

    async def _read(self) -> None:
        try:
            while True:
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    self._life.end(Close(message.get("code") or 1005, ""))
                    return
                self._heard_at = asyncio.get_running_loop().time()
                if not self._pace.allows(self._heard_at):
                    self._life.end(Close(CloseCode.TRY_AGAIN, "Too many messages at once"))
                    return
                await self._handle(read_message(message.get("text")))
        except BadMessage as error:
            self._life.end(Close(CloseCode.BAD_MESSAGE, str(error)))
        except db.DATABASE_ERRORS as error:
            _log.warning("a socket could not be authenticated: %s", type(error).__name__)
            self._life.end(Close(CloseCode.TRY_AGAIN, "Try again later"))

    async def _handle(self, message: ClientMessage) -> None:
        match message:
            case Init():
                await self._initialise(message)
            case Subscribe():
                await self._subscribe(message)
            case Complete():
                self._operations.stop(message.id)
            case Ping():
                await self._send({"type": "pong"} | ({"payload": message.payload} if message.payload else {}))
            case Pong():
                pass

    async def _initialise(self, message: Init) -> None:
        if self._init_received:
            self._life.end(Close(CloseCode.TOO_MANY_INITS, "Too many initialisation requests"))
            return
        self._init_received = True
        self._token = self._credentials(message)
        viewer = await self._executor.viewer(self._token)
        if self._token is not None and viewer is None:
            self._life.end(Close(CloseCode.FORBIDDEN, "The token is not valid or has expired"))
            return
        if viewer is not None:
            if not self._channels.claim_socket(viewer.user.id):
                self._life.end(Close(CloseCode.TRY_AGAIN, "Too many sockets of one user"))
                return
            self._viewer = viewer
        await self._send({"type": "connection_ack"})
        self._acknowledged.set()

    def _credentials(self, message: Init) -> str | None:
        """Return the token: of the payload, else of the handshake's header, else of the address."""
        given = credentials_of_init(message.payload)
        if given is None:
            given = bearer_token(self._socket.headers.get("authorization"))
        return given if given is not None else self._socket.query_params.get("token")

    async def _subscribe(self, message: Subscribe) -> None:
        if not self._acknowledged.is_set():
            self._life.end(Close(CloseCode.UNAUTHORIZED, "Unauthorized"))
        elif message.id in self._operations:
            self._life.end(Close(CloseCode.DUPLICATE_ID, "An operation with this id is running"))
        else:
            await self._operations.start(message)

    async def _context(self) -> Context | None:
        """Return a context for one operation; when the token is good no more, ends the socket and returns None."""
        viewer = await self._executor.viewer(self._token)
        if self._token is not None and viewer is None:
            self.end(Ending.REVOKED)
            return None
        return self._executor.context(viewer, self._socket.scope)

    async def _await_init(self) -> None:
        await asyncio.sleep(self._limits.init_seconds)
        if not self._init_received:
            self._life.end(Close(CloseCode.TIMEOUT, "Connection initialisation timeout"))

    async def _ping(self) -> None:
        await self._acknowledged.wait()
        while True:
            await asyncio.sleep(self._limits.ping_seconds)
            if asyncio.get_running_loop().time() - self._heard_at > self._limits.silence_seconds:
                self._life.end(Close(CloseCode.TIMEOUT, "No sign of life"))
                return
            await self._send({"type": "ping"})

    async def _expire(self) -> None:
        await self._acknowledged.wait()
        await end_with_token(self, self._executor.services.clock)

    async def _send(self, message: Mapping[str, Any] | str) -> None:
        """Send a message, or the text of one."""
        if self._life.ended:
            return
        text = message if isinstance(message, str) else write_json(message)
        try:
            async with asyncio.timeout(self._limits.send_seconds):
                await self._socket.send_text(text)
        except TimeoutError:
            self._life.end(Close(CloseCode.TRY_AGAIN, "Messages are not taken"))
        except (WebSocketDisconnect, OSError):
            self._life.end(Close(1006, ""))

    async def _say_goodbye(self, close: Close) -> None:
        if close.code < 1012:  # noqa: PLR2004 (the client ended it, or the line is dead)
            return
        try:
            async with asyncio.timeout(_GOODBYE_SECONDS):
                await self._socket.close(close.code, close.reason[:120])
        except (TimeoutError, WebSocketDisconnect, OSError, RuntimeError):
            pass  # the client has gone meanwhile
