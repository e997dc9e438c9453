"""Reading tasks and their events."""

import itertools
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from tortoise.queryset import QuerySet

from domain.events import TaskEvent
from domain.ids import IdPrefix, is_id
from domain.kinds import AssetType
from domain.lifecycle import TaskStatus
from domain.lookups import owned, owned_list
from domain.merging import Part
from domain.models.tasks import Task, TaskEventRow
from domain.pagination import (
    WHOLE,
    OrderKey,
    Page,
    PageRequest,
    count_each,
    count_up,
    paginate,
    paginate_each,
    paginate_parts,
)
from domain.tasks.requests import MAX_PRIORITY
from domain.tasks.transition import event_of
from domain.text import checked_text

MAX_EVENTS: Final = 500
MAX_SEARCH: Final = 200
#: How many of the newest tasks a search looks through.
SEARCHED: Final = 10_000


class TaskOrder(StrEnum):
    """In which order tasks are listed."""

    CREATED_DESC = "CREATED_DESC"
    CREATED_ASC = "CREATED_ASC"
    PRIORITY_DESC = "PRIORITY_DESC"


_ORDERS: Final = {
    TaskOrder.CREATED_DESC: (OrderKey("created_at", descending=True), OrderKey("id", descending=True)),
    TaskOrder.CREATED_ASC: (OrderKey("created_at", descending=False), OrderKey("id", descending=False)),
    TaskOrder.PRIORITY_DESC: (
        OrderKey("priority", descending=True),
        OrderKey("created_at", descending=False),
        OrderKey("id", descending=False),
    ),
}


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Which tasks to list; every condition must hold, `None` is none."""

    project_id: str | None = None
    statuses: Sequence[TaskStatus] | None = None
    asset_types: Sequence[AssetType] | None = None
    #: Part of the prompt, in any case.
    search: str | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    #: Of a search: what is older is not looked at; `searched` sets it.
    searched_from: datetime | None = None


async def page(
    user_id: str, request: PageRequest, wanted: TaskFilter, order: TaskOrder
) -> tuple[Page[Task], Callable[[], Awaitable[int]]]:
    """Return one page of a user's tasks and a function that counts them, no further than `MAX_COUNT`."""
    scope, parts, counted = owned(Task, user_id), parts_of(wanted, order), parts_of(wanted)
    if wanted.project_id is not None:  # its tasks are fewer than its owner's
        scope, parts = owned_list(Task, user_id, parts)
        _, counted = owned_list(Task, user_id, counted)
    query = filtered(scope, await searched(wanted, user_id))

    async def count() -> int:
        return await count_up(query, counted)

    if parts == WHOLE:
        return await paginate(query, _ORDERS[order], request), count
    return await paginate_parts(query, parts, _ORDERS[order], request), count


async def page_of_everybody(
    user_id: str | None, request: PageRequest, wanted: TaskFilter
) -> tuple[Page[Task], Callable[[], Awaitable[int]]]:
    """Return the same for an administrator, newest first: everybody's tasks, or those of one user."""
    if user_id is not None:
        return await page(user_id, request, wanted, TaskOrder.CREATED_DESC)
    query, parts = filtered(owned(Task, None), await searched(wanted, None)), parts_of(wanted)

    async def count() -> int:
        return await count_up(query, parts)

    if parts == WHOLE:
        return await paginate(query, _ORDERS[TaskOrder.CREATED_DESC], request), count
    return await paginate_parts(query, parts, _ORDERS[TaskOrder.CREATED_DESC], request), count


async def pages_of_projects(
    user_id: str | None, project_ids: Sequence[str], request: PageRequest, wanted: TaskFilter, order: TaskOrder
) -> dict[str, Page[Task]]:
    """Return the same page of each of several projects of a user, by project."""
    scope, parts = owned_list(Task, user_id, parts_of(wanted, order))
    query = filtered(scope, await searched(wanted, user_id))
    return await paginate_each(query, "project_id", project_ids, _ORDERS[order], request, parts)


async def counts_of_projects(user_id: str | None, project_ids: Sequence[str], wanted: TaskFilter) -> dict[str, int]:
    """Return how many tasks of each of several projects of a user fit, counted no further than `MAX_COUNT`."""
    scope, parts = owned_list(Task, user_id, parts_of(wanted))
    query = filtered(scope, await searched(wanted, user_id))
    return await count_each(query, "project_id", project_ids, parts)


def parts_of(wanted: TaskFilter, order: TaskOrder = TaskOrder.CREATED_DESC) -> Sequence[Part]:
    """Return the parts of a list that an index has in order each: by status and type, where one of them is asked for.

    The most are 480: every status, type and priority.
    """
    by_priority = order is TaskOrder.PRIORITY_DESC
    if wanted.statuses is None and wanted.asset_types is None and not by_priority:
        return WHOLE
    columns: dict[str, Iterable[object]] = {
        "status": dict.fromkeys(TaskStatus if wanted.statuses is None else wanted.statuses),
        "asset_type": dict.fromkeys(AssetType if wanted.asset_types is None else wanted.asset_types),
    }
    if by_priority and (wanted.search or wanted.created_after or wanted.created_before):
        # What is asked of the time comes after the priority in the index.
        columns["priority"] = range(MAX_PRIORITY + 1)
    return [dict(zip(columns, values, strict=True)) for values in itertools.product(*columns.values())]


async def searched(wanted: TaskFilter, user_id: str | None) -> TaskFilter:
    """Return a filter whose search looks through the SEARCHED newest tasks of a user, or with None of everybody.

    Which prompts hold a text is in no index, so without an end a search for what is rare would read them all. Older
    tasks are found with `created_before`.
    """
    if not wanted.search:
        return wanted
    newest = filtered(owned(Task, user_id), TaskFilter(created_before=wanted.created_before))
    oldest = await newest.order_by("-created_at", "-id").offset(SEARCHED - 1).limit(1).values("created_at")
    return replace(wanted, searched_from=oldest[0]["created_at"]) if oldest else wanted


def filtered(query: QuerySet[Task], wanted: TaskFilter) -> QuerySet[Task]:
    """Return the query narrowed to what is wanted; raises `InvalidInput` for a search that cannot be one.

    Not by status and type: those make the parts of a list, see `parts_of`.
    """
    if wanted.project_id is not None:
        # What is no id is nobody's: an empty list, and nothing that the database could choke on.
        query = query.filter(project_id=wanted.project_id if is_id(wanted.project_id, IdPrefix.PROJECT) else "")
    if wanted.search:
        query = query.filter(
            prompt__icontains=checked_text(wanted.search, maximum=MAX_SEARCH, path=("filter", "search"))
        )
    if wanted.searched_from is not None:
        query = query.filter(created_at__gte=wanted.searched_from)
    if wanted.created_after is not None:
        query = query.filter(created_at__gt=wanted.created_after)
    if wanted.created_before is not None:
        query = query.filter(created_at__lt=wanted.created_before)
    return query


async def events_after(task_id: str, sequence: int, limit: int = MAX_EVENTS) -> list[TaskEvent]:
    """Return a task's events with a greater sequence, oldest first, at most `limit`."""
    rows = await TaskEventRow.filter(task_id=task_id, sequence__gt=sequence).order_by("sequence").limit(limit)
    return [event_of(row) for row in rows]
