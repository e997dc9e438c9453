"""An answer that goes on: server-sent events or parts, from the first byte to the reason of its end."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from enum import Enum
from typing import Final

from starlette.types import Receive, Scope, Send

from domain.accounts import Viewer
from domain.clock import Clock
from server.graphql.answers import Answer
from server.graphql.channels import Ending, OpenChannels, end_with_token
from server.graphql.framing import Framing
from server.graphql.lifetime import Lifetime

#: Between signs of life, well below the minute after which proxies cut a line that says nothing.
HEARTBEAT_SECONDS: Final = 10.0
_GOODBYE_SECONDS: Final = 1.0

_CODES: Final = {
    Ending.EXPIRED: "UNAUTHENTICATED",
    Ending.REVOKED: "UNAUTHENTICATED",
    Ending.STOPPING: "UNAVAILABLE",
}


class _Own(Enum):
    """Reasons that are not the server's."""

    COMPLETE = "everything is told"
    GONE = "the client has gone"
    FAULT = "a fault"


class StreamedAnswer:
    """An ASGI application that sends the answers of one operation and frees what they come from when it ends."""

    def __init__(
        self,
        answers: AsyncGenerator[Answer, None],
        framing: Framing,
        channels: OpenChannels,
        *,
        viewer: Viewer | None,
        clock: Clock,
        heartbeat_seconds: float,
        release: Callable[[], None],
    ) -> None:
        self._answers = answers
        self._framing = framing
        self._channels = channels
        self._viewer = viewer
        self._clock = clock
        self._heartbeat_seconds = heartbeat_seconds
        self._release = release
        self._life = Lifetime[Ending | _Own](_Own.FAULT)

    @property
    def viewer(self) -> Viewer | None:
        """Who asked; None for anybody."""
        return self._viewer

    def end(self, ending: Ending) -> None:
        """Have the stream ended; the first reason counts."""
        self._life.end(ending)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 (ASGI)
        """Send until either side ends it; the operation has ended and cleaned up when this returns."""
        self._channels.add(self)
        try:
            await self._serve(receive, send)
        finally:
            self._channels.remove(self)
            await self._answers.aclose()
            self._release()

    async def _serve(self, receive: Receive, send: Send) -> None:
        headers = {
            "content-type": self._framing.content_type,
            "cache-control": "no-store",
            "vary": "accept",
            "x-accel-buffering": "no",  # nginx would hold back what is to be seen at once
        }
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        await _write(send, self._framing.opening)
        parts = (self._watch(receive), self._tell(send), self._beat(send), end_with_token(self, self._clock))
        async with self._life.running(*parts) as ending:
            reason = await ending
        # A client that takes nothing is not waited for.
        with suppress(TimeoutError):
            async with asyncio.timeout(_GOODBYE_SECONDS):
                await _write(send, self._last_words(reason), more=False)

    async def _watch(self, receive: Receive) -> None:
        """Notice at once when the client has gone."""
        while (await receive())["type"] != "http.disconnect":
            pass
        self._life.end(_Own.GONE)

    async def _tell(self, send: Send) -> None:
        number = 0
        async with aclosing(self._answers) as answers:
            async for answer in answers:
                number += 1
                await _write(send, self._framing.answer(answer, number))
        self._life.end(_Own.COMPLETE)

    async def _beat(self, send: Send) -> None:
        while True:
            await asyncio.sleep(self._heartbeat_seconds)
            await _write(send, self._framing.heartbeat)

    def _last_words(self, reason: Ending | _Own) -> str:
        if isinstance(reason, Ending):
            return self._framing.fault(f"{reason.value}.", _CODES[reason]) + self._framing.cut
        return self._framing.complete if reason is _Own.COMPLETE else self._framing.cut


async def _write(send: Send, text: str, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": more})
