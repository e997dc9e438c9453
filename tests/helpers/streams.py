"""A client of answers that go on: server-sent events and parts, read strictly."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.helpers.endpoint import Endpoint

SSE = "text/event-stream"
PARTS = 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0'
TRANSPORTS = (SSE, PARTS)


@dataclass
class Stream:
    """A client's end of a stream."""

    response: httpx.Response
    transport: str
    heartbeats: int = 0
    ids: list[str] = field(default_factory=list)
    #: Whether the server said that there is nothing more to come.
    completed: bool = False
    patience_seconds: float = 10
    _chunks: AsyncIterator[str] | None = None
    _text: str = ""

    async def next(self) -> Any:
        """Return the next response object; None at the end of the stream."""
        while True:
            separator = "\n\n" if self.transport == SSE else "\r\n--graphql"
            while separator not in self._text:
                if not await self._more():
                    return self._end()
            block, _, self._text = self._text.partition(separator)
            payload = self._event(block) if self.transport == SSE else self._part(block)
            if payload is not None:
                return payload

    async def _more(self) -> bool:
        if self._chunks is None:
            self._chunks = self.response.aiter_text()
        try:
            self._text += await asyncio.wait_for(anext(self._chunks), self.patience_seconds)
        except StopAsyncIteration:
            return False
        return True

    def _event(self, block: str) -> Any:
        if block == ":":
            self.heartbeats += 1
            return None
        fields = dict(line.partition(":")[::2] for line in block.split("\n"))
        if "id" in fields:
            self.ids.append(fields["id"].strip())
        if fields["event"].strip() == "complete":
            assert fields["data"] == ""
            self.completed = True
            return None
        assert fields["event"].strip() == "next"
        return json.loads(fields["data"])

    def _part(self, block: str) -> Any:
        if block == "":  # before the first delimiter
            return None
        head, _, body = block.removeprefix("\r\n").partition("\r\n\r\n")
        assert head == "content-type: application/json"
        part = json.loads(body)
        if part == {}:
            self.heartbeats += 1
            return None
        return part["payload"] or {"errors": part["errors"]}

    def _end(self) -> None:
        if self.transport == SSE:
            assert self._text == ""
        else:
            assert self._text in {"", "--\r\n"}
            self.completed = self._text == "--\r\n"


@contextlib.asynccontextmanager
async def streaming(
    endpoint: Endpoint,
    transport: str,
    document: str,
    token: str | None = None,
    *,
    method: str = "POST",
    query: dict[str, str] | None = None,
    **variables: Any,
) -> AsyncIterator[Stream]:
    """Send an operation and read what comes; a connection of its own, cut when the context ends."""
    headers = {"accept": transport}
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    body = {"query": document, "variables": variables}
    parameters = dict(query or {})
    if method == "GET":
        parameters |= {"query": document, "variables": json.dumps(variables)}
    async with (
        httpx.AsyncClient(base_url=endpoint.address, timeout=20) as client,
        client.stream(
            method, "/graphql", json=body if method == "POST" else None, params=parameters, headers=headers
        ) as response,
    ):
        yield Stream(response, transport)
