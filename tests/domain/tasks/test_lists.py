"""Lists of tasks hold what fits, in their order, whatever the filter, and page by page."""

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from domain import pagination
from domain.kinds import AssetType
from domain.lifecycle import TaskStatus
from domain.models.tasks import Task
from domain.pagination import PageRequest
from domain.tasks import queries
from domain.tasks.queries import TaskFilter, TaskOrder
from tests.conftest import MovableClock
from tests.helpers.room import Room, make_project

STATUSES = (TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.PENDING)
TYPES = (AssetType.SPRITE, AssetType.ICON)


@pytest.fixture
async def tasks(room: Room, clock: MovableClock) -> list[Task]:
    """Forty tasks of two projects, of which several were made in the same second, and one of a stranger."""
    choices = random.Random(3)
    projects = [room.project.id, (await make_project(clock, room.user)).id]
    await room.submit("a slime of a stranger", user=room.stranger)
    made = []
    for number in range(40):
        clock.advance(choices.choice((0, 1)))
        task = await room.submit(
            f"{choices.choice(('slime', 'knight'))} {number}",
            project_id=choices.choice(projects),
            asset_type=choices.choice(TYPES),
            priority=choices.choice((0, 3, 9)),
        )
        status = choices.choice(STATUSES)
        await Task.filter(id=task.id).update(status=status)
        task.status = status
        made.append(task)
    return made


def _fits(task: Task, wanted: TaskFilter) -> bool:
    return (
        (wanted.project_id is None or task.project_id == wanted.project_id)
        and (wanted.statuses is None or task.status in wanted.statuses)
        and (wanted.asset_types is None or task.asset_type in wanted.asset_types)
        and (wanted.search is None or wanted.search.lower() in task.prompt)
        and (wanted.created_after is None or task.created_at > wanted.created_after)
        and (wanted.created_before is None or task.created_at < wanted.created_before)
    )


def _expected(tasks: list[Task], wanted: TaskFilter, order: TaskOrder) -> list[str]:
    listed = sorted((task for task in tasks if _fits(task, wanted)), key=lambda task: (task.created_at, task.id))
    if order is TaskOrder.CREATED_DESC:
        listed.reverse()
    if order is TaskOrder.PRIORITY_DESC:
        listed.sort(key=lambda task: -task.priority)
    return [task.id for task in listed]


async def _read(user_id: str, wanted: TaskFilter, order: TaskOrder, *, backwards: bool) -> list[str]:
    """Read a list page by page to its end."""
    found: list[str] = []
    request = PageRequest(last=14) if backwards else PageRequest(first=14)
    while True:
        page, _ = await queries.page(user_id, request, wanted, order)
        ids = [task.id for task in page.items]
        found = [*ids, *found] if backwards else [*found, *ids]
        if not (page.has_previous if backwards else page.has_next):
            return found
        request = replace(request, before=page.cursors[0]) if backwards else replace(request, after=page.cursors[-1])


@pytest.mark.slow
@pytest.mark.parametrize("order", TaskOrder)
async def test_every_filter_in_every_order(room: Room, tasks: list[Task], order: TaskOrder) -> None:
    middle = tasks[20].created_at
    filters = [
        TaskFilter(),
        TaskFilter(statuses=[TaskStatus.FAILED]),
        TaskFilter(statuses=[TaskStatus.FAILED, TaskStatus.PENDING, TaskStatus.FAILED]),
        TaskFilter(statuses=[]),
        TaskFilter(asset_types=[AssetType.ICON]),
        TaskFilter(asset_types=[AssetType.VIDEO]),
        TaskFilter(asset_types=[AssetType.ICON, AssetType.SPRITE], statuses=[TaskStatus.COMPLETED]),
        TaskFilter(search="SLIME"),
        TaskFilter(search="knight", statuses=[TaskStatus.FAILED]),
        TaskFilter(created_after=middle),
        TaskFilter(created_before=middle, asset_types=[AssetType.ICON]),
    ]
    for wanted in [*filters, *(replace(wanted, project_id=room.project.id) for wanted in filters[1::2])]:
        expected = _expected(tasks, wanted, order)
        assert await _read(room.user.id, wanted, order, backwards=False) == expected, wanted
        assert await _read(room.user.id, wanted, order, backwards=True) == expected, wanted
        _, count = await queries.page(room.user.id, PageRequest(), wanted, order)
        assert await count() == len(expected)


async def test_nested_lists_are_those_of_each_project(room: Room, tasks: list[Task]) -> None:
    project_ids = sorted({task.project_id for task in tasks})
    wanted = TaskFilter(statuses=[TaskStatus.FAILED, TaskStatus.COMPLETED])
    request = PageRequest(first=4)
    pages = await queries.pages_of_projects(room.user.id, project_ids, request, wanted, TaskOrder.PRIORITY_DESC)
    counts = await queries.counts_of_projects(room.user.id, project_ids, wanted)
    for project_id in project_ids:
        expected = _expected(tasks, replace(wanted, project_id=project_id), TaskOrder.PRIORITY_DESC)
        assert [task.id for task in pages[project_id].items] == expected[:4]
        assert pages[project_id].has_next == (len(expected) > 4)
        assert counts[project_id] == len(expected)


async def test_a_stranger_sees_nothing_of_a_project(room: Room, tasks: list[Task]) -> None:
    wanted = TaskFilter(project_id=room.project.id)
    page, count = await queries.page(room.stranger.id, PageRequest(), wanted, TaskOrder.CREATED_DESC)
    nested = await queries.pages_of_projects(
        room.stranger.id, [room.project.id], PageRequest(), TaskFilter(), TaskOrder.CREATED_DESC
    )
    assert (page.items, await count(), nested[room.project.id].items) == ([], 0, [])


async def test_an_administrator_sees_everybodys(room: Room, tasks: list[Task]) -> None:
    page, count = await queries.page_of_everybody(None, PageRequest(first=100), TaskFilter())
    assert len(page.items) == await count() == 41
    assert page.items[-1].user_id == room.stranger.id
    page, count = await queries.page_of_everybody(room.stranger.id, PageRequest(), TaskFilter())
    assert len(page.items) == await count() == 1


async def test_a_search_looks_through_the_newest_and_goes_on_before_a_time(
    room: Room, tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "SEARCHED", 10)
    newest = sorted(tasks, key=lambda task: (task.created_at, task.id), reverse=True)
    bound = newest[9].created_at
    looked_at = [task for task in newest if task.created_at >= bound]
    for order in TaskOrder:
        wanted = TaskFilter(search="slime")
        assert await _read(room.user.id, wanted, order, backwards=False) == _expected(looked_at, wanted, order)
    older = TaskFilter(search="slime", created_before=bound)
    found = await _read(room.user.id, older, TaskOrder.CREATED_DESC, backwards=False)
    assert (
        found
        == _expected([task for task in newest if task.created_at < bound], older, TaskOrder.CREATED_DESC)[: len(found)]
    )
    assert found


async def test_lists_are_counted_up_to_a_bound(room: Room, tasks: list[Task], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pagination, "MAX_COUNT", 10)
    for wanted, expected in (
        (TaskFilter(), 10),
        (TaskFilter(statuses=list(TaskStatus)), 10),
        (TaskFilter(created_after=tasks[-1].created_at - timedelta(seconds=2)), None),
    ):
        _, count = await queries.page(room.user.id, PageRequest(), wanted, TaskOrder.CREATED_DESC)
        fits = sum(_fits(task, wanted) for task in tasks)
        assert await count() == (fits if expected is None else expected)
    counts = await queries.counts_of_projects(room.user.id, [room.project.id], TaskFilter())
    assert counts[room.project.id] == 10
