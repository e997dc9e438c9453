from tortoise import migrations
from tortoise.migrations import operations as ops
from tortoise import fields


class Migration(migrations.Migration):
    dependencies = [("wonder", "0009_lists")]

    initial = False

    operations = [
        ops.AddField(
            model_name="Task",
            name="source_task_id",
            field=fields.CharField(null=True, max_length=40),
        ),
    ]
