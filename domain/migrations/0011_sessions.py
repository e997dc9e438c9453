from tortoise import migrations
from tortoise.migrations import operations as ops
from tortoise import fields
from tortoise.indexes import Index


class Migration(migrations.Migration):
    dependencies = [("wonder", "0011_schedule_markers")]

    initial = False

    operations = [
        ops.RemoveIndex(
            model_name="Session",
            name=None,
            fields=["user_id"],
        ),
        ops.AddField(
            model_name="Session",
            name="last_used_at",
            field=fields.DatetimeField(null=True, auto_now=False, auto_now_add=False),
        ),
        ops.AddField(
            model_name="Session",
            name="user_agent",
            field=fields.CharField(null=True, max_length=200),
        ),
        ops.AddIndex(
            model_name="Session",
            index=Index(fields=["user_id", "created_at", "id"]),
        ),
    ]
