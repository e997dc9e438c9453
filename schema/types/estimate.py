"""When a task is expected to start and end, live."""

from datetime import datetime

import strawberry

from schema.declare import described, output
from schema.enums import TaskStatus


@output
class TaskEstimate:
    """When a task is expected to start and end, as things stood at one moment."""

    task_id: strawberry.ID = described("Which task.")
    status: TaskStatus = described("Where it stood.")
    queue_position: int | None = described("Its place in the queue: 1 is next; null unless it is PENDING and ready.")
    estimated_start_at: datetime | None = described("As `Task.estimatedStartAt`.")
    estimated_finish_at: datetime | None = described("As `Task.estimatedFinishAt`.")
    at: datetime = described("When this was estimated.")
