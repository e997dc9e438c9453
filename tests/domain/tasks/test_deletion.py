"""Deleting a project: at once for people, then completely."""

import pytest

from domain.errors import NotFound
from domain.models.projects import Project
from domain.models.storage import StorageDeletion
from domain.models.tasks import Asset, IdempotencyKey, QualityCheckRow, Task, TaskDependency, TaskEventRow
from domain.tasks.deletion import purge_rows
from tests.conftest import MovableClock
from tests.helpers.room import Room


async def test_deleting_cancels_hides_and_records_the_files_in_one_step(room: Room) -> None:
    task = await room.submit(idempotency_key="k")
    kept = await room.submit(user=room.stranger)
    async with room.broadcaster.subscribe(task.id) as live:
        await room.tasks.delete_project(room.user.id, room.project.id)
        event = await live.next()
    assert event is not None
    assert (event.status, event.sequence) == ("CANCELLED", 2)
    for attempt in (room.tasks.get(room.user.id, task.id), room.tasks.delete_project(room.user.id, room.project.id)):
        with pytest.raises(NotFound):
            await attempt
    with pytest.raises(NotFound):
        await room.submit("late")
    targets = [row.target for row in await StorageDeletion.all()]
    assert targets == [f"users/{room.user.id}/projects/{room.project.id}/tasks/"]
    assert (await Task.get(id=kept.id)).user_id == room.stranger.id


async def test_the_rows_go_in_batches_and_nothing_else_goes(room: Room, clock: MovableClock) -> None:
    first = await room.submit("first", idempotency_key="k")
    await room.submit("second", depends_on=(first.id,))
    kept = await room.submit(user=room.stranger)
    await room.tasks.delete_project(room.user.id, room.project.id)
    assert await purge_rows(clock.now()) == 0, "those who follow a task are told first"
    clock.advance(10)
    assert await purge_rows(clock.now()) == 2
    for model in (Asset, QualityCheckRow, TaskDependency, IdempotencyKey):
        assert await model.all().count() == 0
    assert [task.id for task in await Task.all()] == [kept.id]
    assert {row.task_id for row in await TaskEventRow.all()} == {kept.id}
    assert await Project.filter(id=room.project.id).count() == 0
    assert await Project.filter(id=room.other_project.id).count() == 1


async def test_an_interrupted_purge_goes_on(room: Room, clock: MovableClock) -> None:
    for number in range(3):
        await room.submit(f"t{number}")
    await room.tasks.delete_project(room.user.id, room.project.id)
    clock.advance(10)
    assert await purge_rows(clock.now(), limit=1) == 3
    assert await Project.filter(id=room.project.id).count() == 1
    await purge_rows(clock.now())
    assert await Project.filter(id=room.project.id).count() == 0
