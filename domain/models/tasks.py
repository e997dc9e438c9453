"""Tasks and what belongs to them: events, verdicts, assets, idempotency keys."""

from tortoise import fields
from tortoise.indexes import Index
from tortoise.models import Model

from domain.indexes import MixedIndex, PartIndex
from domain.kinds import AssetType, TaskKind
from domain.lifecycle import TaskStage, TaskStatus


class Task(Model):
    """One request for an asset: the only truth about its work. `domain.tasks` alone writes its status.

    `user_id` is None once its project is being deleted.
    """

    id = fields.CharField(max_length=40, primary_key=True)
    user_id = fields.CharField(max_length=40, null=True)
    project_id = fields.CharField(max_length=40)
    kind = fields.CharEnumField(TaskKind, max_length=16)
    asset_type = fields.CharEnumField(AssetType, max_length=16)
    prompt = fields.TextField()
    # As `domain.params.params_to_json` writes it, seed fixed.
    params: fields.Field[dict[str, object]] = fields.JSONField()
    # The project's style when the task was made.
    style: fields.Field[dict[str, object]] = fields.JSONField()
    source_image_id = fields.CharField(max_length=40, null=True)
    # Instead of an image: the task whose main picture is the source. It is one of the tasks to wait for.
    source_task_id = fields.CharField(max_length=40, null=True)
    # The provider that was asked for, then the one that did the work.
    provider = fields.CharField(max_length=64, null=True)
    # The provider that was asked for by name, if any: no other may take its place.
    requested_provider = fields.CharField(max_length=64, null=True)
    external_id = fields.CharField(max_length=200, null=True)

    status = fields.CharEnumField(TaskStatus, default=TaskStatus.PENDING, max_length=16)
    stage = fields.CharEnumField(TaskStage, null=True, max_length=24)
    progress = fields.FloatField(default=0.0)
    priority = fields.SmallIntField(default=0)
    attempt = fields.IntField(default=1)
    quality_retries = fields.IntField(default=0)
    degraded = fields.BooleanField(default=False)
    error_code = fields.CharField(max_length=64, null=True)
    error_message = fields.TextField(null=True)
    error_retryable = fields.BooleanField(null=True)
    # The number of the last event.
    sequence = fields.IntField(default=0)

    # Task-level retries and lost workers so far in this run; both bounded.
    retries = fields.IntField(default=0)
    losses = fields.IntField(default=0)
    # Above 0 when `losses` make it a suspect: then it waits behind all others of its priority.
    suspicion = fields.SmallIntField(default=0, db_default=0)
    # PENDING: 0 once every task it depends on has completed, 1 before. See `domain.tasks.gates`.
    gate = fields.SmallIntField(default=0, db_default=0)
    # Equal for identical requests of one user.
    fingerprint = fields.CharField(max_length=64)
    # The same while the task is active, None once it has ended, so that the unique index holds for active ones only.
    active_fingerprint = fields.CharField(max_length=64, null=True)
    # PENDING: not to be released before this instant.
    ready_at = fields.DatetimeField()
    # PENDING: when the task was handed to the queue engine; None while it waits as a row.
    released_at = fields.DatetimeField(null=True)
    # To which process: the id of its row in `instance`. None for what was released before there were several.
    released_to = fields.CharField(max_length=40, null=True)
    # RUNNING: the fence. Every write of a worker is conditional on it.
    owner_token = fields.CharField(max_length=40, null=True)
    lease_until = fields.DatetimeField(null=True)

    # Whether this attempt has rows in `external_job`.
    external = fields.BooleanField(default=False, db_default=False)
    # How often the provider was asked about the present jobs, and how often it may be.
    check_count = fields.IntField(default=0, db_default=0)
    max_checks = fields.IntField(null=True)
    last_check_at = fields.DatetimeField(null=True)
    # Parked: when the provider is asked again. None while a worker has the task or it waits for one.
    next_check_at = fields.DatetimeField(null=True)
    # Until when the present jobs may take.
    external_until = fields.DatetimeField(null=True)

    created_at = fields.DatetimeField()
    started_at = fields.DatetimeField(null=True)
    # When this attempt began, None while the task waits for one.
    attempt_started_at = fields.DatetimeField(null=True)
    # From being queued, or queued again by its owner, to the first start.
    wait_seconds = fields.FloatField(null=True)
    finished_at = fields.DatetimeField(null=True)

    class Meta:
        table = "task"
        unique_together = (("user_id", "active_fingerprint"),)
        indexes = [
            # Lists: of a user, of a project, of everybody. By status and type the order of each part: `parts_of`.
            Index(fields=("user_id", "created_at", "id")),
            Index(fields=("user_id", "status", "asset_type", "created_at", "id")),
            MixedIndex(
                fields=("user_id", "status", "asset_type", "priority", "created_at", "id"), descending="priority"
            ),
            Index(fields=("project_id", "created_at", "id")),
            Index(fields=("project_id", "status", "asset_type", "created_at", "id")),
            MixedIndex(
                fields=("project_id", "status", "asset_type", "priority", "created_at", "id"), descending="priority"
            ),
            Index(fields=("created_at", "id")),
            Index(fields=("status", "asset_type", "created_at", "id")),
            # Release: the lines of waiting ones, one of each user, and when the next becomes ready.
            PartIndex(
                fields=("priority", "suspicion", "user_id", "created_at", "id", "ready_at"),
                where="status = 'PENDING' AND released_at IS NULL AND gate = 0 AND user_id IS NOT NULL",
                name="task_lines",
            ),
            PartIndex(
                fields=("created_at", "id"),
                where="status = 'PENDING' AND released_at IS NOT NULL",
                name="task_held",
            ),
            Index(fields=("status", "released_at", "ready_at")),
            Index(fields=("status", "lease_until")),
            Index(fields=("next_check_at",)),
            Index(fields=("status", "finished_at")),
        ]


class TaskDependency(Model):
    """`task_id` starts only when `depends_on_id` has completed."""

    id = fields.BigIntField(primary_key=True)
    task_id = fields.CharField(max_length=40)
    depends_on_id = fields.CharField(max_length=40)

    class Meta:
        table = "task_dependency"
        unique_together = (("task_id", "depends_on_id"),)
        indexes = [Index(fields=("depends_on_id",))]


class GateCheck(Model):
    """A waiting task whose dependencies are to be looked at, because one has ended or it is new."""

    id = fields.BigIntField(primary_key=True)
    task_id = fields.CharField(max_length=40)

    class Meta:
        table = "gate_check"


class QueueTurn(Model):
    """When a worker last began a task of a user, at each priority: who had no turn for longest is next."""

    id = fields.BigIntField(primary_key=True)
    user_id = fields.CharField(max_length=40)
    priority = fields.SmallIntField()
    at = fields.DatetimeField()

    class Meta:
        table = "queue_turn"
        unique_together = (("user_id", "priority"),)


class TaskEventRow(Model):
    """One step of a task's life, written in the transaction of the change that it tells of."""

    id = fields.BigIntField(primary_key=True)
    task_id = fields.CharField(max_length=40)
    project_id = fields.CharField(max_length=40)
    sequence = fields.IntField()
    status = fields.CharEnumField(TaskStatus, max_length=16)
    stage = fields.CharEnumField(TaskStage, null=True, max_length=24)
    progress = fields.FloatField()
    message = fields.TextField()
    attempt = fields.IntField()
    quality_retries = fields.IntField()
    at = fields.DatetimeField()
    # On PostgreSQL the number of the transaction that wrote the row, which the database fills in, for `tasks.feed`.
    transaction_id = fields.BigIntField(null=True)

    class Meta:
        table = "task_event"
        unique_together = (("task_id", "sequence"),)
        indexes = [Index(fields=("project_id", "id"))]


class QualityCheckRow(Model):
    """One verdict of one round, where `position` keeps the order in which the checks ran."""

    id = fields.BigIntField(primary_key=True)
    task_id = fields.CharField(max_length=40)
    attempt = fields.IntField()
    round = fields.IntField()
    # Which of the pictures that `count` asked for, from 0.
    variation = fields.IntField(default=0)
    position = fields.IntField()
    name = fields.CharField(max_length=64)
    score = fields.FloatField()
    threshold = fields.FloatField()
    passed = fields.BooleanField()
    reason = fields.TextField()

    class Meta:
        table = "quality_check"
        unique_together = (("task_id", "attempt", "round", "variation", "position"),)


class Asset(Model):
    """One finished file. `user_id` is None once its project is being deleted."""

    id = fields.CharField(max_length=40, primary_key=True)
    user_id = fields.CharField(max_length=40, null=True)
    project_id = fields.CharField(max_length=40)
    task_id = fields.CharField(max_length=40)
    # That of its task, for lists.
    asset_type = fields.CharEnumField(AssetType, max_length=16, db_default=AssetType.SPRITE.value)
    name = fields.CharField(max_length=200)
    role = fields.CharField(max_length=32)
    media_type = fields.CharField(max_length=100)
    width = fields.IntField(null=True)
    height = fields.IntField(null=True)
    size_bytes = fields.BigIntField()
    sha256 = fields.CharField(max_length=64)
    storage_key = fields.CharField(max_length=400, unique=True)
    # Which of the pictures that `count` asked for, from 0.
    variation = fields.IntField(default=0)
    # Fields of `worker.artifacts.Provenance`, as JSON. With the variation, its attempt and round name the verdicts.
    provenance: fields.Field[dict[str, object]] = fields.JSONField()
    metadata: fields.Field[dict[str, object]] = fields.JSONField()
    # Place among the task's files: the main picture first.
    position = fields.IntField()
    created_at = fields.DatetimeField()

    class Meta:
        table = "asset"
        unique_together = (("task_id", "position"),)
        indexes = [
            Index(fields=("project_id", "created_at", "id")),
            Index(fields=("project_id", "asset_type", "created_at", "id")),
            Index(fields=("user_id", "created_at", "id")),
        ]


class IdempotencyKey(Model):
    """Which task a client's key led to, good for 24 hours."""

    id = fields.BigIntField(primary_key=True)
    user_id = fields.CharField(max_length=40)
    key = fields.CharField(max_length=200)
    # Of the whole request, priority included.
    request_hash = fields.CharField(max_length=64)
    task_id = fields.CharField(max_length=40)
    created_at = fields.DatetimeField()

    class Meta:
        table = "idempotency_key"
        unique_together = (("user_id", "key"),)
        indexes = [Index(fields=("created_at",))]
