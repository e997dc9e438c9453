"""An HTTP service on a socket of this machine whose every answer a test writes, byte for byte where it wants to."""

import asyncio
import contextlib
import json
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.helpers.receiver import listening


@dataclass(frozen=True)
class Request:
    """One request, as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def form(self) -> dict[str, list[bytes]]:
        """The fields and files of a multipart form."""
        boundary = self.headers["content-type"].partition("boundary=")[2].encode()
        fields: dict[str, list[bytes]] = {}
        for part in self.body.split(b"--" + boundary)[1:-1]:
            head, _, value = part.partition(b"\r\n\r\n")
            found = re.search(rb'name="([^"]*)"', head)
            assert found is not None
            fields.setdefault(found.group(1).decode(), []).append(value.removesuffix(b"\r\n"))
        return fields


@dataclass(frozen=True)
class Reply:
    """An ordinary answer."""

    status: int = 200
    body: bytes | str | list[Any] | dict[str, Any] = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    def encoded(self) -> bytes:
        body = self.body
        kind = "application/octet-stream"
        if isinstance(body, dict | list):
            body, kind = json.dumps(body), "application/json"
        data = body.encode() if isinstance(body, str) else body
        headers = {"content-type": kind, "content-length": str(len(data)), **self.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"HTTP/1.1 {self.status} Said\r\n{lines}\r\n".encode() + data


Speech = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
#: Bytes are sent as they are, and the connection is closed after them. A function does as it likes with the connection.
Script = Reply | bytes | Speech


@dataclass
class ScriptedService:
    """Answers each request with the next of `script`, and with what `otherwise` says when none is left."""

    script: list[Script] = field(default_factory=list)
    otherwise: Callable[[Request], Script] = lambda _: Reply()
    requests: list[Request] = field(default_factory=list)
    arrival: asyncio.Event = field(default_factory=asyncio.Event)
    #: Set when a client hung up while a `silent` answer was waited for.
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    connections: int = 0
    writers: list[asyncio.StreamWriter] = field(default_factory=list)
    #: Requests being answered now, and the most that ever were.
    busy: int = 0
    busiest: int = 0
    port: int = 0
    scheme: str = "http"

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.append(writer)
        while request := await _read_request(reader):
            self.requests.append(request)
            self.arrival.set()
            said = self.script.pop(0) if self.script else self.otherwise(request)
            self.busy += 1
            self.busiest = max(self.busiest, self.busy)
            try:
                if callable(said):
                    await said(reader, writer)
                    return
                writer.write(said.encoded() if isinstance(said, Reply) else said)
                await writer.drain()
            finally:
                self.busy -= 1
            if isinstance(said, bytes):
                return

    async def silent(self, reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        """Say nothing until the client hangs up."""
        await reader.read()
        self.hung_up.set()


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    line, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (item.partition(":") for item in lines)}
    method, path, _ = line.split(" ")
    body = b""
    if headers.get("transfer-encoding") == "chunked":
        while size := int(await reader.readline(), 16):
            body += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
    else:
        body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, body)


@contextlib.asynccontextmanager
async def scripted(
    *script: Script, otherwise: Callable[[Request], Script] = lambda _: Reply(), tls: ssl.SSLContext | None = None
) -> AsyncIterator[ScriptedService]:
    """Serve on a free port until the context ends."""
    service = ScriptedService(list(script), otherwise, scheme="http" if tls is None else "https")
    async with listening(service.handle, tls) as service.port:
        try:
            yield service
        finally:
            for writer in service.writers:  # clients keep their connections, and outlive the service
                writer.close()
