"""Webhooks and the messages that they were sent."""

from tortoise import fields
from tortoise.indexes import Index
from tortoise.models import Model

from domain.webhooks.events import DeliveryState


class Webhook(Model):
    """An address that is told of a project's tasks.

    One that is being deleted has `user_id` None: nothing is sent to it any more, while its messages go in batches.
    """

    id = fields.CharField(max_length=40, primary_key=True)
    user_id = fields.CharField(max_length=40, null=True)
    project_id = fields.CharField(max_length=40)
    url = fields.CharField(max_length=2000)
    # As it is shown, once: `whsec_` and base 64. Signing needs it as it is, so no hash would do.
    secret = fields.CharField(max_length=100)
    # Signs as well until then, so that a receiver can change over without losing a message.
    previous_secret = fields.CharField(max_length=100, null=True)
    previous_secret_until = fields.DatetimeField(null=True)
    # Names of `WebhookEvent`.
    events: fields.Field[list[str]] = fields.JSONField()
    enabled = fields.BooleanField(default=True)
    disabled_reason = fields.CharField(max_length=200, null=True)
    # Id of the last row of `task_event` that progress was told of; None for one that is not told of progress.
    progress_after = fields.BigIntField(null=True)
    # Where the reader of progress stands, as `FeedCursor` writes it; None from before there were such.
    progress_cursor = fields.TextField(null=True)
    created_at = fields.DatetimeField()
    updated_at = fields.DatetimeField()

    class Meta:
        table = "webhook"
        indexes = [Index(fields=("project_id",)), Index(fields=("user_id",)), Index(fields=("progress_after",))]


class WebhookDelivery(Model):
    """One message to one webhook, written in the transaction of what it tells of, and kept as a log afterwards.

    Its id is the `webhook-id` on the wire, the same in every try.
    """

    id = fields.CharField(max_length=40, primary_key=True)
    webhook_id = fields.CharField(max_length=40)
    # None for a test.
    task_id = fields.CharField(max_length=40, null=True)
    # As on the wire, such as `task.completed`.
    event_type = fields.CharField(max_length=40)
    # The body, byte for byte: what is signed must be what is sent.
    payload = fields.TextField()
    state = fields.CharEnumField(DeliveryState, default=DeliveryState.PENDING, max_length=16)
    # Counted before the message is sent, and never set back: the fence of whoever is sending.
    attempts = fields.IntField(default=0)
    # Place in the schedule of tries; a manual redelivery begins it anew.
    step = fields.IntField(default=0)
    next_try_at = fields.DatetimeField(null=True)
    # While somebody is sending it.
    lease_until = fields.DatetimeField(null=True)
    last_status = fields.IntField(null=True)
    last_error = fields.CharField(max_length=500, null=True)
    last_tried_at = fields.DatetimeField(null=True)
    delivered_at = fields.DatetimeField(null=True)
    created_at = fields.DatetimeField()

    class Meta:
        table = "webhook_delivery"
        indexes = [
            Index(fields=("state", "next_try_at")),
            Index(fields=("webhook_id", "created_at", "id")),
            Index(fields=("webhook_id", "state", "created_at", "id")),
            Index(fields=("created_at",)),
        ]
