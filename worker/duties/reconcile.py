"""Finds tasks that lost their worker or their place in the queue."""

from domain.tasks.deps import TaskDeps
from domain.tasks.recovery import reclaim_expired, release_lost_again
from worker.scheduler import Duty


def reconcile_duty(deps: TaskDeps) -> Duty:
    """Return the duty that puts such tasks back on their way."""

    async def run() -> int:
        found = await reclaim_expired(deps) + await release_lost_again(deps)
        if found:
            deps.wake()
        return found

    return Duty("reconcile", deps.settings.reconcile_interval_seconds, run)
