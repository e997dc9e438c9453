from tortoise import migrations
from tortoise.migrations import operations as ops
import functools
from domain.webhooks.events import DeliveryState
from json import dumps, loads
from tortoise import fields
from tortoise.indexes import Index


class Migration(migrations.Migration):
    dependencies = [("wonder", "0002_operations")]

    initial = False

    operations = [
        ops.CreateModel(
            name="Webhook",
            fields=[
                ("id", fields.CharField(primary_key=True, unique=True, db_index=True, max_length=40)),
                ("user_id", fields.CharField(null=True, max_length=40)),
                ("project_id", fields.CharField(max_length=40)),
                ("url", fields.CharField(max_length=2000)),
                ("secret", fields.CharField(max_length=100)),
                ("previous_secret", fields.CharField(null=True, max_length=100)),
                ("previous_secret_until", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("events", fields.JSONField(encoder=functools.partial(dumps, separators=(",", ":")), decoder=loads)),
                ("enabled", fields.BooleanField(default=True)),
                ("disabled_reason", fields.CharField(null=True, max_length=200)),
                ("progress_after", fields.BigIntField(null=True)),
                ("created_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
                ("updated_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
            ],
            options={
                "table": "webhook",
                "app": "wonder",
                "indexes": [Index(fields=["project_id"]), Index(fields=["user_id"]), Index(fields=["progress_after"])],
                "pk_attr": "id",
                "table_description": "An address that is told of a project's tasks.",
            },
            bases=["Model"],
        ),
        ops.CreateModel(
            name="WebhookDelivery",
            fields=[
                ("id", fields.CharField(primary_key=True, unique=True, db_index=True, max_length=40)),
                ("webhook_id", fields.CharField(max_length=40)),
                ("task_id", fields.CharField(null=True, max_length=40)),
                ("event_type", fields.CharField(max_length=40)),
                ("payload", fields.TextField(unique=False)),
                (
                    "state",
                    fields.CharEnumField(
                        default=DeliveryState.PENDING,
                        description="PENDING: PENDING\nDELIVERED: DELIVERED\nFAILED: FAILED\nSKIPPED: SKIPPED",
                        enum_type=DeliveryState,
                        max_length=16,
                    ),
                ),
                ("attempts", fields.IntField(default=0)),
                ("step", fields.IntField(default=0)),
                ("next_try_at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("lease_until", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("last_status", fields.IntField(null=True)),
                ("last_error", fields.CharField(null=True, max_length=500)),
                ("last_tried_at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("delivered_at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("created_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
            ],
            options={
                "table": "webhook_delivery",
                "app": "wonder",
                "indexes": [
                    Index(fields=["state", "next_try_at"]),
                    Index(fields=["webhook_id", "created_at", "id"]),
                    Index(fields=["created_at"]),
                ],
                "pk_attr": "id",
                "table_description": "One message to one webhook, written in the transaction of what it tells of, and kept as a log afterwards.",
            },
            bases=["Model"],
        ),
    ]
