from tortoise import migrations
from tortoise.migrations import operations as ops
from tortoise import fields
from tortoise.indexes import Index


class Migration(migrations.Migration):
    dependencies = [("wonder", "0009_source_tasks")]

    initial = False

    operations = [
        ops.CreateModel(
            name="PasswordAttempts",
            fields=[
                ("id", fields.CharField(primary_key=True, unique=True, db_index=True, max_length=64)),
                ("failures", fields.IntField(default=0)),
                ("failed_at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("retry_at", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("known_until", fields.DatetimeField(null=True, auto_now=False, auto_now_add=False)),
                ("expires_at", fields.DatetimeField(auto_now=False, auto_now_add=False)),
            ],
            options={
                "table": "password_attempts",
                "app": "wonder",
                "indexes": [Index(fields=["expires_at"])],
                "pk_attr": "id",
                "table_description": "How often a password was guessed wrong, of an account from an address, of an account at all, or in a session.",
            },
            bases=["Model"],
        ),
    ]
