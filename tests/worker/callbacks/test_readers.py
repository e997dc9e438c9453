"""Messages of services that sign them: genuine ones, and everything that somebody may try to pass off as one."""

import base64
import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from standardwebhooks import Webhook

from tests.conftest import MovableClock
from worker.callbacks.fal import FalReader, keys_of
from worker.callbacks.reader import Callback, Message, StatusReader
from worker.callbacks.standard import StandardReader
from worker.providers.base import ProviderError

SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
OTHER = "whsec_" + base64.b64encode(b"another secret of 24 byte").decode()
BODY = b'{"id":"rrr4z","status":"succeeded","output":["https://x.example/1.png"]}'


class Secrets:
    """What the service says its secret is, and how often it was asked."""

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def __call__(self) -> str:
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer is None:
            raise ProviderError("PROVIDER_UNAVAILABLE", "Down.", retryable=True)
        return answer


def standard(at: datetime, body: bytes = BODY, secret: str = SECRET, **headers: str) -> Message:
    """A message as the specification's own library signs it."""
    signature = Webhook(secret).sign("msg_1", at, body.decode())
    found = {"webhook-id": "msg_1", "webhook-timestamp": str(int(at.timestamp())), "webhook-signature": signature}
    return Message({**found, **{name.replace("_", "-"): value for name, value in headers.items()}}, body)


async def test_a_message_signed_by_the_specifications_library_is_read(clock: MovableClock) -> None:
    secrets = Secrets(SECRET)
    reader = StandardReader(secrets)
    assert await reader.read(standard(clock.now()), clock.now()) == Callback(ended=True, external_id="rrr4z")
    going = standard(clock.now(), b'{"id":"rrr4z","status":"processing"}')
    assert await reader.read(going, clock.now()) == Callback(ended=False, external_id="rrr4z")
    assert secrets.asked == 1


async def test_the_specifications_vector_is_read() -> None:
    at = datetime.fromtimestamp(1767323045, UTC)
    signature = "v1,kQb15pKkDvyW73SACtqCtBneNcZip7hNvXRfgd00Dv4="
    headers = {"webhook-id": "msg_1", "webhook-timestamp": "1767323045", "webhook-signature": signature}
    message = Message(headers, b'{"type":"video.completed","data":{"id":"v1"}}')
    assert await StandardReader(Secrets(SECRET)).read(message, at) == Callback(ended=True)


@pytest.mark.parametrize(
    "headers",
    [
        {"webhook_id": ""},
        {"webhook_id": "msg_2"},
        {"webhook_timestamp": ""},
        {"webhook_timestamp": "now"},
        {"webhook_timestamp": "-1"},
        {"webhook_timestamp": "9" * 400},
        {"webhook_timestamp": "²"},
        {"webhook_signature": ""},
        {"webhook_signature": "v1,"},
        {"webhook_signature": "v1"},
        {"webhook_signature": "v1,%%%"},
        {"webhook_signature": "v1a,AAAA v2,AAAA"},
        {"webhook_signature": "v1," + base64.b64encode(b"x" * 32).decode()},
        {"webhook_signature": " ".join(["v1,AAAA"] * 500)},
    ],
)
async def test_a_message_that_is_not_signed_right_is_none(clock: MovableClock, headers: dict[str, str]) -> None:
    assert await StandardReader(Secrets(SECRET)).read(standard(clock.now(), **headers), clock.now()) is None


async def test_a_changed_body_and_a_foreign_secret_are_noticed(clock: MovableClock) -> None:
    reader = StandardReader(Secrets(SECRET))
    signed = standard(clock.now())
    assert await reader.read(Message(signed.headers, BODY + b" "), clock.now()) is None
    assert await reader.read(standard(clock.now(), secret=OTHER), clock.now()) is None
    assert await reader.read(signed, clock.now()) is not None


@pytest.mark.parametrize(("seconds", "taken"), [(-301, False), (-299, True), (299, True), (301, False)])
async def test_a_message_of_another_time_is_none(clock: MovableClock, seconds: float, *, taken: bool) -> None:
    sent = standard(clock.now() + timedelta(seconds=seconds))
    assert (await StandardReader(Secrets(SECRET)).read(sent, clock.now()) is not None) is taken


async def test_one_of_several_signatures_is_enough_and_a_rotated_secret_is_learnt(clock: MovableClock) -> None:
    secrets = Secrets(OTHER, SECRET)
    reader = StandardReader(secrets)
    both = (
        Webhook(OTHER).sign("msg_1", clock.now(), BODY.decode())
        + " "
        + Webhook(SECRET).sign("msg_1", clock.now(), BODY.decode())
    )
    assert await reader.read(standard(clock.now(), webhook_signature=both), clock.now()) is not None
    assert await reader.read(standard(clock.now()), clock.now()) is None  # asked a moment ago
    clock.advance(301)
    assert await reader.read(standard(clock.now()), clock.now()) is not None
    assert secrets.asked == 2


async def test_forgeries_do_not_make_it_ask_for_the_secret_again_and_again(clock: MovableClock) -> None:
    secrets = Secrets(SECRET)
    reader = StandardReader(secrets)
    for _ in range(100):
        assert await reader.read(standard(clock.now(), secret=OTHER), clock.now()) is None
    assert secrets.asked == 1


@pytest.mark.parametrize("answer", [None, "", "whsec_", "whsec_%%%"])
async def test_without_a_secret_nothing_is_believed(clock: MovableClock, answer: str | None) -> None:
    assert await StandardReader(Secrets(answer)).read(standard(clock.now()), clock.now()) is None


# -- fal


class Ring:
    """The keys that the service publishes."""

    def __init__(self) -> None:
        self.keys = [Ed25519PrivateKey.generate()]
        self.asked = 0
        self.down = False

    async def __call__(self) -> dict[str, Any]:
        self.asked += 1
        if self.down:
            raise ProviderError("PROVIDER_UNAVAILABLE", "Down.", retryable=True)
        others: list[Any] = [{"kty": "RSA", "n": "x"}, "odd", {"kty": "OKP", "crv": "Ed25519", "x": "short"}]
        return {"keys": others + [jwk(key) for key in self.keys]}


def jwk(key: Ed25519PrivateKey) -> dict[str, str]:
    raw = base64.urlsafe_b64encode(key.public_key().public_bytes_raw()).decode().rstrip("=")
    return {"kty": "OKP", "crv": "Ed25519", "x": raw}


def fal(
    key: Ed25519PrivateKey, at: datetime, body: bytes = b'{"request_id":"9f1","status":"OK"}', **changed: str
) -> Message:
    seconds = str(int(at.timestamp()))
    said = "\n".join(("9f1", "user-1", seconds, hashlib.sha256(body).hexdigest()))
    headers = {
        "x-fal-webhook-request-id": "9f1",
        "x-fal-webhook-user-id": "user-1",
        "x-fal-webhook-timestamp": seconds,
        "x-fal-webhook-signature": key.sign(said.encode()).hex(),
    }
    return Message(
        {**headers, **{f"x-fal-webhook-{name.replace('_', '-')}": value for name, value in changed.items()}}, body
    )


async def test_a_message_of_fal_is_read_and_its_keys_are_kept_for_a_day(clock: MovableClock) -> None:
    ring = Ring()
    reader = FalReader(ring)
    for hours in (0, 12, 11.9):
        clock.advance(hours * 3600)
        taken = await reader.read(fal(ring.keys[0], clock.now()), clock.now())
        assert taken == Callback(ended=True, external_id="9f1")
    assert ring.asked == 1
    clock.advance(3600)
    assert await reader.read(fal(ring.keys[0], clock.now()), clock.now()) is not None
    assert ring.asked == 2


@pytest.mark.parametrize(
    "changed",
    [
        {"request_id": ""},
        {"request_id": "9f2"},
        {"user_id": "user-2"},
        {"timestamp": "0"},
        {"timestamp": ""},
        {"signature": ""},
        {"signature": "zz"},
        {"signature": "00" * 64},
        {"signature": "00" * 63},
        {"signature": "00" * 5000},
    ],
)
async def test_a_message_of_fal_that_is_not_signed_right_is_none(clock: MovableClock, changed: dict[str, str]) -> None:
    ring = Ring()
    assert await FalReader(ring).read(fal(ring.keys[0], clock.now(), **changed), clock.now()) is None


async def test_a_changed_body_a_foreign_key_and_another_time_are_noticed(clock: MovableClock) -> None:
    ring = Ring()
    reader = FalReader(ring)
    signed = fal(ring.keys[0], clock.now())
    assert await reader.read(Message(signed.headers, signed.body + b" "), clock.now()) is None
    assert await reader.read(fal(Ed25519PrivateKey.generate(), clock.now()), clock.now()) is None
    assert await reader.read(signed, clock.now() + timedelta(seconds=301)) is None
    assert await reader.read(signed, clock.now()) is not None


async def test_a_new_key_of_fal_is_learnt_and_forgeries_do_not_make_it_ask_again_and_again(clock: MovableClock) -> None:
    ring = Ring()
    reader = FalReader(ring)
    assert await reader.read(fal(ring.keys[0], clock.now()), clock.now()) is not None
    ring.keys.insert(0, Ed25519PrivateKey.generate())
    clock.advance(301)
    assert await reader.read(fal(ring.keys[0], clock.now()), clock.now()) is not None
    for _ in range(50):
        assert await reader.read(fal(Ed25519PrivateKey.generate(), clock.now()), clock.now()) is None
    assert ring.asked == 2


async def test_keys_of_fal_that_cannot_be_fetched_are_good_for_a_day_and_no_longer(clock: MovableClock) -> None:
    ring = Ring()
    reader = FalReader(ring)
    await reader.read(fal(ring.keys[0], clock.now()), clock.now())
    ring.down = True
    clock.advance(23 * 3600)
    assert await reader.read(fal(ring.keys[0], clock.now()), clock.now()) is not None
    clock.advance(2 * 3600)
    assert await reader.read(fal(ring.keys[0], clock.now()), clock.now()) is None


def test_a_list_of_keys_is_taken_as_far_as_it_is_one() -> None:
    assert keys_of({}) == ()
    assert keys_of({"keys": "x"}) == ()
    assert len(keys_of({"keys": [jwk(Ed25519PrivateKey.generate()) for _ in range(50)]})) == 16


# -- services that sign nothing


@pytest.mark.parametrize(
    ("body", "ended"),
    [
        ({"id": "cgt-1", "status": "running"}, False),
        ({"id": "cgt-1", "status": "succeeded"}, True),
        ({"data": {"status": "Queued"}}, False),
        ({}, True),
        ([], True),
    ],
)
async def test_a_message_that_nobody_signs_tells_at_most_that_it_is_time_to_ask(
    clock: MovableClock, body: Any, *, ended: bool
) -> None:
    reader = StatusReader("status", frozenset({"queued", "running"}))
    assert await reader.read(Message({}, json.dumps(body).encode()), clock.now()) == Callback(ended=ended)
    assert await reader.read(Message({}, b"[" * 100_000), clock.now()) == Callback(ended=True)
