"""What a job at a provider has made, kept until its task is finished: pictures and clips as objects, else JSON."""

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
    """Store a result's pictures and clip and return the rest as JSON data; raises `StorageError`."""

    async def put(name: object, data: bytes) -> str:
        key = work_key(str(task.user_id), task.project_id, task.id, task.attempt, f"{job.id}-{name}")
        await storage.put(key, data, "application/octet-stream")
        return key

    kept: dict[str, Any] = asdict(result)
    for number, fields in enumerate(kept["pictures"]):
        fields["key"] = await put(number, fields.pop("data"))
    clip = kept.pop("clip")
    if clip is not None:
        kept["clip_key"] = await put("clip", clip)
    return kept


async def load_result(storage: Storage, job: ExternalJob) -> GenerationResult:
    """Return a result that `store_result` has stored; raises `StorageError`, or `ProviderError` when it is gone."""
    kept: dict[str, Any] = dict(job.result or {})
    pictures = [
        Picture(data=await _get(storage, fields.pop("key")), **fields) for fields in map(dict, kept.pop("pictures"))
    ]
    clip_key = kept.pop("clip_key", None)
    clip = await _get(storage, clip_key) if clip_key else None
    return GenerationResult(pictures=tuple(pictures), clip=clip, **kept)


async def _get(storage: Storage, key: str) -> bytes:
    try:
        return await storage.get(key)
    except ObjectMissing:
        message = "What the provider had made is not in the storage any more."
        raise ProviderError("RESULT_LOST", message, retryable=True) from None
