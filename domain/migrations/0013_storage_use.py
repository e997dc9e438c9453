from tortoise import migrations
from tortoise.migrations import operations as ops
from tortoise import fields


class Migration(migrations.Migration):
    dependencies = [("wonder", "0012_requested_provider")]

    initial = False

    operations = [
        ops.CreateModel(
            name="StorageUse",
            fields=[
                ("id", fields.CharField(primary_key=True, unique=True, db_index=True, max_length=40)),
                ("used_bytes", fields.BigIntField()),
            ],
            options={
                "table": "storage_use",
                "app": "wonder",
                "pk_attr": "id",
                "table_description": "How many bytes the files of a user, or of a project, take. See `domain.quotas`.",
            },
            bases=["Model"],
        ),
        ops.AddField(
            model_name="User",
            name="max_storage_bytes",
            field=fields.BigIntField(null=True),
        ),
    ]
