"""The server processes that share a database."""

from tortoise import fields
from tortoise.models import Model


class InstanceRow(Model):
    """A running server, until it has ended, or for some time after it has died."""

    id = fields.CharField(max_length=40, primary_key=True)
    # The second number of its advisory lock on PostgreSQL; positive, of 31 bits.
    number = fields.IntField(unique=True)
    host = fields.CharField(max_length=255)
    process_id = fields.IntField()
    version = fields.CharField(max_length=32)
    # Tasks that it works on at the same time, and released ones that it holds at most.
    workers = fields.IntField()
    queue_capacity = fields.IntField()
    # Equal for servers with the same secret key, and for servers that keep their files in the same place.
    key_check = fields.CharField(max_length=64)
    storage_check = fields.CharField(max_length=64)
    started_at = fields.DatetimeField()
    # By the database's clock on PostgreSQL, so that the servers' clocks do not matter.
    seen_at = fields.DatetimeField()

    class Meta:
        table = "instance"
