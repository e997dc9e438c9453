"""Which sockets are open, so that they can be ended from outside."""

import asyncio
from collections import Counter
from typing import Final, Protocol

from server.graphql.frames import Close, CloseCode

#: How long the sockets may take to say goodbye when the server stops.
_CLOSING_SECONDS: Final = 2.0
#: Sockets that one user may have open in this process.
MAX_SOCKETS_PER_USER: Final = 50


class Socket(Protocol):
    """What the registry knows of an open socket."""

    @property
    def session_id(self) -> str | None:
        """The session that it is authenticated by; None for an anonymous one."""
        ...

    @property
    def user_id(self) -> str | None:
        """The user for whom it was claimed; None for an anonymous one."""
        ...

    def end(self, close: Close) -> None:
        """Have it closed soon; does not wait."""
        ...


class OpenSockets:
    """The open sockets of one process."""

    def __init__(self) -> None:
        self._open: set[Socket] = set()
        self._of_users: Counter[str] = Counter()
        self._stopping = False
        self._all_closed = asyncio.Event()

    @property
    def count(self) -> int:
        """How many are open."""
        return len(self._open)

    @property
    def stopping(self) -> bool:
        """Whether the server stops: then no socket is to be opened."""
        return self._stopping

    def add(self, socket: Socket) -> None:
        """Note a socket as open."""
        self._open.add(socket)

    def claim(self, user_id: str) -> bool:
        """Count one more socket of a user, unless they have as many as they may."""
        if self._of_users[user_id] >= MAX_SOCKETS_PER_USER:
            return False
        self._of_users[user_id] += 1
        return True

    def remove(self, socket: Socket) -> None:
        """Note a socket as closed, and as its user's no more."""
        self._open.discard(socket)
        if socket.user_id is not None:
            self._of_users[socket.user_id] -= 1
            if not self._of_users[socket.user_id]:
                del self._of_users[socket.user_id]
        if self._stopping and not self._open:
            self._all_closed.set()

    def close_session(self, session_id: str) -> None:
        """End every socket of a session that is over."""
        for socket in self._open:
            if socket.session_id == session_id:
                socket.end(Close(CloseCode.FORBIDDEN, "The session has ended"))

    async def close_all(self) -> None:
        """End all sockets because the server stops, and wait a little until they have closed."""
        self._stopping = True
        if not self._open:
            return
        for socket in self._open:
            socket.end(Close(CloseCode.RESTART, "The server stops"))
        try:
            async with asyncio.timeout(_CLOSING_SECONDS):
                await self._all_closed.wait()
        except TimeoutError:
            pass  # uvicorn cuts what is left
