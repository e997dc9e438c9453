"""One socket that speaks graphql-transport-ws, from its first message to its close code."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from domain import db
from domain.accounts import Viewer
from schema.context import Context, Services
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
from server.graphql.identity import base_url, bearer_token, client_address, credentials_of_init, viewer_of_token
from server.graphql.operations import Operations
from server.graphql.strict_json import write_json

_log = logging.getLogger("wonder.sockets")

_GOODBYE_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class SocketTimes:
    """How patient a socket is, in seconds."""

    #: From the handshake to connection_init.
    init_seconds: float = 5.0
    #: Between our own pings; uvicorn's come later, since the code that it closes with keeps clients from coming back.
    ping_seconds: float = 10.0
    #: A client that sent nothing for so long is gone.
    silence_seconds: float = 25.0
    #: A client that takes nothing for so long is let go, and the generators that it held with it.
    send_seconds: float = 5.0


class Connection:
    """An accepted socket. `claim` is asked, once, whether its user may have it."""

    def __init__(self, socket: WebSocket, services: Services, times: SocketTimes, claim: Callable[[str], bool]) -> None:
        self._socket = socket
        self._services = services
        self._times = times
        self._claim = claim
        self._user_id: str | None = None
        self._ending: asyncio.Future[Close] = asyncio.get_running_loop().create_future()
        self._operations = Operations(self._send, self._context)
        self._init_received = False
        self._acknowledged = asyncio.Event()
        self._token: str | None = None
        self._viewer: Viewer | None = None
        self._heard_at = asyncio.get_running_loop().time()

    @property
    def session_id(self) -> str | None:
        """The session that the socket is authenticated by; None for an anonymous one."""
        return self._viewer.session_id if self._viewer is not None else None

    @property
    def user_id(self) -> str | None:
        """The user for whom the socket was claimed; None for an anonymous one."""
        return self._user_id

    def end(self, close: Close) -> None:
        """Have the socket closed; the first reason counts."""
        if not self._ending.done():
            self._ending.set_result(close)

    async def serve(self) -> None:
        """Serve the client until either side ends it; every operation has ended and cleaned up when this returns."""
        work = [asyncio.create_task(step) for step in (self._read(), self._await_init(), self._ping(), self._expire())]
        for task in work:
            task.add_done_callback(self._check)
        try:
            await self._say_goodbye(await self._ending)
        finally:
            for task in work:
                task.cancel()
            await asyncio.wait(work)
            await self._operations.stop_all()

    def _check(self, task: asyncio.Task[None]) -> None:
        """End the socket when a part of it has failed for a reason that nobody foresaw."""
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a socket failed", exc_info=error)
            self.end(Close(CloseCode.TRY_AGAIN, "Something went wrong on our side"))

    async def _read(self) -> None:
        try:
            while True:
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    self.end(Close(message.get("code") or 1005, ""))
                    return
                self._heard_at = asyncio.get_running_loop().time()
                await self._handle(read_message(message.get("text")))
        except BadMessage as error:
            self.end(Close(CloseCode.BAD_MESSAGE, str(error)))
        except db.DATABASE_ERRORS as error:
            _log.warning("a socket could not be authenticated: %s", type(error).__name__)
            self.end(Close(CloseCode.TRY_AGAIN, "Try again later"))

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
            self.end(Close(CloseCode.TOO_MANY_INITS, "Too many initialisation requests"))
            return
        self._init_received = True
        self._token = self._credentials(message)
        self._viewer = await viewer_of_token(self._services.accounts, self._token)
        if self._token is not None and self._viewer is None:
            self.end(Close(CloseCode.FORBIDDEN, "The token is not valid or has expired"))
            return
        if self._viewer is not None:
            if not self._claim(self._viewer.user.id):
                self.end(Close(CloseCode.TRY_AGAIN, "Too many sockets of one user"))
                return
            self._user_id = self._viewer.user.id
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
            self.end(Close(CloseCode.UNAUTHORIZED, "Unauthorized"))
        elif message.id in self._operations:
            self.end(Close(CloseCode.DUPLICATE_ID, "An operation with this id is running"))
        else:
            await self._operations.start(message)

    async def _context(self) -> Context | None:
        """Return a context for one operation; when the token is good no more, ends the socket and returns None."""
        viewer = await viewer_of_token(self._services.accounts, self._token)
        if self._token is not None and viewer is None:
            self.end(Close(CloseCode.FORBIDDEN, "The session has ended"))
            return None
        return Context(
            self._services,
            viewer,
            base_url(self._services.settings, self._socket.scope),
            client_address(self._socket.scope),
        )

    async def _await_init(self) -> None:
        await asyncio.sleep(self._times.init_seconds)
        if not self._init_received:
            self.end(Close(CloseCode.TIMEOUT, "Connection initialisation timeout"))

    async def _ping(self) -> None:
        await self._acknowledged.wait()
        while True:
            await asyncio.sleep(self._times.ping_seconds)
            if asyncio.get_running_loop().time() - self._heard_at > self._times.silence_seconds:
                self.end(Close(CloseCode.TIMEOUT, "No sign of life"))
                return
            await self._send({"type": "ping"})

    async def _expire(self) -> None:
        await self._acknowledged.wait()
        if self._viewer is not None:
            left = self._viewer.expires_at - self._services.clock.now()
            await asyncio.sleep(max(left.total_seconds(), 0))
            self.end(Close(CloseCode.FORBIDDEN, "Token expired"))

    async def _send(self, message: Mapping[str, Any]) -> None:
        if self._ending.done():
            return
        try:
            async with asyncio.timeout(self._times.send_seconds):
                await self._socket.send_text(write_json(message))
        except TimeoutError:
            self.end(Close(CloseCode.TRY_AGAIN, "Messages are not taken"))
        except (WebSocketDisconnect, OSError):
            self.end(Close(1006, ""))

    async def _say_goodbye(self, close: Close) -> None:
        if close.code < 1012:  # noqa: PLR2004 (the client ended it, or the line is dead)
            return
        try:
            async with asyncio.timeout(_GOODBYE_SECONDS):
                await self._socket.close(close.code, close.reason[:120])
        except (TimeoutError, WebSocketDisconnect, OSError, RuntimeError):
            pass  # the client has gone meanwhile
