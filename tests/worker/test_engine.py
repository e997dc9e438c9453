"""A task through the whole working half: stages, quality rounds, failures, cancellation, restart."""

import asyncio
import contextlib
import sqlite3
from pathlib import Path

import pytest

from domain import db
from domain.lifecycle import STAGE_SPANS, TaskStage, TaskStatus
from domain.models.tasks import Asset, QualityCheckRow, Task, TaskEventRow
from domain.params import ParamsRequest
from domain.tasks.transition import event_of
from tests.helpers.room import Room
from tests.helpers.stub import blank, sprite
from tests.helpers.workshop import Workshop, workshop
from worker.engine import _for_ever
from worker.pipeline.retry import round_seed
from worker.process_pool import ProcessPool
from worker.providers.base import ProviderError


async def events(task: Task) -> list[TaskEventRow]:
    return await TaskEventRow.filter(task_id=task.id).order_by("sequence")


async def test_a_task_goes_through_its_stages_to_a_file(room: Room, pool: ProcessPool, tmp_path: Path) -> None:
    async with workshop(room, pool, tmp_path / "files") as shop:
        done = await shop.ended(await shop.submit("一只史莱姆", params=ParamsRequest(seed=7)))
        (asset,) = await shop.assets(done)
        told = await events(done)
        assert (done.status, done.progress, done.degraded, done.provider) == (TaskStatus.COMPLETED, 100, False, "stub")
        assert done.started_at is not None
        assert [event.sequence for event in told] == list(range(1, len(told) + 1))
        assert [event.stage for event in told] == [None, *TaskStage, TaskStage.FORMAT_ADAPTER]
        for event in told[1:-1]:
            assert event.stage is not None
            span = STAGE_SPANS[event.stage]
            assert span.start <= event.progress <= span.end
        assert (asset.media_type, asset.width, asset.height, asset.role) == ("image/png", 64, 64, "image")
        assert asset.provenance["seed"] == 7
        assert asset.provenance["prompt"].count("一只史莱姆") == 1  # type: ignore[attr-defined]
        assert [path.name for path in shop.stored()] == [asset.name]
        assert await shop.storage.get(asset.storage_key) == shop.stored()[0].read_bytes()


@pytest.mark.parametrize(
    "limit", [{"max_storage_bytes": 10}, {"max_project_storage_bytes": 10}], ids=["user", "project"]
)
async def test_a_task_whose_files_do_not_fit_fails_once_and_leaves_no_file(
    room: Room, pool: ProcessPool, tmp_path: Path, limit: dict[str, int]
) -> None:
    async with workshop(room, pool, tmp_path / "files", **limit) as shop:
        done = await shop.ended(await shop.submit())
        assert (done.status, done.error_code, done.retries) == (TaskStatus.FAILED, "QUOTA_EXCEEDED", 0)
        assert done.error_message is not None
        assert "Delete projects" in done.error_message or "delete one" in done.error_message
        async with asyncio.timeout(20):
            while shop.stored():
                await asyncio.sleep(0.01)
        assert await shop.assets(done) == []


async def test_a_failed_check_goes_back_to_the_prompt_with_its_reason_and_another_seed(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path / "files") as shop:
        shop.provider.draw = lambda request: blank() if request.seed == 5 else sprite(request.seed)
        done = await shop.ended(await shop.submit(params=ParamsRequest(seed=5)))
        first, second = shop.provider.requests
        checks = await QualityCheckRow.filter(task_id=done.id)
        (asset,) = await shop.assets(done)
        messages = [event.message for event in await events(done)]
        assert (done.status, done.quality_retries, done.degraded) == (TaskStatus.COMPLETED, 1, False)
        assert (first.seed, second.seed) == (5, round_seed(5, 1))
        failed = [check for check in checks if not check.passed]
        assert {check.round for check in failed} == {0}
        assert failed[0].reason in second.prompt
        assert (asset.provenance["round"], asset.provenance["seed"]) == (1, round_seed(5, 1))
        assert any("trying again, 1 of 3" in message for message in messages)
        progress = [event.progress for event in await events(done)]
        assert progress == sorted(progress)


async def test_what_never_passes_is_delivered_degraded_after_three_more_rounds(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path / "files") as shop:
        shop.provider.draw = lambda _: blank()
        done = await shop.ended(await shop.submit())
        assert (done.status, done.degraded, done.quality_retries) == (TaskStatus.COMPLETED, True, 3)
        assert len(shop.provider.requests) == 4
        assert len({request.seed for request in shop.provider.requests}) == 4
        assert {check.round for check in await QualityCheckRow.filter(task_id=done.id)} == {0, 1, 2, 3}
        assert len(await shop.assets(done)) == 1


async def test_variations_have_seeds_of_their_own_and_each_can_be_made_alone(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path / "files") as shop:
        done = await shop.ended(await shop.submit(params=ParamsRequest(seed=1000, count=4, embed_metadata=False)))
        four = await shop.assets(done)
        seeds = [asset.provenance["seed"] for asset in four]
        assert seeds == [1000, 1001, 1002, 1003]
        assert len({asset.sha256 for asset in four}) == len({asset.name for asset in four}) == 4
        alone = await shop.ended(await shop.submit(params=ParamsRequest(seed=1002, embed_metadata=False)))
        (third,) = await shop.assets(alone)
        assert third.sha256 == four[2].sha256


async def test_only_the_variation_that_failed_is_made_again(room: Room, pool: ProcessPool, tmp_path: Path) -> None:
    async with workshop(room, pool, tmp_path / "files") as shop:
        shop.provider.draw = lambda request: blank() if request.seed == 11 else sprite(request.seed)
        done = await shop.ended(await shop.submit(params=ParamsRequest(seed=10, count=3)))
        assert [request.seed for request in shop.provider.requests] == [10, 11, 12, round_seed(11, 1)]
        assert len(await shop.assets(done)) == 3


async def test_an_error_is_tried_again_once_and_then_told(room: Room, pool: ProcessPool, tmp_path: Path) -> None:
    async with workshop(room, pool, tmp_path / "files", task_retry_delay_seconds=0) as shop:
        shop.provider.failures = [ProviderError("BUSY", "The service is busy.", retryable=True)]
        recovered = await shop.ended(await shop.submit("one"))
        assert (recovered.status, recovered.attempt) == (TaskStatus.COMPLETED, 2)
        shop.provider.failures = [ValueError("secret"), ValueError("secret")]
        failed = await shop.ended(await shop.submit("two"))
        assert (failed.status, failed.error_code, failed.attempt) == (TaskStatus.FAILED, "INTERNAL", 2)
        assert "Reference" in (failed.error_message or "")
        assert all("secret" not in event.message for event in await events(failed))
        shop.provider.failures = [ProviderError("POLICY", "Refused.", retryable=False)]
        refused = await shop.ended(await shop.submit("three"))
        assert (refused.status, refused.error_code, refused.attempt) == (TaskStatus.FAILED, "POLICY", 1)


async def test_the_end_of_an_earlier_attempt_that_is_told_late_does_not_end_the_present_one(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path / "files") as shop:
        shop.provider.failures = [ProviderError("POLICY", "Refused.", retryable=False)]
        failed = await shop.ended(await shop.submit())
        end = event_of((await events(failed))[-1])
        assert end.status is TaskStatus.FAILED
        shop.provider.gate.clear()
        shop.provider.waiting.clear()
        await shop.tasks.retry(room.user, failed.id)
        await asyncio.wait_for(shop.provider.waiting.wait(), 20)
        await shop.deps.broadcaster.publish([end])
        for _ in range(10):
            await asyncio.sleep(0)
        shop.provider.gate.set()
        done = await shop.ended(failed)
        assert (done.status, done.attempt) == (TaskStatus.COMPLETED, 2)
        assert (len(shop.provider.requests), shop.provider.cancelled) == (2, 0)


async def test_a_retry_delay_longer_than_the_lease_makes_one_further_call(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    times = {"task_retry_delay_seconds": 1, "lease_seconds": 0.2, "reconcile_interval_seconds": 0.1}
    async with workshop(room, pool, tmp_path / "files", **times) as shop:
        shop.provider.failures = [ProviderError("BUSY", "Busy.", retryable=True)]
        task = await shop.submit()
        async with asyncio.timeout(10):
            while (await Task.get(id=task.id)).attempt == 1:
                await asyncio.sleep(0.02)
        for _ in range(20):
            shop.room.deps.clock.advance(0.1)  # type: ignore[attr-defined]
            await asyncio.sleep(0.02)
        done = await shop.ended(task)
        assert (done.status, done.attempt, len(shop.provider.requests)) == (TaskStatus.COMPLETED, 2, 2)


async def test_a_database_that_is_locked_for_a_while_stops_nothing_for_good(
    room: Room, database: str, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path / "files", lease_seconds=2, reconcile_interval_seconds=0.2) as shop:
        before = await shop.submit("before")
        if database.startswith("sqlite"):
            await db.connection().execute_query("PRAGMA busy_timeout = 20")
            with contextlib.closing(sqlite3.connect(database.removeprefix("sqlite://"), isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                with pytest.raises(db.DATABASE_ERRORS):
                    await shop.submit("during")
                await asyncio.sleep(0.5)
                other.execute("ROLLBACK")
        assert shop.engine.healthy
        after = await shop.submit("after")
        assert (await shop.ended(after)).status is TaskStatus.COMPLETED
        async with asyncio.timeout(20):
            while (await Task.get(id=before.id)).status is not TaskStatus.COMPLETED:
                shop.room.deps.clock.advance(1)  # type: ignore[attr-defined]
                await asyncio.sleep(0.05)


async def test_work_that_should_never_end_begins_again() -> None:
    runs = 0
    twice = asyncio.Event()

    async def fragile() -> None:
        nonlocal runs
        runs += 1
        if runs == 2:
            twice.set()
        raise ZeroDivisionError

    running = asyncio.create_task(_for_ever("fragile", fragile))
    await asyncio.wait_for(twice.wait(), 10)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_cancelling_frees_the_worker_and_leaves_no_file(room: Room, pool: ProcessPool, tmp_path: Path) -> None:
    async with workshop(room, pool, tmp_path / "files", workers=1) as shop:
        shop.provider.gate.clear()
        task = await shop.submit("held")
        await asyncio.wait_for(shop.provider.waiting.wait(), 10)
        await shop.tasks.cancel(shop.room.user.id, task.id)
        async with asyncio.timeout(1):
            while shop.engine.busy:
                await asyncio.sleep(0.01)
        assert shop.provider.cancelled == 1
        shop.provider.gate.set()
        assert (await shop.ended(await shop.submit("next"))).status is TaskStatus.COMPLETED
        assert (await Task.get(id=task.id)).status is TaskStatus.CANCELLED
        assert len(shop.stored()) == 1


@pytest.mark.parametrize("stage", list(TaskStage))
async def test_cancelling_in_any_stage_leaves_no_row_and_no_file(
    room: Room, pool: ProcessPool, tmp_path: Path, stage: TaskStage
) -> None:
    async with workshop(room, pool, tmp_path / "files", workers=1) as shop:
        task = await shop.submit()
        async for event in shop.tasks.follow(shop.room.user.id, task.id, 0):
            if event.stage is stage:
                await shop.tasks.cancel(shop.room.user.id, task.id)
                break
        await _quiet(shop)
        assert (await Task.get(id=task.id)).status is TaskStatus.CANCELLED
        assert (await Asset.all().count(), shop.stored()) == (0, [])


async def _quiet(shop: Workshop) -> None:
    async with asyncio.timeout(5):
        while shop.engine.busy:
            await asyncio.sleep(0.01)


async def test_a_task_that_takes_too_long_times_out(room: Room, pool: ProcessPool, tmp_path: Path) -> None:
    async with workshop(room, pool, tmp_path / "files", task_timeout_seconds=0.2) as shop:
        shop.provider.gate.clear()
        done = await shop.ended(await shop.submit())
        assert (done.status, done.error_code) == (TaskStatus.TIMEOUT, "TIMEOUT")
        await _quiet(shop)
        assert shop.provider.cancelled == 1


async def test_a_stop_hands_the_work_back_and_a_start_goes_on_with_it(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path / "files", workers=1) as shop:
        shop.provider.gate.clear()
        running, waiting = await shop.submit("running"), await shop.submit("waiting")
        await asyncio.wait_for(shop.provider.waiting.wait(), 10)
        await shop.engine.stop(0.05)
        assert (await Task.get(id=running.id)).status is TaskStatus.PENDING
    async with workshop(room, pool, tmp_path / "files", workers=1) as shop:
        for task in (running, waiting):
            assert (await shop.ended(task)).status is TaskStatus.COMPLETED
            told = [event.sequence for event in await events(task)]
            assert told == list(range(1, len(told) + 1))
        assert len(shop.stored()) == await Asset.all().count() == 2


async def test_a_stop_lets_work_end_within_the_grace_period(room: Room, pool: ProcessPool, tmp_path: Path) -> None:
    async with workshop(room, pool, tmp_path / "files", workers=1) as shop:
        shop.provider.gate.clear()
        task = await shop.submit()
        await asyncio.wait_for(shop.provider.waiting.wait(), 10)
        stopping = asyncio.create_task(shop.engine.stop(20))
        await asyncio.sleep(0)
        shop.provider.gate.set()
        await stopping
        assert (await Task.get(id=task.id)).status is TaskStatus.COMPLETED


async def test_deleting_a_project_ends_its_work_and_removes_rows_and_files(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path / "files", workers=1, purge_interval_seconds=0.05) as shop:
        await shop.ended(await shop.submit("done"))
        shop.provider.gate.clear()
        await shop.submit("running")
        await asyncio.wait_for(shop.provider.waiting.wait(), 10)
        await shop.tasks.delete_project(shop.room.user.id, shop.room.project.id)
        shop.provider.gate.set()
        await _quiet(shop)
        shop.room.deps.clock.advance(10)  # type: ignore[attr-defined]
        async with asyncio.timeout(10):
            while await Task.all().count() or await Asset.all().count() or shop.stored():
                await asyncio.sleep(0.02)


async def test_a_worker_that_lost_its_lease_writes_nothing_more(room: Room, pool: ProcessPool, tmp_path: Path) -> None:
    async with workshop(room, pool, tmp_path / "files", workers=1, lease_seconds=0.3) as shop:
        shop.provider.gate.clear()
        task = await shop.submit()
        await asyncio.wait_for(shop.provider.waiting.wait(), 10)
        await Task.filter(id=task.id).update(owner_token="wrk_someone_else")
        async with asyncio.timeout(5):
            while shop.engine.busy:
                await asyncio.sleep(0.01)
        row = await Task.get(id=task.id)
        assert (row.status, row.owner_token) == (TaskStatus.RUNNING, "wrk_someone_else")
        assert shop.stored() == []
