"""What the queue's figures are kept in: a journal of endings, counters, and tallies of stretches of time."""

from tortoise import fields
from tortoise.indexes import Index
from tortoise.models import Model

from domain.kinds import TaskKind
from domain.lifecycle import TaskStatus


class TaskEnding(Model):
    """One task that ended, or (`change` -1) an ending that no longer counts. Written with it, folded soon after."""

    id = fields.BigIntField(primary_key=True)
    user_id = fields.CharField(max_length=40)
    status = fields.CharEnumField(TaskStatus, max_length=16)
    change = fields.IntField()
    kind = fields.CharEnumField(TaskKind, max_length=16, null=True)
    provider = fields.CharField(max_length=64, null=True)
    # When the task ended. None when only the counters change.
    at = fields.DatetimeField(null=True)
    # From the start of the attempt that completed to its end.
    run_seconds = fields.FloatField(null=True)
    # From being queued to the first start.
    wait_seconds = fields.FloatField(null=True)

    class Meta:
        table = "task_ending"
        indexes = [Index(fields=("user_id",))]


class TaskCount(Model):
    """How many tasks of a user ended so, without what `task_ending` still holds. The user '' is everybody."""

    id = fields.BigIntField(primary_key=True)
    user_id = fields.CharField(max_length=40)
    status = fields.CharEnumField(TaskStatus, max_length=16)
    number = fields.BigIntField()

    class Meta:
        table = "task_count"
        unique_together = (("user_id", "status"),)


class TaskTally(Model):
    """The tasks of a user, kind and provider that ended in one minute or hour. The user '' is everybody."""

    id = fields.BigIntField(primary_key=True)
    user_id = fields.CharField(max_length=40)
    span_seconds = fields.IntField()
    starts_at = fields.DatetimeField()
    kind = fields.CharEnumField(TaskKind, max_length=16)
    # '' when the task ended before it was decided.
    provider = fields.CharField(max_length=64)
    # As `domain.figures.tally.Tally` writes it.
    tally = fields.TextField()

    class Meta:
        table = "task_tally"
        unique_together = (("user_id", "span_seconds", "starts_at", "kind", "provider"),)
        indexes = [Index(fields=("span_seconds", "starts_at"))]
