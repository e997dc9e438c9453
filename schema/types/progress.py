"""What is told of a task, live and afterwards."""

from datetime import datetime

import strawberry

from domain.events import TaskEvent
from schema.context import Info
from schema.declare import described, output, resolved
from schema.enums import TaskStage, TaskStatus
from schema.loaders import existing
from schema.types.task import Task


@output
class TaskProgress:
    """One step of a task's life."""

    task_id: strawberry.ID = described("Whose step.")
    sequence: int = described("Starts at 1 and grows by one within a task, across attempts and restarts.")
    status: TaskStatus = described("Where the task stood after it.")
    stage: TaskStage | None = described("What was being done.")
    progress: float = described("0 to 100.")
    message: str = described("For people.")
    attempt: int = described("In which attempt.")
    quality_retries: int = described("How often the attempt had been tried again.")
    at: datetime = described("When it happened.")
    cursor: str | None = described(
        "Of `projectProgress`: what its `after` takes to go on with what comes after this step; opaque.", default=None
    )

    @resolved
    async def task(self, info: Info) -> Task:
        """The task as it is when the event is read."""
        return existing(await info.context.loaders.task.load(self.task_id))

    @classmethod
    def of(cls, event: TaskEvent, cursor: str | None = None) -> "TaskProgress":
        """Return an event as the API shows it."""
        return cls(
            task_id=strawberry.ID(event.task_id),
            sequence=event.sequence,
            status=event.status,
            stage=event.stage,
            progress=event.progress,
            message=event.message,
            attempt=event.attempt,
            quality_retries=event.quality_retries,
            at=event.at,
            cursor=cursor,
        )
