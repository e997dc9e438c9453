"""Reading many rows of one owner at once: one statement, whatever the number of ids.

What is not the owner's is left out, as if it did not exist; the owner None, an administrator, sees everybody's. Rows
that hang on a task (events, verdicts) have no owner of their own; they are asked for by the ids of tasks that were
found to be the owner's.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final, TypeVar

from tortoise.functions import Count
from tortoise.queryset import QuerySet

from domain.events import TaskEvent
from domain.lifecycle import ACTIVE, JobState
from domain.merging import Part, Within
from domain.models.jobs import ExternalJob
from domain.models.projects import Project, UploadedImage
from domain.models.tasks import Asset, QualityCheckRow, Task, TaskDependency, TaskEventRow
from domain.models.webhooks import Webhook
from domain.tasks.transition import event_of

#: What the column can hold, and be compared with.
_MAX_SEQUENCE: Final = 2**31 - 1

Row = TypeVar("Row", Project, UploadedImage, Task, Asset, Webhook)


def owned(model: type[Row], user_id: str | None) -> QuerySet[Row]:
    """Return the rows of a user, or with None those of everybody; what is being deleted is nobody's."""
    return model.filter(user_id__isnull=False) if user_id is None else model.filter(user_id=user_id)


def owned_list(model: type[Row], user_id: str | None, parts: Sequence[Part]) -> tuple[QuerySet[Row], Sequence[Part]]:
    """Return the same rows as `owned`, for a list that a narrower column leads to, such as a project's.

    Only query and parts together leave out what is not the user's.
    """
    if user_id is None:
        return owned(model, None), parts
    return model.all(), [{**part, "user_id": Within(user_id)} for part in parts]


async def owned_rows(model: type[Row], user_id: str | None, ids: Collection[str]) -> dict[str, Row]:
    """Return those of the rows that are the user's, by id."""
    rows = await owned(model, user_id).filter(id__in=list(ids))
    return {row.id: row for row in rows}


async def assets_of_tasks(user_id: str | None, task_ids: Collection[str]) -> dict[str, list[Asset]]:
    """Return the assets of each of a user's tasks, the main one first."""
    grouped: defaultdict[str, list[Asset]] = defaultdict(list)
    for row in await owned(Asset, user_id).filter(task_id__in=list(task_ids)).order_by("task_id", "position"):
        grouped[row.task_id].append(row)
    return grouped


async def checks_of_tasks(task_ids: Collection[str]) -> dict[str, list[QualityCheckRow]]:
    """Return the verdicts of each task, oldest first."""
    grouped: defaultdict[str, list[QualityCheckRow]] = defaultdict(list)
    rows = QualityCheckRow.filter(task_id__in=list(task_ids))
    for row in await rows.order_by("task_id", "attempt", "round", "variation", "position"):
        grouped[row.task_id].append(row)
    return grouped


async def events_of_tasks(task_ids: Collection[str], after: int, first: int) -> dict[str, list[TaskEvent]]:
    """Return of each task at most `first` events with a sequence greater than `after`, oldest first.

    Sequences have no gaps, so a range of them is a number of rows.
    """
    grouped: defaultdict[str, list[TaskEvent]] = defaultdict(list)
    last = min(after + first, _MAX_SEQUENCE)
    rows = TaskEventRow.filter(task_id__in=list(task_ids), sequence__gt=after, sequence__lte=last)
    for row in await rows.order_by("task_id", "sequence"):
        grouped[row.task_id].append(event_of(row))
    return grouped


async def previews_of_tasks(task_ids: Collection[str]) -> dict[str, bytes]:
    """Return the picture of what each task's job has made so far; of several jobs the first one's."""
    jobs = ExternalJob.filter(task_id__in=list(task_ids), state=JobState.WAITING, preview__isnull=False)
    rows = await jobs.order_by("-attempt", "-round", "variation").values_list("task_id", "preview")
    found: dict[str, bytes] = {}
    for task_id, preview in rows:
        found.setdefault(str(task_id), bytes(preview))
    return found


async def dependencies_of_tasks(user_id: str | None, task_ids: Collection[str]) -> dict[str, list[Task]]:
    """Return the tasks that each task waits for, in the order in which they were named; two statements."""
    edges = await TaskDependency.filter(task_id__in=list(task_ids)).order_by("id")
    found = await owned_rows(Task, user_id, {edge.depends_on_id for edge in edges}) if edges else {}
    grouped: defaultdict[str, list[Task]] = defaultdict(list)
    for edge in edges:
        if edge.depends_on_id in found:
            grouped[edge.task_id].append(found[edge.depends_on_id])
    return grouped


async def active_counts(user_ids: Collection[str]) -> dict[str, int]:
    """Return how many active tasks each user has; those that have none are left out."""
    rows = (
        await Task.filter(user_id__in=list(user_ids), status__in=list(ACTIVE))
        .annotate(number=Count("id"))
        .group_by("user_id")
        .values_list("user_id", "number")
    )
    return {str(user_id): int(number) for user_id, number in rows}
