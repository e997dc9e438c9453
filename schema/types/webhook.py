"""Webhooks and the messages that they were sent."""

from datetime import datetime
from typing import Annotated

import strawberry

from domain.models import webhooks
from schema.context import Info
from schema.declare import argument, described, given, output, resolved
from schema.enums import DeliveryState, WebhookEvent
from schema.loaders import DeliveryPage, existing
from schema.node import Node
from schema.pagination import After, Before, Connection, First, Last, page_request
from schema.types.project import Project
from schema.types.task import Task


@output
class Webhook(Node):
    """An address that is told of a project's tasks, with signed messages by the Standard Webhooks specification."""

    url: str = described("Where messages are posted to.")
    events: list[WebhookEvent] = described("What it is told.")
    enabled: bool = described("Whether anything is sent to it.")
    disabled_reason: str | None = described("Why it is disabled, for people.")
    previous_secret_until: datetime | None = described(
        "Until when the secret before the present one signs as well; null when the secret was never changed."
    )
    created_at: datetime = described("When it was made.")
    updated_at: datetime = described("When it last changed.")
    project_id: strawberry.Private[str]

    @resolved
    async def project(self, info: Info) -> Project:
        """The project whose tasks it is told of."""
        return existing(await info.context.loaders.project.load(self.project_id))

    @resolved
    async def deliveries(
        self,
        info: Info,
        first: First = strawberry.UNSET,
        after: After = strawberry.UNSET,
        last: Last = strawberry.UNSET,
        before: Before = strawberry.UNSET,
        state: Annotated[DeliveryState | None, argument("Only those that stand like this.")] = strawberry.UNSET,
    ) -> Connection[Annotated["WebhookDelivery", strawberry.lazy("schema.types.webhook")]]:
        """Its messages, newest first; they are kept for a time that the operator sets."""
        wanted = DeliveryPage(self.id, page_request(first, after, last, before), given(state))
        return await info.context.loaders.deliveries_of_webhook.load(wanted)

    @classmethod
    def from_row(cls, row: webhooks.Webhook) -> "Webhook":
        """Return a webhook as the API shows it: without its secret."""
        return cls(
            id=strawberry.ID(row.id),
            url=row.url,
            events=[WebhookEvent(event) for event in row.events],
            enabled=row.enabled,
            disabled_reason=row.disabled_reason,
            previous_secret_until=row.previous_secret_until,
            created_at=row.created_at,
            updated_at=row.updated_at,
            project_id=row.project_id,
        )


@output
class WebhookDelivery(Node):
    """One message to one webhook. Its id is the `webhook-id` that the receiver gets, the same in every try."""

    event_type: str = described("The `type` of the message, such as task.completed or webhook.ping.")
    payload: str = described("The body, exactly as it is sent.")
    state: DeliveryState = described("Where it stands.")
    attempts: int = described("How often it was sent.")
    next_try_at: datetime | None = described("When it is sent next; null when it is not.")
    last_status: int | None = described("The receiver's last answer, as an HTTP status; null when there was none.")
    last_error: str | None = described("Why the last try failed, for people.")
    last_tried_at: datetime | None = described("When it was last sent.")
    delivered_at: datetime | None = described("When the receiver answered with success.")
    created_at: datetime = described("When what it tells of happened.")
    webhook_id: strawberry.Private[str]
    task_id: strawberry.Private[str | None]

    @resolved
    async def webhook(self, info: Info) -> Webhook:
        """Where it goes."""
        return existing(await info.context.loaders.webhook.load(self.webhook_id))

    @resolved
    async def task(self, info: Info) -> Task | None:
        """The task that it tells of; null for a test, and when the task is gone."""
        return None if self.task_id is None else await info.context.loaders.task.load(self.task_id)

    @classmethod
    def from_row(cls, row: webhooks.WebhookDelivery) -> "WebhookDelivery":
        """Return a message as the API shows it."""
        return cls(
            id=strawberry.ID(row.id),
            event_type=row.event_type,
            payload=row.payload,
            state=row.state,
            attempts=row.attempts,
            next_try_at=row.next_try_at,
            last_status=row.last_status,
            last_error=row.last_error,
            last_tried_at=row.last_tried_at,
            delivered_at=row.delivered_at,
            created_at=row.created_at,
            webhook_id=row.webhook_id,
            task_id=row.task_id,
        )
