"""When active tasks will start and end, as far as recent tasks tell: computed when it is read, never stored.

Work is what an attempt takes from its own start; waiting for a turn, for a retry or for a lost worker is none of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain.errors import DomainError
from domain.figures.folding import instant
from domain.figures.tally import Durations
from domain.figures.window import Group, recent
from domain.kinds import AssetType, TaskKind
from domain.lifecycle import ACTIVE, TaskStatus
from domain.models.tasks import Task
from domain.queue_state import is_paused
from domain.statements import fetch
from domain.tasks.deps import TaskDeps

#: A task that took longer than so many of its like may take any time.
_LATE: Final = 0.95

_AT_WORK = """
SELECT kind, provider, attempt_started_at AS began_at FROM task
WHERE status = 'RUNNING' AND next_check_at IS NULL AND attempt_started_at IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class Subject:
    """What must be known of a task to say when it starts and ends."""

    task_id: str
    status: TaskStatus
    kind: TaskKind
    asset_type: AssetType
    provider: str | None
    attempt_started_at: datetime | None


def subject_of(task: Task) -> Subject:
    """Return what of a row an estimate needs."""
    return Subject(task.id, task.status, task.kind, task.asset_type, task.provider, task.attempt_started_at)


@dataclass(frozen=True, slots=True)
class Estimate:
    """When a task starts and ends; None where nothing is known."""

    start_at: datetime | None = None
    finish_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """A task that holds a worker."""

    group: Group
    began_at: datetime


class Forecast:
    """How the queue goes on from one moment, if its tasks take as long as their like took lately.

    Each worker becomes free when its task has taken the mean of its like, and those that wait start in their order,
    each for the mean of all. Tasks of an asynchronous provider hold a worker only at their beginning and end, so they
    count as if they held none.
    """

    def __init__(
        self,
        now: datetime,
        took: Mapping[Group, Durations],
        at_work: Iterable[Work],
        *,
        workers: int,
        asynchronous: frozenset[str],
        paused: bool,
    ) -> None:
        self._now = now
        self._took = took
        self._workers = 0 if paused else workers
        self._asynchronous = asynchronous
        self._by_kind: dict[TaskKind, Durations] = {}
        for group, durations in took.items():
            self._by_kind.setdefault(group.kind, Durations()).merge(durations)
        ends = sorted(max(self._worker_free_at(work), now) for work in at_work)
        # More than the workers there are: those of a process that is just being replaced.
        self._free_at = ([now] * max(self._workers - len(ends), 0) + ends)[: self._workers]
        self._turn = self._turn_duration()

    def waiting(self, group: Group, position: int) -> Estimate:
        """Return the estimate of a task that is at this place in the queue, 1 being next."""
        if not self._workers or (self._turn is None and position > self._workers):
            return Estimate()
        rounds, worker = divmod(position - 1, self._workers)
        start_at = self._free_at[worker] + rounds * (self._turn or timedelta())
        mean = self._durations(group).mean
        return Estimate(start_at, None if mean is None else start_at + timedelta(seconds=mean))

    def running(self, group: Group, began_at: datetime) -> Estimate:
        """Return the estimate of a task whose attempt began then; its end is unknown once it is later than its like."""
        durations = self._durations(group)
        for seconds in (durations.mean, durations.quantile(_LATE)):
            if seconds is not None and began_at + timedelta(seconds=seconds) > self._now:
                return Estimate(began_at, began_at + timedelta(seconds=seconds))
        return Estimate(began_at)

    def _durations(self, group: Group) -> Durations:
        """Return how long such tasks took; where none of this provider is known, those of the kind."""
        found = self._took.get(group)
        return found if found is not None and found.count > 0 else self._by_kind.get(group.kind, Durations())

    def _worker_free_at(self, work: Work) -> datetime:
        mean = self._durations(work.group).mean
        return self._now if mean is None or self._holds_none(work.group) else work.began_at + timedelta(seconds=mean)

    def _turn_duration(self) -> timedelta | None:
        """Return for how long a task holds its worker, over all; None when nothing is known."""
        number = sum(durations.count for durations in self._took.values())
        held = [durations for group, durations in self._took.items() if not self._holds_none(group)]
        seconds = sum(durations.total_seconds for durations in held)
        return timedelta(seconds=max(seconds / number, 0.0)) if number > 0 else None

    def _holds_none(self, group: Group) -> bool:
        return group.provider in self._asynchronous


async def estimates(
    deps: TaskDeps, subjects: Sequence[Subject], positions: Mapping[str, int | None]
) -> dict[str, Estimate]:
    """Return the estimate of each task that has one; `positions` are those of `queue_positions`.

    Three statements, whatever the number of tasks; none when no task is active.
    """
    active = [subject for subject in subjects if subject.status in ACTIVE]
    if not active:
        return {}
    forecast = await _read(deps)
    found: dict[str, Estimate] = {}
    for subject in active:
        position = positions.get(subject.task_id)
        if subject.status is TaskStatus.RUNNING and subject.attempt_started_at is not None:
            found[subject.task_id] = forecast.running(_group(deps, subject), subject.attempt_started_at)
        elif subject.status is TaskStatus.PENDING and position is not None:
            found[subject.task_id] = forecast.waiting(_group(deps, subject), position)
    return found


async def _read(deps: TaskDeps) -> Forecast:
    now = deps.clock.now()
    took = {group: tally.run for group, tally in (await recent(now)).items()}
    at_work = [
        Work(Group(TaskKind(row["kind"]), row["provider"]), instant(row["began_at"]))
        for row in await fetch(_AT_WORK, [])
    ]
    return Forecast(
        now,
        took,
        at_work,
        workers=deps.settings.workers,
        asynchronous=frozenset(info.name for info in deps.catalog.describe() if info.asynchronous),
        paused=await is_paused(),
    )


def _group(deps: TaskDeps, subject: Subject) -> Group:
    provider = subject.provider
    if provider is None:
        try:
            provider = deps.catalog.choose(subject.kind, subject.asset_type, None)
        except DomainError:  # none does this now: what the kind took is all that is known
            provider = None
    return Group(subject.kind, provider)
