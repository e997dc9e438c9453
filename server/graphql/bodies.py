"""Request bodies: no larger and no slower than allowed."""

import asyncio
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from server.graphql.requests import Refused

#: A whole body must have come by then.
BODY_SECONDS: Final = 30.0
#: What of a body that is too large is read and dropped: a client that is still sending would never see the answer.
_DROPPED_BYTES: Final = 64 * 1024 * 1024
_DROPPING_SECONDS: Final = 5.0


def capped(receive: Receive, headers: Headers, limit_bytes: int) -> Receive:
    """Return a `receive` that raises `Refused` for a body that is, or says that it is, larger than allowed."""
    declared = headers.get("content-length", "")
    refused = declared.isdecimal() and int(declared[:20]) > limit_bytes
    received = 0

    async def limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if refused or received > limit_bytes:
            await _drop(receive, message)
            raise Refused(413, f"The request is larger than {limit_bytes} bytes.", connection="close")
        return message

    return limited


async def _drop(receive: Receive, message: Message) -> None:
    """Read on until the body's end, within limits, and forget it."""
    dropped = 0
    try:
        async with asyncio.timeout(_DROPPING_SECONDS):
            while message.get("more_body", False) and dropped <= _DROPPED_BYTES:
                message = await receive()
                dropped += len(message.get("body", b""))
    except TimeoutError:
        pass


async def read_body(receive: Receive, seconds: float = BODY_SECONDS) -> bytes:
    """Return the whole body; raises `Refused` when it does not come in time, `ClientDisconnect` when it never will."""
    chunks: list[bytes] = []
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                chunks.append(message.get("body", b""))
                if not message.get("more_body", False):
                    return b"".join(chunks)
    except TimeoutError:
        raise Refused(408, "The body did not arrive in time.", connection="close") from None
