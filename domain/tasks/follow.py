"""Following tasks live: rows for what was, the broadcaster for what comes, rows again on any doubt."""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncGenerator
from typing import Final

from domain.errors import NotFound
from domain.events import TaskEvent
from domain.ids import IdPrefix, is_id
from domain.lifecycle import TERMINAL
from domain.models.projects import Project
from domain.models.tasks import Task
from domain.ports import Subscription
from domain.tasks.control import owned
from domain.tasks.cursor import read_cursor
from domain.tasks.deps import TaskDeps
from domain.tasks.feed import FeedEvent, feed_from, feed_from_now
from domain.tasks.queries import MAX_EVENTS, events_after

#: A broadcast may be lost between processes; after so long the rows are looked at without one.
_LONGEST_WAIT_SECONDS: Final = 15.0
#: The same where the end of a transaction is waited for, which nobody broadcasts.
_HELD_BACK_SECONDS: Final = 1.0


async def follow_task(deps: TaskDeps, user_id: str, task_id: str, after: int | None) -> AsyncGenerator[TaskEvent, None]:
    """Yield a task's events in order, without gap or repetition, and end after the one that ends it.

    Without `after` the first is the latest there is, which shows the task as it is now; with it, every event with a
    greater sequence. Raises `NotFound` for what is not this user's. A task that has ended yields what is left and ends.
    """
    await owned(user_id, task_id)
    async with deps.broadcaster.subscribe(task_id) as live:
        # Subscribed before the rows are read: nothing can fall between the two.
        last = after if after is not None else await _before_latest(task_id)
        while True:
            events = await events_after(task_id, last)
            for event in events:
                last = event.sequence
                yield event
            if len(events) == MAX_EVENTS:
                continue
            if await _is_over(task_id, last):
                return
            while True:
                told = await live.next()
                if told is None or told.sequence > last + 1:
                    break  # dropped or out of order: the rows know
                if told.sequence == last + 1:
                    last = told.sequence
                    yield told
                    if told.ends_task:
                        return
                elif told.ends_task and await _is_over(task_id, last):
                    return  # `after` was beyond the end


async def _before_latest(task_id: str) -> int:
    task = await Task.filter(id=task_id).only("id", "sequence").first()
    return task.sequence - 1 if task is not None else 0


async def _is_over(task_id: str, last: int) -> bool:
    """Tell whether no event can come after `last`: the task has ended with it, or is gone altogether."""
    task = await Task.filter(id=task_id).only("id", "status", "sequence").first()
    return task is None or (task.status in TERMINAL and task.sequence <= last)


async def follow_project(
    deps: TaskDeps, user_id: str, project_id: str, after: str | None
) -> AsyncGenerator[FeedEvent, None]:
    """Yield the events of all tasks of a project, those of new tasks included, until the project goes.

    Without `after` the first is the first that happens now; with it, each that was not told when that cursor was given,
    as far as its task is still there. Each task's events come in order, and none comes twice. Raises `NotFound` and
    `InvalidInput`.
    """
    if not await _is_there(user_id, project_id):
        raise NotFound("There is no such project.", path=("projectId",))
    cursor = None if after is None else read_cursor(project_id, after)
    async with deps.broadcaster.subscribe(project_id) as live:
        feed = await feed_from_now(project_id) if cursor is None else await feed_from(cursor)
        told = _LastTold()
        while True:
            events = await feed.read()
            for item in events:
                told.note(item.event)
                yield item
            if feed.more:
                continue
            # A project that goes ends its active tasks, so that those are told of first.
            ending = not events or any(item.event.ends_task for item in events)
            if ending and not await _is_there(user_id, project_id):
                return
            await _news(live, told, _HELD_BACK_SECONDS if feed.held_back else _LONGEST_WAIT_SECONDS)


async def _news(live: Subscription, told: "_LastTold", seconds: float) -> None:
    """Wait until something was broadcast that was not told yet, or so long that looking is due all the same."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while (event := await live.next()) is not None and told.holds(event):
                pass


async def _is_there(user_id: str, project_id: str) -> bool:
    return is_id(project_id, IdPrefix.PROJECT) and await Project.filter(id=project_id, user_id=user_id).exists()


class _LastTold:
    """Which event each task told last, so that its broadcast sends nobody to the rows again; forgetting is harmless."""

    _MAX_TASKS: Final = 1000

    def __init__(self) -> None:
        self._sequences: OrderedDict[str, int] = OrderedDict()

    def note(self, event: TaskEvent) -> None:
        self._sequences[event.task_id] = event.sequence
        self._sequences.move_to_end(event.task_id)
        if len(self._sequences) > self._MAX_TASKS:
            self._sequences.popitem(last=False)

    def holds(self, event: TaskEvent) -> bool:
        return event.sequence <= self._sequences.get(event.task_id, 0)
