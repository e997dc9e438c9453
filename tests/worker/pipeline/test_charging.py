"""What tasks cost: counted before each call, given back when nothing was charged, and never beyond the budget."""

from pathlib import Path

import pytest

from domain.lifecycle import TaskStatus
from domain.models.accounts import User
from domain.models.jobs import ExternalJob
from domain.models.spending import SpendMonth, UsageDay
from domain.models.tasks import Task
from domain.params import ParamsRequest
from tests.conftest import MovableClock
from tests.helpers.requests import make_request
from tests.helpers.room import Room
from tests.helpers.stub import StubProvider, blank, sprite
from tests.helpers.stub_jobs import StubJobs
from tests.helpers.workshop import Workshop, workshop
from worker.artifacts import GenerationRequest
from worker.pipeline.charging import picture_count
from worker.process_pool import ProcessPool
from worker.providers.base import JobDone, JobFailed, ProviderError

CENT = 10_000
UNPAID = ProviderError("PROVIDER_UNAVAILABLE", "No answer.", retryable=False, unpaid=True)
PAID = ProviderError("PROVIDER_BAD_ANSWER", "No picture.", retryable=False)


async def used() -> dict[str, tuple[int, int, int]]:
    """Calls, pictures and cost by provider."""
    return {row.provider: (row.calls, row.pictures, row.cost_micros) for row in await UsageDay.all()}


async def spent(room: Room) -> int:
    row = await SpendMonth.get_or_none(user_id=room.user.id)
    return 0 if row is None else row.spent_micros


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "files"


async def test_every_round_and_variation_is_counted(room: Room, pool: ProcessPool, folder: Path) -> None:
    drawn: list[int] = []

    def draw(request: GenerationRequest) -> bytes:
        drawn.append(1)
        return blank() if len(drawn) == 1 else sprite(request.seed)

    async with workshop(room, pool, folder, prices={"stub": 0.01}) as shop:
        shop.provider.draw = draw
        task = await shop.ended(await shop.submit(params=ParamsRequest(count=2)))
    assert task.status is TaskStatus.COMPLETED
    assert await used() == {"stub": (len(drawn), len(drawn), len(drawn) * CENT)}
    assert len(drawn) == 3
    assert await spent(room) == 3 * CENT


async def test_what_has_no_price_is_counted_all_the_same(room: Room, pool: ProcessPool, folder: Path) -> None:
    async with workshop(room, pool, folder) as shop:
        await shop.ended(await shop.submit())
    assert await used() == {"stub": (1, 1, 0)}
    assert await spent(room) == 0


@pytest.mark.parametrize(("error", "cost"), [(UNPAID, 0), (PAID, CENT)])
async def test_a_call_that_failed_costs_nothing_only_when_that_is_certain(
    room: Room, pool: ProcessPool, folder: Path, error: ProviderError, cost: int
) -> None:
    async with workshop(room, pool, folder, prices={"stub": 0.01}) as shop:
        shop.provider.failures = [error]
        task = await shop.ended(await shop.submit(provider="stub"))
    assert task.status is TaskStatus.FAILED
    assert await spent(room) == cost
    assert (await used())["stub"][2] == cost


async def test_who_takes_over_is_charged_and_who_could_not_be_had_is_not(
    room: Room, pool: ProcessPool, folder: Path
) -> None:
    other = StubProvider()
    other.name = "other"
    async with workshop(room, pool, folder, [other], prices={"stub": 0.01, "other": 0.05}) as shop:
        shop.provider.failures = [UNPAID]
        task = await shop.ended(await shop.submit())
    assert (task.status, task.provider) == (TaskStatus.COMPLETED, "other")
    assert await used() == {"stub": (0, 0, 0), "other": (1, 1, 5 * CENT)}


async def test_the_call_beyond_the_budget_is_not_made_and_the_task_says_why(
    room: Room, pool: ProcessPool, folder: Path
) -> None:
    await User.filter(id=room.user.id).update(monthly_budget_micros=2 * CENT)
    async with workshop(room, pool, folder, prices={"stub": 0.01}) as shop:
        shop.provider.draw = lambda _: blank()
        task = await shop.ended(await shop.submit())
    assert (task.status, task.error_code, task.error_retryable) == (TaskStatus.FAILED, "BUDGET_EXCEEDED", False)
    assert "this month is 0.02, 0.02 of it is spent" in str(task.error_message)
    assert len(shop.provider.requests) == 2
    assert await spent(room) == 2 * CENT


class TestJobs:
    async def _finish(self, shop: Workshop, jobs: StubJobs, clock: MovableClock, task: Task) -> Task:
        for external_id in jobs.states:
            jobs.states[external_id] = JobDone()
        clock.advance(3600)
        await shop.checker.check_due(shop.deps)
        return await shop.ended(task)

    async def test_a_job_is_charged_once_over_restarts(
        self, room: Room, pool: ProcessPool, folder: Path, clock: MovableClock
    ) -> None:
        jobs = StubJobs()
        prices = {"jobs": 0.20}
        async with workshop(room, pool, folder, [jobs], prices=prices) as shop:
            task = await shop.submit(provider="jobs")
            await jobs.submitting.wait()
        async with workshop(room, pool, folder, [jobs], prices={"jobs": 99}) as shop:
            task = await self._finish(shop, jobs, clock, task)
        assert task.status is TaskStatus.COMPLETED
        assert (len(jobs.created), await spent(room)) == (1, 20 * CENT)

    async def test_a_job_that_was_not_taken_costs_nothing(self, room: Room, pool: ProcessPool, folder: Path) -> None:
        jobs = StubJobs()
        jobs.errors_before = [ProviderError("PROVIDER_REJECTED", "No.", retryable=False)]
        async with workshop(room, pool, folder, [jobs], prices={"jobs": 0.20}) as shop:
            task = await shop.ended(await shop.submit(provider="jobs"))
        assert (task.status, await spent(room)) == (TaskStatus.FAILED, 0)
        assert await used() == {"jobs": (0, 0, 0)}

    @pytest.mark.parametrize(("error", "cost"), [(UNPAID, 0), (PAID, 20 * CENT)])
    async def test_a_job_that_failed_there_costs_nothing_only_when_that_is_certain(
        self, room: Room, pool: ProcessPool, folder: Path, clock: MovableClock, error: ProviderError, cost: int
    ) -> None:
        jobs = StubJobs()
        async with workshop(room, pool, folder, [jobs], prices={"jobs": 0.20}) as shop:
            task = await shop.submit(provider="jobs")
            await jobs.submitting.wait()
            while (await Task.get(id=task.id)).next_check_at is None:
                await shop.checker.check_due(shop.deps)
            [external_id] = jobs.states
            jobs.states[external_id] = JobFailed(error)
            clock.advance(3600)
            await shop.checker.check_due(shop.deps)
            task = await shop.ended(task)
        assert (task.status, await spent(room)) == (TaskStatus.FAILED, cost)

    async def test_a_job_beyond_the_budget_is_not_created(self, room: Room, pool: ProcessPool, folder: Path) -> None:
        jobs = StubJobs()
        jobs.gate.clear()
        async with workshop(room, pool, folder, [jobs], prices={"jobs": 0.20}) as shop:
            task = await shop.submit(provider="jobs", params=ParamsRequest(count=2))
            await jobs.submitting.wait()
            await User.filter(id=room.user.id).update(monthly_budget_micros=20 * CENT)
            jobs.gate.set()
            task = await shop.ended(task)
        assert (task.status, task.error_code) == (TaskStatus.FAILED, "BUDGET_EXCEEDED")
        assert (len(jobs.created), await spent(room)) == (1, 20 * CENT)
        assert await ExternalJob.filter(cancel_at__isnull=True).count() == 0


def test_sheets_are_several_pictures_for_services_that_paint_at_once() -> None:
    sheet = make_request("SPRITESHEET", animations=(("idle", 4), ("walk", 20)))
    assert picture_count(sheet, asynchronous=False) == 3
    assert picture_count(sheet, asynchronous=True) == 1
