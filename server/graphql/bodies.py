"""Request bodies: no larger and no slower than allowed."""

import asyncio
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from server.graphql.requests import Refused

#: A whole body must have come by then.
BODY_SECONDS: Final = 30.0


def capped(receive: Receive, headers: Headers, limit_bytes: int) -> Receive:
    """Return a `receive` that raises `Refused` as soon as a body is larger than allowed."""
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit_bytes:
        raise _too_large(limit_bytes)
    received = 0

    async def limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > limit_bytes:
            raise _too_large(limit_bytes)
        return message

    return limited


async def read_body(receive: Receive) -> bytes:
    """Return the whole body; raises `Refused` when it does not come in time, `ClientDisconnect` when it never will."""
    chunks: list[bytes] = []
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                chunks.append(message.get("body", b""))
                if not message.get("more_body", False):
                    return b"".join(chunks)
    except TimeoutError:
        raise Refused(408, "The body did not arrive in time.", connection="close") from None


def _too_large(limit_bytes: int) -> Refused:
    return Refused(413, f"The request is larger than {limit_bytes} bytes.", connection="close")
