"""Running the server: the queue's state, what the duties did, what was cleaned up, what administrators did."""

from tortoise import fields
from tortoise.indexes import Index
from tortoise.models import Model

from domain.kinds import AssetType, TaskKind
from domain.lifecycle import TaskStatus


class QueueState(Model):
    """One row: what an operator has told the queue."""

    name = fields.CharField(max_length=16, primary_key=True)
    paused = fields.BooleanField(default=False)
    changed_at = fields.DatetimeField()

    class Meta:
        table = "queue_state"


class ScheduleRow(Model):
    """The last run of a periodic duty, over all processes."""

    name = fields.CharField(max_length=64, primary_key=True)
    # None before the first run.
    started_at = fields.DatetimeField(null=True)
    finished_at = fields.DatetimeField(null=True)
    next_at = fields.DatetimeField(null=True)
    # How much was found to do, None while it runs or when it failed.
    done = fields.IntField(null=True)
    error = fields.TextField(null=True)
    # Who runs it now, and until when that is believed without a word from there. None while it does not run.
    owner = fields.CharField(max_length=40, null=True)
    lease_until = fields.DatetimeField(null=True)
    # Where the last run stopped, of a duty that does a part at a time.
    marker = fields.TextField(null=True)

    class Meta:
        table = "schedule"


class CleanupRun(Model):
    """One clean-up: what it archived and deleted."""

    id = fields.CharField(max_length=40, primary_key=True)
    started_at = fields.DatetimeField()
    finished_at = fields.DatetimeField(null=True)
    older_than_days = fields.IntField()
    dry_run = fields.BooleanField()
    # None when it ran by its schedule.
    user_id = fields.CharField(max_length=40, null=True)
    tasks = fields.IntField(default=0)
    assets = fields.IntField(default=0)
    size_bytes = fields.BigIntField(default=0)
    error = fields.TextField(null=True)

    class Meta:
        table = "cleanup_run"
        indexes = [Index(fields=("started_at", "id"))]


class ArchivedTask(Model):
    """What is kept of a task that was cleaned up."""

    id = fields.CharField(max_length=40, primary_key=True)
    user_id = fields.CharField(max_length=40)
    project_id = fields.CharField(max_length=40)
    kind = fields.CharEnumField(TaskKind, max_length=16)
    asset_type = fields.CharEnumField(AssetType, max_length=16)
    prompt = fields.TextField()
    status = fields.CharEnumField(TaskStatus, max_length=16)
    attempt = fields.IntField()
    degraded = fields.BooleanField()
    provider = fields.CharField(max_length=64, null=True)
    error_code = fields.CharField(max_length=64, null=True)
    assets = fields.IntField()
    size_bytes = fields.BigIntField()
    created_at = fields.DatetimeField()
    started_at = fields.DatetimeField(null=True)
    finished_at = fields.DatetimeField()
    archived_at = fields.DatetimeField()

    class Meta:
        table = "archived_task"
        indexes = [
            Index(fields=("archived_at", "id")),
            Index(fields=("user_id", "archived_at", "id")),
            Index(fields=("project_id",)),
        ]


class AuditEntry(Model):
    """One thing that an administrator did."""

    id = fields.CharField(max_length=40, primary_key=True)
    user_id = fields.CharField(max_length=40)
    action = fields.CharField(max_length=64)
    # What was acted on, such as a user's id, when there is one thing.
    target = fields.CharField(max_length=64, null=True)
    details: fields.Field[dict[str, object]] = fields.JSONField()
    at = fields.DatetimeField()

    class Meta:
        table = "audit_entry"
        indexes = [Index(fields=("at", "id"))]


class RoleLimit(Model):
    """What an operator has set for everybody of a role. A role without a row has the server's limits."""

    role = fields.CharField(max_length=16, primary_key=True)
    max_active_tasks = fields.IntField()

    class Meta:
        table = "role_limit"
