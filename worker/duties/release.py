"""Hands over ready tasks, beside the immediate path."""

from domain.tasks.deps import TaskDeps
from domain.tasks.release import fail_dependants, release
from worker.scheduler import Duty, every


def release_duty(deps: TaskDeps) -> Duty:
    """Return the duty that releases what the dispatcher was not told of."""

    async def run() -> int:
        return await fail_dependants(deps) + await release(deps)

    period = every(deps.settings.release_interval_seconds)
    return Duty("release", "Hands ready tasks to the queue, beside the immediate path.", period, run)
