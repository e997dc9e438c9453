"""No frame whatever ends a socket other than by a close code, and none is an error of the server."""

import asyncio
import json
import random
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.helpers.endpoint import INIT, Endpoint

SUBSCRIBE = {
    "id": "1",
    "type": "subscribe",
    "payload": {"query": "query($id: ID) { __typename node(id: $id) { id } }", "variables": {"id": "x"}},
}
MESSAGES: tuple[dict[str, Any], ...] = (
    SUBSCRIBE,
    {"id": "2", "type": "subscribe", "payload": {"query": "subscription { queueStats { pending } }"}},
    {"id": "1", "type": "complete"},
    {"type": "ping", "payload": {"a": [1]}},
    {"type": "pong"},
    INIT,
)
VALUES: tuple[Any, ...] = (None, 1, 1.5, "", "x", True, [], ["a"], {}, {"a": {}}, "\x00", "🎮" * 10)
#: Close codes of the protocol that a client may be given for what it sent.
CODES = {4400, 4401, 4409, 4429}


def strange(chance: random.Random) -> str | bytes:
    """Return a message with something else in one place, sometimes cut off or with bytes inserted."""
    message = json.loads(json.dumps(chance.choice(MESSAGES)))
    place = message
    while chance.random() < 0.4 and isinstance(place.get("payload", place.get("variables")), dict):
        place = place.get("payload", place.get("variables"))
    name = chance.choice([*place, "id", "type", "payload", "query", "variables", "operationName", "extensions"])
    if chance.random() < 0.5:
        place[name] = chance.choice(VALUES)
    text = json.dumps(message)
    match chance.randrange(8):
        case 0:
            return text[: chance.randrange(len(text))]
        case 1:
            at = chance.randrange(len(text))
            return text[:at] + chance.choice(['"', "{", "\\ud800", "NaN", "\x00", "]" * 50]) + text[at:]
        case 2:
            return text.encode()
        case _:
            return text


async def exchange(endpoint: Endpoint, chance: random.Random) -> int | None:
    """Send a few frames and a last one that must be answered; returns the close code, None when the socket stays."""
    last = {"type": "ping", "payload": {"last": True}}
    async with endpoint.socket() as socket:
        try:
            for _ in range(4):
                await socket.send(strange(chance))
            await socket.send(last)
            async with asyncio.timeout(10):
                while json.loads(await socket.raw.recv()) != {**last, "type": "pong"}:
                    pass
        except ConnectionClosed:
            return socket.raw.close_code
    return None


@pytest.mark.parametrize("seed", range(2))
async def test_every_frame_is_answered_or_ends_with_a_code(
    endpoint: Endpoint, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    chance = random.Random(seed)
    codes = {await exchange(endpoint, chance) for _ in range(80)}
    assert codes <= CODES | {None}
    assert {None, 4400, 4429} <= codes, "the frames are too much alike"
    assert [record for record in caplog.records if record.levelname in {"ERROR", "CRITICAL"}] == []
