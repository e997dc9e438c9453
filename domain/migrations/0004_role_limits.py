from tortoise import migrations
from tortoise.migrations import operations as ops
from tortoise import fields


class Migration(migrations.Migration):
    dependencies = [("wonder", "0004_external_jobs")]

    initial = False

    operations = [
        ops.CreateModel(
            name="RoleLimit",
            fields=[
                ("role", fields.CharField(primary_key=True, unique=True, db_index=True, max_length=16)),
                ("max_active_tasks", fields.IntField()),
            ],
            options={
                "table": "role_limit",
                "app": "wonder",
                "pk_attr": "role",
                "table_description": "What an operator has set for everybody of a role. A role without a row has the server's limits.",
            },
            bases=["Model"],
        ),
    ]
