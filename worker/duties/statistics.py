"""Writes the queue's figures to the log."""

import logging

from domain.figures.window import MIN_WINDOW_SECONDS
from domain.lifecycle import TaskStatus
from domain.statistics import QueueStatistics, Rates, Statistics
from domain.tasks.deps import TaskDeps
from worker.scheduler import Duty, every

_log = logging.getLogger(__name__)


def statistics_duty(deps: TaskDeps, statistics: Statistics) -> Duty:
    """Return the duty that logs one line of figures over its own period, and one for each provider."""
    settings = deps.settings

    async def run() -> int:
        window_seconds = max(int(settings.statistics_interval_seconds), MIN_WINDOW_SECONDS)
        _tell(await statistics.queue_stats(None, window_seconds))
        return 0

    return Duty("statistics", "Logs the queue's figures.", every(settings.statistics_interval_seconds), run)


def _tell(stats: QueueStatistics) -> None:
    ended = stats.ended
    _log.info(
        "queue%s: %d pending, %d running on %d of %d workers; ever %d completed, %d failed, %d cancelled, %d timed out",
        " (paused)" if stats.paused else "",
        stats.overall.pending,
        stats.overall.running,
        stats.busy_workers,
        stats.workers,
        ended[TaskStatus.COMPLETED],
        ended[TaskStatus.FAILED],
        ended[TaskStatus.CANCELLED],
        ended[TaskStatus.TIMEOUT],
    )
    for provider, rates in stats.by_provider.items():
        if rates.tally.finished:
            _log.info("last %d s with %s: %s", stats.window_seconds, provider or "no provider yet", _line(rates))


def _line(rates: Rates) -> str:
    return (
        f"{rates.tally.finished} finished, {rates.tally.success_rate or 0:.0%} completed, "
        f"run {_seconds(rates.average_seconds)} (p95 {_seconds(rates.p95_seconds)}), "
        f"wait {_seconds(rates.average_wait_seconds)} (p95 {_seconds(rates.p95_wait_seconds)})"
    )


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} s"
