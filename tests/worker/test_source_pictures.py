"""A task that starts from another's picture gets it, also when either is tried again, and says when it is gone."""

from pathlib import Path

from domain.lifecycle import TaskStatus
from domain.models.tasks import Asset, Task
from domain.tasks.cleanup import clean_up
from tests.helpers.room import Room
from tests.helpers.workshop import Workshop, workshop
from worker.process_pool import ProcessPool
from worker.providers.base import ProviderError


async def picture_of(shop: Workshop, task: Task) -> bytes:
    asset = await Asset.filter(task_id=task.id).order_by("position").first()
    assert asset is not None
    return await shop.storage.get(asset.storage_key)


async def test_each_of_a_chain_starts_from_the_main_picture_of_the_one_before(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path) as shop:
        first = await shop.submit("first")
        second = await shop.submit("second", source_task_id=first.id)
        third = await shop.submit("third", source_task_id=second.id)
        assert (await shop.ended(third)).status is TaskStatus.COMPLETED
        given = {request.task_id: request.source_image for request in shop.provider.requests}
        assert given[first.id] is None
        assert given[second.id] == await picture_of(shop, first)
        assert given[third.id] == await picture_of(shop, second)


async def test_a_source_that_needs_a_second_attempt_gives_the_picture_of_that(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path, task_retries=1, task_retry_delay_seconds=0) as shop:
        shop.provider.failures = [ProviderError("BUSY", "Busy.", retryable=True)]
        first = await shop.submit("first")
        second = await shop.submit("second", source_task_id=first.id)
        assert (await shop.ended(second)).status is TaskStatus.COMPLETED
        assert (await Task.get(id=first.id)).attempt == 2
        assert shop.provider.requests[-1].source_image == await picture_of(shop, first)


async def test_a_dependant_that_is_tried_again_after_its_source_gets_the_picture(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path) as shop:
        shop.provider.failures = [ProviderError("REFUSED", "Not this.", retryable=False)]
        first = await shop.submit("first")
        second = await shop.submit("second", source_task_id=first.id)
        ended = await shop.ended(second)
        assert (ended.status, ended.error_code) == (TaskStatus.FAILED, "DEPENDENCY_FAILED")
        for task in (first, second):
            await shop.tasks.retry(room.user, task.id)
        assert (await shop.ended(second)).status is TaskStatus.COMPLETED
        assert shop.provider.requests[-1].source_image == await picture_of(shop, first)


async def test_a_source_whose_rows_or_files_are_gone_is_told_and_not_tried_again(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path, task_retries=3) as shop:
        first = await shop.submit("first")
        await shop.ended(first)
        asset = await Asset.filter(task_id=first.id).order_by("position").first()
        assert asset is not None
        await shop.storage.delete([asset.storage_key])
        without_file = await shop.ended(await shop.submit("second", source_task_id=first.id))
        await Asset.filter(task_id=first.id).delete()
        without_rows = await shop.ended(await shop.submit("third", source_task_id=first.id))
        for task in (without_file, without_rows):
            assert (task.status, task.error_code, task.attempt) == (TaskStatus.FAILED, "SOURCE_IMAGE_GONE", 1)
        assert len(shop.provider.requests) == 1


async def test_a_source_is_spared_by_the_clean_up_while_it_is_waited_for_and_missed_afterwards(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path) as shop:
        first = await shop.submit("first")
        await shop.ended(first)
        shop.provider.gate.clear()
        shop.provider.waiting.clear()
        second = await shop.submit("second", source_task_id=first.id)
        await shop.provider.waiting.wait()
        assert (await clean_up(shop.deps, 0)).tasks == 0
        await shop.tasks.cancel(room.user.id, second.id)
        shop.provider.gate.set()
        await Task.filter(id=first.id).update(finished_at=room.deps.clock.now())
        room.deps.clock.advance(10)  # type: ignore[attr-defined]
        await Task.filter(id=second.id).update(finished_at=room.deps.clock.now())
        assert (await clean_up(shop.deps, 0)).tasks == 1
        assert [task.id for task in await Task.all()] == [second.id]
        await shop.tasks.retry(room.user, second.id)
        assert (await shop.ended(second)).error_code == "SOURCE_IMAGE_GONE"
