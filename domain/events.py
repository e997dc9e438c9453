"""What is told to those who watch."""

from dataclasses import dataclass
from datetime import datetime

from domain.lifecycle import TERMINAL, TaskStage, TaskStatus


@dataclass(frozen=True, slots=True)
class TaskEvent:
    """One step of a task's life, as it stands in its row.

    `sequence` starts at 1 and grows by one within a task, across attempts and restarts.
    """

    task_id: str
    project_id: str
    sequence: int
    status: TaskStatus
    stage: TaskStage | None
    #: Percent, 0 to 100.
    progress: float
    message: str
    attempt: int
    quality_retries: int
    at: datetime

    @property
    def ends_task(self) -> bool:
        """Tell whether this is the last event of the task's present run."""
        return self.status in TERMINAL
