"""Finds tasks that lost their worker or their place in the queue."""

from domain.tasks.deps import TaskDeps
from domain.tasks.recovery import reclaim_expired, release_lost_again
from worker.scheduler import Duty, every


def reconcile_duty(deps: TaskDeps) -> Duty:
    """Return the duty that puts such tasks back on their way."""

    async def run() -> int:
        found = await reclaim_expired(deps) + await release_lost_again(deps)
        if found:
            deps.wake()
        return found

    period = every(deps.settings.reconcile_interval_seconds)
    return Duty("reconcile", "Takes back tasks whose worker or place in the queue is gone.", period, run)
