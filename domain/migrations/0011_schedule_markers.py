from tortoise import migrations
from tortoise.migrations import operations as ops
from tortoise import fields


class Migration(migrations.Migration):
    dependencies = [("wonder", "0010_password_attempts")]

    initial = False

    operations = [
        ops.AddField(
            model_name="ScheduleRow",
            name="marker",
            field=fields.TextField(null=True, unique=False),
        ),
    ]
