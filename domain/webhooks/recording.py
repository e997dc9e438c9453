"""Writing down what webhooks are to be told of how a task ended, in the transaction that ends it."""

from typing import Final

from domain.events import TaskEvent
from domain.models.tasks import Task
from domain.models.webhooks import Webhook, WebhookDelivery
from domain.statements import fetch
from domain.webhooks.events import EVENT_OF_STATUS
from domain.webhooks.messages import outcome_message

_WEBHOOKS: Final = "SELECT * FROM webhook WHERE project_id = ? AND enabled = ? AND user_id IS NOT NULL"


async def record_outcome(task: Task, told: TaskEvent) -> None:
    """Inside the transaction that ends a task: write the message for each webhook that wants to know.

    Where a project has no webhook this is one statement, by an index.
    """
    event = EVENT_OF_STATUS[told.status]
    rows = await fetch(_WEBHOOKS, [task.project_id, True])
    # What Tortoise does with rows that it has read by a query of its own.
    webhooks = [Webhook._init_from_db(**dict(row)) for row in rows]  # noqa: SLF001
    messages = [outcome_message(webhook, event, task, told) for webhook in webhooks if event in webhook.events]
    if messages:
        await WebhookDelivery.bulk_create(messages)
