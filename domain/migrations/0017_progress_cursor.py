from tortoise import migrations
from tortoise.migrations import operations as ops
from tortoise import fields


class Migration(migrations.Migration):
    dependencies = [("wonder", "0016_instances")]

    initial = False

    operations = [
        ops.AddField(
            model_name="Webhook",
            name="progress_cursor",
            field=fields.TextField(null=True, unique=False),
        ),
    ]
