"""Archives old tasks once a day."""

from domain.tasks.cleanup import clean_up
from domain.tasks.deps import TaskDeps
from worker.scheduler import Duty, daily


def cleanup_duty(deps: TaskDeps) -> Duty:
    """Return the duty that cleans up at the time of day that is set."""
    settings = deps.settings

    async def run() -> int:
        return (await clean_up(deps, settings.cleanup_after_days)).tasks

    description = f"Archives tasks that ended more than {settings.cleanup_after_days} days ago."
    return Duty("cleanup", description, daily(settings.cleanup_time, settings.time_zone), run)
