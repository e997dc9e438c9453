"""Keeps the queue's figures small."""

from domain.figures.folding import fold, forget
from domain.tasks.deps import TaskDeps
from worker.scheduler import Duty, every


def figures_duty(deps: TaskDeps) -> Duty:
    """Return the duty that adds up what has ended and forgets what no window reaches any more."""

    async def run() -> int:
        await fold()
        return await forget(deps.clock.now())

    description = "Adds up how tasks ended, and forgets figures that are too old to be shown."
    return Duty("figures", description, every(deps.settings.figures_interval_seconds), run)
