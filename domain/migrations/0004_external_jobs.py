from tortoise import migrations
from tortoise.migrations import operations as ops
import functools
from domain.lifecycle import JobState
from json import dumps, loads
from tortoise import fields
from tortoise.indexes import Index


class Migration(migrations.Migration):
    dependencies = [("wonder", "0003_webhooks")]

    initial = False

    operations = [
        ops.CreateModel(
            name="ExternalJob",
            fields=[
                ("id", fields.CharField(primary_key=True, unique=True, db_index=True, max_length=40)),
                ("task_id", fields.CharField(max_length=40)),
                ("attempt", fields.IntField()),
                ("round", fields.IntField()),
                ("variation", fields.IntField()),
                ("provider", fields.CharField(max_length=64)),
                ("external_id", fields.CharField(null=True, max_length=200)),
                (
                    "state",
                    fields.CharEnumField(
                        default=JobState.SUBMITTING,
                        description="SUBMITTING: SUBMITTING\nWAITING: WAITING\nDONE: DONE\nFETCHED: FETCHED\nFAILED: FAILED",
                        enum_type=JobState,
                        max_length=16,
                    ),
                ),
                ("seed", fields.BigIntField()),
                ("prompt", fields.JSONField(encoder=functools.partial(dumps, separators=(",", ":")), decoder=loads)),
                (
                    "result",
                    fields.JSONField(null=True, encoder=functools.partial(dumps, separators=(",", ":")), decoder=loads),
                ),
                ("error_code", fields.CharField(null=True, max_length=64)),
                ("error_message", fields.TextField(null=True, unique=False)),
                ("error_retryable", fields.BooleanField(null=True)),
                ("created_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
                ("submitted_at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("finished_at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("cancel_at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("cancel_tries", fields.IntField(default=0)),
            ],
            options={
                "table": "external_job",
                "app": "wonder",
                "unique_together": (("task_id", "attempt", "round", "variation"),),
                "indexes": [Index(fields=["cancel_at"])],
                "pk_attr": "id",
                "table_description": "One job at a provider: one picture, or sheet, of one round of one attempt. Its id is the name we give it there.",
            },
            bases=["Model"],
        ),
        ops.AddField(
            model_name="Task",
            name="check_count",
            field=fields.IntField(default=0, db_default=0),
        ),
        ops.AddField(
            model_name="Task",
            name="external",
            field=fields.BooleanField(default=False, db_default=False),
        ),
        ops.AddField(
            model_name="Task",
            name="external_until",
            field=fields.DatetimeField(null=True, auto_now=False, auto_now_add=False),
        ),
        ops.AddField(
            model_name="Task",
            name="last_check_at",
            field=fields.DatetimeField(null=True, auto_now=False, auto_now_add=False),
        ),
        ops.AddField(
            model_name="Task",
            name="max_checks",
            field=fields.IntField(null=True),
        ),
        ops.AddField(
            model_name="Task",
            name="next_check_at",
            field=fields.DatetimeField(null=True, auto_now=False, auto_now_add=False),
        ),
        ops.AddIndex(
            model_name="Task",
            index=Index(fields=["next_check_at"]),
        ),
    ]
