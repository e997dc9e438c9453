"""When a provider cannot be had and nothing was paid, the next one does the work."""

import asyncio
from pathlib import Path

import pytest

from domain.clock import Clock
from domain.ids import IdPrefix, new_id
from domain.lifecycle import TaskStatus
from domain.models.jobs import ExternalJob
from domain.models.projects import Project, UploadedImage
from domain.models.tasks import Task, TaskEventRow
from domain.params import ParamsRequest
from domain.styles import Style, style_to_json
from tests.helpers.room import Room
from tests.helpers.stub import StubProvider, sprite
from tests.helpers.stub_jobs import StubJobs
from tests.helpers.workshop import workshop
from worker.process_pool import ProcessPool
from worker.providers.base import Capabilities
from worker.providers.errors import (
    BAD_ANSWER,
    CONTENT_POLICY,
    OUTCOME_UNKNOWN,
    QUOTA,
    UNAVAILABLE,
    FailureKind,
    failure,
)
from worker.providers.terms import Terms


class Second(StubProvider):
    """Another provider, which looks at three reference images."""

    name = "second"
    capabilities = Capabilities(
        StubProvider.capabilities.kinds, StubProvider.capabilities.asset_types, reference_images=3
    )


async def messages(task: Task) -> list[str]:
    return [row.message for row in await TaskEventRow.filter(task_id=task.id).order_by("sequence")]


@pytest.mark.parametrize("kind", [UNAVAILABLE, QUOTA])
async def test_the_next_provider_takes_over(room: Room, pool: ProcessPool, tmp_path: Path, kind: FailureKind) -> None:
    second = Second()
    async with workshop(room, pool, tmp_path, [second]) as shop:
        shop.provider.failures = [failure(kind, "stub")]
        task = await shop.ended(await shop.submit())
        [asset] = await shop.assets(task)
    assert (task.status, task.provider, task.attempt) == (TaskStatus.COMPLETED, "second", 1)
    assert asset.provenance["provider"] == "second"
    assert f"stub could not be had ({kind.code}), generating with second" in await messages(task)


async def test_the_rest_of_the_run_stays_with_it(room: Room, pool: ProcessPool, tmp_path: Path) -> None:
    second = Second()
    async with workshop(room, pool, tmp_path, [second]) as shop:
        shop.provider.failures = [failure(UNAVAILABLE, "stub")]
        task = await shop.ended(await shop.submit(params=ParamsRequest(count=3)))
    assert task.status is TaskStatus.COMPLETED
    assert (len(shop.provider.requests), len(second.requests)) == (1, 3)


@pytest.mark.parametrize("kind", [CONTENT_POLICY, OUTCOME_UNKNOWN])
async def test_what_may_have_been_paid_or_was_refused_is_asked_of_nobody_else(
    room: Room, pool: ProcessPool, tmp_path: Path, kind: FailureKind
) -> None:
    second = Second()
    async with workshop(room, pool, tmp_path, [second]) as shop:
        shop.provider.failures = [failure(kind, "stub", request_id="req_7")]
        task = await shop.ended(await shop.submit())
    assert (task.status, task.error_code, task.error_retryable) == (TaskStatus.FAILED, kind.code, False)
    assert "req_7" in str(task.error_message)
    assert second.requests == []


async def test_a_provider_that_was_asked_for_is_not_replaced(room: Room, pool: ProcessPool, tmp_path: Path) -> None:
    second = Second()
    async with workshop(room, pool, tmp_path, [second], task_retries=0) as shop:
        shop.provider.failures = [failure(UNAVAILABLE, "stub")]
        task = await shop.ended(await shop.submit(provider="stub"))
    assert (task.error_code, task.requested_provider) == ("PROVIDER_UNAVAILABLE", "stub")
    assert second.requests == []


async def test_a_later_attempt_chooses_anew(room: Room, pool: ProcessPool, tmp_path: Path, clock: Clock) -> None:
    async with workshop(room, pool, tmp_path, [Second()], task_retries=0) as shop:
        shop.provider.failures = [failure(BAD_ANSWER, "stub")]
        task = await shop.ended(await shop.submit())
        assert (task.status, task.provider) == (TaskStatus.FAILED, "stub")
        task = await shop.tasks.retry(room.user, task.id)
        assert task.provider is None
        assert (await shop.ended(task)).status is TaskStatus.COMPLETED


async def test_when_nobody_is_left_the_last_failure_counts(room: Room, pool: ProcessPool, tmp_path: Path) -> None:
    second = Second()
    second.failures = [failure(QUOTA, "second")]
    async with workshop(room, pool, tmp_path, [second], task_retries=0) as shop:
        shop.provider.failures = [failure(UNAVAILABLE, "stub")]
        task = await shop.ended(await shop.submit())
    assert task.error_code == "PROVIDER_QUOTA"


async def test_the_styles_pictures_go_to_those_who_look_at_them(
    room: Room, pool: ProcessPool, tmp_path: Path, clock: Clock
) -> None:
    second = Second()
    async with workshop(room, pool, tmp_path, [second]) as shop:
        ids = [new_id(IdPrefix.IMAGE) for _ in range(3)]
        for number, image_id in enumerate(ids[:2]):
            key = f"users/{room.user.id}/projects/{room.project.id}/uploads/{image_id}.png"
            if number == 0:
                await shop.storage.put(key, sprite(1), "image/png")
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
                created_at=clock.now(),
            )
        style = style_to_json(Style(reference_image_ids=tuple(ids)))
        await Project.filter(id=room.project.id).update(style=style)
        await shop.ended(await shop.submit(provider="second"))
        await shop.ended(await shop.submit(provider="stub"))
    # The one whose file has gone and the one that was never there are left out.
    assert second.requests[0].reference_images == (sprite(1),)
    assert shop.provider.requests[0].reference_images == ()


@pytest.mark.parametrize("kind", [UNAVAILABLE, QUOTA])
async def test_providers_of_jobs_that_take_none_are_passed_over_within_the_attempt(
    room: Room, pool: ProcessPool, tmp_path: Path, kind: FailureKind
) -> None:
    first, second = StubJobs(), StubJobs(name="more")
    first.errors_before, second.errors_before = [failure(kind, "jobs")], [failure(kind, "more")]
    terms = {"jobs": Terms(priority=3, paid=True), "more": Terms(priority=2, paid=True)}
    async with workshop(room, pool, tmp_path, [first, second], terms=terms, task_retries=0) as shop:
        task = await shop.ended(await shop.submit())
    assert (task.status, task.provider, task.attempt, task.external) == (TaskStatus.COMPLETED, "stub", 1, False)
    told = await messages(task)
    assert f"jobs could not be had ({kind.code}), generating with more" in told
    assert f"more could not be had ({kind.code}), generating with stub" in told
    assert await ExternalJob.all().count() == 0


async def test_a_provider_of_jobs_that_has_taken_one_is_not_replaced(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    jobs = StubJobs()
    jobs.gate.clear()
    terms = {"jobs": Terms(priority=3, paid=True)}
    async with workshop(room, pool, tmp_path, [jobs], terms=terms, task_retries=0) as shop:
        task = await shop.submit(params=ParamsRequest(count=2))
        await jobs.submitting.wait()
        while not jobs.created:
            jobs.gate.set()
            await asyncio.sleep(0)
        jobs.errors_before = [failure(UNAVAILABLE, "jobs")]
        task = await shop.ended(task)
    assert (task.status, task.provider, task.error_code) == (TaskStatus.FAILED, "jobs", "PROVIDER_UNAVAILABLE")
    assert shop.provider.requests == []
