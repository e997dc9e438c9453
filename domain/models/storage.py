"""The outbox of what must leave the storage, and how much is in it."""

from tortoise import fields
from tortoise.indexes import Index
from tortoise.models import Model


class StorageDeletion(Model):
    """Objects under a prefix, or one key, that must go, recorded in the transaction that made them nobody's.

    The row stays until `final_at`, after which no worker can still be writing there, and one more sweep has run.
    """

    id = fields.BigIntField(primary_key=True)
    # A prefix when it ends in `/`, else one key.
    target = fields.CharField(max_length=400)
    created_at = fields.DatetimeField()
    next_try_at = fields.DatetimeField()
    final_at = fields.DatetimeField()
    tries = fields.IntField(default=0)
    last_error = fields.TextField(null=True)

    class Meta:
        table = "storage_deletion"
        indexes = [Index(fields=("next_try_at",))]


class StorageUse(Model):
    """How many bytes the files of a user, or of a project, take. See `domain.quotas`."""

    # Of the user or of the project.
    id = fields.CharField(max_length=40, primary_key=True)
    used_bytes = fields.BigIntField()

    class Meta:
        table = "storage_use"
