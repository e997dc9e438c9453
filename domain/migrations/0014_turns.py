from tortoise import migrations
from tortoise.migrations import operations as ops
from domain.indexes import MixedIndex, PartIndex
from tortoise import fields


class Migration(migrations.Migration):
    dependencies = [("wonder", "0013_storage_use")]

    initial = False

    operations = [
        ops.CreateModel(
            name="GateCheck",
            fields=[
                ("id", fields.BigIntField(generated=True, primary_key=True, unique=True, db_index=True)),
                ("task_id", fields.CharField(max_length=40)),
            ],
            options={
                "table": "gate_check",
                "app": "wonder",
                "pk_attr": "id",
                "table_description": "A waiting task whose dependencies are to be looked at, because one has ended or it is new.",
            },
            bases=["Model"],
        ),
        ops.CreateModel(
            name="QueueTurn",
            fields=[
                ("id", fields.BigIntField(generated=True, primary_key=True, unique=True, db_index=True)),
                ("user_id", fields.CharField(max_length=40)),
                ("priority", fields.SmallIntField()),
                ("at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
            ],
            options={
                "table": "queue_turn",
                "app": "wonder",
                "unique_together": (("user_id", "priority"),),
                "pk_attr": "id",
                "table_description": "When a worker last began a task of a user, at each priority: who had no turn for longest is next.",
            },
            bases=["Model"],
        ),
        ops.RemoveIndex(
            model_name="Task",
            name=None,
            fields=["user_id", "status", "asset_type", "priority", "created_at", "id"],
        ),
        ops.RemoveIndex(
            model_name="Task",
            name=None,
            fields=["project_id", "status", "asset_type", "priority", "created_at", "id"],
        ),
        ops.RemoveIndex(
            model_name="Task",
            name=None,
            fields=["status", "released_at", "priority", "user_id", "created_at", "id"],
        ),
        ops.AddField(
            model_name="Task",
            name="gate",
            field=fields.SmallIntField(default=0, db_default=0),
        ),
        ops.AddField(
            model_name="Task",
            name="suspicion",
            field=fields.SmallIntField(default=0, db_default=0),
        ),
        # Tasks that wait for others stand behind their gate from now on, and are looked at once.
        ops.RunSQL("UPDATE task SET gate = 1 WHERE status = 'PENDING' AND id IN (SELECT task_id FROM task_dependency)"),
        ops.RunSQL("INSERT INTO gate_check (task_id) SELECT id FROM task WHERE gate = 1"),
        ops.RunSQL("UPDATE task SET suspicion = losses WHERE losses > 2"),
        ops.AddIndex(
            model_name="Task",
            index=MixedIndex(
                fields=["user_id", "status", "asset_type", "priority", "created_at", "id"], descending="priority"
            ),
        ),
        ops.AddIndex(
            model_name="Task",
            index=MixedIndex(
                fields=["project_id", "status", "asset_type", "priority", "created_at", "id"], descending="priority"
            ),
        ),
        ops.AddIndex(
            model_name="Task",
            index=PartIndex(
                fields=["priority", "suspicion", "user_id", "created_at", "id", "ready_at"],
                name="task_lines",
                where="status = 'PENDING' AND released_at IS NULL AND gate = 0 AND user_id IS NOT NULL",
            ),
        ),
        ops.AddIndex(
            model_name="Task",
            index=PartIndex(
                fields=["created_at", "id"],
                name="task_held",
                where="status = 'PENDING' AND released_at IS NOT NULL",
            ),
        ),
    ]
