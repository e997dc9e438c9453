"""Bodies as they arrive: in pieces, never, too slowly, too many."""

import asyncio
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from server.graphql.bodies import capped, read_body
from server.graphql.requests import Refused


def receiving(*messages: dict[str, Any]) -> Receive:
    """A `receive` that gives these messages, and then nothing for ever."""
    left = list(messages)

    async def receive() -> Any:
        if not left:
            await asyncio.Event().wait()
        return left.pop(0)

    return receive


def piece(data: bytes, *, more: bool = True) -> dict[str, Any]:
    return {"type": "http.request", "body": data, "more_body": more}


async def test_pieces_are_put_together() -> None:
    assert await read_body(receiving(piece(b"a"), piece(b""), {"type": "http.request", "body": b"b"})) == b"ab"


async def test_a_body_that_does_not_end_in_time_is_a_408() -> None:
    with pytest.raises(Refused) as refused:
        await read_body(receiving(piece(b"a")), seconds=0.01)
    assert refused.value.status == 408


async def test_a_client_that_leaves_is_no_request() -> None:
    with pytest.raises(ClientDisconnect):
        await read_body(receiving(piece(b"a"), {"type": "http.disconnect"}))


@pytest.mark.parametrize(
    "headers", [{}, {"content-length": "11"}, {"content-length": "9" * 5000}, {"content-length": "x"}]
)
async def test_what_is_too_large_is_read_to_its_end_and_refused(headers: dict[str, str]) -> None:
    rest = receiving(piece(b"12345"), piece(b"123456"), piece(b"7", more=False))
    with pytest.raises(Refused) as refused:
        await read_body(capped(rest, Headers(headers), 10))
    assert (refused.value.status, refused.value.headers) == (413, {"connection": "close"})
    with pytest.raises(TimeoutError):  # nothing is left to read
        await asyncio.wait_for(rest(), 0.01)


async def test_what_is_just_small_enough_is_taken() -> None:
    receive = receiving(piece(b"12345"), piece(b"12345", more=False))
    assert await read_body(capped(receive, Headers({"content-length": "10"}), 10)) == b"1234512345"
