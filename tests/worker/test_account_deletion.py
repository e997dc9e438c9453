"""A deleted user's work ends, and nothing of it appears afterwards (a fault that users of another server reported)."""

import asyncio
from pathlib import Path

import pytest

from domain.account_control import AccountControl
from domain.accounts import Viewer
from domain.figures.counters import wrong_counts
from domain.figures.folding import fold
from domain.figures.removal import forget_figures_of_nobody
from domain.lifecycle import TaskStage, TaskStatus
from domain.models.accounts import User
from domain.models.storage import StorageDeletion
from domain.models.tasks import Asset, Task
from domain.passwords import PasswordHasher
from domain.tasks.leftovers import final_after_seconds
from tests.helpers.keys import open_session
from tests.helpers.room import Room
from tests.helpers.traces import tables_that_mention
from tests.helpers.workshop import Workshop, workshop
from worker.process_pool import ProcessPool

PASSWORD = "correct horse"


async def _delete(shop: Workshop) -> None:
    """Delete the account of the room's user."""
    hasher = PasswordHasher(4)
    try:
        await User.filter(id=shop.room.user.id).update(password_hash=await hasher.hash(PASSWORD))
        viewer: Viewer = await open_session(shop.deps.clock, shop.room.user)
        await AccountControl(shop.deps, hasher, lambda _id: None).delete_own(viewer, PASSWORD)
    finally:
        hasher.close()


async def _until_nothing_is_left(shop: Workshop) -> None:
    async with asyncio.timeout(10):
        while shop.engine.busy:
            await asyncio.sleep(0.01)
        shop.deps.clock.advance(final_after_seconds(shop.deps.settings) + 10)  # type: ignore[attr-defined]
        while await StorageDeletion.all().count() or await Task.all().count() or shop.stored():
            await asyncio.sleep(0.02)
    await fold()
    await forget_figures_of_nobody()
    assert await wrong_counts() == []
    assert await tables_that_mention(shop.room.user.id) == set()


async def test_one_running_and_two_waiting_tasks_end_with_their_user(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path / "files", workers=1, purge_interval_seconds=0.05) as shop:
        await shop.ended(await shop.submit("done"))
        assert len(shop.stored()) == 1
        shop.provider.gate.clear()
        tasks = [await shop.submit(name) for name in ("running", "waiting", "waiting too")]
        await asyncio.wait_for(shop.provider.waiting.wait(), 10)
        await _delete(shop)
        assert {task.status for task in await Task.filter(id__in=[task.id for task in tasks])} == {TaskStatus.CANCELLED}
        shop.provider.gate.set()
        await _until_nothing_is_left(shop)
        assert len(shop.provider.requests) == 2, "the waiting tasks never began"


@pytest.mark.parametrize("stage", list(TaskStage))
async def test_in_whatever_stage_a_task_is_nothing_is_stored_afterwards(
    room: Room, pool: ProcessPool, tmp_path: Path, stage: TaskStage
) -> None:
    async with workshop(room, pool, tmp_path / "files", workers=1, purge_interval_seconds=0.05) as shop:
        await shop.storage.check()
        task = await shop.submit()
        async for event in shop.tasks.follow(shop.room.user.id, task.id, 0):
            if event.stage is stage:
                await _delete(shop)
                break
        await _until_nothing_is_left(shop)
        assert await Asset.all().count() == 0
