"""Reading webhooks and their messages, many at once."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from tortoise.expressions import Subquery

from domain.lookups import owned
from domain.merging import Part
from domain.models.webhooks import Webhook, WebhookDelivery
from domain.pagination import WHOLE, OrderKey, Page, PageRequest, count_each, paginate_each
from domain.webhooks.events import DeliveryState

_ORDER: Final = (OrderKey("created_at", descending=True), OrderKey("id", descending=True))


async def webhooks_of_projects(user_id: str | None, project_ids: Collection[str]) -> dict[str, list[Webhook]]:
    """Return the webhooks of each of a user's projects, oldest first."""
    grouped: defaultdict[str, list[Webhook]] = defaultdict(list)
    for row in await owned(Webhook, user_id).filter(project_id__in=list(project_ids)).order_by("created_at", "id"):
        grouped[row.project_id].append(row)
    return grouped


async def owned_deliveries(user_id: str | None, ids: Collection[str]) -> dict[str, WebhookDelivery]:
    """Return those of the messages whose webhook is the user's, by id."""
    mine = Subquery(owned(Webhook, user_id).values("id"))
    return {row.id: row for row in await WebhookDelivery.filter(id__in=list(ids), webhook_id__in=mine)}


async def pages_of_webhooks(
    webhook_ids: Sequence[str], request: PageRequest, state: DeliveryState | None
) -> dict[str, Page[WebhookDelivery]]:
    """Return the same page of the messages of each of several webhooks, newest first; they must be the asker's."""
    return await paginate_each(WebhookDelivery.all(), "webhook_id", webhook_ids, _ORDER, request, _in_state(state))


async def counts_of_webhooks(webhook_ids: Sequence[str], state: DeliveryState | None) -> dict[str, int]:
    """Return how many messages each of several webhooks has."""
    return await count_each(WebhookDelivery.all(), "webhook_id", webhook_ids, _in_state(state))


def _in_state(state: DeliveryState | None) -> Sequence[Part]:
    return WHOLE if state is None else [{"state": state}]
