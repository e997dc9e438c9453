"""Writes the queue's figures to the log."""

import logging

from domain.statistics import Statistics
from domain.tasks.deps import TaskDeps
from worker.scheduler import Duty, every

_log = logging.getLogger(__name__)


def statistics_duty(deps: TaskDeps, statistics: Statistics) -> Duty:
    """Return the duty that logs one line of figures."""
    settings = deps.settings

    async def run() -> int:
        stats = await statistics.queue_stats(None, int(settings.statistics_interval_seconds))
        _log.info(
            "queue: %d pending, %d running, %d completed, %d failed, %d cancelled, %d timed out",
            stats.pending,
            stats.running,
            stats.completed,
            stats.failed,
            stats.cancelled,
            stats.timed_out,
        )
        return 0

    return Duty("statistics", "Logs the queue's figures.", every(settings.statistics_interval_seconds), run)
