"""Asks providers about their jobs, beside the immediate path."""

import asyncio

from domain.tasks.deps import TaskDeps
from worker.jobs.canceller import Canceller
from worker.jobs.checker import Checker
from worker.scheduler import Duty, every


def check_statuses_duty(deps: TaskDeps, checker: Checker, canceller: Canceller) -> Duty:
    """Return the duty that asks about parked tasks that are due, and cancels jobs that nobody wants any more."""

    async def run() -> int:
        report, settled = await asyncio.gather(checker.check_due(deps), canceller.cancel_due(deps))
        return report.moved + settled

    period = every(deps.settings.check_interval_seconds)
    return Duty("check_statuses", "Asks providers about jobs, beside the immediate path.", period, run)
