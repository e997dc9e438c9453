"""Counters of how tasks ended: exact on every way, also when many end at once, and mended when they are not."""

import asyncio
from datetime import timedelta

import pytest

from domain import db
from domain.figures.counters import WrongCount, ended_counts, mend_counts, wrong_counts
from domain.figures.folding import BATCH, EVERYBODY, fold
from domain.lifecycle import TaskStatus
from domain.models.figures import TaskCount, TaskEnding
from domain.models.operations import ArchivedTask
from domain.models.tasks import Task
from domain.tasks import work
from domain.tasks.cleanup import clean_up
from domain.tasks.control import cancel_row
from domain.tasks.deletion import purge_rows
from domain.tasks.release import release
from domain.tasks.work import Failure
from tests.conftest import MovableClock
from tests.domain.tasks.test_work import started
from tests.helpers.room import Room, make_project

NONE = {TaskStatus.CANCELLED: 0, TaskStatus.COMPLETED: 0, TaskStatus.FAILED: 0, TaskStatus.TIMEOUT: 0}
FOR_GOOD = Failure("BROKEN", "It broke.", retryable=False)


async def _completed(room: Room, prompt: str = "done") -> Task:
    claim = await started(room, prompt)
    await work.complete(room.deps, claim, [], "completed", degraded=False)
    return await Task.get(id=claim.task.id)


async def test_each_way_to_end_counts_once_for_its_user_and_for_everybody(room: Room) -> None:
    await _completed(room)
    await work.fail(room.deps, await started(room, "fails"), FOR_GOOD)
    await work.time_out(room.deps, await started(room, "slow"), Failure("TIMEOUT", "Too long.", retryable=True))
    await room.tasks.cancel(room.user.id, (await room.submit("unwanted")).id)
    await room.tasks.cancel(room.stranger.id, (await room.submit("hers", room.stranger)).id)
    for _ in range(2):  # from the journal alone, then from the counters alone
        mine = dict.fromkeys(NONE, 1)
        assert await ended_counts(room.user.id) == mine
        assert await ended_counts(room.stranger.id) == NONE | {TaskStatus.CANCELLED: 1}
        assert await ended_counts(None) == mine | {TaskStatus.CANCELLED: 2}
        assert await ended_counts("usr_nobody") == NONE
        assert await wrong_counts() == []
        await fold()
    assert await TaskEnding.all().count() == 0


async def test_a_task_that_is_tried_again_has_not_ended(room: Room) -> None:
    claim = await started(room)
    await work.fail(room.deps, claim, FOR_GOOD)
    await fold()
    await room.tasks.retry(room.user, claim.task.id)
    assert await ended_counts(room.user.id) == NONE
    await release(room.deps)
    again = await work.claim(room.deps, claim.task.id)
    assert again is not None
    await work.complete(room.deps, again, [], "completed", degraded=False)
    assert await ended_counts(None) == NONE | {TaskStatus.COMPLETED: 1}
    assert await wrong_counts() == []


async def test_the_archive_keeps_counting_and_a_deleted_project_does_not(room: Room, clock: MovableClock) -> None:
    await _completed(room, "old")
    clock.advance(timedelta(days=8).total_seconds())
    await clean_up(room.deps, 7)
    assert (await ArchivedTask.all().count(), await Task.all().count()) == (1, 0)
    assert await ended_counts(room.user.id) == NONE | {TaskStatus.COMPLETED: 1}
    await _completed(room, "young")
    await room.submit("waits")
    kept, room.project = room.project, await make_project(clock, room.user)
    await _completed(room, "elsewhere")
    await fold()
    await room.tasks.delete_project(room.user.id, kept.id)
    for _ in range(2):  # before and after its rows are gone
        assert await ended_counts(room.user.id) == NONE | {TaskStatus.COMPLETED: 1}
        assert await wrong_counts() == []
        clock.advance(10)
        await fold()
        await purge_rows(clock.now())
    assert await ArchivedTask.all().count() == 0


async def test_many_that_end_while_others_fold_are_all_counted(room: Room) -> None:
    tasks = [await room.submit(f"t{number}") for number in range(30)]
    stop = asyncio.Event()

    async def fold_on() -> None:
        while not stop.is_set():
            await fold()
            await asyncio.sleep(0)

    folding = [asyncio.create_task(fold_on()) for _ in range(2)]
    try:
        await asyncio.gather(*(room.tasks.cancel(room.user.id, task.id) for task in tasks))
        wrong = await wrong_counts()
        await asyncio.gather(*(room.tasks.retry(room.user, task.id) for task in tasks[:10]))
    finally:
        stop.set()
        await asyncio.gather(*folding)
    assert wrong == []
    assert (await ended_counts(None))[TaskStatus.CANCELLED] == 20
    assert await wrong_counts() == []


async def test_an_end_that_is_undone_counts_nothing(room: Room) -> None:
    task = await room.submit()
    with pytest.raises(ZeroDivisionError):
        async with db.transaction():
            await cancel_row(room.deps, task, "cancelled")
            raise ZeroDivisionError
    assert (await Task.get(id=task.id)).status is TaskStatus.PENDING
    assert await ended_counts(None) == NONE


async def test_wrong_counters_are_found_and_set_right_for_users_and_for_everybody(room: Room) -> None:
    await _completed(room)
    await fold()
    await TaskCount.filter(user_id=room.user.id).update(number=5)
    await _completed(room, "in the journal")
    await TaskEnding.create(user_id=room.stranger.id, status=TaskStatus.FAILED, change=3)
    expected = [
        WrongCount(EVERYBODY, TaskStatus.FAILED, 3, 0),
        WrongCount(room.stranger.id, TaskStatus.FAILED, 3, 0),
        WrongCount(room.user.id, TaskStatus.COMPLETED, 6, 2),
    ]

    def by_user(one: WrongCount) -> str:
        return one.user_id

    assert sorted(await wrong_counts(), key=by_user) == sorted(expected, key=by_user)
    assert len(await mend_counts()) == 3
    assert await wrong_counts() == []
    await fold()
    assert await wrong_counts() == []
    assert await ended_counts(room.user.id) == await ended_counts(None) == NONE | {TaskStatus.COMPLETED: 2}
    assert await mend_counts() == []


async def test_rows_that_nobody_counted_are_found(room: Room) -> None:
    task = await _completed(room)
    for model in (TaskEnding, TaskCount):
        await model.all().delete()
    assert {(one.user_id, one.shown, one.truth) for one in await mend_counts()} == {
        (EVERYBODY, 0, 1),
        (str(task.user_id), 0, 1),
    }
    assert (await ended_counts(None))[TaskStatus.COMPLETED] == 1


async def test_a_journal_longer_than_a_batch_is_folded_to_its_end(room: Room) -> None:
    await TaskEnding.bulk_create(
        TaskEnding(user_id=room.user.id, status=TaskStatus.FAILED, change=1) for _ in range(2 * BATCH + 1)
    )
    assert await fold() == 2 * BATCH + 1
    assert await fold() == 0
    assert (await ended_counts(room.user.id))[TaskStatus.FAILED] == 2 * BATCH + 1
