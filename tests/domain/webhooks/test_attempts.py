"""Trying, trying again, and giving up."""

import asyncio
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.lifecycle import TaskStatus
from domain.models.webhooks import Webhook, WebhookDelivery
from domain.webhooks import attempts
from domain.webhooks.attempts import LEASE_SECONDS, MAX_RETRY_AFTER_SECONDS, Answer, Attempt, delay_seconds
from domain.webhooks.events import RETRY_DELAYS_SECONDS, DeliveryState
from domain.webhooks.service import WebhookWithSecret
from tests.conftest import MovableClock
from tests.helpers.room import Room
from tests.helpers.sql import recorded_sql
from tests.helpers.webhooks import end, make_webhook, only_delivery, webhooks_of

FAILED = Answer(500, "The receiver answered 500.")
DONE = Answer(200, None)


async def _due(room: Room) -> list[WebhookDelivery]:
    return await attempts.due(room.deps.clock.now(), (), 100)


async def _claimed(room: Room) -> Attempt:
    [row] = await _due(room)
    attempt = await attempts.claim(row, room.deps.clock.now())
    assert attempt is not None
    return attempt


async def _record(room: Room, attempt: Attempt, answer: Answer, chance: float = 0.5) -> DeliveryState:
    return await attempts.record(attempt, answer, room.deps.clock.now(), chance)


@pytest.fixture
async def made(room: Room) -> WebhookWithSecret:
    """A webhook with a message that waits."""
    hook = await make_webhook(room)
    await end(room, TaskStatus.COMPLETED)
    return hook


def test_the_schedule_is_that_of_the_specification() -> None:
    hours = [round(seconds / 3600, 4) for seconds in RETRY_DELAYS_SECONDS]
    assert hours == [0, 0.0014, 0.0833, 0.5, 2, 5, 10, 14, 20, 24]


async def test_a_message_is_tried_by_the_schedule_and_then_given_up(
    room: Room, clock: MovableClock, made: WebhookWithSecret
) -> None:
    waits, ids = [], set()
    for number in range(1, len(RETRY_DELAYS_SECONDS) + 1):
        attempt = await _claimed(room)
        ids.add(attempt.delivery_id)
        assert (attempt.number, attempt.payload) == (number, (await only_delivery(made.webhook)).payload)
        await _record(room, attempt, FAILED)
        row = await only_delivery(made.webhook)
        if row.next_try_at is not None:
            assert await _due(room) == []
            waits.append((row.next_try_at - clock.now()).total_seconds())
            clock.advance(waits[-1])
    assert waits == list(RETRY_DELAYS_SECONDS[1:])
    assert len(ids) == 1
    assert (row.state, row.attempts, row.last_status) == ("FAILED", 10, 500)
    assert (row.last_error, row.lease_until) == ("The receiver answered 500.", None)
    clock.advance(10**7)
    assert await _due(room) == []


async def test_a_success_is_the_end(room: Room, clock: MovableClock, made: WebhookWithSecret) -> None:
    await _record(room, await _claimed(room), FAILED)
    clock.advance(6)
    assert await _record(room, await _claimed(room), DONE) is DeliveryState.DELIVERED
    row = await only_delivery(made.webhook)
    assert (str(row.state), row.attempts, row.last_status, row.last_error) == ("DELIVERED", 2, 200, None)
    assert (row.delivered_at, row.next_try_at) == (clock.now(), None)
    clock.advance(10**7)
    assert await _due(room) == []


@given(st.integers(1, 9), st.floats(0, 1), st.none() | st.floats(0, 1e9))
def test_waits_are_spread_by_a_tenth_and_never_shorter_than_asked(
    step: int, chance: float, asked: float | None
) -> None:
    wait = delay_seconds(step, Answer(503, "x", asked), chance)
    least = min(asked or 0, MAX_RETRY_AFTER_SECONDS)
    assert wait >= least
    assert wait == least or 0.89 <= wait / RETRY_DELAYS_SECONDS[step] <= 1.11


async def test_of_many_senders_one_takes_a_message(room: Room, made: WebhookWithSecret) -> None:
    [row] = await _due(room)
    taken = await asyncio.gather(*(attempts.claim(row, room.deps.clock.now()) for _ in range(10)))
    assert len([attempt for attempt in taken if attempt is not None]) == 1
    assert (await only_delivery(made.webhook)).attempts == 1


async def test_what_a_dead_sender_had_is_sent_again_under_the_same_id(
    room: Room, clock: MovableClock, made: WebhookWithSecret
) -> None:
    lost = await _claimed(room)
    clock.advance(LEASE_SECONDS - 1)
    assert await _due(room) == []
    clock.advance(2)
    again = await _claimed(room)
    assert (again.delivery_id, again.number) == (lost.delivery_id, 2)
    assert again.payload == lost.payload


async def test_a_late_failure_changes_nothing_and_a_late_success_ends_it(
    room: Room, clock: MovableClock, made: WebhookWithSecret
) -> None:
    frozen = await _claimed(room)
    clock.advance(LEASE_SECONDS + 1)
    present = await _claimed(room)
    before = await only_delivery(made.webhook)
    await _record(room, frozen, FAILED)
    await _record(room, frozen, Answer(410, "gone"))
    after = await only_delivery(made.webhook)
    assert (after.next_try_at, after.lease_until, after.last_error) == (before.next_try_at, before.lease_until, None)
    await _record(room, frozen, DONE)
    await _record(room, present, FAILED)
    row = await only_delivery(made.webhook)
    assert (row.state, row.last_status) == ("DELIVERED", 200)


async def test_a_last_try_that_was_cut_off_is_given_up(
    room: Room, clock: MovableClock, made: WebhookWithSecret
) -> None:
    await WebhookDelivery.all().update(step=9, attempts=9)
    await _claimed(room)
    clock.advance(LEASE_SECONDS + 1)
    [row] = await _due(room)
    assert await attempts.claim(row, clock.now()) is None
    assert (await only_delivery(made.webhook)).state is DeliveryState.FAILED


async def test_gone_disables_the_webhook_and_gives_up_what_waits(room: Room, made: WebhookWithSecret) -> None:
    first = await _claimed(room)
    await end(room, TaskStatus.COMPLETED, "a red slime")
    await _record(room, first, Answer(410, "The receiver answered 410 Gone."))
    states = {row.id: row.state for row in await WebhookDelivery.all()}
    assert states.pop(first.delivery_id) is DeliveryState.FAILED
    assert list(states.values()) == [DeliveryState.SKIPPED]
    webhook = await Webhook.get(id=made.webhook.id)
    assert (webhook.enabled, webhook.disabled_reason) == (False, "The receiver answered 410 Gone.")
    await end(room, TaskStatus.COMPLETED, "a blue slime")
    assert await WebhookDelivery.all().count() == 2


async def test_gone_at_an_address_that_has_changed_disables_nothing(room: Room, made: WebhookWithSecret) -> None:
    attempt = await _claimed(room)
    await webhooks_of(room).update(room.user.id, made.webhook.id, url="http://127.0.0.1:10/")
    await _record(room, attempt, Answer(410, "The receiver answered 410 Gone."))
    assert (await Webhook.get(id=made.webhook.id)).enabled


async def test_a_message_to_nobody_is_skipped(room: Room, made: WebhookWithSecret) -> None:
    [row] = await _due(room)
    await Webhook.filter(id=made.webhook.id).update(enabled=False)  # after the message was written
    assert await attempts.claim(row, room.deps.clock.now()) is None
    assert (await only_delivery(made.webhook)).state is DeliveryState.SKIPPED


async def test_finding_taking_and_noting_take_four_statements(room: Room, made: WebhookWithSecret) -> None:
    with recorded_sql() as statements:
        await _record(room, await _claimed(room), DONE)
    assert len(statements) == 4
    assert await attempts.next_due_at(room.deps.clock.now()) is None


async def test_the_next_due_time_is_told(room: Room, clock: MovableClock, made: WebhookWithSecret) -> None:
    await _record(room, await _claimed(room), FAILED)
    assert await attempts.next_due_at(clock.now()) == clock.now() + timedelta(seconds=5)


async def test_messages_of_webhooks_that_are_busy_are_looked_past(room: Room, made: WebhookWithSecret) -> None:
    other = await make_webhook(room)
    await end(room, TaskStatus.COMPLETED, "a red slime")
    now = room.deps.clock.now()
    assert len(await attempts.due(now, (), 100)) == 3
    [row] = await attempts.due(now, [made.webhook.id], 100)
    assert row.webhook_id == other.webhook.id


def test_an_attempt_does_not_show_its_secrets() -> None:
    attempt = Attempt("msg", "whk", "http://x/", ("whsec_abc",), "task.completed", "{}", 1, 1)
    assert "whsec_abc" not in repr(attempt)
