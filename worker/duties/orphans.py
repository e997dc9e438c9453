"""Removes files that no row names."""

from datetime import timedelta

from domain.orphans import sweep_orphans
from domain.ports import Storage
from domain.schedules import keep_marker, read_marker
from domain.tasks.deps import TaskDeps
from worker.scheduler import Duty, every

_NAME = "orphans"


def orphans_duty(deps: TaskDeps, storage: Storage) -> Duty:
    """Return the duty that goes through a part of the storage each time, and begins anew behind its end."""
    settings = deps.settings

    async def run() -> int:
        grace = timedelta(hours=settings.orphan_grace_hours)
        sweep = await sweep_orphans(storage, deps.clock.now(), grace, await read_marker(_NAME))
        await keep_marker(_NAME, sweep.after)
        return sweep.found

    description = f"Removes files that no row names and that are older than {settings.orphan_grace_hours:g} hours."
    return Duty(_NAME, description, every(settings.orphans_interval_seconds), run)
