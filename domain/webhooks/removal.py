"""Removing what is nobody's any more, and the far end of the log, in small batches."""

from datetime import datetime
from typing import Final

from domain.models.webhooks import Webhook, WebhookDelivery
from domain.webhooks.events import DeliveryState

_BATCH: Final = 500
_ENDED: Final = (DeliveryState.DELIVERED, DeliveryState.FAILED, DeliveryState.SKIPPED)


async def purge_webhooks(limit: int = 20) -> int:
    """Remove deleted webhooks with their messages, in at most `limit` batches; returns how many rows went."""
    gone = 0
    for _ in range(limit):
        webhook = await Webhook.filter(user_id__isnull=True).first()
        if webhook is None:
            break
        ids = await WebhookDelivery.filter(webhook_id=webhook.id).limit(_BATCH).values_list("id", flat=True)
        # The webhook goes last, so that a purge which is cut off is taken up again.
        gone += await (WebhookDelivery.filter(id__in=list(ids)) if ids else Webhook.filter(id=webhook.id)).delete()
    return gone


async def shorten_log(before: datetime, limit: int = 20) -> int:
    """Remove messages written before an instant that have come to an end; returns how many."""
    gone = 0
    for _ in range(limit):
        old = WebhookDelivery.filter(created_at__lt=before, state__in=list(_ENDED))
        ids = await old.limit(_BATCH).values_list("id", flat=True)
        if not ids:
            break
        gone += await WebhookDelivery.filter(id__in=list(ids)).delete()
    return gone
