"""Telling when a task is expected to start and end, as often as that changes."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import datetime, timedelta
from typing import Final

import strawberry

from domain.errors import NotFound
from domain.lifecycle import TERMINAL
from domain.tasks.forecast import Estimate, subject_of
from schema.context import Info
from schema.types.estimate import TaskEstimate

#: A time that moved by less has not changed.
_SAME: Final = timedelta(seconds=1)


async def follow_estimate(info: Info, user_id: str, task_id: str, seconds: float) -> AsyncGenerator[TaskEstimate, None]:
    """Yield a task's estimate now and whenever it has changed, looking so often, and end when the task does."""
    told: TaskEstimate | None = None
    while True:
        try:
            found = await _look(info, user_id, task_id)
        except NotFound:  # deleted meanwhile
            return
        if told is None or _differs(told, found):
            told = found
            yield found
        if found.status in TERMINAL:
            return
        await asyncio.sleep(seconds)


async def _look(info: Info, user_id: str, task_id: str) -> TaskEstimate:
    tasks = info.context.services.tasks
    task = await tasks.get(user_id, task_id)
    positions = {} if task.status in TERMINAL else await tasks.queue_positions([task.id])
    estimate = (await tasks.estimates([subject_of(task)], positions)).get(task.id, Estimate())
    return TaskEstimate(
        task_id=strawberry.ID(task.id),
        status=task.status,
        queue_position=positions.get(task.id),
        estimated_start_at=estimate.start_at,
        estimated_finish_at=estimate.finish_at,
        at=info.context.services.clock.now(),
    )


def _differs(one: TaskEstimate, other: TaskEstimate) -> bool:
    return (
        (one.status, one.queue_position) != (other.status, other.queue_position)
        or _moved(one.estimated_start_at, other.estimated_start_at)
        or _moved(one.estimated_finish_at, other.estimated_finish_at)
    )


def _moved(one: datetime | None, other: datetime | None) -> bool:
    if one is None or other is None:
        return one is not other
    return abs(one - other) >= _SAME
