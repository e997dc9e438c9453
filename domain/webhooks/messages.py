"""What a message says: the JSON bodies that receivers get, by the payload structure of Standard Webhooks."""

import json
from datetime import UTC, datetime
from typing import Final

from domain.events import TaskEvent
from domain.ids import IdPrefix, new_id
from domain.models.tasks import Task
from domain.models.webhooks import Webhook, WebhookDelivery
from domain.webhooks.events import PING, WebhookEvent, wire_type

#: Keeps bodies well below the 20 kB that receivers may expect.
_MAX_TEXT: Final = 1000


def outcome_message(webhook: Webhook, event: WebhookEvent, task: Task, told: TaskEvent) -> WebhookDelivery:
    """Return the message of how a task ended, not yet stored."""
    error = None
    if task.error_code is not None:
        text = (task.error_message or "")[:_MAX_TEXT]
        error = {"code": task.error_code, "message": text, "retryable": bool(task.error_retryable)}
    data = {
        **_step(told),
        "assetType": task.asset_type,
        "kind": task.kind,
        "degraded": task.degraded,
        "error": error,
        "createdAt": _instant(task.created_at),
        "finishedAt": _instant(told.at),
    }
    return _message(webhook, wire_type(event), told.at, data, told.task_id)


def progress_message(webhook: Webhook, told: TaskEvent, now: datetime) -> WebhookDelivery:
    """Return the message of a step of a task, not yet stored."""
    data = {**_step(told), "stage": told.stage, "progress": told.progress}
    return _message(webhook, wire_type(WebhookEvent.TASK_PROGRESS), now, data, told.task_id, happened_at=told.at)


def ping_message(webhook: Webhook, now: datetime) -> WebhookDelivery:
    """Return the message that tests a webhook, not yet stored."""
    return _message(webhook, PING, now, {"webhookId": webhook.id, "projectId": webhook.project_id}, None)


def _step(told: TaskEvent) -> dict[str, object]:
    return {
        "taskId": told.task_id,
        "projectId": told.project_id,
        "status": told.status,
        "attempt": told.attempt,
        "sequence": told.sequence,
        "message": told.message[:_MAX_TEXT],
    }


def _message(
    webhook: Webhook,
    event_type: str,
    now: datetime,
    data: dict[str, object],
    task_id: str | None,
    happened_at: datetime | None = None,
) -> WebhookDelivery:
    delivery_id = new_id(IdPrefix.DELIVERY)
    body = {
        "type": event_type,
        "timestamp": _instant(happened_at or now),
        "data": {"deliveryId": delivery_id, **data},
    }
    return WebhookDelivery(
        id=delivery_id,
        webhook_id=webhook.id,
        task_id=task_id,
        event_type=event_type,
        payload=json.dumps(body, ensure_ascii=False, separators=(",", ":")),
        next_try_at=now,
        created_at=now,
    )


def _instant(value: datetime) -> str:
    return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
