from tortoise import migrations
from tortoise.migrations import operations as ops
from domain.kinds import TaskKind
from domain.lifecycle import TaskStatus
from tortoise import fields
from tortoise.indexes import Index


class Migration(migrations.Migration):
    dependencies = [("wonder", "0006_event_transactions")]

    initial = False

    operations = [
        ops.CreateModel(
            name="TaskCount",
            fields=[
                ("id", fields.BigIntField(generated=True, primary_key=True, unique=True, db_index=True)),
                ("user_id", fields.CharField(max_length=40)),
                (
                    "status",
                    fields.CharEnumField(
                        description="PENDING: PENDING\nRUNNING: RUNNING\nCOMPLETED: COMPLETED\nFAILED: FAILED\nCANCELLED: CANCELLED\nTIMEOUT: TIMEOUT",
                        enum_type=TaskStatus,
                        max_length=16,
                    ),
                ),
                ("number", fields.BigIntField()),
            ],
            options={
                "table": "task_count",
                "app": "wonder",
                "unique_together": (("user_id", "status"),),
                "pk_attr": "id",
                "table_description": "How many tasks of a user ended so, without what `task_ending` still holds. The user '' is everybody.",
            },
            bases=["Model"],
        ),
        ops.CreateModel(
            name="TaskEnding",
            fields=[
                ("id", fields.BigIntField(generated=True, primary_key=True, unique=True, db_index=True)),
                ("user_id", fields.CharField(max_length=40)),
                (
                    "status",
                    fields.CharEnumField(
                        description="PENDING: PENDING\nRUNNING: RUNNING\nCOMPLETED: COMPLETED\nFAILED: FAILED\nCANCELLED: CANCELLED\nTIMEOUT: TIMEOUT",
                        enum_type=TaskStatus,
                        max_length=16,
                    ),
                ),
                ("change", fields.IntField()),
                (
                    "kind",
                    fields.CharEnumField(
                        null=True,
                        description="TEXT_TO_IMAGE: TEXT_TO_IMAGE\nIMAGE_TO_IMAGE: IMAGE_TO_IMAGE\nTEXT_TO_VIDEO: TEXT_TO_VIDEO\nIMAGE_TO_VIDEO: IMAGE_TO_VIDEO",
                        enum_type=TaskKind,
                        max_length=16,
                    ),
                ),
                ("provider", fields.CharField(null=True, max_length=64)),
                ("at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("run_seconds", fields.FloatField(null=True)),
                ("wait_seconds", fields.FloatField(null=True)),
            ],
            options={
                "table": "task_ending",
                "app": "wonder",
                "indexes": [Index(fields=["user_id"])],
                "pk_attr": "id",
                "table_description": "One task that ended, or (`change` -1) an ending that no longer counts. Written with it, folded soon after.",
            },
            bases=["Model"],
        ),
        ops.CreateModel(
            name="TaskTally",
            fields=[
                ("id", fields.BigIntField(generated=True, primary_key=True, unique=True, db_index=True)),
                ("user_id", fields.CharField(max_length=40)),
                ("span_seconds", fields.IntField()),
                ("starts_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
                (
                    "kind",
                    fields.CharEnumField(
                        description="TEXT_TO_IMAGE: TEXT_TO_IMAGE\nIMAGE_TO_IMAGE: IMAGE_TO_IMAGE\nTEXT_TO_VIDEO: TEXT_TO_VIDEO\nIMAGE_TO_VIDEO: IMAGE_TO_VIDEO",
                        enum_type=TaskKind,
                        max_length=16,
                    ),
                ),
                ("provider", fields.CharField(max_length=64)),
                ("tally", fields.TextField(unique=False)),
            ],
            options={
                "table": "task_tally",
                "app": "wonder",
                "unique_together": (("user_id", "span_seconds", "starts_at", "kind", "provider"),),
                "indexes": [Index(fields=["span_seconds", "starts_at"])],
                "pk_attr": "id",
                "table_description": "The tasks of a user, kind and provider that ended in one minute or hour. The user '' is everybody.",
            },
            bases=["Model"],
        ),
        ops.AddField(
            model_name="Task",
            name="attempt_started_at",
            field=fields.DatetimeField(null=True, auto_now=False, auto_now_add=False),
        ),
        ops.AddField(
            model_name="Task",
            name="wait_seconds",
            field=fields.FloatField(null=True),
        ),
        # What had ended before there were counters.
        ops.RunSQL(
            [
                """INSERT INTO task_count (user_id, status, number)
                SELECT user_id, status, SUM(number) FROM (
                    SELECT user_id, status, COUNT(*) AS number FROM task
                    WHERE user_id IS NOT NULL AND status NOT IN ('PENDING', 'RUNNING') GROUP BY user_id, status
                    UNION ALL SELECT a.user_id, a.status, COUNT(*) FROM archived_task a
                    JOIN project p ON p.id = a.project_id WHERE p.user_id IS NOT NULL GROUP BY a.user_id, a.status
                ) AS ended GROUP BY user_id, status""",
                """INSERT INTO task_count (user_id, status, number)
                SELECT '', status, SUM(number) FROM task_count GROUP BY status""",
            ],
            reverse_sql=ops.RunSQL.noop,
        ),
    ]
