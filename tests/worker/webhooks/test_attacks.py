"""What receivers and owners of webhooks could do to others, and to the server."""

import asyncio
import socket
import ssl
import threading
import tracemalloc
from typing import Any

import pytest

from domain.lifecycle import TaskStatus
from domain.models.webhooks import WebhookDelivery
from domain.webhooks.attempts import LEASE_SECONDS, Answer
from tests.conftest import MovableClock
from tests.helpers.certificate import CERTIFICATE
from tests.helpers.receiver import listening, receiving
from tests.helpers.room import Room
from tests.helpers.webhooks import end, make_webhook, only_delivery, sending, settled, webhooks_of
from tests.worker.webhooks.test_post import NOW, Names, attempt_at, poster, tls
from worker import resolver as resolving
from worker.resolver import SystemResolver
from worker.retry_after import retry_after_seconds
from worker.webhooks.post import Poster
from worker.webhooks.sender import CONCURRENT_PER_USER

__all__ = ["tls"]


async def test_many_dead_receivers_of_one_user_hold_up_nobody_else(room: Room) -> None:
    gates = [asyncio.Event() for _ in range(100)]
    async with receiving(*gates) as dead, receiving() as quick, sending(room) as sender:
        for _ in range(10):
            await make_webhook(room, dead.url)
        for number in range(5):
            await end(room, TaskStatus.COMPLETED, f"slime {number}")
        await dead.received(CONCURRENT_PER_USER)
        await make_webhook(room, quick.url, user=room.stranger)
        task = await room.submit("of another", user=room.stranger)
        await room.tasks.cancel(room.stranger.id, task.id)
        await quick.received(1, seconds=4)
        assert len(dead.requests) == CONCURRENT_PER_USER
        for gate in gates:
            gate.set()
        sender.wake()
        await dead.received(50)
    assert len({request.message_id for request in dead.requests}) == len(dead.requests) == 50


async def test_thousands_of_messages_to_a_dead_receiver_delay_nobody_else(room: Room, clock: MovableClock) -> None:
    gates = [asyncio.Event() for _ in range(20)]
    async with receiving(*gates) as dead, receiving() as quick:
        made = await make_webhook(room, dead.url)
        rows: list[dict[str, Any]] = [
            {
                "id": f"msg_{number}", "webhook_id": made.webhook.id, "event_type": "task.completed", "payload": "{}",
                "next_try_at": clock.now(), "created_at": clock.now(),
            }
            for number in range(5000)
        ]  # fmt: skip
        await WebhookDelivery.bulk_create([WebhookDelivery(**row) for row in rows], batch_size=500)
        await make_webhook(room, quick.url, user=room.stranger)
        async with sending(room):
            await dead.received(2)
            for number in range(5):
                task = await room.submit(f"of another {number}", user=room.stranger)
                await room.tasks.cancel(room.stranger.id, task.id)
                await quick.received(number + 1, seconds=4)
            assert len(dead.requests) == 2
            for gate in gates:
                gate.set()


async def test_a_clock_that_jumps_on_does_not_send_what_is_under_way_again(room: Room, clock: MovableClock) -> None:
    gate = asyncio.Event()
    async with receiving(gate) as receiver, sending(room) as sender:
        made = await make_webhook(room, receiver.url)
        await end(room, TaskStatus.COMPLETED)
        await receiver.received(1)
        clock.advance(LEASE_SECONDS + 3600)
        for number in range(3):
            sender.wake()
            await make_webhook(room, receiver.url, user=room.stranger)
            task = await room.submit(f"another {number}", user=room.stranger)
            await room.tasks.cancel(room.stranger.id, task.id)
        await receiver.received(2)
        gate.set()
        row = await settled((await only_delivery(made.webhook)).id, 1)
    assert (row.state, row.attempts) == ("DELIVERED", 1)
    assert [request.message_id for request in receiver.requests].count(row.id) == 1


async def test_a_clock_that_jumps_back_sends_what_is_due_when_it_is_right_again(
    room: Room, clock: MovableClock
) -> None:
    async with receiving(500) as receiver, sending(room) as sender:
        made = await make_webhook(room, receiver.url)
        await end(room, TaskStatus.COMPLETED)
        delivery = await only_delivery(made.webhook)
        await settled(delivery.id, 1)
        clock.advance(-3600)
        sender.wake()
        clock.advance(3600 + 60)
        sender.wake()
        assert (await settled(delivery.id, 2)).state == "DELIVERED"


async def test_a_secret_that_is_rotated_while_a_message_is_under_way_costs_no_message(room: Room) -> None:
    gate = asyncio.Event()
    async with receiving(gate) as receiver, sending(room):
        made = await make_webhook(room, receiver.url)
        await end(room, TaskStatus.COMPLETED)
        await receiver.received(1)
        rotated = await webhooks_of(room).rotate_secret(room.user.id, made.webhook.id)
        gate.set()
        await end(room, TaskStatus.COMPLETED, "another")
        first, second = await receiver.received(2)
    assert first.verified(made.secret)
    assert second.verified(made.secret)
    assert second.verified(rotated.secret)


async def test_a_receiver_that_is_silent_after_the_handshake_is_not_waited_for(tls: ssl.SSLContext) -> None:
    over = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await over.wait()  # neither reads nor writes, nor closes

    async with listening(silent, tls) as port:
        names = Names(receiver_test=[["127.0.0.1"]])
        trusted = ssl.create_default_context(cadata=CERTIFICATE)
        known = Poster(names.resolve, trusted, private=True, timeout_seconds=0.5)
        async with asyncio.timeout(5):
            answer = await known.post(attempt_at(f"https://receiver.test:{port}/"), NOW)
        over.set()
    assert answer == Answer(None, "There was no answer within 0.5 s.")


@pytest.mark.parametrize("line", [b"x-filler: " + b"y" * 1000 + b"\r\n", b"y" * 1000])
async def test_headers_without_an_end_are_a_failure_and_take_no_memory(line: bytes) -> None:
    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while True:  # until the sender hangs up
            writer.write(line * 100)
            await writer.drain()

    tracemalloc.start()
    try:
        async with listening(pour) as port:
            answer = await poster(seconds=5).post(attempt_at(f"http://127.0.0.1:{port}/"), NOW)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (answer.status, answer.error) == (None, "What the receiver answered is not HTTP, or broke off.")
    assert peak < 20_000_000


async def test_preliminary_answers_without_an_end_are_not_waited_for() -> None:
    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        while True:  # until the sender hangs up
            writer.write(b"HTTP/1.1 102 Processing\r\n\r\n")
            await writer.drain()
            await asyncio.sleep(0.001)

    async with listening(pour) as port:
        answer = await poster(seconds=0.3).post(attempt_at(f"http://127.0.0.1:{port}/"), NOW)
    assert answer == Answer(None, "There was no answer within 0.3 s.")


@pytest.mark.parametrize(
    "value",
    [
        "",
        "soon",
        "-5",
        "1e999",
        "0x10",
        "\u0663",
        "Mon, 01 Jan 99999999999999999999 00:00:00 GMT",
        "Mon, 01 Jan 2026 00:00:00 +99999999999999999999",
        "Mon, 99999999999999999999 Jan 2026 00:00:00 GMT",
        "Mon, 01 Jan 2026 99999999999999999999:00:00 GMT",
    ],
)
def test_a_wait_that_makes_no_sense_is_none(value: str) -> None:
    assert retry_after_seconds(value, NOW) is None


async def test_a_dead_name_takes_one_thread_however_many_ask_and_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, asked = threading.Event(), 0
    real = socket.getaddrinfo

    def look_up(host: str, *args: Any, **options: Any) -> Any:
        nonlocal asked
        if host != "dead.test":
            return real(host, *args, **options)
        asked += 1
        gate.wait(30)
        raise OSError(host)

    monkeypatch.setattr(resolving.socket, "getaddrinfo", look_up)
    resolver = SystemResolver()
    try:
        for _ in range(50):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.001):
                    await resolver.resolve("dead.test", 443)
        async with asyncio.timeout(5):
            assert await resolver.resolve("192.0.2.7", 443) == ["192.0.2.7"]
        assert asked == 1
        waiting = [asyncio.ensure_future(resolver.resolve("dead.test", 443)) for _ in range(3)]
        await asyncio.sleep(0)
        gate.set()
        assert {type(outcome) for outcome in await asyncio.gather(*waiting, return_exceptions=True)} == {OSError}
    finally:
        gate.set()
        resolver.close()


@pytest.mark.parametrize(
    "host",
    [
        "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
        "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[fe80::1%25lo]", "[fd00::1]", "[::ffff:169.254.169.254]",
        "127.0.0.1", "127.255.255.254", "0.0.0.0", "169.254.169.254", "0x7f.1", "127.1", "2130706433", "017700000001",  # noqa: S104 (nothing listens there)
    ],
)  # fmt: skip
async def test_no_notation_of_an_address_inside_is_connected_to(host: str) -> None:
    async with receiving() as receiver:
        answer = await poster(private=False).post(attempt_at(f"http://{host}:{receiver.port}/"), NOW)
    assert answer.status is None
    assert answer.error
    assert receiver.requests == []
