from tortoise import fields, migrations
from tortoise.migrations import operations as ops


class Migration(migrations.Migration):
    dependencies = [("wonder", "0014_turns")]

    initial = False

    operations = [
        ops.AlterField(
            model_name="ScheduleRow",
            name="started_at",
            field=fields.DatetimeField(null=True, auto_now=False, auto_now_add=False),
        ),
    ]
