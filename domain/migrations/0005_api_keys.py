from tortoise import migrations
from tortoise.migrations import operations as ops
import functools
from json import dumps, loads
from tortoise import fields
from tortoise.indexes import Index


class Migration(migrations.Migration):
    dependencies = [("wonder", "0004_role_limits")]

    initial = False

    operations = [
        ops.CreateModel(
            name="ApiKey",
            fields=[
                ("id", fields.CharField(primary_key=True, unique=True, db_index=True, max_length=40)),
                ("user_id", fields.CharField(max_length=40)),
                ("name", fields.CharField(max_length=100)),
                ("key_hash", fields.CharField(unique=True, max_length=64)),
                ("hint", fields.CharField(max_length=20)),
                ("scopes", fields.JSONField(encoder=functools.partial(dumps, separators=(",", ":")), decoder=loads)),
                ("created_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
                ("expires_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
                ("last_used_at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("revoked_at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
            ],
            options={
                "table": "api_key",
                "app": "wonder",
                "indexes": [Index(fields=["user_id", "created_at", "id"]), Index(fields=["expires_at"])],
                "pk_attr": "id",
                "table_description": "A credential for programs. Of the key itself only its hash is kept.",
            },
            bases=["Model"],
        ),
    ]
