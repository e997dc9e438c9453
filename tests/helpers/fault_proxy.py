"""A proxy between Wonder and an S3 service that lets requests fail in every way that networks and services know."""

import asyncio
import contextlib
import re
import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from tests.helpers.receiver import listening

_CHUNK_BYTES: Final = 64 * 1024


class Fault(Enum):
    """What happens to a request besides being answered with an error."""

    #: It never gets an answer.
    HANG = auto()
    #: The connection ends before the service sees the request.
    DROP = auto()
    #: The service sees and carries out the request; the connection ends before the answer comes back.
    LOSE_ANSWER = auto()
    #: Half of the answer's body comes, then the connection ends.
    CUT_ANSWER = auto()


@dataclass(frozen=True)
class Refusal:
    """An error in the words of S3, given in place of the service."""

    status: int
    code: str
    #: Further lines of the head, each with its end.
    headers: str = ""
    #: Further elements of the error.
    details: str = ""

    def encoded(self, *, with_body: bool) -> bytes:
        body = f"<?xml version='1.0'?><Error><Code>{self.code}</Code><Message>Said.</Message>{self.details}</Error>"
        head = f"HTTP/1.1 {self.status} Said\r\ncontent-type: application/xml\r\n{self.headers}"
        return f"{head}content-length: {len(body)}\r\nconnection: close\r\n\r\n{body if with_body else ''}".encode()


@dataclass(frozen=True)
class Answer:
    """A good answer that the service never gave."""

    body: str

    def encoded(self, *, with_body: bool) -> bytes:
        head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(self.body)}\r\nconnection: close\r\n\r\n"
        return f"{head}{self.body if with_body else ''}".encode()


#: What may happen to a request; a function is called, and the request goes on.
Event = Fault | Refusal | Answer | Callable[[], None]

SLOW_DOWN: Final = Refusal(503, "SlowDown")
INTERNAL_ERROR: Final = Refusal(500, "InternalError")


@dataclass(frozen=True)
class Asked:
    """The head of a request."""

    method: str
    #: Path and query.
    target: str
    headers: dict[str, str]


@dataclass
class FaultProxy:
    """Passes requests on, except for those that a plan says something else of."""

    upstream_port: int
    port: int = 0
    scheme: str = "http"
    requests: list[Asked] = field(default_factory=list)
    #: What is to happen, in order, each to the next request whose method and target match the pattern.
    plan: list[tuple[re.Pattern[str], Event]] = field(default_factory=list)
    #: Lines that are put into the head of every answer, each with its end, in place of those of the same name.
    extra_headers: str = ""
    hanging: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def on(self, pattern: str, *events: Event) -> None:
        """Plan what happens to the next requests such as `PUT /bucket/a`; after a function's call they go on."""
        self.plan += [(re.compile(pattern), event) for event in events]

    def methods(self) -> list[str]:
        return [asked.method for asked in self.requests]

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (head := await _read_head(reader)) is not None:
            asked = _parsed(head)
            self.requests.append(asked)
            fault = self._next(f"{asked.method} {asked.target}")
            if asked.headers.get("expect") and fault is not Fault.DROP:
                writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            if fault is Fault.DROP:
                return
            body = await reader.readexactly(int(asked.headers.get("content-length", "0")))
            if fault is Fault.HANG:
                self.hanging.set()
                await reader.read(1)  # until the other side has had enough
                return
            if isinstance(fault, Refusal | Answer):
                writer.write(fault.encoded(with_body=asked.method != "HEAD"))
                await writer.drain()
                return
            if callable(fault):
                fault()
            await self._pass_on(head, body, writer, fault if isinstance(fault, Fault) else None)
            if isinstance(fault, Fault):
                return

    def _next(self, line: str) -> Event | None:
        for number, (pattern, fault) in enumerate(self.plan):
            if pattern.search(line):
                del self.plan[number]
                return fault
        return None

    async def _pass_on(self, head: bytes, body: bytes, writer: asyncio.StreamWriter, fault: Fault | None) -> None:
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith((b"expect:", b"connection:"))]
        reader, upstream = await asyncio.open_connection("127.0.0.1", self.upstream_port)
        try:
            upstream.write(b"\r\n".join([lines[0], b"Connection: close", *lines[1:]]) + body)
            await upstream.drain()
            answer = await reader.readuntil(b"\r\n\r\n")
            if fault is Fault.LOSE_ANSWER:
                await reader.read()
                return
            writer.write(self._with_extra_headers(answer))
            length = int(_parsed(answer).headers.get("content-length", "0"))
            left = length // 2 if fault is Fault.CUT_ANSWER else -1
            while left and (chunk := await reader.read(min(_CHUNK_BYTES, left) if left > 0 else _CHUNK_BYTES)):
                writer.write(chunk)
                await writer.drain()
                left -= len(chunk) if left > 0 else 0
        finally:
            upstream.close()

    def _with_extra_headers(self, answer: bytes) -> bytes:
        start, *lines = answer.split(b"\r\n")
        extra = self.extra_headers.encode()
        named = {line.partition(b":")[0].lower() for line in extra.split(b"\r\n") if line}
        kept = [line for line in lines if line.partition(b":")[0].lower() not in named]
        return start + b"\r\n" + extra + b"\r\n".join(kept)


async def _read_head(reader: asyncio.StreamReader) -> bytes | None:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None


def _parsed(head: bytes) -> Asked:
    line, *lines = head.decode("latin-1").strip().split("\r\n")
    method, target, *_ = [*line.split(" "), ""]
    headers = {name.lower(): value.strip() for name, _, value in (item.partition(":") for item in lines)}
    return Asked(method, target, headers)


@contextlib.asynccontextmanager
async def fault_proxy(upstream_port: int, tls: ssl.SSLContext | None = None) -> AsyncIterator[FaultProxy]:
    """Listen on a free port until the context ends."""
    proxy = FaultProxy(upstream_port, scheme="http" if tls is None else "https")
    async with listening(proxy.handle, tls) as proxy.port:
        yield proxy
