"""Tasks that wait for others: whole chains fail at once, whatever has become of those that they wait for."""

import itertools

import pytest

from domain.lifecycle import TaskStatus
from domain.models.operations import ArchivedTask
from domain.models.projects import Project
from domain.models.tasks import Asset, Task, TaskDependency
from domain.tasks import work
from domain.tasks.cleanup import clean_up
from domain.tasks.deletion import delete_project, purge_rows
from domain.tasks.release import fail_dependants, release
from domain.tasks.work import Failure
from tests.conftest import MovableClock
from tests.helpers.history import finish
from tests.helpers.room import Room, make_project
from tests.helpers.sql import recorded_sql

DAY = 86_400


async def chain(room: Room, length: int, *first: str, name: str = "link") -> list[Task]:
    tasks: list[Task] = []
    for number in range(length):
        before = (tasks[-1].id,) if tasks else first
        tasks.append(await room.submit(f"{name} {number}", depends_on=before))
    return tasks


async def fail_task(room: Room, task: Task) -> None:
    await release(room.deps)
    claim = await work.claim(room.deps, task.id)
    assert claim is not None
    await work.fail(room.deps, claim, Failure("BROKEN", "It broke.", retryable=False))


async def test_a_whole_chain_fails_in_one_go_and_each_link_names_the_one_before(room: Room) -> None:
    tasks = await chain(room, 30)
    await fail_task(room, tasks[0])
    with recorded_sql() as statements:
        assert await fail_dependants(room.deps) == 29
    assert len(statements) < 29 * 15, "each link by itself, none by going through all that wait"
    for before, after in itertools.pairwise(tasks):
        row = await Task.get(id=after.id)
        assert (row.status, row.error_code) == (TaskStatus.FAILED, "DEPENDENCY_FAILED")
        assert before.id in (row.error_message or "")


async def test_a_tree_of_many_dependants_fails_in_one_go(room: Room) -> None:
    root = await room.submit("root")
    for number in range(20):
        await chain(room, 2, root.id, name=f"branch {number}")
    await room.tasks.cancel(room.user.id, root.id)
    assert await fail_dependants(room.deps) == 40


@pytest.mark.parametrize("ended", [TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.TIMEOUT])
async def test_one_that_did_not_complete_fails_its_dependants_from_the_archive_too(
    room: Room, clock: MovableClock, ended: TaskStatus
) -> None:
    parent, child = await chain(room, 2)
    await fail_task(room, parent)
    await fail_dependants(room.deps)
    await Task.filter(id=parent.id).update(status=ended, finished_at=clock.now())
    await Task.filter(id=child.id).update(finished_at=None)  # keeps it from being cleaned up with the other
    clock.advance(8 * DAY)
    assert (await clean_up(room.deps, 7)).tasks == 1
    assert await ArchivedTask.filter(id=parent.id).exists()
    await room.tasks.retry(room.user, child.id)
    assert await fail_dependants(room.deps) == 1
    assert await release(room.deps) == 0
    again = await Task.get(id=child.id)
    assert (again.status, again.error_code) == (TaskStatus.FAILED, "DEPENDENCY_FAILED")
    assert f"{parent.id}, ended as {ended}" in (again.error_message or "")


async def test_one_that_completed_lets_its_dependants_go_from_the_archive_too(room: Room, clock: MovableClock) -> None:
    parent, child = await chain(room, 2)
    await finish(room, parent)
    await room.tasks.cancel(room.user.id, child.id)
    await Task.filter(id=child.id).update(finished_at=None)
    clock.advance(8 * DAY)
    assert (await clean_up(room.deps, 7)).tasks == 1
    await room.tasks.retry(room.user, child.id)
    assert (await fail_dependants(room.deps), await release(room.deps)) == (0, 1)


@pytest.mark.parametrize("completed", [True, False])
async def test_a_deleted_project_says_of_its_tasks_what_they_came_to(
    room: Room, clock: MovableClock, *, completed: bool
) -> None:
    other: Project = await make_project(clock, room.user)
    parent = await room.submit("parent", project_id=other.id)
    child = await room.submit("child", depends_on=(parent.id,))
    if completed:
        await finish(room, parent)
    await room.tasks.cancel(room.user.id, child.id)
    await delete_project(room.deps, room.user.id, other.id)
    clock.advance(60)
    assert await purge_rows(clock.now()) >= 1
    await purge_rows(clock.now())
    assert await TaskDependency.filter(task_id=child.id).exists() is not completed
    await room.tasks.retry(room.user, child.id)
    assert await fail_dependants(room.deps) == int(not completed)
    assert await release(room.deps) == int(completed)
    if not completed:
        assert f"{parent.id}, was deleted" in ((await Task.get(id=child.id)).error_message or "")


async def test_the_clean_up_spares_whose_file_an_active_task_works_from(room: Room, clock: MovableClock) -> None:
    source = await room.submit("source")
    await finish(room, source)
    asset = await Asset.filter(task_id=source.id).order_by("position").first()
    assert asset is not None
    waiting = await room.submit("from it", source_image_id=asset.id)
    clock.advance(8 * DAY)
    assert (await clean_up(room.deps, 7)).tasks == 0
    await room.tasks.cancel(room.user.id, waiting.id)
    assert (await clean_up(room.deps, 7)).tasks == 1
