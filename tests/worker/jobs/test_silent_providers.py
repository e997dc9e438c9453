"""Providers that do not answer: they hold up nobody else, and none of their own tasks longer than it may take."""

import asyncio
from pathlib import Path

import pytest

from domain import db
from domain.lifecycle import JobState, TaskStatus
from domain.models.jobs import ExternalJob
from domain.models.tasks import Task, TaskEventRow
from domain.tasks.parking import check_all_now
from tests.conftest import MovableClock
from tests.helpers.room import Room
from tests.helpers.stub_jobs import StubJobs
from tests.helpers.workshop import Workshop, workshop
from worker.pipeline import jobs as pipeline_jobs
from worker.process_pool import ProcessPool
from worker.providers.base import JobRunning


@pytest.fixture
def silent() -> StubJobs:
    return StubJobs(name="silent")


@pytest.fixture
def quick() -> StubJobs:
    return StubJobs(name="quick")


async def parked(shop: Workshop, provider: str, prompt: str = "a green slime") -> Task:
    task = await shop.submit(prompt, provider=provider)
    async with asyncio.timeout(20):
        while (row := await Task.get(id=task.id)).next_check_at is None:
            await asyncio.sleep(0.01)
    return row


async def test_a_provider_that_does_not_answer_delays_no_other(
    room: Room, pool: ProcessPool, tmp_path: Path, silent: StubJobs, quick: StubJobs, clock: MovableClock
) -> None:
    async with workshop(room, pool, tmp_path, [silent, quick], checks_per_second=1000) as shop:
        for number in range(12):
            await parked(shop, "silent", f"slime {number}")
        task = await parked(shop, "quick")
        silent.answers.clear()
        quick.finish()
        clock.advance(120)
        checking = asyncio.create_task(shop.checker.run(shop.deps))
        await shop.ended(task)
        assert silent.checks == 8, "and there are never more questions than slots"
        # What comes due at the quick one while the silent one still does not answer is asked about, too.
        later = await parked(shop, "quick", "another slime")
        quick.finish()
        clock.advance(120)
        shop.checker.wake()
        assert (await shop.ended(later)).status is TaskStatus.COMPLETED
        checking.cancel()
        await asyncio.gather(checking, return_exceptions=True)


async def test_a_question_has_a_time_and_counts_as_asked(
    room: Room, pool: ProcessPool, tmp_path: Path, silent: StubJobs, clock: MovableClock
) -> None:
    async with workshop(room, pool, tmp_path, [silent], check_timeout_seconds=0.05) as shop:
        task = await parked(shop, "silent")
        silent.answers.clear()
        clock.advance(120)
        async with asyncio.timeout(10):
            report = await shop.checker.check_due(shop.deps)
        row = await Task.get(id=task.id)
        assert (report.asked, report.moved, row.status, row.check_count) == (1, 0, TaskStatus.RUNNING, 1)
        assert row.next_check_at is not None
        assert row.next_check_at > clock.now()


async def test_a_task_ends_in_time_though_its_provider_hangs_and_others_wait_before_it(
    room: Room, pool: ProcessPool, tmp_path: Path, silent: StubJobs, clock: MovableClock
) -> None:
    limits = {"check_timeout_seconds": 1.0, "external_limits": (("silent", 300),), "checks_per_second": 1000}
    async with workshop(room, pool, tmp_path, [silent], **limits) as shop:
        tasks = [await parked(shop, "silent", f"slime {number}") for number in range(30)]
        silent.answers.clear()
        clock.advance(300)
        checking = asyncio.create_task(shop.checker.run(shop.deps))
        started = asyncio.get_running_loop().time()
        for task in tasks:
            assert (await shop.ended(task)).status is TaskStatus.TIMEOUT
        # Asked one eight after the other they would take four times the limit, and the last would end by that only.
        assert asyncio.get_running_loop().time() - started < 20
        checking.cancel()
        await asyncio.gather(checking, return_exceptions=True)


async def test_the_end_of_a_tasks_time_is_asked_about_and_no_interval_later(
    room: Room, pool: ProcessPool, tmp_path: Path, silent: StubJobs, clock: MovableClock
) -> None:
    async with workshop(room, pool, tmp_path, [silent], external_limits=(("silent", 130),)) as shop:
        late, done = [await parked(shop, "silent", prompt) for prompt in ("a slime", "another")]
        clock.advance(120)
        await shop.checker.check_due(shop.deps)
        clock.advance(10)
        silent.finish()
        silent.states[str(late.external_id)] = JobRunning()
        await shop.checker.check_due(shop.deps)
        assert (await Task.get(id=late.id)).status is TaskStatus.TIMEOUT
        assert (await shop.ended(done)).status is TaskStatus.COMPLETED, "what is there at the last moment is taken"


async def test_a_task_that_was_parked_for_its_lost_worker_has_limits_too(
    room: Room, pool: ProcessPool, tmp_path: Path, silent: StubJobs, clock: MovableClock
) -> None:
    async with workshop(room, pool, tmp_path, [silent]) as shop:
        task = await parked(shop, "silent")
        await Task.filter(id=task.id).update(external_until=None, max_checks=None, next_check_at=clock.now())
        await shop.checker.check_due(shop.deps)
        row = await Task.get(id=task.id)
        assert (row.max_checks, row.external_until is not None) == (30, True)


@pytest.mark.parametrize(
    "corruption",
    [{"status": "COMPLETED"}, {"status": "NONSENSE"}, {"sequence": 1}, {"stage": "NONSENSE"}, {"owner_token": "wrk_x"}],
    ids=str,
)
async def test_a_row_that_cannot_be_handled_is_set_aside_and_the_others_go_on(
    room: Room,
    pool: ProcessPool,
    tmp_path: Path,
    quick: StubJobs,
    clock: MovableClock,
    caplog: pytest.LogCaptureFixture,
    corruption: dict[str, object],
) -> None:
    async with workshop(room, pool, tmp_path, [quick]) as shop:
        broken, sound = [await parked(shop, "quick", prompt) for prompt in ("a slime", "another")]
        quick.finish()
        clock.advance(120)
        ((column, value),) = corruption.items()
        await db.connection().execute_script(f"UPDATE task SET {column} = '{value}' WHERE id = '{broken.id}'")
        await shop.checker.check_due(shop.deps)
        assert (await shop.ended(sound)).status is TaskStatus.COMPLETED
        assert f"task {broken.id} is set aside" in caplog.text
        caplog.clear()
        await shop.checker.check_due(shop.deps)
        assert "set aside" not in caplog.text
        await db.connection().execute_script(
            f"UPDATE task SET status = 'CANCELLED', stage = NULL WHERE id = '{broken.id}'"
        )


async def test_cancellations_at_a_silent_provider_delay_no_other(
    room: Room, pool: ProcessPool, tmp_path: Path, silent: StubJobs, quick: StubJobs
) -> None:
    async with workshop(room, pool, tmp_path, [silent, quick]) as shop:
        for number in range(9):
            task = await parked(shop, "silent", f"slime {number}")
            await shop.tasks.cancel(shop.room.user.id, task.id)
        silent.answers.clear()
        telling = asyncio.create_task(shop.canceller.run(shop.deps))
        async with asyncio.timeout(10):
            while silent.cancellations < 8:
                await asyncio.sleep(0.01)
        task = await parked(shop, "quick")
        await shop.tasks.cancel(shop.room.user.id, task.id)
        shop.canceller.wake()
        async with asyncio.timeout(10):
            while not quick.cancelled:
                await asyncio.sleep(0.01)
        assert silent.cancellations == 8
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)


async def test_a_job_cancelled_while_it_is_created_is_told_when_the_submission_returns(
    room: Room, pool: ProcessPool, tmp_path: Path, quick: StubJobs
) -> None:
    async with workshop(room, pool, tmp_path, [quick]) as shop:
        telling = asyncio.create_task(shop.canceller.run(shop.deps))
        quick.gate.clear()
        task = await shop.submit(provider="quick")
        await quick.submitting.wait()
        await shop.tasks.cancel(shop.room.user.id, task.id)
        async with asyncio.timeout(10):
            while not await ExternalJob.filter(cancel_tries=1).exists():
                await asyncio.sleep(0.01)
        quick.gate.set()
        async with asyncio.timeout(5):
            while not quick.cancelled:
                await asyncio.sleep(0.01)
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)


async def test_a_submission_that_never_returns_is_looked_up_and_not_waited_for_for_ever(
    room: Room, pool: ProcessPool, tmp_path: Path, quick: StubJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline_jobs, "_SUBMIT_SECONDS", 0.05)
    quick.gate.clear()
    async with workshop(room, pool, tmp_path, [quick], task_retries=0) as shop:
        ended = await shop.ended(await shop.submit(provider="quick"))
        assert (ended.status, ended.error_code, quick.searches) == (TaskStatus.FAILED, "PROVIDER_TIMEOUT", 1)
        assert not await ExternalJob.all().exists()
        assert not shop.tools.unbroken._running


async def test_a_result_that_never_comes_ends_with_the_time_of_its_work(
    room: Room, pool: ProcessPool, tmp_path: Path, quick: StubJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(quick, "fetch", never)
    async with workshop(room, pool, tmp_path, [quick], task_timeouts=(("quick", 0.3),)) as shop:
        task = await parked(shop, "quick")
        quick.finish()
        await check_all_now(shop.deps.clock.now())
        await shop.checker.check_due(shop.deps)
        assert (await shop.ended(task)).status is TaskStatus.TIMEOUT
        assert not await ExternalJob.filter(state=JobState.WAITING).exists()
        assert await TaskEventRow.filter(task_id=task.id, status="TIMEOUT").count() == 1
