"""Writing down what webhooks are to be told of how a task ended, in the transaction that ends it."""

from domain.events import TaskEvent
from domain.models.tasks import Task
from domain.models.webhooks import Webhook, WebhookDelivery
from domain.webhooks.events import EVENT_OF_STATUS
from domain.webhooks.messages import outcome_message


async def record_outcome(task: Task, told: TaskEvent) -> None:
    """Inside the transaction that ends a task: write the message for each webhook that wants to know.

    Where a project has no webhook this is one statement, by an index.
    """
    event = EVENT_OF_STATUS[told.status]
    webhooks = await Webhook.filter(project_id=task.project_id, enabled=True, user_id__isnull=False)
    messages = [outcome_message(webhook, event, task, told) for webhook in webhooks if event in webhook.events]
    if messages:
        await WebhookDelivery.bulk_create(messages)
