"""Tasks of asynchronous providers: parked without a worker, asked about in time, taken up again where they stand."""

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from domain.ids import IdPrefix, new_id
from domain.lifecycle import TERMINAL, JobState, TaskStage, TaskStatus
from domain.lookups import previews_of_tasks
from domain.models.jobs import ExternalJob
from domain.models.projects import Project, UploadedImage
from domain.models.storage import StorageDeletion
from domain.models.tasks import QualityCheckRow, Task, TaskEventRow
from domain.params import ParamsRequest
from domain.styles import Style, style_to_json
from domain.tasks import work
from domain.tasks.recovery import reclaim_expired, recover_at_start
from tests.conftest import MovableClock
from tests.helpers.room import Room
from tests.helpers.stub import blank, sprite
from tests.helpers.stub_jobs import StubJobs
from tests.helpers.workshop import Workshop, workshop
from worker.pipeline.graph import STAGES
from worker.pipeline.restoring import restore
from worker.pipeline.retry import round_seed
from worker.pipeline.run import new_run
from worker.process_pool import ProcessPool
from worker.providers.base import JobDone, JobFailed, JobRunning, ProviderError


@pytest.fixture
def jobs() -> StubJobs:
    return StubJobs()


@pytest.fixture
def open_shop(room: Room, pool: ProcessPool, tmp_path: Path, jobs: StubJobs) -> "OpenShop":
    return OpenShop(room, pool, tmp_path / "files", jobs)


class OpenShop:
    """Opens the workshop on the same rows, files and service, as often as a test likes."""

    def __init__(self, room: Room, pool: ProcessPool, folder: Path, jobs: StubJobs) -> None:
        self.room, self.pool, self.folder, self.jobs = room, pool, folder, jobs

    @contextlib.asynccontextmanager
    async def __call__(self, **overrides: object) -> AsyncIterator[Workshop]:
        # The catalog of the room knows one provider only; the workshop brings its own.
        async with workshop(self.room, self.pool, self.folder, [self.jobs], **overrides) as shop:
            yield shop


async def submit(shop: Workshop, prompt: str = "a green slime", **fields: object) -> Task:
    return await shop.submit(prompt, provider="jobs", **fields)


async def until(shop: Workshop, task: Task, **wanted: object) -> Task:
    """Wait until the row shows what is wanted, and nobody has the task in hand."""
    async with asyncio.timeout(30):
        while True:
            row = await Task.get(id=task.id)
            if all(getattr(row, name) == value for name, value in wanted.items()) and shop.engine.busy == 0:
                return row
            await asyncio.sleep(0.01)


async def parked(shop: Workshop, task: Task) -> Task:
    async with asyncio.timeout(30):
        while (await Task.get(id=task.id)).next_check_at is None or shop.engine.busy:
            await asyncio.sleep(0.01)
    return await Task.get(id=task.id)


async def check(shop: Workshop, clock: MovableClock, seconds: float = 120) -> None:
    clock.advance(seconds)
    await shop.checker.check_due(shop.deps)


async def test_a_parked_task_holds_no_worker_and_shows_how_it_is_waited_for(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    async with open_shop(workers=1) as shop:
        row = await parked(shop, await submit(shop))
        (job_id,) = jobs.created
        assert (row.status, row.owner_token, row.external_id) == (TaskStatus.RUNNING, None, f"ext-{job_id}")
        assert (row.check_count, row.max_checks, row.last_check_at) == (0, 30, None)
        assert row.next_check_at is not None
        assert (row.next_check_at - clock.now()).total_seconds() == 120
        # The only worker does another task meanwhile.
        assert (await shop.ended(await shop.submit("another", provider="stub"))).status is TaskStatus.COMPLETED


async def test_it_is_asked_about_when_due_and_not_before_and_goes_on_once_it_is_done(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    async with open_shop() as shop:
        task = await parked(shop, await submit(shop))
        await check(shop, clock, 119)
        assert jobs.checks == 0
        await check(shop, clock, 1)
        row = await Task.get(id=task.id)
        assert (jobs.checks, row.check_count, row.last_check_at) == (1, 1, clock.now())
        jobs.finish()
        await check(shop, clock)
        done = await shop.ended(task)
        (asset,) = await shop.assets(done)
        assert (done.status, done.attempt, len(jobs.created)) == (TaskStatus.COMPLETED, 1, 1)
        assert (asset.provenance["request_id"], asset.provenance["duration_seconds"]) == (done.external_id, 240)
        events = await TaskEventRow.filter(task_id=task.id).order_by("sequence")
        assert [event.sequence for event in events] == list(range(1, len(events) + 1))
        assert [event.progress for event in events] == sorted(event.progress for event in events)
        assert any("waiting for jobs" in event.message for event in events)


async def test_what_it_fetched_leaves_the_storage_when_the_task_is_finished(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    async with open_shop() as shop:
        task = await parked(shop, await submit(shop))
        jobs.finish()
        await check(shop, clock)
        await shop.ended(task)
        await until(shop, task, status=TaskStatus.COMPLETED)
        await shop.outbox.sweep()
        assert [path.suffix for path in shop.stored()] == [".png"]
        assert await StorageDeletion.all().count() == 1  # once more, when nobody can be writing any more


async def test_a_share_that_the_provider_tells_is_told_on(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    async with open_shop() as shop:
        task = await parked(shop, await submit(shop))
        jobs.states = dict.fromkeys(jobs.states, JobRunning(0.5))
        await check(shop, clock)
        assert (await Task.get(id=task.id)).progress == 40
        jobs.states = dict.fromkeys(jobs.states, JobRunning(0.25))
        await check(shop, clock)
        assert (await Task.get(id=task.id)).progress == 40


async def test_a_picture_that_the_provider_shows_is_kept_small_and_goes_with_the_job(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    async with open_shop() as shop:
        task = await parked(shop, await submit(shop))
        assert await previews_of_tasks([task.id]) == {}
        for color in ("red", "blue"):
            large = io.BytesIO()
            Image.new("RGB", (1024, 512), color).save(large, "JPEG")
            jobs.states = dict.fromkeys(jobs.states, JobRunning(0.5, large.getvalue()))
            await check(shop, clock)
            preview = (await previews_of_tasks([task.id]))[task.id]
            with Image.open(io.BytesIO(preview)) as small:
                assert (small.format, small.size) == ("WEBP", (256, 128))
                pixel = small.convert("RGB").getpixel((9, 9))
            assert isinstance(pixel, tuple)
            assert (pixel[0] > 200) is (color == "red")
        jobs.states = dict.fromkeys(jobs.states, JobRunning(0.6, b"\x89PNG no picture"))
        await check(shop, clock)
        assert (await previews_of_tasks([task.id]))[task.id] == preview
        jobs.finish()
        await check(shop, clock)
        assert await previews_of_tasks([task.id]) == {}
        assert (await shop.ended(task)).status is TaskStatus.COMPLETED


async def test_checks_run_out_and_the_provider_is_told(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    async with open_shop(max_checks=3) as shop:
        task = await parked(shop, await submit(shop))
        for _ in range(3):
            assert (await Task.get(id=task.id)).status is TaskStatus.RUNNING
            await check(shop, clock)
        ended = await Task.get(id=task.id)
        assert (ended.status, ended.error_code, ended.next_check_at) == (TaskStatus.TIMEOUT, "TIMEOUT", None)
        assert "asked 3 times" in (ended.error_message or "")
        await shop.canceller.cancel_due(shop.deps)
        assert jobs.cancelled == [ended.external_id]
        assert not await ExternalJob.all().exists()


async def test_a_job_may_take_so_long_and_no_longer(open_shop: OpenShop, clock: MovableClock) -> None:
    async with open_shop(external_limits=(("jobs", 300),)) as shop:
        task = await parked(shop, await submit(shop))
        await check(shop, clock, 299)
        assert (await Task.get(id=task.id)).status is TaskStatus.RUNNING
        await check(shop, clock, 120)
        assert (await Task.get(id=task.id)).status is TaskStatus.TIMEOUT


async def test_the_whole_life_of_a_task_counts_over_its_attempts(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    async with open_shop(task_life_limits=(("TEXT_TO_IMAGE", 200),)) as shop:
        task = await parked(shop, await submit(shop))
        busy = ProviderError("BUSY", "The service is busy.", retryable=True)
        jobs.states = dict.fromkeys(jobs.states, JobFailed(busy))
        await check(shop, clock, 250)
        ended = await shop.ended(task)
        assert (ended.status, ended.attempt) == (TaskStatus.TIMEOUT, 1)
        assert len(jobs.created) == 1


async def test_a_job_that_failed_is_tried_again_as_a_new_attempt_with_a_new_job(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    async with open_shop(task_retry_delay_seconds=0) as shop:
        task = await parked(shop, await submit(shop))
        busy = ProviderError("BUSY", "The service is busy.", retryable=True)
        jobs.states = dict.fromkeys(jobs.states, JobFailed(busy))
        await check(shop, clock)
        await until(shop, task, attempt=2, owner_token=None, status=TaskStatus.RUNNING)
        again = await parked(shop, task)
        assert (again.check_count, len(jobs.created)) == (0, 2)
        assert again.external_id == f"ext-{jobs.created[1]}"
        refused = ProviderError("CONTENT_POLICY", "Refused.", retryable=False)
        jobs.states[again.external_id] = JobFailed(refused)
        await check(shop, clock)
        ended = await shop.ended(task)
        assert (ended.status, ended.error_code) == (TaskStatus.FAILED, "CONTENT_POLICY")


async def test_cancelling_a_parked_task_is_done_at_once_and_the_provider_is_told(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    async with open_shop() as shop:
        task = await parked(shop, await submit(shop))
        cancelled = await shop.tasks.cancel(shop.room.user.id, task.id)
        assert cancelled.status is TaskStatus.CANCELLED
        assert await shop.canceller.cancel_due(shop.deps) == 1
        assert jobs.cancelled == [task.external_id]
        jobs.states = dict.fromkeys(jobs.states, JobDone())
        await check(shop, clock)
        assert (await Task.get(id=task.id)).status is TaskStatus.CANCELLED
        assert not shop.stored()


async def test_a_job_created_while_its_task_is_cancelled_is_cancelled_too(open_shop: OpenShop, jobs: StubJobs) -> None:
    async with open_shop() as shop:
        jobs.gate.clear()
        task = await submit(shop)
        await jobs.submitting.wait()
        await shop.tasks.cancel(shop.room.user.id, task.id)
        await until(shop, task, status=TaskStatus.CANCELLED)  # the worker is free although the call goes on
        assert await shop.canceller.cancel_due(shop.deps) == 0  # nothing is known of the job yet
        jobs.gate.set()
        await shop.tools.unbroken.drain(5)
        assert await shop.canceller.cancel_due(shop.deps) == 1
        assert jobs.cancelled == [f"ext-{jobs.created[0]}"]


async def test_a_provider_that_cannot_be_told_is_told_again_and_given_up_in_the_end(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = 0

    async def refuse(_: str) -> None:
        nonlocal tries
        tries += 1
        raise ProviderError("UNREACHABLE", "No answer.", retryable=True)

    async with open_shop() as shop:
        task = await parked(shop, await submit(shop))
        monkeypatch.setattr(jobs, "cancel", refuse)
        await shop.tasks.cancel(shop.room.user.id, task.id)
        for _ in range(12):
            await shop.canceller.cancel_due(shop.deps)
            clock.advance(61)
        assert tries == 10
        assert not await ExternalJob.all().exists()


async def test_of_several_that_check_at_once_one_asks(open_shop: OpenShop, jobs: StubJobs, clock: MovableClock) -> None:
    async with open_shop() as shop:
        await parked(shop, await submit(shop))
        clock.advance(120)
        await asyncio.gather(*(shop.checker.check_due(shop.deps) for _ in range(5)))
        assert jobs.checks == 1


async def test_an_answer_that_does_not_come_counts_as_a_check_and_changes_nothing(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    async with open_shop() as shop:
        task = await parked(shop, await submit(shop))
        jobs.refuses_checks = True
        await check(shop, clock)
        row = await Task.get(id=task.id)
        assert (row.status, row.check_count) == (TaskStatus.RUNNING, 1)
        jobs.refuses_checks = False
        jobs.finish()
        await check(shop, clock)
        assert (await shop.ended(task)).status is TaskStatus.COMPLETED


async def test_every_variation_is_a_job_of_its_own_and_the_task_waits_for_all(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    async with open_shop() as shop:
        task = await parked(shop, await submit(shop, params=ParamsRequest(seed=7, count=3)))
        assert [request.seed for request in jobs.requests.values()] == [7, 8, 9]
        first = next(iter(jobs.states))
        jobs.states[first] = JobDone()
        await check(shop, clock)
        row = await Task.get(id=task.id)
        assert (row.next_check_at is not None, round(row.progress)) == (True, 33)
        jobs.finish()
        await check(shop, clock)
        done = await shop.ended(task)
        assert [asset.provenance["seed"] for asset in await shop.assets(done)] == [7, 8, 9]
        assert jobs.checks == 3 + 2


async def test_a_round_that_failed_the_check_is_followed_by_one_more_job_and_what_passed_is_kept(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    jobs.draw = lambda request: blank() if request.seed == 11 else sprite(request.seed)
    async with open_shop() as shop:
        task = await parked(shop, await submit(shop, params=ParamsRequest(seed=10, count=2)))
        jobs.finish()
        await check(shop, clock)
        await until(shop, task, quality_retries=1, owner_token=None, check_count=0)
        await parked(shop, task)
        assert [request.seed for request in jobs.requests.values()] == [10, 11, round_seed(11, 1)]
        assert "Correct these faults" in list(jobs.requests.values())[-1].prompt
        jobs.finish()
        await check(shop, clock)
        done = await shop.ended(task)
        seeds = [asset.provenance["seed"] for asset in await shop.assets(done)]
        assert (done.status, done.degraded, seeds) == (TaskStatus.COMPLETED, False, [10, round_seed(11, 1)])
        assert {check.round for check in await QualityCheckRow.filter(task_id=task.id)} == {0, 1}


async def test_what_never_passes_is_delivered_degraded_also_over_parkings(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    jobs.draw = lambda _: blank()
    async with open_shop(max_quality_retries=1) as shop:
        task = await parked(shop, await submit(shop))
        jobs.finish()
        await check(shop, clock)
        await until(shop, task, quality_retries=1, owner_token=None, check_count=0)
        await parked(shop, task)
        jobs.finish()
        await check(shop, clock)
        done = await shop.ended(task)
        assert (done.status, done.degraded, len(jobs.created)) == (TaskStatus.COMPLETED, True, 2)


async def test_a_restart_goes_on_with_the_job_and_creates_none(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    async with open_shop() as shop:
        task = await parked(shop, await submit(shop))
    jobs.finish()
    async with open_shop() as shop:
        await check(shop, clock)
        done = await shop.ended(task)
    assert (done.status, done.attempt, len(jobs.created)) == (TaskStatus.COMPLETED, 1, 1)


async def die_while(open_shop: OpenShop, jobs: StubJobs, state: JobState) -> Task:
    """Leave a task as a process leaves it that was killed while its job was in a state."""
    async with open_shop(workers=0) as shop:
        task = await submit(shop)
        await Task.filter(id=task.id).update(released_at=shop.deps.clock.now())
        claim = await work.claim(shop.deps, task.id)
        assert claim is not None
        job = await ExternalJob.create(
            id="job_00000000000000000000000001",
            task_id=task.id,
            attempt=1,
            round=0,
            variation=0,
            provider="jobs",
            seed=1,
            prompt={"style": "", "subject": "s", "technical": "t", "negative": ""},
            created_at=shop.deps.clock.now(),
        )
        await work.step(shop.deps, claim, TaskStage.ASSET_GENERATOR, 0, "generating", external=True, provider="jobs")
        if state is JobState.DONE:
            jobs.states[f"ext-{job.id}"] = JobDone()
            jobs.created.append(job.id)
            await ExternalJob.filter(id=job.id).update(state=state, external_id=f"ext-{job.id}")
        return task


@pytest.mark.parametrize("was_created", [True, False])
async def test_a_process_killed_while_it_created_a_job_looks_for_it_first(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock, *, was_created: bool
) -> None:
    task = await die_while(open_shop, jobs, JobState.SUBMITTING)
    job = await ExternalJob.get(task_id=task.id)
    if was_created:
        jobs.states[f"ext-{job.id}"] = JobRunning()
        jobs.created.append(job.id)
    async with open_shop() as shop:
        await check(shop, clock, 0)
        await parked(shop, task)
        assert (jobs.created, jobs.searches) == ([job.id], 1)
        jobs.finish()
        await check(shop, clock)
        done = await shop.ended(task)
        assert (done.status, done.attempt, jobs.created) == (TaskStatus.COMPLETED, 1, [job.id])


async def test_a_creation_whose_outcome_nobody_knows_fails_and_is_not_paid_twice(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    jobs.finds = False
    task = await die_while(open_shop, jobs, JobState.SUBMITTING)
    async with open_shop() as shop:
        await check(shop, clock, 0)
        ended = await shop.ended(task)
    assert (ended.status, ended.error_code, jobs.created) == (TaskStatus.FAILED, "PROVIDER_OUTCOME_UNKNOWN", [])


async def test_a_creation_that_timed_out_is_looked_up_at_once(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    jobs.errors_after = [ProviderError("UNREACHABLE", "No answer.", retryable=True, outcome_unknown=True)]
    async with open_shop() as shop:
        task = await parked(shop, await submit(shop))
        assert len(jobs.created) == 1
        jobs.finish()
        await check(shop, clock)
        assert (await shop.ended(task)).status is TaskStatus.COMPLETED


async def test_a_creation_that_certainly_failed_leaves_no_job(open_shop: OpenShop, jobs: StubJobs) -> None:
    jobs.errors_before = [ProviderError("CONTENT_POLICY", "Refused.", retryable=False)]
    async with open_shop() as shop:
        ended = await shop.ended(await submit(shop))
        assert (ended.status, ended.error_code) == (TaskStatus.FAILED, "CONTENT_POLICY")
        assert not await ExternalJob.all().exists()


async def test_a_result_that_was_fetched_before_the_end_of_the_process_is_not_fetched_again(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = await die_while(open_shop, jobs, JobState.DONE)
    fetch, fetched = jobs.fetch, []

    async def counted(external_id: str, request: object) -> object:
        fetched.append(external_id)
        return await fetch(external_id, request)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs, "fetch", counted)
    async with open_shop(workers=0) as shop:
        await check(shop, clock, 0)
        claim = await work.claim(shop.deps, task.id)
        assert claim is not None
        run = new_run(claim, "jobs")
        stage = await restore(run, shop.tools)
        for _ in range(2):  # up to the files, and dies there
            stage = await STAGES[stage](run, shop.tools)  # type: ignore[assignment]
        assert stage is TaskStage.FORMAT_ADAPTER
    async with open_shop() as shop:
        await recover_at_start(shop.deps)
        await check(shop, clock, 0)
        done = await shop.ended(task)
    assert (done.status, done.attempt, len(fetched)) == (TaskStatus.COMPLETED, 1, 1)


async def test_a_worker_that_is_lost_leaves_the_task_parked_and_its_lease_to_the_reconciler(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    task = await die_while(open_shop, jobs, JobState.DONE)
    await Task.filter(id=task.id).update(owner_token="wrk_gone", lease_until=clock.now(), next_check_at=None)
    clock.advance(1)
    async with open_shop(workers=0) as shop:
        await Task.filter(id=task.id).update(owner_token="wrk_gone", lease_until=clock.now(), next_check_at=None)
        clock.advance(1)
        assert await reclaim_expired(shop.deps) == 1
        row = await Task.get(id=task.id)
        assert (row.status, row.attempt, row.losses, row.next_check_at) == (TaskStatus.RUNNING, 1, 2, clock.now())


async def test_a_parked_task_whose_provider_is_gone_fails_with_the_reason(
    open_shop: OpenShop, room: Room, pool: ProcessPool, tmp_path: Path, clock: MovableClock
) -> None:
    async with open_shop() as shop:
        task = await parked(shop, await submit(shop))
    async with workshop(room, pool, tmp_path / "files", task_retries=0) as shop:
        await check(shop, clock)
        ended = await shop.ended(task)
    assert ended.status is TaskStatus.FAILED
    assert "jobs" in (ended.error_message or "")


async def test_a_provider_is_asked_no_faster_than_set(open_shop: OpenShop, jobs: StubJobs, clock: MovableClock) -> None:
    async with open_shop(checks_per_second=50) as shop:
        for number in range(10):
            await parked(shop, await submit(shop, f"slime {number}"))
        clock.advance(120)
        started = asyncio.get_running_loop().time()
        await shop.checker.check_due(shop.deps)
        assert asyncio.get_running_loop().time() - started >= 9 / 50
        assert jobs.checks == 10


async def test_asking_about_all_by_hand_does_not_wait_for_their_time(open_shop: OpenShop, jobs: StubJobs) -> None:
    async with open_shop() as shop:
        await parked(shop, await submit(shop))
        report = await shop.checker.check_all(shop.deps)
        assert (report.asked, report.moved, jobs.checks) == (1, 0, 1)


@pytest.mark.parametrize(("minutes", "attempts"), [(9, 1), (11, 2)])
async def test_a_result_that_cannot_be_fetched_is_asked_for_again_for_ten_minutes(
    open_shop: OpenShop,
    jobs: StubJobs,
    clock: MovableClock,
    monkeypatch: pytest.MonkeyPatch,
    minutes: int,
    attempts: int,
) -> None:
    fetch, refusals = jobs.fetch, [ProviderError("PROVIDER_UNAVAILABLE", "Down.", retryable=True)] * 2

    async def refusing(external_id: str, request: object) -> object:
        if refusals:
            raise refusals.pop()
        return await fetch(external_id, request)  # type: ignore[arg-type]

    async with open_shop(task_retry_delay_seconds=0) as shop:
        task = await parked(shop, await submit(shop))
        monkeypatch.setattr(jobs, "fetch", refusing)
        jobs.finish()
        await check(shop, clock)
        assert (await parked(shop, task)).attempt == 1
        await check(shop, clock, minutes * 60)
        await parked(shop, task)
        jobs.finish()
        await check(shop, clock)
        done = await shop.ended(task)
        assert (done.status, done.attempt, len(jobs.created)) == (TaskStatus.COMPLETED, attempts, attempts)


async def test_a_task_that_gets_no_place_waits_without_a_worker_and_is_created_once_there_is_one(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    full = ProviderError("PROVIDER_RATE_LIMITED", "Full.", retryable=True, retry_after_seconds=300)
    jobs.errors_before = [full, full]
    async with open_shop(workers=1) as shop:
        task = await parked(shop, await submit(shop))
        row = await Task.get(id=task.id)
        assert row.next_check_at is not None
        assert ((row.next_check_at - clock.now()).total_seconds(), jobs.created) == (300, [])
        assert not await ExternalJob.all().exists()
        assert (await shop.ended(await shop.submit("another", provider="stub"))).status is TaskStatus.COMPLETED
        await check(shop, clock, 300)
        await parked(shop, task)
        await check(shop, clock, 300)
        assert (await parked(shop, task)).attempt == 1
        assert (len(jobs.created), jobs.checks) == (1, 0)
        jobs.finish()
        await check(shop, clock)
        assert (await shop.ended(task)).status is TaskStatus.COMPLETED


async def test_of_several_variations_those_that_have_a_place_are_made_meanwhile(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    async with open_shop() as shop:
        jobs.gate.clear()
        task = await submit(shop, params=ParamsRequest(seed=7, count=2))
        await jobs.submitting.wait()
        jobs.gate.set()
        while len(jobs.created) < 1:
            await asyncio.sleep(0)
        jobs.errors_before = [ProviderError("PROVIDER_RATE_LIMITED", "Full.", retryable=True)]
        await parked(shop, task)
        jobs.finish()
        await check(shop, clock)
        await parked(shop, task)
        jobs.finish()
        await check(shop, clock)
        done = await shop.ended(task)
        assert (done.status, done.attempt) == (TaskStatus.COMPLETED, 1)
        assert [asset.provenance["seed"] for asset in await shop.assets(done)] == [7, 8]
        assert len(jobs.created) == 2


async def test_a_task_waits_for_a_place_no_longer_than_it_may_live(
    open_shop: OpenShop, jobs: StubJobs, clock: MovableClock
) -> None:
    jobs.errors_before = [ProviderError("PROVIDER_RATE_LIMITED", "Full.", retryable=True)] * 50
    async with open_shop(task_life_seconds=1000) as shop:
        task = await submit(shop)
        for _ in range(12):
            await until_idle(shop, task)
            await check(shop, clock, 120)
        ended = await shop.ended(task)
        assert (ended.status, jobs.created) == (TaskStatus.TIMEOUT, [])


async def until_idle(shop: Workshop, task: Task) -> None:
    async with asyncio.timeout(30):
        while True:
            row = await Task.get(id=task.id)
            if not shop.engine.busy and (row.next_check_at is not None or row.status in TERMINAL):
                return
            await asyncio.sleep(0.01)


async def test_reference_images_go_to_providers_of_jobs_that_look_at_them(
    open_shop: OpenShop, jobs: StubJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "capabilities", replace(jobs.capabilities, reference_images=2))
    async with open_shop() as shop:
        room = shop.room
        image_id, key = new_id(IdPrefix.IMAGE), f"users/{room.user.id}/uploads/style.png"
        await shop.storage.put(key, sprite(5), "image/png")
        await UploadedImage.create(
            id=image_id,
            user_id=room.user.id,
            project_id=room.project.id,
            media_type="image/png",
            width=64,
            height=64,
            size_bytes=1,
            sha256="0" * 64,
            storage_key=key,
            created_at=room.deps.clock.now(),
        )
        style = style_to_json(Style(reference_image_ids=(image_id,)))
        await Project.filter(id=room.project.id).update(style=style)
        await parked(shop, await submit(shop))
        [request] = jobs.requests.values()
        assert request.reference_images == (sprite(5),)
