"""Files that an interrupted run may have written: recorded for removal with the change that interrupts it."""

from datetime import datetime

from domain.lifecycle import TaskStage
from domain.models.tasks import Task
from domain.outbox import record_deletion
from domain.settings import Settings
from domain.storage.keys import task_prefix


async def record_leftovers(task: Task, now: datetime, settings: Settings) -> None:
    """Inside a transaction: see to it that what this run has stored, or is storing just now, goes away.

    Only a run that has reached the last stage writes files. Each run writes under a prefix of its own, so the removal
    never meets the files of a later one.
    """
    if task.owner_token is None or task.user_id is None or task.stage is not TaskStage.FORMAT_ADAPTER:
        return
    prefix = task_prefix(task.user_id, task.project_id, task.id)
    await record_deletion(f"{prefix}output/{task.owner_token}/", now, final_after_seconds(settings))


def final_after_seconds(settings: Settings) -> float:
    """Return after how long no worker that has lost its task can still be writing."""
    return 2 * settings.lease_seconds + 60
