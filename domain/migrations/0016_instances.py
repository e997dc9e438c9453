from tortoise import migrations
from tortoise.migrations import operations as ops
from tortoise import fields


class Migration(migrations.Migration):
    dependencies = [("wonder", "0015_schedule_turns")]

    initial = False

    operations = [
        ops.CreateModel(
            name="InstanceRow",
            fields=[
                ("id", fields.CharField(primary_key=True, unique=True, db_index=True, max_length=40)),
                ("number", fields.IntField(unique=True)),
                ("host", fields.CharField(max_length=255)),
                ("process_id", fields.IntField()),
                ("version", fields.CharField(max_length=32)),
                ("workers", fields.IntField()),
                ("queue_capacity", fields.IntField()),
                ("key_check", fields.CharField(max_length=64)),
                ("storage_check", fields.CharField(max_length=64)),
                ("started_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
                ("seen_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
            ],
            options={
                "table": "instance",
                "app": "wonder",
                "pk_attr": "id",
                "table_description": "A running server, until it has ended, or for some time after it has died.",
            },
            bases=["Model"],
        ),
        ops.AddField(
            model_name="Task",
            name="released_to",
            field=fields.CharField(null=True, max_length=40),
        ),
    ]
