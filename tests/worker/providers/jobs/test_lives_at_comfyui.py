"""Tasks at a ComfyUI of one's own: what processes leave of them that die on their way."""

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from domain.clock import SystemClock
from domain.lifecycle import TaskStatus
from domain.models.tasks import Task
from domain.provider_settings import ProviderEntry
from tests.helpers.clients import tls_of_nobody
from tests.helpers.comfyui_contract import SLOTS, WORKFLOW, ComfyContract
from tests.helpers.lives import STEPS, Kind, Loses, check, contract_of, die_at, here, parked, submit
from tests.helpers.room import Room
from tests.helpers.service import Reply, ScriptedService
from tests.helpers.workshop import Workshop, workshop
from worker.process_pool import ProcessPool
from worker.providers.comfyui.provider import ComfyProvider
from worker.providers.factory import ProviderFactory

KIND = Kind("comfyui", ComfyContract, finds=True, asset_type="SPRITE")
# As for the services: one database is enough.
pytestmark = [pytest.mark.slow, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]


class Studio:
    """A ComfyUI that outlives the processes that use it."""

    def __init__(
        self, service: ScriptedService, contract: ComfyContract, room: Room, pool: ProcessPool, folder: Path
    ) -> None:
        self.service, self.contract = service, contract
        self._room, self._pool, self._folder = room, pool, folder

    @contextlib.asynccontextmanager
    async def shop(self, **overrides: Any) -> AsyncIterator[tuple[Workshop, ComfyProvider]]:
        """A process that uses it, with the provider that the settings make."""
        file = self._folder / "sprite.json"
        file.write_text(json.dumps(WORKFLOW))
        options = {"text_to_image": {"file": str(file), "slots": SLOTS}}
        entry = ProviderEntry(name=KIND.name, type="comfyui", base_url=self.service.url, options=options)
        made = ProviderFactory(self._pool.run, here, tls_of_nobody(), SystemClock()).build([entry])
        [provider] = made.providers
        assert isinstance(provider, ComfyProvider)
        overrides = {"max_quality_retries": 0, **overrides}
        try:
            async with workshop(self._room, self._pool, self._folder / "files", [provider], **overrides) as shop:
                yield shop, provider
        finally:
            await made.aclose()

    async def deliver(self, shop: Workshop, task: Task) -> Task:
        """Bring the only job to its end, and the task to its."""
        [external_id] = self.contract.created
        if external_id in self.contract.pending:
            self.contract.finish(external_id, KIND.result())
            await check(shop)
        return await shop.ended(task)


@pytest.fixture
async def studio(room: Room, pool: ProcessPool, tmp_path: Path) -> AsyncIterator[Studio]:
    async with contract_of(KIND) as (service, contract):
        yield Studio(service, contract, room, pool, tmp_path)


@pytest.mark.parametrize("step", STEPS)
async def test_a_process_that_dies_between_two_steps_never_makes_a_job_be_queued_twice(
    studio: Studio, step: str
) -> None:
    async with studio.shop(workers=0) as (shop, provider):
        task = await die_at(shop, KIND, provider, studio.contract, step)
    async with studio.shop() as (shop, _):
        await check(shop, 0)
        if step not in ("before the end", "fetched"):
            await parked(shop, task)
        done = await studio.deliver(shop, task)
        attempt = 2 if step == "before the row" else 1  # without a row nothing is there to go on with
        assert (done.status, done.attempt, len(studio.contract.created)) == (TaskStatus.COMPLETED, attempt, 1)
        [asset] = await shop.assets(done)
        assert asset.provenance["request_id"] == studio.contract.created[0]


async def test_a_job_whose_answer_is_lost_is_found_and_not_queued_again(studio: Studio) -> None:
    async with studio.shop() as (shop, _):
        studio.service.otherwise = Loses(studio.contract, lambda request: request.path == "/prompt")
        task = await parked(shop, await submit(shop, KIND, "un château 城堡"))
        studio.service.otherwise = studio.contract
        assert studio.contract.created == [task.external_id]
        assert (await studio.deliver(shop, task)).status is TaskStatus.COMPLETED


async def test_a_server_in_trouble_while_a_job_waits_changes_nothing(studio: Studio) -> None:
    async with studio.shop() as (shop, _):
        task = await parked(shop, await submit(shop, KIND))
        for reply in (Reply(500, b"oops"), Reply(200, b"<html>")):
            studio.service.otherwise = lambda _, reply=reply: reply
            await check(shop)
            assert (await parked(shop, task)).status is TaskStatus.RUNNING
        studio.service.otherwise = studio.contract
        assert (await studio.deliver(shop, task)).status is TaskStatus.COMPLETED


async def test_a_result_that_is_something_else_is_not_taken(studio: Studio) -> None:
    async with studio.shop(task_retries=0) as (shop, _):
        task = await parked(shop, await submit(shop, KIND))
        [external_id] = studio.contract.created
        studio.contract.finish(external_id, b"<html>log in</html>")
        await check(shop)
        ended = await shop.ended(task)
        assert (ended.status, ended.error_code) == (TaskStatus.FAILED, "PROVIDER_BAD_ANSWER")


async def test_a_server_that_was_started_anew_has_the_job_queued_once_more(studio: Studio) -> None:
    async with studio.shop(task_retry_delay_seconds=0) as (shop, _):
        task = await parked(shop, await submit(shop, KIND))
        studio.contract.pending.clear()  # its queue is in memory only
        await check(shop)
        again = await parked(shop, task)
        assert (again.status, again.attempt, len(studio.contract.created)) == (TaskStatus.RUNNING, 2, 2)
