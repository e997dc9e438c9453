"""What a sender does to a message: take it, send it elsewhere, and write down the answer.

A message is taken by compare-and-set, for as long as a lease: of several senders one has it, and one that died with it
is followed by another once the lease has run out. Whether the receiver had got it by then nobody knows, so it is sent
again, under the same id: at least once. What was answered with success is never sent again.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from domain import db
from domain.models.webhooks import Webhook, WebhookDelivery
from domain.webhooks.events import RETRY_DELAYS_SECONDS, DeliveryState, tries_of

#: Several times longer than a try takes.
LEASE_SECONDS: Final = 60
MAX_RETRY_AFTER_SECONDS: Final = 24 * 3600
_JITTER: Final = 0.1
_GONE: Final = 410
#: As the column holds.
_MAX_ERROR: Final = 500


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a message, for whoever has taken it."""

    delivery_id: str
    webhook_id: str
    url: str
    #: The secrets to sign with, the present one first.
    secrets: tuple[str, ...] = field(repr=False)
    event_type: str
    payload: str
    #: 1 for the first; the fence.
    number: int
    #: Place in the schedule, 1 for the first.
    step: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a try."""

    #: None when there was no answer in HTTP.
    status: int | None
    #: For the webhook's owner; None on success.
    error: str | None
    retry_after_seconds: float | None = None


async def due(
    now: datetime, without: Collection[str], limit: int, *, sending: Collection[str] = ()
) -> list[WebhookDelivery]:
    """Return messages that are to be sent now, longest due first, except those of some webhooks.

    `sending` names messages that the asker is sending: after a jump of the clock they may look as if they were due.
    """
    rows = WebhookDelivery.filter(state=DeliveryState.PENDING, next_try_at__lte=now)
    if without:
        rows = rows.filter(webhook_id__not_in=list(without))
    if sending:
        rows = rows.filter(id__not_in=list(sending))
    return await rows.order_by("next_try_at").limit(limit)


async def owners_of(webhook_ids: Collection[str]) -> dict[str, str]:
    """Return whose each of the webhooks is; those that are nobody's are left out."""
    rows = Webhook.filter(id__in=list(webhook_ids), user_id__isnull=False)
    return {str(key): str(user_id) for key, user_id in await rows.values_list("id", "user_id")}


async def webhooks_of(user_ids: Collection[str]) -> list[str]:
    """Return the webhooks of some users."""
    return [str(key) for key in await Webhook.filter(user_id__in=list(user_ids)).values_list("id", flat=True)]


async def next_due_at(now: datetime) -> datetime | None:
    """Return when the next message falls due that is not due yet; None when none is waiting."""
    rows = WebhookDelivery.filter(state=DeliveryState.PENDING, next_try_at__gt=now)
    row = await rows.order_by("next_try_at").first()
    return row.next_try_at if row is not None else None


async def claim(row: WebhookDelivery, now: datetime) -> Attempt | None:
    """Take a due message; None when it is somebody else's, or has nobody to go to any more, which is then noted."""
    mine = WebhookDelivery.filter(id=row.id, state=DeliveryState.PENDING, attempts=row.attempts, next_try_at__lte=now)
    webhook = await Webhook.filter(id=row.webhook_id, enabled=True, user_id__isnull=False).first()
    if webhook is None:
        await mine.update(state=DeliveryState.SKIPPED, next_try_at=None, lease_until=None)
        return None
    if row.step >= tries_of(row.event_type):
        # Whoever made the last try never said what came of it.
        await mine.update(
            state=DeliveryState.FAILED,
            next_try_at=None,
            lease_until=None,
            last_error="The server stopped while sending.",
        )
        return None
    until = now + timedelta(seconds=LEASE_SECONDS)
    if not await mine.update(
        attempts=row.attempts + 1, step=row.step + 1, next_try_at=until, lease_until=until, last_tried_at=now
    ):
        return None
    return Attempt(
        delivery_id=row.id,
        webhook_id=webhook.id,
        url=webhook.url,
        secrets=_secrets(webhook, now),
        event_type=row.event_type,
        payload=row.payload,
        number=row.attempts + 1,
        step=row.step + 1,
    )


def _secrets(webhook: Webhook, now: datetime) -> tuple[str, ...]:
    previous, until = webhook.previous_secret, webhook.previous_secret_until
    if previous is not None and until is not None and now < until:
        return webhook.secret, previous
    return (webhook.secret,)


async def record(attempt: Attempt, answer: Answer, now: datetime, chance: float) -> DeliveryState:
    """Write down what came of a try: delivered, to be tried again, or given up; returns where the message stands.

    `chance`, 0 to 1, spreads the next try. A message that has been taken by somebody else meanwhile stays theirs,
    except that a success is a success whoever had it.
    """
    told: dict[str, object] = {
        "last_status": answer.status,
        "last_error": answer.error[:_MAX_ERROR] if answer.error is not None else None,
        "lease_until": None,
    }
    rows = WebhookDelivery.filter(id=attempt.delivery_id)
    if answer.error is None:
        state = DeliveryState.DELIVERED
        await rows.exclude(state=state).update(**told, state=state, delivered_at=now, next_try_at=None)
        return state
    mine = rows.filter(state=DeliveryState.PENDING, attempts=attempt.number)
    if answer.status == _GONE:
        async with db.transaction():
            await mine.update(**told, state=DeliveryState.FAILED, next_try_at=None)
            await _disable_gone(attempt, now)
        return DeliveryState.FAILED
    if attempt.step >= tries_of(attempt.event_type):
        await mine.update(**told, state=DeliveryState.FAILED, next_try_at=None)
        return DeliveryState.FAILED
    await mine.update(**told, next_try_at=now + timedelta(seconds=delay_seconds(attempt.step, answer, chance)))
    return DeliveryState.PENDING


def delay_seconds(step: int, answer: Answer, chance: float) -> float:
    """Return the wait after the try at this place of the schedule: as scheduled, or longer where the receiver asks."""
    scheduled = RETRY_DELAYS_SECONDS[step] * (1 - _JITTER + 2 * _JITTER * chance)
    asked = min(answer.retry_after_seconds or 0, MAX_RETRY_AFTER_SECONDS)
    return max(scheduled, asked)


async def _disable_gone(attempt: Attempt, now: datetime) -> None:
    # Only at the address that said so: a change of address may have come in between.
    disabled = await Webhook.filter(id=attempt.webhook_id, url=attempt.url, enabled=True).update(
        enabled=False, disabled_reason="The receiver answered 410 Gone.", updated_at=now
    )
    if disabled:
        await skip_waiting(attempt.webhook_id)


async def skip_waiting(webhook_id: str) -> None:
    """Give up what waits for a webhook that is disabled; what is being sent just now ends by itself."""
    waiting = WebhookDelivery.filter(webhook_id=webhook_id, state=DeliveryState.PENDING, lease_until__isnull=True)
    await waiting.update(state=DeliveryState.SKIPPED, next_try_at=None)
