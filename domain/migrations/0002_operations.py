from tortoise import migrations
from tortoise.migrations import operations as ops
import functools
from domain.kinds import AssetType, TaskKind
from domain.lifecycle import TaskStatus
from json import dumps, loads
from tortoise import fields
from tortoise.indexes import Index


class Migration(migrations.Migration):
    dependencies = [("wonder", "0001_initial")]

    initial = False

    operations = [
        ops.CreateModel(
            name="ArchivedTask",
            fields=[
                ("id", fields.CharField(primary_key=True, unique=True, db_index=True, max_length=40)),
                ("user_id", fields.CharField(max_length=40)),
                ("project_id", fields.CharField(max_length=40)),
                (
                    "kind",
                    fields.CharEnumField(
                        description="TEXT_TO_IMAGE: TEXT_TO_IMAGE\nIMAGE_TO_IMAGE: IMAGE_TO_IMAGE\nTEXT_TO_VIDEO: TEXT_TO_VIDEO\nIMAGE_TO_VIDEO: IMAGE_TO_VIDEO",
                        enum_type=TaskKind,
                        max_length=16,
                    ),
                ),
                (
                    "asset_type",
                    fields.CharEnumField(
                        description="SPRITE: SPRITE\nSPRITESHEET: SPRITESHEET\nTILESET: TILESET\nICON: ICON\nBACKGROUND: BACKGROUND\nPORTRAIT: PORTRAIT\nUI: UI\nVIDEO: VIDEO",
                        enum_type=AssetType,
                        max_length=16,
                    ),
                ),
                ("prompt", fields.TextField(unique=False)),
                (
                    "status",
                    fields.CharEnumField(
                        description="PENDING: PENDING\nRUNNING: RUNNING\nCOMPLETED: COMPLETED\nFAILED: FAILED\nCANCELLED: CANCELLED\nTIMEOUT: TIMEOUT",
                        enum_type=TaskStatus,
                        max_length=16,
                    ),
                ),
                ("attempt", fields.IntField()),
                ("degraded", fields.BooleanField()),
                ("provider", fields.CharField(null=True, max_length=64)),
                ("error_code", fields.CharField(null=True, max_length=64)),
                ("assets", fields.IntField()),
                ("size_bytes", fields.BigIntField()),
                ("created_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
                ("started_at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("finished_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
                ("archived_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
            ],
            options={
                "table": "archived_task",
                "app": "wonder",
                "indexes": [
                    Index(fields=["archived_at", "id"]),
                    Index(fields=["user_id", "archived_at", "id"]),
                    Index(fields=["project_id"]),
                ],
                "pk_attr": "id",
                "table_description": "What is kept of a task that was cleaned up.",
            },
            bases=["Model"],
        ),
        ops.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", fields.CharField(primary_key=True, unique=True, db_index=True, max_length=40)),
                ("user_id", fields.CharField(max_length=40)),
                ("action", fields.CharField(max_length=64)),
                ("target", fields.CharField(null=True, max_length=64)),
                ("details", fields.JSONField(encoder=functools.partial(dumps, separators=(",", ":")), decoder=loads)),
                ("at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
            ],
            options={
                "table": "audit_entry",
                "app": "wonder",
                "indexes": [Index(fields=["at", "id"])],
                "pk_attr": "id",
                "table_description": "One thing that an administrator did.",
            },
            bases=["Model"],
        ),
        ops.CreateModel(
            name="CleanupRun",
            fields=[
                ("id", fields.CharField(primary_key=True, unique=True, db_index=True, max_length=40)),
                ("started_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
                ("finished_at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("older_than_days", fields.IntField()),
                ("dry_run", fields.BooleanField()),
                ("user_id", fields.CharField(null=True, max_length=40)),
                ("tasks", fields.IntField(default=0)),
                ("assets", fields.IntField(default=0)),
                ("size_bytes", fields.BigIntField(default=0)),
                ("error", fields.TextField(null=True, unique=False)),
            ],
            options={
                "table": "cleanup_run",
                "app": "wonder",
                "indexes": [Index(fields=["started_at", "id"])],
                "pk_attr": "id",
                "table_description": "One clean-up: what it archived and deleted.",
            },
            bases=["Model"],
        ),
        ops.CreateModel(
            name="QueueState",
            fields=[
                ("name", fields.CharField(primary_key=True, unique=True, db_index=True, max_length=16)),
                ("paused", fields.BooleanField(default=False)),
                ("changed_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
            ],
            options={
                "table": "queue_state",
                "app": "wonder",
                "pk_attr": "name",
                "table_description": "One row: what an operator has told the queue.",
            },
            bases=["Model"],
        ),
        ops.CreateModel(
            name="ScheduleRow",
            fields=[
                ("name", fields.CharField(primary_key=True, unique=True, db_index=True, max_length=64)),
                ("started_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
                ("finished_at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("next_at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("done", fields.IntField(null=True)),
                ("error", fields.TextField(null=True, unique=False)),
            ],
            options={
                "table": "schedule",
                "app": "wonder",
                "pk_attr": "name",
                "table_description": "The last run of a periodic duty, over all processes.",
            },
            bases=["Model"],
        ),
    ]
