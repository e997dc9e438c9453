"""What a job at a provider has made, kept until its task is finished: pictures as objects, the rest as JSON."""

from dataclasses import asdict
from typing import Any

from domain.errors import ObjectMissing
from domain.models.jobs import ExternalJob
from domain.models.tasks import Task
from domain.ports import Storage
from domain.storage.keys import work_key
from worker.artifacts import GenerationResult, Picture
from worker.providers.base import ProviderError


async def store_result(storage: Storage, task: Task, job: ExternalJob, result: GenerationResult) -> dict[str, object]:
    """Store a result's pictures and return the rest as JSON data; raises `StorageError`."""
    kept: dict[str, Any] = asdict(result)
    for number, fields in enumerate(kept["pictures"]):
        data = fields.pop("data")
        fields["key"] = work_key(str(task.user_id), task.project_id, task.id, task.attempt, f"{job.id}-{number}")
        await storage.put(fields["key"], data, "application/octet-stream")
    return kept


async def load_result(storage: Storage, job: ExternalJob) -> GenerationResult:
    """Return a result that `store_result` has stored; raises `StorageError`, or `ProviderError` when it is gone."""
    kept: dict[str, Any] = dict(job.result or {})
    pictures: list[Picture] = []
    for fields in kept.pop("pictures"):
        try:
            data = await storage.get(fields.pop("key"))
        except ObjectMissing:
            message = "What the provider had made is not in the storage any more."
            raise ProviderError("RESULT_LOST", message, retryable=True) from None
        pictures.append(Picture(data=data, **fields))
    return GenerationResult(pictures=tuple(pictures), **kept)
