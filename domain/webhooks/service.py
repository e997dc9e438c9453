"""What the API may do with webhooks."""

import base64
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain import db
from domain.clock import Clock
from domain.errors import Conflict, InvalidInput, NotFound
from domain.ids import IdPrefix, is_id, new_id
from domain.models.projects import Project
from domain.models.webhooks import Webhook, WebhookDelivery
from domain.settings import Settings
from domain.targets import Resolve
from domain.webhooks.attempts import skip_waiting
from domain.webhooks.events import OUTCOMES, DeliveryState, WebhookEvent
from domain.webhooks.messages import ping_message
from domain.webhooks.progress import follow_from_now, unfollow
from domain.webhooks.targets import checked_url

MAX_WEBHOOKS: Final = 10
#: How long the secret before the present one signs as well.
ROTATION_HOURS: Final = 24
_SECRET_BYTES: Final = 32
_CHANGEABLE: Final = ("url", "events", "enabled", "disabled_reason", "progress_after", "progress_cursor", "updated_at")


@dataclass(frozen=True, slots=True)
class WebhookWithSecret:
    """A webhook at the only moment in which its secret is shown."""

    webhook: Webhook
    secret: str


class Webhooks:
    """The rules of webhooks. Somebody else's is `NotFound`, in the words of one that never was."""

    def __init__(self, settings: Settings, clock: Clock, resolve: Resolve, wake_sender: Callable[[], None]) -> None:
        self._settings = settings
        self._clock = clock
        self._resolve = resolve
        self._wake_sender = wake_sender

    async def create(
        self, user_id: str, project_id: str, url: str, events: Sequence[WebhookEvent] | None
    ) -> WebhookWithSecret:
        """Make a webhook of a project; without `events` it is told how tasks end.

        Raises `NotFound`, `InvalidInput`, and `Conflict` when the project has as many as it may.
        """
        wanted = _checked_events(OUTCOMES if events is None else events)
        await _project(user_id, project_id)
        url = await self._checked_url(url)
        async with db.transaction():
            await _project(user_id, project_id, lock=True)
            if await Webhook.filter(project_id=project_id, user_id=user_id).count() >= MAX_WEBHOOKS:
                raise Conflict(
                    f"The project has {MAX_WEBHOOKS} webhooks, as many as it may. Delete one first.",
                    path=("input", "projectId"),
                )
            now, secret = self._clock.now(), _new_secret()
            webhook = Webhook(
                id=new_id(IdPrefix.WEBHOOK),
                user_id=user_id,
                project_id=project_id,
                url=url,
                secret=secret,
                events=wanted,
                created_at=now,
                updated_at=now,
            )
            await _listen(webhook, wanted)
            await webhook.save(force_create=True)
        return WebhookWithSecret(webhook, secret)

    async def update(
        self,
        user_id: str,
        webhook_id: str,
        *,
        url: str | None = None,
        events: Sequence[WebhookEvent] | None = None,
        enabled: bool | None = None,
    ) -> Webhook:
        """Change what is given and leave the rest; what waits to be sent goes to the new address.

        Raises `NotFound` and `InvalidInput`.
        """
        path = ("input", "id")
        await _webhook(user_id, webhook_id, path)
        wanted = None if events is None else _checked_events(events)
        if url is not None:
            url = await self._checked_url(url)
        async with db.transaction():
            webhook = await _webhook(user_id, webhook_id, path, lock=True)
            if url is not None:
                webhook.url = url
            if wanted is not None:
                await _listen(webhook, wanted)
            if enabled is not None and enabled != webhook.enabled:
                await _switch(webhook, enabled=enabled)
            webhook.updated_at = self._clock.now()
            await webhook.save(update_fields=_CHANGEABLE)
        return webhook

    async def rotate_secret(self, user_id: str, webhook_id: str) -> WebhookWithSecret:
        """Give a webhook a new secret; the present one signs as well for `ROTATION_HOURS`. Raises `NotFound`."""
        async with db.transaction():
            webhook = await _webhook(user_id, webhook_id, ("id",), lock=True)
            now = self._clock.now()
            webhook.previous_secret = webhook.secret
            webhook.previous_secret_until = now + timedelta(hours=ROTATION_HOURS)
            webhook.secret = secret = _new_secret()
            webhook.updated_at = now
            await webhook.save(update_fields=["secret", "previous_secret", "previous_secret_until", "updated_at"])
        return WebhookWithSecret(webhook, secret)

    async def delete(self, user_id: str, webhook_id: str) -> None:
        """Make a webhook nobody's: nothing is sent to it any more, and its rows go soon. Raises `NotFound`."""
        mine = Webhook.filter(id=webhook_id, user_id=user_id)
        if not is_id(webhook_id, IdPrefix.WEBHOOK) or not await mine.update(user_id=None):
            raise _no_webhook(("id",))

    async def ping(self, user_id: str, webhook_id: str) -> WebhookDelivery:
        """Send a test message, once; raises `NotFound`, or `Conflict` for a disabled webhook."""
        webhook = await _webhook(user_id, webhook_id, ("id",))
        _require_enabled(webhook, ("id",))
        message = ping_message(webhook, self._clock.now())
        await message.save(force_create=True)
        self._wake_sender()
        return message

    async def redeliver(self, user_id: str, delivery_id: str) -> WebhookDelivery:
        """Send a message that was not delivered again, now and then by a new schedule, under the same id.

        Raises `NotFound`, and `Conflict` for one that was delivered, is being sent just now, or has a disabled webhook.
        """
        path = ("deliveryId",)
        async with db.transaction():
            delivery = await _locked_delivery(delivery_id)
            if delivery is None:
                raise _no_delivery(path)
            webhook = await Webhook.filter(id=delivery.webhook_id, user_id=user_id).first()
            if webhook is None:
                raise _no_delivery(path)
            now = self._clock.now()
            _require_redeliverable(delivery, now, path)
            _require_enabled(webhook, path)
            delivery.state, delivery.step, delivery.next_try_at = DeliveryState.PENDING, 0, now
            delivery.lease_until = None
            await delivery.save(update_fields=["state", "step", "next_try_at", "lease_until"])
        self._wake_sender()
        return delivery

    async def _checked_url(self, url: str) -> str:
        return await checked_url(url, self._resolve, private=self._settings.webhook_private_targets)


async def _project(user_id: str, project_id: str, *, lock: bool = False) -> None:
    """Check that the project is the user's, and with `lock` keep it so until the transaction ends."""
    query = Project.filter(id=project_id, user_id=user_id)
    found = None
    if is_id(project_id, IdPrefix.PROJECT):
        found = await (query.select_for_update() if lock and db.is_postgres() else query).first()
    if found is None:
        raise NotFound("There is no such project.", path=("input", "projectId"))


async def _webhook(user_id: str, webhook_id: str, path: Sequence[str], *, lock: bool = False) -> Webhook:
    if is_id(webhook_id, IdPrefix.WEBHOOK):
        query = Webhook.filter(id=webhook_id, user_id=user_id)
        webhook = await (query.select_for_update() if lock and db.is_postgres() else query).first()
        if webhook is not None:
            return webhook
    raise _no_webhook(path)


async def _locked_delivery(delivery_id: str) -> WebhookDelivery | None:
    if not is_id(delivery_id, IdPrefix.DELIVERY):
        return None
    query = WebhookDelivery.filter(id=delivery_id)
    return await (query.select_for_update() if db.is_postgres() else query).first()


async def _listen(webhook: Webhook, wanted: list[str]) -> None:
    if WebhookEvent.TASK_PROGRESS not in wanted:
        unfollow(webhook)
    elif webhook.progress_after is None:
        await follow_from_now(webhook)
    webhook.events = wanted


async def _switch(webhook: Webhook, *, enabled: bool) -> None:
    webhook.enabled = enabled
    webhook.disabled_reason = None if enabled else "Its owner disabled it."
    if not enabled:
        await skip_waiting(webhook.id)
    elif webhook.progress_after is not None:
        # What happened meanwhile is no progress any more.
        await follow_from_now(webhook)


def _checked_events(events: Sequence[WebhookEvent]) -> list[str]:
    if not events:
        raise InvalidInput("Name at least one event, or disable the webhook.", path=("input", "events"))
    return [event.value for event in WebhookEvent if event in events]


def _require_enabled(webhook: Webhook, path: Sequence[str]) -> None:
    if not webhook.enabled:
        raise Conflict("The webhook is disabled. Enable it first, with `updateWebhook`.", path=path)


def _require_redeliverable(delivery: WebhookDelivery, now: datetime, path: Sequence[str]) -> None:
    if delivery.state is DeliveryState.DELIVERED:
        raise Conflict("The message was delivered; it is never sent again.", path=path)
    if delivery.state is DeliveryState.PENDING and delivery.lease_until is not None and delivery.lease_until > now:
        raise Conflict("The message is being sent just now.", path=path)


def _new_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def _no_webhook(path: Sequence[str]) -> NotFound:
    return NotFound("There is no such webhook.", path=path)


def _no_delivery(path: Sequence[str]) -> NotFound:
    return NotFound("There is no such delivery.", path=path)
