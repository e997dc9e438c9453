"""What becomes of an attempt's jobs at a provider when the attempt ends: told in the transaction that ends it."""

from datetime import datetime
from typing import Final

from domain.lifecycle import JobState
from domain.models.jobs import ExternalJob
from domain.models.tasks import Task
from domain.outbox import record_deletion
from domain.storage.keys import work_prefix

#: After so long no worker can still be storing what it fetched: twice the longest lease there is, and a minute.
_FINAL_AFTER_SECONDS: Final = 2 * 3600 + 60


async def abandon_jobs(task: Task, attempt: int, now: datetime) -> None:
    """Have the open jobs of an attempt cancelled at their provider, and its stored results removed."""
    still_open = [JobState.SUBMITTING, JobState.WAITING]
    await ExternalJob.filter(task_id=task.id, attempt=attempt, state__in=still_open).update(cancel_at=now)
    if task.user_id is not None:
        prefix = work_prefix(task.user_id, task.project_id, task.id, attempt)
        await record_deletion(prefix, now, _FINAL_AFTER_SECONDS)


async def delete_jobs(task_ids: list[str]) -> None:
    """Inside the transaction that deletes tasks: delete their jobs, but for those whose provider is yet to be told."""
    await ExternalJob.filter(task_id__in=task_ids, cancel_at__isnull=True).delete()
