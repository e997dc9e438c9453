"""Removes what was deleted: rows of deleted projects and webhooks, and the objects that nobody owns any more."""

from domain.outbox import Outbox
from domain.tasks.deletion import purge_rows
from domain.tasks.deps import TaskDeps
from domain.webhooks.removal import purge_webhooks
from worker.scheduler import Duty, every


def purge_duty(deps: TaskDeps, outbox: Outbox) -> Duty:
    """Return the duty that removes them, a bounded number at a time."""

    async def run() -> int:
        return await purge_rows(deps.clock.now()) + await purge_webhooks() + await outbox.sweep_all()

    period = every(deps.settings.purge_interval_seconds)
    return Duty("purge", "Removes rows and files of what was deleted.", period, run)
