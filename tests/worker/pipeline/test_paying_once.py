"""What may have been paid is not made a second time unless somebody asks for it, and never in secret."""

from pathlib import Path

import pytest

from domain.lifecycle import TaskStatus
from domain.models.spending import UsageDay
from domain.models.tasks import Task, TaskEventRow
from domain.params import ParamsRequest
from tests.conftest import MovableClock
from tests.helpers.room import Room
from tests.helpers.stub import StubProvider
from tests.helpers.stub_jobs import StubJobs
from tests.helpers.workshop import Workshop, workshop
from worker.process_pool import ProcessPool
from worker.providers.base import JobDone, JobFailed
from worker.providers.errors import BAD_ANSWER, UNAVAILABLE, failure

CENT = 10_000


class Second(StubProvider):
    """Another provider."""

    name = "second"


async def used() -> dict[str, tuple[int, int]]:
    """Calls and cost by provider."""
    return {row.provider: (row.calls, row.cost_micros) for row in await UsageDay.all()}


async def messages(task: Task) -> list[str]:
    return [row.message for row in await TaskEventRow.filter(task_id=task.id).order_by("sequence")]


async def test_a_paid_answer_that_is_no_picture_is_asked_for_again_in_sight_of_all_and_counted(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    second = Second()
    async with workshop(room, pool, tmp_path, [second], prices={"stub": 0.01}, paid=["stub"]) as shop:
        shop.provider.failures = [failure(BAD_ANSWER, "stub")]
        task = await shop.ended(await shop.submit())
    assert (task.status, task.attempt) == (TaskStatus.COMPLETED, 1)
    assert await used() == {"stub": (2, 2 * CENT)}
    assert second.requests == []
    assert "stub answered with no picture, which counts: asking again, 1 of 3" in await messages(task)


@pytest.mark.parametrize("rounds", [0, 2])
async def test_it_is_asked_for_again_as_often_as_failed_checks_allow(
    room: Room, pool: ProcessPool, tmp_path: Path, rounds: int
) -> None:
    async with workshop(
        room, pool, tmp_path, [Second()], paid=["stub"], prices={"stub": 0.01}, max_quality_retries=rounds
    ) as shop:
        shop.provider.failures = [failure(BAD_ANSWER, "stub") for _ in range(9)]
        task = await shop.ended(await shop.submit())
    assert (task.status, task.error_code, task.attempt) == (TaskStatus.FAILED, "PROVIDER_BAD_ANSWER", 1)
    assert task.error_retryable
    assert "retryTask" in str(task.error_message)
    assert await used() == {"stub": (rounds + 1, (rounds + 1) * CENT)}


async def test_pictures_that_were_paid_are_not_made_again_for_the_failure_of_a_later_one(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path, paid=["stub"], prices={"stub": 0.01}) as shop:

        def draw_once(request: object) -> bytes:
            shop.provider.failures = [failure(UNAVAILABLE, "stub")]
            return drawn(request)

        drawn, shop.provider.draw = shop.provider.draw, draw_once  # type: ignore[assignment]
        task = await shop.ended(await shop.submit(params=ParamsRequest(count=2), provider="stub"))
    assert (task.status, task.error_code, task.attempt) == (TaskStatus.FAILED, "PROVIDER_UNAVAILABLE", 1)
    assert await used() == {"stub": (1, CENT)}


@pytest.mark.parametrize("paid", [True, False])
async def test_a_first_failure_that_cost_nothing_is_tried_again_by_itself(
    room: Room, pool: ProcessPool, tmp_path: Path, *, paid: bool
) -> None:
    async with workshop(
        room, pool, tmp_path, paid=["stub"] if paid else [], task_retry_delay_seconds=0, prices={"stub": 0.01}
    ) as shop:
        shop.provider.failures = [failure(UNAVAILABLE, "stub")]
        task = await shop.ended(await shop.submit(provider="stub"))
    assert (task.status, task.attempt) == (TaskStatus.COMPLETED, 2)
    assert await used() == {"stub": (1, CENT)}


async def test_a_server_of_ones_own_is_asked_again_in_another_attempt(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async with workshop(room, pool, tmp_path, task_retry_delay_seconds=0) as shop:
        shop.provider.failures = [failure(BAD_ANSWER, "stub")]
        task = await shop.ended(await shop.submit())
    assert (task.status, task.attempt) == (TaskStatus.COMPLETED, 2)


async def test_files_that_cannot_be_stored_do_not_have_the_picture_paid_twice(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    async with workshop(room, pool, folder, paid=["stub"], task_retry_delay_seconds=0) as shop:
        folder.write_bytes(b"no folder")
        task = await shop.ended(await shop.submit())
    assert (task.status, task.error_code, task.attempt) == (TaskStatus.FAILED, "STORAGE_FAILED", 1)
    assert len(shop.provider.requests) == 1


class TestJobs:
    async def _failed(
        self, shop: Workshop, jobs: StubJobs, clock: MovableClock, task: Task, states: list[JobDone | JobFailed]
    ) -> Task:
        while (await Task.get(id=task.id)).next_check_at is None:
            await shop.checker.check_due(shop.deps)
        for external_id, state in zip(list(jobs.states), states, strict=True):
            jobs.states[external_id] = state
        clock.advance(3600)
        await shop.checker.check_due(shop.deps)
        return await shop.ended(task)

    async def test_a_job_that_may_have_been_paid_is_not_made_again_by_itself(
        self, room: Room, pool: ProcessPool, tmp_path: Path, clock: MovableClock
    ) -> None:
        jobs = StubJobs()
        async with workshop(room, pool, tmp_path, [jobs], paid=["jobs"]) as shop:
            task = await shop.submit(provider="jobs")
            task = await self._failed(shop, jobs, clock, task, [JobFailed(failure(BAD_ANSWER, "jobs"))])
        assert (task.status, task.error_code, task.attempt) == (TaskStatus.FAILED, "PROVIDER_BAD_ANSWER", 1)
        assert len(jobs.created) == 1

    async def test_a_finished_job_is_not_made_again_for_the_failure_of_another(
        self, room: Room, pool: ProcessPool, tmp_path: Path, clock: MovableClock
    ) -> None:
        jobs = StubJobs()
        async with workshop(room, pool, tmp_path, [jobs], paid=["jobs"]) as shop:
            task = await shop.submit(provider="jobs", params=ParamsRequest(count=2))
            states: list[JobDone | JobFailed] = [JobDone(), JobFailed(failure(UNAVAILABLE, "jobs"))]
            task = await self._failed(shop, jobs, clock, task, states)
        assert (task.status, task.error_code, task.attempt) == (TaskStatus.FAILED, "PROVIDER_UNAVAILABLE", 1)
        assert len(jobs.created) == 2
