"""Jobs at asynchronous providers."""

from tortoise import fields
from tortoise.indexes import Index
from tortoise.models import Model

from domain.lifecycle import JobState


class ExternalJob(Model):
    """One job at a provider: one picture, or sheet, of one round of one attempt. Its id is the name we give it there.

    The row is written before the job is created, so that no job is ever created twice.
    """

    id = fields.CharField(max_length=40, primary_key=True)
    task_id = fields.CharField(max_length=40)
    attempt = fields.IntField()
    round = fields.IntField()
    # Which of the pictures that `count` asked for, from 0.
    variation = fields.IntField()
    provider = fields.CharField(max_length=64)
    # The provider's own id, None until it is known.
    external_id = fields.CharField(max_length=200, null=True)
    state = fields.CharEnumField(JobState, default=JobState.SUBMITTING, max_length=16)
    seed = fields.BigIntField()
    # What it was asked of and what it costs, in millionths: as it was charged, so that it can be given back.
    model = fields.CharField(max_length=200, default="", db_default="")
    cost_micros = fields.BigIntField(default=0, db_default=0)
    # Fields of `worker.pipeline.prompts.BuiltPrompt`.
    prompt: fields.Field[dict[str, str]] = fields.JSONField()
    # Fields of `worker.artifacts.GenerationResult`, each picture with the key under which its bytes are stored.
    result: fields.Field[dict[str, object]] | None = fields.JSONField(null=True)
    # What there is of it so far while it is at work: a small WebP.
    preview = fields.BinaryField(null=True)
    error_code = fields.CharField(max_length=64, null=True)
    error_message = fields.TextField(null=True)
    error_retryable = fields.BooleanField(null=True)
    created_at = fields.DatetimeField()
    submitted_at = fields.DatetimeField(null=True)
    finished_at = fields.DatetimeField(null=True)
    # Not wanted any more: when the provider is told next.
    cancel_at = fields.DatetimeField(null=True)
    cancel_tries = fields.IntField(default=0)

    class Meta:
        table = "external_job"
        unique_together = (("task_id", "attempt", "round", "variation"),)
        indexes = [Index(fields=("cancel_at",))]
