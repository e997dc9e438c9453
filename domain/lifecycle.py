"""The life of a task: its states, every arrow between them, and its stages.

A task begins PENDING. A worker takes it (RUNNING) and ends it COMPLETED, FAILED or TIMEOUT. RUNNING falls back to
PENDING when the task is to be tried again or its worker died; each such return begins a new attempt. CANCELLED ends a
task that was PENDING or RUNNING. A terminal state never changes by itself, whatever arrives late; only an explicit
retry makes a task that did not complete PENDING again.

A RUNNING task of an asynchronous provider is parked while its jobs there are at work: it has no worker then, and
`next_check_at` says when the provider is asked about them again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class TaskStatus(StrEnum):
    """Where a task stands."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    TIMEOUT = "TIMEOUT"


class TaskStage(StrEnum):
    """What a running task is doing."""

    PROMPT_BUILDER = "PROMPT_BUILDER"
    ASSET_GENERATOR = "ASSET_GENERATOR"
    QUALITY_SUPERVISOR = "QUALITY_SUPERVISOR"
    FORMAT_ADAPTER = "FORMAT_ADAPTER"


class JobState(StrEnum):
    """Where a job at an asynchronous provider stands."""

    #: About to be created; a process that dies now leaves it unknown whether it was.
    SUBMITTING = "SUBMITTING"
    #: At work; the provider's id of it is known.
    WAITING = "WAITING"
    #: Done there, not fetched yet.
    DONE = "DONE"
    #: Its pictures are stored here.
    FETCHED = "FETCHED"
    FAILED = "FAILED"


ACTIVE: Final = frozenset({TaskStatus.PENDING, TaskStatus.RUNNING})
TERMINAL: Final = frozenset(TaskStatus) - ACTIVE
RETRYABLE: Final = frozenset({TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.TIMEOUT})

#: The transition table. RUNNING to RUNNING is a step within the work.
TRANSITIONS: Final[Mapping[TaskStatus, frozenset[TaskStatus]]] = {
    TaskStatus.PENDING: frozenset({TaskStatus.RUNNING, TaskStatus.CANCELLED, TaskStatus.FAILED}),
    TaskStatus.RUNNING: frozenset(
        {
            TaskStatus.RUNNING,
            TaskStatus.PENDING,
            TaskStatus.COMPLETED,
            TaskStatus.FAILED,
            TaskStatus.TIMEOUT,
            TaskStatus.CANCELLED,
        }
    ),
    TaskStatus.COMPLETED: frozenset(),
    TaskStatus.FAILED: frozenset({TaskStatus.PENDING}),
    TaskStatus.TIMEOUT: frozenset({TaskStatus.PENDING}),
    TaskStatus.CANCELLED: frozenset({TaskStatus.PENDING}),
}


def may_become(status: TaskStatus, target: TaskStatus) -> bool:
    """Tell whether the table has an arrow from one status to another."""
    return target in TRANSITIONS[status]


@dataclass(frozen=True, slots=True)
class StageSpan:
    """The part of the progress bar, in percent, that a stage fills."""

    start: float
    end: float

    def at(self, share: float) -> float:
        """Return the progress in percent when `share` (0 to 1) of the stage is done."""
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)


STAGE_SPANS: Final[Mapping[TaskStage, StageSpan]] = {
    TaskStage.PROMPT_BUILDER: StageSpan(0, 20),
    TaskStage.ASSET_GENERATOR: StageSpan(20, 60),
    TaskStage.QUALITY_SUPERVISOR: StageSpan(60, 80),
    TaskStage.FORMAT_ADAPTER: StageSpan(80, 100),
}
