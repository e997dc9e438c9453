"""The queue's figures, and who works for it."""

from datetime import datetime
from typing import Any, Final

from domain.lifecycle import TaskStatus
from domain.ports import ProviderInfo
from domain.statistics import QueueStatistics, Rates
from schema.declare import described, output
from schema.enums import AssetType, TaskKind

AVERAGE: Final = (
    "Start to finish of completed tasks, in the window; of the attempt that completed, without any waiting."
)
P95: Final = "What 95 of 100 completed tasks did not take longer than, within 2.5 percent."
AVERAGE_WAIT: Final = "Creation, or `retryTask`, to the first start of finished tasks, in the window."
P95_WAIT: Final = "What 95 of 100 finished tasks did not wait longer than, within 2.5 percent."


@output
class TaskFigures:
    """Some of the tasks: how many are active now, and how those went that ended in the window."""

    pending: int = described("Tasks that wait now.")
    running: int = described("Tasks being worked on now.")
    finished: int = described("Tasks that ended in the window, in whatever way.")
    completed: int = described("Tasks that completed in the window.")
    failed: int = described("Tasks that failed in the window.")
    cancelled: int = described("Tasks that were cancelled in the window.")
    timed_out: int = described("Tasks that took too long, in the window.")
    success_rate: float | None = described("Completed of finished, in the window; null when nothing finished.")
    average_seconds: float | None = described(AVERAGE)
    p95_seconds: float | None = described(P95)
    average_wait_seconds: float | None = described(AVERAGE_WAIT)
    p95_wait_seconds: float | None = described(P95_WAIT)

    @classmethod
    def of(cls, rates: Rates) -> "TaskFigures":
        """Return figures as the API shows them."""
        return cls(**_figures(rates))


def _figures(rates: Rates) -> dict[str, Any]:
    ended = {status: max(number, 0) for status, number in rates.tally.ended.items()}
    return {
        "pending": rates.pending,
        "running": rates.running,
        "finished": rates.tally.finished,
        "completed": ended[TaskStatus.COMPLETED],
        "failed": ended[TaskStatus.FAILED],
        "cancelled": ended[TaskStatus.CANCELLED],
        "timed_out": ended[TaskStatus.TIMEOUT],
        "success_rate": rates.tally.success_rate,
        "average_seconds": rates.average_seconds,
        "p95_seconds": rates.p95_seconds,
        "average_wait_seconds": rates.average_wait_seconds,
        "p95_wait_seconds": rates.p95_wait_seconds,
    }


@output
class KindFigures(TaskFigures):
    """The tasks of one kind: how many are active now, and how those went that ended in the window."""

    kind: TaskKind = described("Of which kind.")


@output
class ProviderFigures(TaskFigures):
    """The tasks of one provider: how many are active now, and how those went that ended in the window."""

    provider: str | None = described("Whose; null for tasks of which that is not decided.")


@output
class QueueStats:
    """Counts of tasks by status now, and rates over the window that has just passed."""

    pending: int = described("Tasks that wait.")
    running: int = described("Tasks being worked on.")
    completed: int = described("Tasks that completed, ever; archived ones count, those of deleted projects do not.")
    failed: int = described("Tasks that failed, ever.")
    cancelled: int = described("Tasks that were cancelled, ever.")
    timed_out: int = described("Tasks that took too long, ever.")
    capacity: int = described("How many tasks the queue holds; others wait as rows.")
    workers: int = described("How many tasks can be worked on at the same time.")
    busy_workers: int = described("How many of the workers have one.")
    success_rate: float | None = described("Completed of finished, in the window; null when nothing finished.")
    average_seconds: float | None = described(AVERAGE)
    p95_seconds: float | None = described(P95)
    average_wait_seconds: float | None = described(AVERAGE_WAIT)
    p95_wait_seconds: float | None = described(P95_WAIT)
    window: TaskFigures = described("All tasks: active now, and ended in the window.")
    by_kind: list[KindFigures] = described("The same by kind, of those that have tasks.")
    by_provider: list[ProviderFigures] = described("The same by provider, of those that have tasks.")
    window_seconds: int = described("Length of the window.")
    paused: bool = described("Whether no further tasks are started.")
    at: datetime = described("When this was counted.")

    @classmethod
    def of(cls, stats: QueueStatistics) -> "QueueStats":
        """Return figures as the API shows them."""
        overall = stats.overall
        return cls(
            pending=overall.pending,
            running=overall.running,
            completed=stats.ended[TaskStatus.COMPLETED],
            failed=stats.ended[TaskStatus.FAILED],
            cancelled=stats.ended[TaskStatus.CANCELLED],
            timed_out=stats.ended[TaskStatus.TIMEOUT],
            capacity=stats.capacity,
            workers=stats.workers,
            busy_workers=stats.busy_workers,
            success_rate=overall.tally.success_rate,
            average_seconds=overall.average_seconds,
            p95_seconds=overall.p95_seconds,
            average_wait_seconds=overall.average_wait_seconds,
            p95_wait_seconds=overall.p95_wait_seconds,
            window=TaskFigures.of(overall),
            by_kind=[KindFigures(kind=kind, **_figures(rates)) for kind, rates in stats.by_kind.items()],
            by_provider=[
                ProviderFigures(provider=name, **_figures(rates)) for name, rates in stats.by_provider.items()
            ],
            window_seconds=stats.window_seconds,
            paused=stats.paused,
            at=stats.at,
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
    unavailable_reason: str | None = described("Why it cannot be used now; null when it can.")
    seeds: bool = described("Whether the same seed makes the same picture again.")
    transparency: bool = described(
        "Whether the model leaves the background out by itself; otherwise a plain one is painted and taken away."
    )
    reference_images: int = described("How many of a style's reference images it looks at.")
    concurrency: int | None = described("How many requests it is sent at the same time; null for no limit.")
    requests_per_minute: int | None = described("How many requests it is sent in a minute; null for no limit.")
    price_per_image: float | None = described("What the operator counts for one picture; null when nothing is counted.")

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
            unavailable_reason=info.unavailable_reason,
            seeds=info.seeds,
            transparency=info.transparency,
            reference_images=info.reference_images,
            concurrency=info.concurrency,
            requests_per_minute=info.requests_per_minute,
            price_per_image=info.price_per_image,
        )
