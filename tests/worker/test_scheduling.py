"""Duties, the dispatcher, the registry and the queue by themselves."""

import ast
import asyncio
from datetime import UTC, datetime

import pytest

from domain.clock import SystemClock
from domain.errors import InvalidInput, ProviderUnavailable
from domain.kinds import AssetType, TaskKind
from domain.ports import QueueEntry
from domain.schedules import schedule_rows
from domain.settings import Settings
from domain.tasks.work import Failure
from tests.helpers.source import ROOT
from tests.helpers.stub import StubProvider
from worker.dispatcher import pause_seconds
from worker.failures import classify
from worker.process_pool import ProcessPool
from worker.providers.base import Capabilities, ProviderError
from worker.providers.builtin.provider import BuiltinProvider
from worker.providers.registry import ProviderRegistry
from worker.queue.memory import MemoryQueue
from worker.scheduler import Duty, Scheduler, every

SINCE = datetime(2025, 1, 1, tzinfo=UTC)


async def test_a_duty_that_fails_runs_again_and_disturbs_no_other(database: str) -> None:
    runs = {"good": 0, "bad": 0}
    enough = asyncio.Event()

    async def good() -> int:
        runs["good"] += 1
        if min(runs.values()) >= 3:
            enough.set()
        return 1

    async def bad() -> int:
        runs["bad"] += 1
        raise ZeroDivisionError

    duties = [Duty("good", "", every(0.005), good), Duty("bad", "", every(0.005), bad)]
    scheduler = Scheduler(duties, SystemClock())
    running = asyncio.create_task(scheduler.run())
    async with asyncio.timeout(10):
        await enough.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    for duty in duties:
        assert await scheduler.take_turn(duty, await scheduler.plan(duty))
    rows = await schedule_rows()
    assert (rows["good"].done, rows["good"].error) == (1, None)
    assert (rows["bad"].done, rows["bad"].error) == (None, "ZeroDivisionError")


class OnlyVideo(StubProvider):
    name = "video"
    capabilities = Capabilities(frozenset({TaskKind.TEXT_TO_VIDEO}), frozenset({AssetType.VIDEO}))


def test_the_first_provider_that_fits_is_the_default() -> None:
    registry = ProviderRegistry([OnlyVideo(), StubProvider()])
    assert registry.choose(TaskKind.TEXT_TO_IMAGE, AssetType.SPRITE, None) == "stub"
    assert registry.choose(TaskKind.TEXT_TO_VIDEO, AssetType.VIDEO, None) == "video"
    assert registry.choose(TaskKind.TEXT_TO_VIDEO, AssetType.VIDEO, "stub") == "stub"
    assert [info.name for info in registry.describe()] == ["video", "stub"]
    assert registry.get("stub").name == "stub"
    with pytest.raises(InvalidInput, match="configured: video, stub"):
        registry.choose(TaskKind.TEXT_TO_IMAGE, AssetType.SPRITE, "other")
    with pytest.raises(ProviderUnavailable, match="video cannot"):
        registry.choose(TaskKind.TEXT_TO_IMAGE, AssetType.SPRITE, "video")
    with pytest.raises(ProviderUnavailable, match="No configured provider"):
        ProviderRegistry([]).choose(TaskKind.TEXT_TO_IMAGE, AssetType.SPRITE, None)
    with pytest.raises(ProviderUnavailable, match="no longer"):
        registry.get("gone")


def test_a_pair_that_a_provider_cannot_make_is_refused() -> None:
    builtin = BuiltinProvider(ProcessPool(1).run)  # a pool that is never started
    registry = ProviderRegistry([builtin])
    assert registry.choose(TaskKind.IMAGE_TO_IMAGE, AssetType.SPRITE, None) == "builtin"
    assert registry.choose(TaskKind.TEXT_TO_IMAGE, AssetType.SPRITESHEET, None) == "builtin"
    for asset_type in (AssetType.SPRITESHEET, AssetType.TILESET):
        with pytest.raises(ProviderUnavailable):
            registry.choose(TaskKind.IMAGE_TO_IMAGE, asset_type, None)


def test_failures_are_coded_and_the_unexpected_is_masked() -> None:
    assert classify(ProviderError("BUSY", "Busy.", retryable=True), "tsk") == Failure("BUSY", "Busy.", retryable=True)
    masked = classify(RuntimeError("password=hunter2"), "tsk")
    assert (masked.code, masked.retryable) == ("INTERNAL", True)
    assert "hunter2" not in masked.message
    assert classify(OSError("x"), "tsk").code == "DATABASE_FAILED"


def queued(task_id: str, user_id: str, priority: int) -> QueueEntry:
    return QueueEntry(task_id, user_id, priority, suspicion=0, created_at=SINCE, waiting_since=SINCE)


async def test_the_queue_serves_priorities_then_users_in_turn() -> None:
    queue = MemoryQueue(10)
    order = [("a1", "a", 0), ("a2", "a", 0), ("a3", "a", 0), ("b1", "b", 0), ("c9", "c", 9), ("b2", "b", 0)]
    await queue.enqueue([queued(*entry) for entry in order])
    assert [await queue._next() for _ in order] == ["c9", "a1", "b1", "a2", "b2", "a3"]
    assert queue.capacity == 10


async def test_an_id_that_comes_twice_is_served_once_at_its_new_priority() -> None:
    queue = MemoryQueue(10)
    await queue.enqueue([queued("x", "a", 0), queued("y", "a", 5)])
    await queue.enqueue([queued("x", "a", 9)])
    assert [await queue._next(), await queue._next()] == ["x", "y"]
    assert await queue.missing(["x", "y", "z"]) == ["z"], "those being worked on are not missing"


async def test_a_queue_without_workers_waits() -> None:
    working = asyncio.create_task(MemoryQueue(10).work(asyncio.sleep, 0))  # type: ignore[arg-type]
    for _ in range(5):
        await asyncio.sleep(0)
    assert not working.done()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)


async def test_at_most_so_many_handlers_run_at_once_and_a_stop_cancels_them() -> None:
    queue, running, most, cancelled = MemoryQueue(100), 0, 0, 0
    full = asyncio.Event()

    async def handle(_: str) -> None:
        nonlocal running, most, cancelled
        running += 1
        most = max(most, running)
        if running == 3:
            full.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled += 1
            raise

    working = asyncio.create_task(queue.work(handle, 3))
    await queue.enqueue([queued(f"t{n}", "a", 0) for n in range(10)])
    await asyncio.wait_for(full.wait(), 5)
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    assert (most, cancelled) == (3, 3)


def test_looks_at_the_queue_take_a_fifth_of_the_time_at_most_and_happen_each_second_at_least() -> None:
    assert [pause_seconds(took) for took in (0.0, 0.002, 0.1, 60.0)] == pytest.approx([0.1, 0.1, 0.4, 1.0])


def test_the_period_of_every_duty_is_a_setting_and_every_duty_has_a_file() -> None:
    files = sorted((ROOT / "worker" / "duties").glob("[a-z]*.py"))
    assert len(files) >= 8
    for file in files:
        tree = ast.parse(file.read_text())
        duties = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.endswith("_duty")]
        assert duties == [f"{file.stem}_duty"]
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        [period] = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in {"every", "daily"}]
        for argument in period.args:
            assert isinstance(argument, ast.Attribute), file.name
            assert argument.attr in Settings.model_fields, file.name
