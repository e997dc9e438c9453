"""A receiver of webhooks on a socket of this machine, whose answers a test controls."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import time_machine
from standardwebhooks import Webhook


@dataclass
class Received:
    """One request, as it came."""

    line: str
    headers: dict[str, str]
    body: str

    @property
    def message_id(self) -> str:
        return self.headers["webhook-id"]

    def verified(self, secret: str) -> Any:
        """The body, checked with the library that receivers use, at the time that the headers tell."""
        with time_machine.travel(float(self.headers["webhook-timestamp"]), tick=False):
            return Webhook(secret).verify(self.body, self.headers)


@dataclass
class Receiver:
    """Answers each request with the next of `answers`, and with success when there is none left.

    A number is a status, bytes are sent as they are, and an event is waited for before anything is sent.
    """

    answers: list[int | bytes | asyncio.Event] = field(default_factory=list)
    requests: list[Received] = field(default_factory=list)
    arrival: asyncio.Condition = field(default_factory=asyncio.Condition)
    port: int = 0
    scheme: str = "http"

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/hook?of=studio"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (item.partition(":") for item in lines)}
        body = (await reader.readexactly(int(headers["content-length"]))).decode()
        answer = self.answers.pop(0) if self.answers else 200
        async with self.arrival:
            self.requests.append(Received(line, headers, body))
            self.arrival.notify_all()
        if isinstance(answer, asyncio.Event):
            await answer.wait()
            answer = 200
        if isinstance(answer, int):
            answer = f"HTTP/1.1 {answer} Said\r\ncontent-length: 0\r\n\r\n".encode()
        writer.write(answer)
        await writer.drain()

    async def received(self, count: int, seconds: float = 20) -> list[Received]:
        """Wait until so many requests have come in all."""
        async with asyncio.timeout(seconds), self.arrival:
            await self.arrival.wait_for(lambda: len(self.requests) >= count)
        return self.requests


Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def listening(handler: Handler, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """Listen on a free port, which is yielded, and see every connection to its end."""
    connections: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        own = asyncio.current_task()
        assert own is not None
        connections.add(own)
        # A sender that has gone, or never spoke HTTP, is what some tests are about.
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await handler(reader, writer)
        writer.close()
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()
        await asyncio.gather(*connections)


@contextlib.asynccontextmanager
async def receiving(
    *answers: int | bytes | asyncio.Event, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Receiver]:
    """Receive on a free port until the context ends."""
    receiver = Receiver(list(answers), scheme="http" if tls is None else "https")
    async with listening(receiver.handle, tls) as receiver.port:
        try:
            yield receiver
        finally:
            for answer in answers:
                if isinstance(answer, asyncio.Event):
                    answer.set()
