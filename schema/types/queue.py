"""The queue's figures, and who works for it."""

from datetime import datetime

from domain.ports import ProviderInfo
from domain.statistics import QueueStatistics
from schema.declare import described, output
from schema.enums import AssetType, TaskKind


@output
class QueueStats:
    """Counts of tasks by status now, and rates over the window that has just passed."""

    pending: int = described("Tasks that wait.")
    running: int = described("Tasks being worked on.")
    completed: int = described("Tasks that completed, ever.")
    failed: int = described("Tasks that failed, ever.")
    cancelled: int = described("Tasks that were cancelled, ever.")
    timed_out: int = described("Tasks that took too long, ever.")
    capacity: int = described("How many tasks the queue holds; others wait as rows.")
    workers: int = described("How many tasks can be worked on at the same time.")
    busy_workers: int = described("How many of the workers have one.")
    success_rate: float | None = described("Completed of finished, in the window; null when nothing finished.")
    average_seconds: float | None = described("Start to finish of completed tasks, in the window.")
    average_wait_seconds: float | None = described("Creation to start of finished tasks, in the window.")
    window_seconds: int = described("Length of the window.")
    paused: bool = described("Whether no further tasks are started.")
    at: datetime = described("When this was counted.")

    @classmethod
    def of(cls, figures: QueueStatistics) -> "QueueStats":
        """Return figures as the API shows them."""
        return cls(
            pending=figures.pending,
            running=figures.running,
            completed=figures.completed,
            failed=figures.failed,
            cancelled=figures.cancelled,
            timed_out=figures.timed_out,
            capacity=figures.capacity,
            workers=figures.workers,
            busy_workers=figures.busy_workers,
            success_rate=figures.success_rate,
            average_seconds=figures.average_seconds,
            average_wait_seconds=figures.average_wait_seconds,
            window_seconds=figures.window_seconds,
            paused=figures.paused,
            at=figures.at,
        )


@output
class Provider:
    """Something that this server can generate with."""

    name: str = described("For `GenerateInput.provider`.")
    kinds: list[TaskKind] = described("What it does.")
    asset_types: list[AssetType] = described("For what.")
    asynchronous: bool = described("Whether its result comes from a job that outlives the call.")
    available: bool = described("Whether it can be used now.")
    model: str = described("Model or version.")

    @classmethod
    def of(cls, info: ProviderInfo) -> "Provider":
        """Return a provider as the API shows it."""
        return cls(
            name=info.name,
            kinds=list(info.kinds),
            asset_types=list(info.asset_types),
            asynchronous=info.asynchronous,
            available=info.available,
            model=info.model,
        )
