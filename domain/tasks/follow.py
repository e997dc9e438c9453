"""Following a task live: rows for what was, the broadcaster for what comes, rows again on any doubt."""

from collections import OrderedDict
from collections.abc import AsyncGenerator

from domain.errors import NotFound
from domain.events import TaskEvent
from domain.ids import IdPrefix, is_id
from domain.lifecycle import TERMINAL
from domain.models.projects import Project
from domain.models.tasks import Task, TaskEventRow
from domain.tasks.control import owned
from domain.tasks.deps import TaskDeps
from domain.tasks.queries import MAX_EVENTS, events_after
from domain.tasks.transition import event_of


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


async def follow_project(deps: TaskDeps, user_id: str, project_id: str) -> AsyncGenerator[TaskEvent, None]:
    """Yield the events of all tasks of a project as they happen, those of new tasks included, until the project goes.

    Each task's events come in order and without repetition, beginning with the first that happens now; what the
    broadcaster dropped is read from the rows. Raises `NotFound`.
    """
    if not is_id(project_id, IdPrefix.PROJECT) or not await Project.filter(id=project_id, user_id=user_id).exists():
        raise NotFound("There is no such project.", path=("projectId",))
    async with deps.broadcaster.subscribe(project_id) as live:
        newest = await TaskEventRow.filter(project_id=project_id).order_by("-id").first()
        seen = _Seen(newest.id if newest is not None else 0)
        while True:
            event = await live.next()
            if event is not None and not seen.follows(event):
                if event.sequence <= seen.last[event.task_id]:
                    continue
                event = None
            if event is not None:
                seen.note(event)
                yield event
                continue
            if not await Project.filter(id=project_id, user_id=user_id).exists():
                return
            for missed in await seen.read_missed(project_id):
                yield missed


class _Seen:
    """Which event each task of a project told last; bounded, because tasks that told nothing for long are forgotten."""

    #: Rows may become visible a little out of order; so far back is looked again.
    OVERLAP_ROWS = 500
    #: More than OVERLAP_ROWS, so that no forgotten task has a row that is looked at again.
    MAX_TASKS = 5000

    def __init__(self, row_id: int) -> None:
        self.last: OrderedDict[str, int] = OrderedDict()
        self._first_row_id = self._row_id = row_id

    def follows(self, event: TaskEvent) -> bool:
        return event.task_id not in self.last or event.sequence == self.last[event.task_id] + 1

    def note(self, event: TaskEvent) -> None:
        self.last[event.task_id] = event.sequence
        self.last.move_to_end(event.task_id)
        if len(self.last) > self.MAX_TASKS:
            self.last.popitem(last=False)

    async def read_missed(self, project_id: str) -> list[TaskEvent]:
        missed = []
        start = max(self._first_row_id, self._row_id - self.OVERLAP_ROWS)
        while rows := await TaskEventRow.filter(project_id=project_id, id__gt=start).order_by("id").limit(MAX_EVENTS):
            for row in rows:
                event = event_of(row)
                if event.sequence > self.last.get(event.task_id, 0):
                    self.note(event)
                    missed.append(event)
            start = self._row_id = rows[-1].id
        return missed
