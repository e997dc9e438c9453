from tortoise import migrations
from tortoise.migrations import operations as ops
from tortoise import fields


class Migration(migrations.Migration):
    dependencies = [("wonder", "0011_sessions")]

    initial = False

    operations = [
        ops.AddField(
            model_name="Task",
            name="requested_provider",
            field=fields.CharField(null=True, max_length=64),
        ),
    ]
