from tortoise import migrations
from tortoise.migrations import operations as ops
from tortoise import fields


class Migration(migrations.Migration):
    dependencies = [("wonder", "0007_figures")]

    initial = False

    operations = [
        ops.AddField(
            model_name="ScheduleRow",
            name="lease_until",
            field=fields.DatetimeField(null=True, auto_now=False, auto_now_add=False),
        ),
        ops.AddField(
            model_name="ScheduleRow",
            name="owner",
            field=fields.CharField(null=True, max_length=40),
        ),
    ]
