from tortoise import migrations
from tortoise.migrations import operations as ops
from tortoise import fields
from tortoise.indexes import Index


class Migration(migrations.Migration):
    dependencies = [("wonder", "0017_progress_cursor")]

    initial = False

    operations = [
        ops.CreateModel(
            name="SpendMonth",
            fields=[
                ("id", fields.BigIntField(generated=True, primary_key=True, unique=True, db_index=True)),
                ("user_id", fields.CharField(max_length=40)),
                ("month", fields.CharField(max_length=7)),
                ("spent_micros", fields.BigIntField()),
            ],
            options={
                "table": "spend_month",
                "app": "wonder",
                "unique_together": (("user_id", "month"),),
                "pk_attr": "id",
                "table_description": "What a user's tasks have cost in one month (UTC), which a budget is held against.",
            },
            bases=["Model"],
        ),
        ops.CreateModel(
            name="UsageDay",
            fields=[
                ("id", fields.BigIntField(generated=True, primary_key=True, unique=True, db_index=True)),
                ("user_id", fields.CharField(max_length=40)),
                ("day", fields.CharField(max_length=10)),
                ("project_id", fields.CharField(max_length=40)),
                ("provider", fields.CharField(max_length=64)),
                ("model", fields.CharField(max_length=200)),
                ("purpose", fields.CharField(max_length=16)),
                ("calls", fields.BigIntField()),
                ("pictures", fields.BigIntField()),
                ("cost_micros", fields.BigIntField()),
            ],
            options={
                "table": "usage_day",
                "app": "wonder",
                "unique_together": (("user_id", "day", "project_id", "provider", "model", "purpose"),),
                "indexes": [Index(fields=["day"])],
                "pk_attr": "id",
                "table_description": "What a user asked of one model for one project on one day (UTC). Kept when tasks are cleaned up.",
            },
            bases=["Model"],
        ),
        ops.AddField(
            model_name="ExternalJob",
            name="cost_micros",
            field=fields.BigIntField(default=0, db_default=0),
        ),
        ops.AddField(
            model_name="ExternalJob",
            name="model",
            field=fields.CharField(default="", db_default="", max_length=200),
        ),
        ops.AddField(
            model_name="User",
            name="monthly_budget_micros",
            field=fields.BigIntField(null=True),
        ),
    ]
