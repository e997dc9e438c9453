"""Making, changing and deleting webhooks, and sending by hand."""

import asyncio
import base64
from datetime import timedelta

import pytest

from domain.errors import Conflict, InvalidInput, NotFound
from domain.lifecycle import TaskStatus
from domain.models.webhooks import Webhook, WebhookDelivery
from domain.webhooks import attempts
from domain.webhooks.attempts import Answer, Attempt
from domain.webhooks.events import OUTCOMES, DeliveryState, WebhookEvent
from domain.webhooks.removal import purge_webhooks, shorten_log
from domain.webhooks.service import MAX_WEBHOOKS
from tests.conftest import MovableClock
from tests.helpers.room import Room
from tests.helpers.webhooks import end, make_webhook, only_delivery, webhooks_of

NOBODYS = "whk_" + "0" * 26


async def _attempt(room: Room) -> Attempt:
    [row] = await attempts.due(room.deps.clock.now(), (), 1)
    attempt = await attempts.claim(row, room.deps.clock.now())
    assert attempt is not None
    return attempt


async def test_a_new_webhook_has_a_secret_of_its_own_and_hears_of_every_end(room: Room) -> None:
    first, second = await make_webhook(room), await make_webhook(room)
    assert first.webhook.events == [event.value for event in OUTCOMES]
    assert first.secret != second.secret
    assert first.secret.startswith("whsec_")
    assert len(base64.b64decode(first.secret.removeprefix("whsec_"), validate=True)) == 32


async def test_events_are_kept_once_each_and_at_least_one(room: Room) -> None:
    twice = [WebhookEvent.TASK_PROGRESS, WebhookEvent.TASK_FAILED, WebhookEvent.TASK_FAILED]
    made = await make_webhook(room, events=twice)
    assert made.webhook.events == ["TASK_FAILED", "TASK_PROGRESS"]
    for attempt in (
        make_webhook(room, events=[]),
        webhooks_of(room).update(room.user.id, made.webhook.id, events=[]),
    ):
        with pytest.raises(InvalidInput):
            await attempt


async def test_a_project_has_ten_webhooks_at_most_however_they_come(room: Room) -> None:
    made = await asyncio.gather(*(make_webhook(room) for _ in range(MAX_WEBHOOKS + 5)), return_exceptions=True)
    assert len([failure for failure in made if isinstance(failure, Conflict)]) == 5
    assert await Webhook.all().count() == MAX_WEBHOOKS


async def test_a_private_target_is_refused_when_it_is_set(room: Room) -> None:
    webhooks = webhooks_of(room, private=False)
    room.hosts["inner.example"] = ["192.168.1.1"]
    room.hosts["hooks.example"] = ["1.1.1.1"]
    with pytest.raises(InvalidInput):
        await webhooks.create(room.user.id, room.project.id, "https://inner.example/", None)
    made = await webhooks.create(room.user.id, room.project.id, "https://hooks.example/", None)
    with pytest.raises(InvalidInput):
        await webhooks.update(room.user.id, made.webhook.id, url="http://[::1]/")
    assert (await Webhook.get()).url == "https://hooks.example/"


async def test_a_change_leaves_what_is_not_given(room: Room) -> None:
    made = await make_webhook(room, events=[WebhookEvent.TASK_FAILED])
    webhooks = webhooks_of(room)
    await webhooks.update(room.user.id, made.webhook.id, url="http://127.0.0.1:10/new")
    row = await Webhook.get()
    assert (row.url, row.events, row.enabled) == ("http://127.0.0.1:10/new", ["TASK_FAILED"], True)
    assert row.secret == made.secret
    await end(room, TaskStatus.FAILED)
    assert (await _attempt(room)).url == "http://127.0.0.1:10/new"


async def test_disabling_gives_up_what_waits_and_enabling_begins_anew(room: Room) -> None:
    made = await make_webhook(room)
    webhooks = webhooks_of(room)
    await end(room, TaskStatus.COMPLETED)
    disabled = await webhooks.update(room.user.id, made.webhook.id, enabled=False)
    assert disabled.disabled_reason == "Its owner disabled it."
    assert (await only_delivery(made.webhook)).state is DeliveryState.SKIPPED
    for attempt in (
        webhooks.ping(room.user.id, made.webhook.id),
        webhooks.redeliver(room.user.id, (await only_delivery(made.webhook)).id),
    ):
        with pytest.raises(Conflict, match="disabled"):
            await attempt
    enabled = await webhooks.update(room.user.id, made.webhook.id, enabled=True)
    assert (enabled.enabled, enabled.disabled_reason) == (True, None)
    assert await attempts.due(room.deps.clock.now(), (), 1) == []


async def test_after_a_rotation_both_secrets_sign_for_a_day(room: Room, clock: MovableClock) -> None:
    made = await make_webhook(room)
    rotated = await webhooks_of(room).rotate_secret(room.user.id, made.webhook.id)
    assert rotated.webhook.previous_secret_until == clock.now() + timedelta(hours=24)
    await end(room, TaskStatus.COMPLETED)
    attempt = await _attempt(room)
    assert attempt.secrets == (rotated.secret, made.secret)
    clock.advance(24 * 3600)
    assert (await _attempt(room)).secrets == (rotated.secret,)


async def test_what_was_not_delivered_is_redelivered_under_its_id_by_a_new_schedule(
    room: Room, clock: MovableClock
) -> None:
    made = await make_webhook(room)
    await end(room, TaskStatus.COMPLETED)
    await WebhookDelivery.all().update(step=9, attempts=9)
    first = await _attempt(room)
    webhooks = webhooks_of(room)
    with pytest.raises(Conflict, match="just now"):
        await webhooks.redeliver(room.user.id, first.delivery_id)
    await attempts.record(first, Answer(500, "no"), clock.now(), 0)
    assert (await only_delivery(made.webhook)).state is DeliveryState.FAILED
    again = await webhooks.redeliver(room.user.id, first.delivery_id)
    assert (again.id, again.state, again.step, again.attempts) == (first.delivery_id, "PENDING", 0, 10)
    second = await _attempt(room)
    assert (second.number, second.step) == (11, 1)
    await attempts.record(second, Answer(500, "no"), clock.now(), 0)
    assert (await webhooks.redeliver(room.user.id, first.delivery_id)).next_try_at == clock.now(), "without waiting"


async def test_what_was_delivered_is_never_sent_again(room: Room, clock: MovableClock) -> None:
    made = await make_webhook(room)
    await end(room, TaskStatus.COMPLETED)
    await attempts.record(await _attempt(room), Answer(204, None), clock.now(), 0)
    with pytest.raises(Conflict, match="delivered"):
        await webhooks_of(room).redeliver(room.user.id, (await only_delivery(made.webhook)).id)
    assert await attempts.due(clock.now(), (), 1) == []


async def test_a_test_message_is_sent_once(room: Room, clock: MovableClock) -> None:
    made = await make_webhook(room)
    row = await webhooks_of(room).ping(room.user.id, made.webhook.id)
    assert (row.event_type, row.task_id) == ("webhook.ping", None)
    assert await attempts.record(await _attempt(room), Answer(500, "no"), clock.now(), 0) is DeliveryState.FAILED


async def test_somebody_elses_is_not_found(room: Room) -> None:
    made = await make_webhook(room)
    await end(room, TaskStatus.COMPLETED)
    delivery = await only_delivery(made.webhook)
    webhooks, stranger = webhooks_of(room), room.stranger.id
    for webhook_id in (made.webhook.id, NOBODYS, "\x00", ""):
        for attempt in (
            webhooks.update(stranger, webhook_id, enabled=False),
            webhooks.rotate_secret(stranger, webhook_id),
            webhooks.delete(stranger, webhook_id),
            webhooks.ping(stranger, webhook_id),
        ):
            with pytest.raises(NotFound, match="There is no such webhook"):
                await attempt
    for delivery_id in (delivery.id, "msg_" + "0" * 26, "\x00"):
        with pytest.raises(NotFound, match="There is no such delivery"):
            await webhooks.redeliver(stranger, delivery_id)
    for project_id in (room.project.id, "prj_" + "0" * 26, "\x00"):
        with pytest.raises(NotFound, match="There is no such project"):
            await webhooks.create(stranger, project_id, "http://127.0.0.1/", None)
    assert (await Webhook.get()).enabled


async def test_a_deleted_webhook_is_gone_at_once_and_its_rows_soon(room: Room) -> None:
    made, kept = await make_webhook(room), await make_webhook(room)
    await end(room, TaskStatus.COMPLETED)
    webhooks = webhooks_of(room)
    await webhooks.delete(room.user.id, made.webhook.id)
    for attempt in (
        webhooks.delete(room.user.id, made.webhook.id),
        webhooks.redeliver(room.user.id, (await only_delivery(made.webhook)).id),
    ):
        with pytest.raises(NotFound):
            await attempt
    rows = await attempts.due(room.deps.clock.now(), (), 10)
    taken = [await attempts.claim(row, room.deps.clock.now()) for row in rows]
    assert [attempt.webhook_id for attempt in taken if attempt is not None] == [kept.webhook.id]
    assert await purge_webhooks(limit=1) == 1, "the messages first"
    assert await purge_webhooks() == 1
    assert [row.id for row in await Webhook.all()] == [kept.webhook.id]
    assert await WebhookDelivery.all().count() == 1


async def test_the_log_is_shortened_from_its_far_end_and_what_waits_stays(room: Room, clock: MovableClock) -> None:
    await make_webhook(room)
    for prompt in ("first", "second"):
        await end(room, TaskStatus.COMPLETED, prompt)
    [row, _] = await attempts.due(clock.now(), (), 2)
    attempt = await attempts.claim(row, clock.now())
    assert attempt is not None
    await attempts.record(attempt, Answer(200, None), clock.now(), 0)
    assert await shorten_log(clock.now()) == 0
    assert await shorten_log(clock.now() + timedelta(seconds=1)) == 1
    assert [left.state for left in await WebhookDelivery.all()] == ["PENDING"]
