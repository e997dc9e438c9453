"""Sending: by the schedule, to everybody, once after a success."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain import db
from domain.accounts import Accounts
from domain.api_keys import ApiKeys
from domain.lifecycle import TaskStage, TaskStatus
from domain.models.webhooks import Webhook, WebhookDelivery
from domain.outbox import Outbox
from domain.passwords import PasswordHasher
from domain.settings import Settings
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from domain.tasks import work
from domain.tokens import TokenIssuer
from domain.webhooks import attempts
from domain.webhooks.attempts import LEASE_SECONDS
from domain.webhooks.events import WebhookEvent
from tests.conftest import MovableClock
from tests.helpers.receiver import receiving
from tests.helpers.room import Room
from tests.helpers.webhooks import begin, end, make_webhook, only_delivery, sender_of, sending, settled, webhooks_of
from worker.duties.expiry import expiry_duty
from worker.duties.purge import purge_duty
from worker.webhooks.sender import CONCURRENT, CONCURRENT_PER_WEBHOOK


@pytest.fixture
def accounts(settings: Settings, clock: MovableClock) -> Iterator[Accounts]:
    hasher = PasswordHasher(settings.bcrypt_cost)
    tokens = TokenIssuer(b"k" * 32, clock, access_seconds=900, refresh_seconds=86_400)
    yield Accounts(settings, clock, tokens, hasher)
    hasher.close()


@pytest.mark.parametrize("status", [TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.TIMEOUT])
async def test_each_end_is_one_signed_post_right_after_it(room: Room, status: TaskStatus) -> None:
    async with receiving() as receiver, sending(room):
        made = await make_webhook(room, receiver.url)
        task = await end(room, status)
        [request] = await receiver.received(1, seconds=4)
        body = request.verified(made.secret)
        assert body["type"] == f"task.{status.lower()}"
        assert (body["data"]["taskId"], body["data"]["status"]) == (task.id, status)
        assert body["data"]["deliveryId"] == request.message_id
        row = await settled(request.message_id, 1)
    assert (row.state, row.last_status) == ("DELIVERED", 200)
    assert len(receiver.requests) == 1


async def test_after_two_failures_and_a_success_the_same_message_came_three_times(
    room: Room, clock: MovableClock
) -> None:
    async with receiving(500, 500) as receiver, sending(room) as sender:
        made = await make_webhook(room, receiver.url)
        await end(room, TaskStatus.COMPLETED)
        for number in (1, 2, 3):
            await receiver.received(number)
            row = await settled(receiver.requests[0].message_id, number)
            clock.advance(400)
            sender.wake()
        assert (row.state, row.attempts) == ("DELIVERED", 3)
        clock.advance(10**7)
        assert await attempts.due(clock.now(), (), 10) == [], "there is nothing left to send, ever"
    assert [request.message_id for request in receiver.requests] == [row.id] * 3
    assert len({request.body for request in receiver.requests}) == 1
    assert len({request.headers["webhook-timestamp"] for request in receiver.requests}) == 3
    for request in receiver.requests:
        request.verified(made.secret)


async def test_gone_disables_the_webhook(room: Room) -> None:
    async with receiving(410) as receiver, sending(room):
        made = await make_webhook(room, receiver.url)
        await end(room, TaskStatus.COMPLETED)
        await receiver.received(1)
        await settled((await only_delivery(made.webhook)).id, 1)
        assert not (await Webhook.get(id=made.webhook.id)).enabled
        await end(room, TaskStatus.COMPLETED, "a red slime")
    assert len(receiver.requests) == 1


async def test_a_slow_receiver_holds_up_nobody_else(room: Room) -> None:
    gates = [asyncio.Event() for _ in range(30)]
    async with receiving(*gates) as slow, receiving() as quick:
        await make_webhook(room, slow.url)
        for number in range(CONCURRENT + 5):
            await end(room, TaskStatus.COMPLETED, f"slime {number}")
        async with sending(room) as sender:
            await slow.received(CONCURRENT_PER_WEBHOOK)
            await make_webhook(room, quick.url)
            await end(room, TaskStatus.COMPLETED, "a quick slime")
            await quick.received(1, seconds=4)
            assert len(slow.requests) == CONCURRENT_PER_WEBHOOK
            for gate in gates:
                gate.set()
            sender.wake()
            await slow.received(CONCURRENT + 6)
    assert len({request.message_id for request in slow.requests}) == len(slow.requests)


async def test_several_senders_send_each_message_once(room: Room) -> None:
    async with receiving() as receiver:
        await make_webhook(room, receiver.url)
        await make_webhook(room, receiver.url)
        for number in range(10):
            await end(room, TaskStatus.COMPLETED, f"slime {number}")
        senders = [sender_of(room) for _ in range(3)]
        running = [asyncio.create_task(sender.run()) for sender in senders]
        await receiver.received(20)
        await _until_delivered(20)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    assert len({request.message_id for request in receiver.requests}) == len(receiver.requests) == 20


async def _logged(caplog: pytest.LogCaptureFixture, text: str) -> None:
    async with asyncio.timeout(10):
        while text not in caplog.text:
            await asyncio.sleep(0.01)


async def _until_delivered(count: int) -> None:
    async with asyncio.timeout(20):
        while await WebhookDelivery.filter(state="DELIVERED").count() < count:
            await asyncio.sleep(0.01)


async def test_what_a_sender_had_when_it_was_killed_is_sent_again_after_its_lease(
    room: Room, clock: MovableClock
) -> None:
    async with receiving() as receiver:
        made = await make_webhook(room, receiver.url)
        await end(room, TaskStatus.COMPLETED)
        [row] = await attempts.due(clock.now(), (), 1)
        lost = await attempts.claim(row, clock.now())
        assert lost is not None
        killed = sender_of(room)
        answer = await killed._poster.post(lost, clock.now())  # and nothing is written down
        assert (answer.status, len(receiver.requests)) == (200, 1)
        async with sending(room) as sender:
            clock.advance(LEASE_SECONDS + 1)
            sender.wake()
            await receiver.received(2)
            await settled(lost.delivery_id, 2)
    first, second = receiver.requests
    assert (first.message_id, first.body) == (second.message_id, second.body)
    assert second.verified(made.secret)


async def test_a_sender_that_stops_lets_what_is_under_way_end(room: Room) -> None:
    gate = asyncio.Event()
    async with receiving(gate) as receiver:
        made = await make_webhook(room, receiver.url)
        await end(room, TaskStatus.COMPLETED)
        sender = sender_of(room)
        running = asyncio.create_task(sender.run())
        await receiver.received(1)
        running.cancel()
        gate.set()
        await asyncio.gather(running, return_exceptions=True)
        row = await only_delivery(made.webhook)
    assert (row.state, row.attempts) == ("DELIVERED", 1)
    assert sender._running == set()


async def test_a_database_that_is_out_of_reach_is_waited_for(
    room: Room, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with receiving() as receiver:
        await make_webhook(room, receiver.url)
        await end(room, TaskStatus.COMPLETED)
        await db.connection().execute_script("ALTER TABLE webhook_delivery RENAME TO elsewhere")
        sender = sender_of(room)
        running = asyncio.create_task(sender.run())
        await _logged(caplog, "looking for webhook messages failed")
        await db.connection().execute_script("ALTER TABLE elsewhere RENAME TO webhook_delivery")
        sender.wake()
        await receiver.received(1)
        await _until_delivered(1)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_a_success_is_written_down_also_when_the_database_stumbles(
    room: Room, caplog: pytest.LogCaptureFixture
) -> None:
    gate = asyncio.Event()
    async with receiving(gate) as receiver, sending(room):
        await make_webhook(room, receiver.url)
        await end(room, TaskStatus.COMPLETED)
        await receiver.received(1)
        await db.connection().execute_script("ALTER TABLE webhook_delivery RENAME TO elsewhere")
        gate.set()
        await _logged(caplog, "noting the answer failed")
        await db.connection().execute_script("ALTER TABLE elsewhere RENAME TO webhook_delivery")
        await _until_delivered(1)
    assert len(receiver.requests) == 1


async def test_a_private_target_in_a_row_is_never_connected_to(room: Room) -> None:
    async with receiving() as receiver:
        made = await make_webhook(room, receiver.url)
        await end(room, TaskStatus.COMPLETED)
        sender = sender_of(room, private=False)
        running = asyncio.create_task(sender.run())
        row = await settled((await only_delivery(made.webhook)).id, 1)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert receiver.requests == []
    assert (row.state, row.last_status) == ("PENDING", None)
    assert "private network" in str(row.last_error)


async def test_a_redelivery_and_a_test_are_sent_at_once(room: Room) -> None:
    async with receiving(410) as receiver, sending(room):
        made = await make_webhook(room, receiver.url)
        webhooks = webhooks_of(room)
        await end(room, TaskStatus.COMPLETED)
        delivery = await only_delivery(made.webhook)
        await settled(delivery.id, 1)
        await webhooks.update(room.user.id, made.webhook.id, enabled=True)
        await webhooks.redeliver(room.user.id, delivery.id)
        ping = await webhooks.ping(room.user.id, made.webhook.id)
        await receiver.received(3)
        assert (await settled(delivery.id, 2)).state == (await settled(ping.id, 1)).state == "DELIVERED"
    types = {request.message_id: request.verified(made.secret)["type"] for request in receiver.requests}
    assert types == {delivery.id: "task.completed", ping.id: "webhook.ping"}


async def test_progress_is_told_while_the_task_goes_on(room: Room) -> None:
    async with receiving() as receiver:
        made = await make_webhook(room, receiver.url, events=[WebhookEvent.TASK_PROGRESS])
        claim = await begin(room)
        await work.step(room.deps, claim, TaskStage.ASSET_GENERATOR, 0.5, "half 半")
        async with sending(room):
            [request] = await receiver.received(1)
            await settled(request.message_id, 1)
    body = request.verified(made.secret)
    assert (body["type"], body["data"]["progress"], body["data"]["message"]) == ("task.progress", 40.0, "half 半")


async def test_the_duties_remove_what_was_deleted_and_what_is_old(
    room: Room, clock: MovableClock, tmp_path: Path, accounts: Accounts
) -> None:
    storage = LocalStorage(tmp_path, UrlSigner(b"k" * 32, clock, 3600))
    purge = purge_duty(room.deps, Outbox(storage, clock))
    expiry = expiry_duty(room.deps, accounts, ApiKeys(room.deps.clock, lambda _id: None))
    made = await make_webhook(room)
    await end(room, TaskStatus.COMPLETED)
    assert (await purge.run(), await expiry.run()) == (0, 0)
    await WebhookDelivery.all().update(state="DELIVERED")
    clock.advance(room.deps.settings.webhook_log_days * 86_400 + 1)
    assert await expiry.run() == 1
    await webhooks_of(room).delete(room.user.id, made.webhook.id)
    assert await purge.run() == 1
