"""A client that speaks bytes: half of a request, and no more."""

import asyncio
import contextlib
import socket
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit


@dataclass
class Wire:
    """One connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def to(cls, address: str, receive_buffer_bytes: int | None = None) -> Self:
        parts = urlsplit(address)
        assert parts.hostname is not None
        raw = socket.socket()
        if receive_buffer_bytes is not None:  # before it connects: the window is agreed on then
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_bytes)
        raw.settimeout(0)
        await asyncio.get_running_loop().sock_connect(raw, (parts.hostname, parts.port))
        return cls(*await asyncio.open_connection(sock=raw))

    def send(self, text: str) -> None:
        self.writer.write(text.replace("\n", "\r\n").encode())

    async def rest(self, seconds: float = 10) -> str:
        """Return everything until the server closes the connection."""
        with contextlib.suppress(ConnectionError):
            return (await asyncio.wait_for(self.reader.read(), seconds)).decode()
        return ""

    def is_open(self) -> bool:
        return not self.reader.at_eof() and self.reader.exception() is None

    def cut(self) -> None:
        self.writer.transport.abort()
