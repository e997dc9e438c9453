"""Tasks of every provider of jobs: their whole way, and what is left of them by a process that dies on it."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from domain.lifecycle import TaskStatus
from domain.models.tasks import TaskEventRow
from tests.helpers.ark_contract import KEY as ARK_KEY
from tests.helpers.ark_contract import ArkContract
from tests.helpers.bfl_contract import KEY as BFL_KEY
from tests.helpers.bfl_contract import BflContract
from tests.helpers.clients import Seconds
from tests.helpers.dashscope_contract import KEY as DASH_KEY
from tests.helpers.dashscope_contract import DashScopeContract
from tests.helpers.fal_contract import KEY as FAL_KEY
from tests.helpers.fal_contract import FalContract
from tests.helpers.kling_contract import ACCESS_KEY, SECRET, KlingContract
from tests.helpers.lives import STEPS, Kind, Loses, check, contract_of, die_at, parked, provider_of, submit
from tests.helpers.luma_contract import KEY as LUMA_KEY
from tests.helpers.luma_contract import LumaContract
from tests.helpers.minimax_contract import KEY as MINIMAX_KEY
from tests.helpers.minimax_contract import MiniMaxContract
from tests.helpers.replicate_contract import KEY as REPLICATE_KEY
from tests.helpers.replicate_contract import ReplicateContract
from tests.helpers.room import Room
from tests.helpers.runway_contract import KEY as RUNWAY_KEY
from tests.helpers.runway_contract import RunwayContract
from tests.helpers.service import Reply
from tests.helpers.workshop import Workshop, workshop
from worker.process_pool import ProcessPool
from worker.providers.hosted import HOSTED

KINDS = [
    Kind("seedance", ArkContract, "/api/v3", finds=True, key=ARK_KEY),
    Kind("wan-image", DashScopeContract, "/api/v1", asset_type="SPRITE", key=DASH_KEY),
    Kind("wan-video", DashScopeContract, "/api/v1", key=DASH_KEY),
    Kind("minimax", MiniMaxContract, key=MINIMAX_KEY),
    Kind("minimax", MiniMaxContract, key=MINIMAX_KEY, fields={"model": "MiniMax-H3"}),
    Kind("kling", KlingContract, finds=True, key=ACCESS_KEY, secret=SECRET),
    Kind("replicate-image", ReplicateContract, asset_type="SPRITE", key=REPLICATE_KEY, refuses_later=True),
    Kind("replicate-video", ReplicateContract, key=REPLICATE_KEY, refuses_later=True),
    Kind("fal-image", FalContract, asset_type="SPRITE", key=FAL_KEY, refuses_later=True),
    Kind("fal-video", FalContract, key=FAL_KEY, refuses_later=True),
    Kind("flux", BflContract, asset_type="SPRITE", key=BFL_KEY, refuses_later=True),
    Kind("luma", LumaContract, "/dream-machine/v1", key=LUMA_KEY),
    Kind("runway", RunwayContract, key=RUNWAY_KEY, refuses_later=True),
]
# What is tested is the providers, not the databases: one is enough, and PostgreSQL has its own tests of parked tasks.
# Every kind of provider through the engine, and dying at every step, takes half a minute.
pytestmark = [pytest.mark.slow, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]


class Scene:
    """A service that outlives the processes that use it."""

    def __init__(self, kind: Kind, room: Room, pool: ProcessPool, folder: Path) -> None:
        self.kind, self.room, self.pool, self.folder = kind, room, pool, folder
        self.service: Any = None
        self.contract: Any = None
        self.seconds = Seconds()

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator["Scene"]:
        async with contract_of(self.kind) as (self.service, self.contract):
            yield self

    @contextlib.asynccontextmanager
    async def shop(self, **overrides: Any) -> AsyncIterator[tuple[Workshop, Any]]:
        async with (
            provider_of(self.kind, self.service, self.pool.run, seconds=self.seconds) as provider,
            workshop(self.room, self.pool, self.folder, [provider], max_quality_retries=0, **overrides) as shop,
        ):
            yield shop, provider


@pytest.fixture
def scene_of(room: Room, pool: ProcessPool, tmp_path: Path) -> Any:
    return lambda kind: Scene(kind, room, pool, tmp_path / "files").opened()


@pytest.mark.usefixtures("database_url")
def test_every_service_of_jobs_is_among_them() -> None:
    paints_at_once = {"seedream"}
    assert {kind.name for kind in KINDS} == set(HOSTED) - paints_at_once


@pytest.mark.parametrize("kind", KINDS, ids=str)
async def test_a_task_is_parked_asked_about_and_delivered(scene_of: Any, kind: Kind) -> None:
    async with scene_of(kind) as scene, scene.shop(workers=1) as (shop, _):
        task = await parked(shop, await submit(shop, kind, "un château 城堡"))
        [external_id] = scene.contract.created
        assert (task.status, task.owner_token, task.external_id) == (TaskStatus.RUNNING, None, external_id)
        await check(shop)
        assert (await parked(shop, task)).check_count == 1
        scene.contract.finish(external_id, kind.result())
        await check(shop)
        done = await shop.ended(task)
        assets = await shop.assets(done)
        assert (done.status, done.error_message, len(scene.contract.created)) == (TaskStatus.COMPLETED, None, 1)
        assert assets[0].provenance["request_id"] == external_id
        events = await TaskEventRow.filter(task_id=task.id)
        told = " ".join([event.message for event in events] + [str(asset.provenance) for asset in assets])
        assert scene.service.url not in told
        assert kind.key not in told


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("kind", KINDS, ids=str)
async def test_a_process_that_dies_between_two_steps_never_makes_a_job_be_created_twice(
    scene_of: Any, kind: Kind, step: str
) -> None:
    async with scene_of(kind) as scene:
        async with scene.shop(workers=0) as (shop, provider):
            task = await die_at(shop, kind, provider, scene.contract, step)
        async with scene.shop() as (shop, _):
            await check(shop, 0)
            if not kind.finds and step in ("before the creation", "before its answer"):
                ended = await shop.ended(task)
                assert (ended.status, ended.error_code) == (TaskStatus.FAILED, "PROVIDER_OUTCOME_UNKNOWN")
                assert len(scene.contract.created) == STEPS.index(step) - 1
                return
            if step not in ("before the end", "fetched"):
                await parked(shop, task)
                [external_id] = scene.contract.created
                scene.contract.finish(external_id, kind.result())
                await check(shop)
            done = await shop.ended(task)
            attempt = 2 if step == "before the row" else 1  # without a row nothing is there to go on with
            assert (done.status, done.attempt, len(scene.contract.created)) == (TaskStatus.COMPLETED, attempt, 1)


@pytest.mark.parametrize("kind", KINDS, ids=str)
async def test_a_creation_whose_answer_is_lost_is_looked_up_or_fails_as_such(scene_of: Any, kind: Kind) -> None:
    async with scene_of(kind) as scene, scene.shop() as (shop, _):
        created = scene.contract.created
        before = list(created)
        scene.service.otherwise = Loses(
            scene.contract, lambda request: request.method == "POST" and list(scene.contract.created) != before
        )
        task = await submit(shop, kind)
        if kind.finds:
            waiting = await parked(shop, task)
            assert list(scene.contract.created) == [waiting.external_id]
            return
        ended = await shop.ended(task)
        assert (ended.status, ended.error_code) == (TaskStatus.FAILED, "PROVIDER_OUTCOME_UNKNOWN")
        assert len(scene.contract.created) == 1


@pytest.mark.parametrize("kind", KINDS, ids=str)
async def test_a_refusal_by_content_policy_is_told_and_not_sent_again(scene_of: Any, kind: Kind) -> None:
    async with scene_of(kind) as scene, scene.shop() as (shop, _):
        task = await submit(shop, kind, "gore")
        if kind.refuses_later:
            await parked(shop, task)
            await check(shop)
        ended = await shop.ended(task)
        posts = [request for request in scene.service.requests if request.method == "POST"]
        assert (ended.status, ended.error_code, len(posts)) == (TaskStatus.FAILED, "CONTENT_POLICY", 1)
        assert ended.error_retryable is False


@pytest.mark.parametrize("kind", KINDS, ids=str)
async def test_a_result_that_cannot_be_had_just_now_is_fetched_again_and_not_made_again(
    scene_of: Any, kind: Kind
) -> None:
    async with scene_of(kind) as scene, scene.shop() as (shop, _):
        task = await parked(shop, await submit(shop, kind))
        [external_id] = scene.contract.created
        scene.contract.finish(external_id, kind.result())
        scene.service.otherwise = Loses(scene.contract, lambda request: request.path.startswith("/files/"))
        await check(shop)
        again = await parked(shop, task)
        assert (again.status, again.attempt) == (TaskStatus.RUNNING, 1)
        scene.service.otherwise = scene.contract
        await check(shop, 10)
        done = await shop.ended(task)
        assert (done.status, done.attempt, len(scene.contract.created)) == (TaskStatus.COMPLETED, 1, 1)


@pytest.mark.parametrize("kind", KINDS, ids=str)
async def test_a_result_that_is_something_else_is_not_taken(scene_of: Any, kind: Kind) -> None:
    async with scene_of(kind) as scene, scene.shop(task_retries=0) as (shop, _):
        task = await parked(shop, await submit(shop, kind))
        [external_id] = scene.contract.created
        scene.contract.finish(external_id, b"<html>log in</html>")
        await check(shop)
        ended = await shop.ended(task)
        assert (ended.status, ended.error_code) == (TaskStatus.FAILED, "PROVIDER_BAD_ANSWER")
        assert scene.service.url not in str(ended.error_message)


@pytest.mark.parametrize("kind", KINDS, ids=str)
async def test_a_result_in_a_private_network_is_not_fetched(scene_of: Any, kind: Kind) -> None:
    async with (
        scene_of(kind) as scene,
        provider_of(kind, scene.service, scene.pool.run, private=False) as provider,
        workshop(scene.room, scene.pool, scene.folder, [provider], task_retries=0) as shop,
    ):
        task = await parked(shop, await submit(shop, kind))
        [external_id] = scene.contract.created
        scene.contract.finish(external_id, kind.result())
        await check(shop)
        ended = await shop.ended(task)
        assert (ended.status, ended.error_code) == (TaskStatus.FAILED, "PROVIDER_BAD_ANSWER")
        assert not [request for request in scene.service.requests if request.path.startswith("/files/")]


@pytest.mark.parametrize("kind", KINDS, ids=str)
async def test_a_service_in_trouble_while_a_job_waits_changes_nothing(scene_of: Any, kind: Kind) -> None:
    async with scene_of(kind) as scene, scene.shop() as (shop, _):
        task = await parked(shop, await submit(shop, kind))
        for reply in (Reply(500, b"oops"), Reply(200, b"<html>"), Reply(503), b"HTTP/1.1 2"):
            scene.service.otherwise = lambda _, reply=reply: reply
            await check(shop)
            assert (await parked(shop, task)).status is TaskStatus.RUNNING
        scene.service.otherwise = scene.contract
        scene.seconds.now += 600  # the break after so many failures is over
        [external_id] = scene.contract.created
        scene.contract.finish(external_id, kind.result())
        await check(shop)
        assert (await shop.ended(task)).status is TaskStatus.COMPLETED


@pytest.mark.parametrize("kind", KINDS, ids=str)
async def test_a_task_for_which_there_is_no_place_waits_for_one_without_a_worker(scene_of: Any, kind: Kind) -> None:
    async with scene_of(kind) as scene, scene.shop() as (shop, _):
        scene.service.otherwise = lambda _: Reply(429)
        task = await parked(shop, await submit(shop, kind))
        assert (list(scene.contract.created), task.attempt) == ([], 1)
        scene.service.otherwise = scene.contract
        await check(shop)
        await parked(shop, task)
        [external_id] = scene.contract.created
        scene.contract.finish(external_id, kind.result())
        await check(shop)
        done = await shop.ended(task)
        assert (done.status, done.attempt, len(scene.contract.created)) == (TaskStatus.COMPLETED, 1, 1)
