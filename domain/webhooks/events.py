"""What webhooks tell of, when it is tried again, and where a message stands."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from domain.lifecycle import TaskStatus


class WebhookEvent(StrEnum):
    """What a webhook can be told."""

    TASK_COMPLETED = "TASK_COMPLETED"
    TASK_FAILED = "TASK_FAILED"
    TASK_CANCELLED = "TASK_CANCELLED"
    TASK_TIMEOUT = "TASK_TIMEOUT"
    TASK_PROGRESS = "TASK_PROGRESS"


class DeliveryState(StrEnum):
    """Where a message stands."""

    PENDING = "PENDING"
    DELIVERED = "DELIVERED"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"


#: What a new webhook is told unless its maker says otherwise: how each task ended.
OUTCOMES: Final = (
    WebhookEvent.TASK_COMPLETED,
    WebhookEvent.TASK_FAILED,
    WebhookEvent.TASK_CANCELLED,
    WebhookEvent.TASK_TIMEOUT,
)
EVENT_OF_STATUS: Final[Mapping[TaskStatus, WebhookEvent]] = {
    TaskStatus.COMPLETED: WebhookEvent.TASK_COMPLETED,
    TaskStatus.FAILED: WebhookEvent.TASK_FAILED,
    TaskStatus.CANCELLED: WebhookEvent.TASK_CANCELLED,
    TaskStatus.TIMEOUT: WebhookEvent.TASK_TIMEOUT,
}
#: The `type` of the message on the wire that a test sends.
PING: Final = "webhook.ping"
#: Waits before each try of a message, from the example schedule of Standard Webhooks 1.0.0.
RETRY_DELAYS_SECONDS: Final = (
    0,
    5,
    5 * 60,
    30 * 60,
    2 * 3600,
    5 * 3600,
    10 * 3600,
    14 * 3600,
    20 * 3600,
    24 * 3600,
)
#: A progress message is of use while it is fresh only, and a test is to answer soon.
_TRIES: Final[Mapping[str, int]] = {"task.progress": 2, PING: 1}


def wire_type(event: WebhookEvent) -> str:
    """Return the `type` of an event's message on the wire, such as `task.completed`."""
    return event.lower().replace("_", ".")


def tries_of(event_type: str) -> int:
    """Return how often a message of this type is tried before it is given up."""
    return _TRIES.get(event_type, len(RETRY_DELAYS_SECONDS))
