"""Connections before and below what they ask: who may open one, and which are cut.

uvicorn waits for ever for the rest of a request's head, and for a client that takes nothing. Here a head must be
complete within a set time, something must be taken of what is written, and one address holds only so many connections.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, Final, cast

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.utils import get_remote_addr
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from server.addresses import AddressCount

_MAX_HEAD_BYTES: Final = 65_536
#: What may be written and not taken before it is looked whether the client takes anything, and the writer waits.
_UNTAKEN_BYTES: Final = 16_384


@dataclass(frozen=True, slots=True)
class ConnectionTimes:
    """How patient a connection is, in seconds."""

    #: From its opening, or the first byte of a further request, to the end of the request's head.
    head_seconds: float = 10.0
    #: Without taking a byte of what is written.
    stall_seconds: float = 15.0


class Gate:
    """Knows the open connections of a server."""

    def __init__(self, addresses: AddressCount, times: ConnectionTimes, *, max_waiting: int = 512) -> None:
        self.times = times
        self._addresses = addresses
        self._max_waiting = max_waiting
        self._open: dict[asyncio.Transport, str] = {}
        #: Those whose request is not known yet, the oldest first.
        self._waiting: dict[asyncio.Transport, None] = {}
        self._watched: set[_Watched] = set()

    @property
    def count(self) -> int:
        """How many are open."""
        return len(self._open)

    def admit(self, transport: asyncio.Transport) -> bool:
        """Note a connection as open, once; tell whether its address may have it."""
        if transport not in self._open:
            peer = get_remote_addr(transport)
            address = peer[0] if peer else ""
            if not self._addresses.claim(address):
                return False
            self._open[transport] = address
        return True

    def forget(self, transport: asyncio.Transport) -> None:
        """Note a connection as closed."""
        self.arrived(transport)
        address = self._open.pop(transport, None)
        if address is not None:
            self._addresses.release(address)

    def await_head(self, transport: asyncio.Transport) -> None:
        """Note that a connection owes the head of a request; one too many cuts the one that has owed it longest."""
        self._waiting[transport] = None
        if len(self._waiting) > self._max_waiting:
            oldest = next(iter(self._waiting))
            del self._waiting[oldest]
            oldest.abort()

    def arrived(self, transport: asyncio.Transport) -> None:
        """Note that a connection owes no head any more."""
        self._waiting.pop(transport, None)

    def watch(self, connection: "_Watched") -> None:
        """Note one that may have to be cut at the end."""
        self._watched.add(connection)

    def unwatch(self, connection: "_Watched") -> None:
        """Take it back."""
        self._watched.discard(connection)

    def cut_unfinished(self) -> None:
        """Cut what would hold up the server's end: requests whose body is not complete, answers that nobody takes."""
        for connection in list(self._watched):
            if connection.unfinished:
                connection.cut()


class _Watched(asyncio.Protocol):
    """What is added to a protocol of uvicorn, which comes after it in the order of resolution."""

    transport: asyncio.Transport
    gate: Gate
    _stall: asyncio.TimerHandle | None = None
    _unsent = 0

    @property
    def unfinished(self) -> bool:
        """Whether something is half-way: a body that is being sent, an answer that is not taken."""
        return self.transport.get_write_buffer_size() > 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to watch."""
        super().connection_made(transport)
        self.gate.watch(self)
        self.transport.set_write_buffer_limits(_UNTAKEN_BYTES)

    def cut(self) -> None:
        """End the connection without waiting for anything to be sent."""
        self.transport.abort()

    def pause_writing(self) -> None:
        """Begin to look whether the client takes anything."""
        super().pause_writing()
        self._look_again()

    def resume_writing(self) -> None:
        """Stop looking: it does."""
        super().resume_writing()
        self._stop_looking()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget everything of the connection."""
        self._stop_looking()
        self.gate.unwatch(self)
        self.gate.forget(self.transport)
        super().connection_lost(exc)

    def _look_again(self) -> None:
        self._stop_looking()
        self._unsent = self.transport.get_write_buffer_size()
        loop = asyncio.get_running_loop()
        self._stall = loop.call_later(self.gate.times.stall_seconds, self._look)

    def _look(self) -> None:
        if self.transport.get_write_buffer_size() < self._unsent:
            self._look_again()
        else:
            self.cut()

    def _stop_looking(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None


class _WatchedHttp(_Watched):
    """The same for requests: the head has to come in time, and not without end."""

    #: The request that is being answered or was answered last, uvicorn's own.
    cycle: Any
    _head_due: asyncio.TimerHandle | None = None
    _head_bytes = 0

    @property
    def unfinished(self) -> bool:
        """Whether a body is being sent, or an answer is not taken."""
        busy = self.cycle is not None and not self.cycle.response_complete
        return super().unfinished or (busy and self.cycle.more_body)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Let the connection in, or send it away."""
        super().connection_made(transport)
        if self.gate.admit(self.transport):
            self._await_head()
        else:
            self._refuse("429 Too Many Requests", "There are too many connections from this address.")

    def data_received(self, data: bytes) -> None:
        """Hand on what came, then see whether a head is still owed."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.transport.get_protocol() is not self:
            # A socket from now on, with a protocol of its own, which also hears of the end: it may have come already.
            self._stop_waiting()
            self.gate.unwatch(self)
        elif self.transport.is_closing():
            return
        elif self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        else:
            self._head_bytes += len(data)
            if self._head_bytes > _MAX_HEAD_BYTES:
                self._refuse("431 Request Header Fields Too Large", "The head of the request is too long.")
            elif self._head_due is None:
                self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget everything of the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        loop = asyncio.get_running_loop()
        self._head_due = loop.call_later(self.gate.times.head_seconds, self._head_is_late)
        self.gate.await_head(self.transport)

    def _stop_waiting(self) -> None:
        self._head_bytes = 0
        self.gate.arrived(self.transport)
        if self._head_due is not None:
            self._head_due.cancel()
            self._head_due = None

    def _head_is_late(self) -> None:
        self._refuse("408 Request Timeout", "The head of the request did not arrive in time.")

    def _refuse(self, status: str, text: str) -> None:
        self._stop_waiting()
        if self.transport.is_closing():
            return
        if self.cycle is not None:  # perhaps the rest of a body that nobody reads: there is an answer already
            self.transport.close()
            return
        head = f"HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
        self.transport.write(f"{head}content-length: {len(text)}\r\n\r\n{text}".encode())
        self.transport.close()


class WatchedHttpTools(_WatchedHttp, HttpToolsProtocol):
    """Requests by httptools."""


class WatchedH11(_WatchedHttp, H11Protocol):
    """Requests by h11."""


class WatchedWebSocket(_Watched, WebSocketsSansIOProtocol):
    """Sockets; their connection was let in when the handshake came."""


def watched(protocol: type[_Watched], gate: Gate) -> type[asyncio.Protocol]:
    """Return what makes connections of a kind that a gate knows, for uvicorn to call as it calls its own classes."""

    def make(*args: Any, **kwargs: Any) -> _Watched:  # noqa: ANN401 (uvicorn's own)
        connection = protocol(*args, **kwargs)
        connection.gate = gate
        return connection

    return cast("type[asyncio.Protocol]", make)
