"""Messages about jobs, over HTTP: they make the server ask sooner, and nothing else."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from domain.callbacks import CallbackAddresses
from domain.lifecycle import TaskStatus
from domain.models.jobs import ExternalJob
from domain.models.tasks import Task
from server.callbacks import MAX_BYTES, callback_routes
from tests.conftest import MovableClock
from tests.helpers.ark_contract import KEY, ArkContract
from tests.helpers.lives import CLIP, Kind, contract_of, parked, provider_of, submit
from tests.helpers.room import Room
from tests.helpers.workshop import Workshop, workshop
from tests.worker.conftest import pool
from worker.callbacks.reader import Callback, CallbackReader, Message, StatusReader
from worker.callbacks.receiver import CallbackReceiver
from worker.process_pool import ProcessPool

__all__ = ["pool"]
ADDRESSES = CallbackAddresses(b"k" * 32, "http://wonder.example")
SEEDANCE = Kind("seedance", ArkContract, "/api/v3", key=KEY)
UNSIGNED = StatusReader("status", frozenset({"queued", "running"}))
OPTIONS: Any = {"callbacks": True, "check_seconds": 3600}
pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


class SignedReader:
    """Believes messages that say the word, and names their job."""

    async def read(self, message: Message, now: object) -> Callback | None:
        if message.headers.get("x-word") != "sesame":
            return None
        return Callback(ended=True, external_id=message.json_object().get("id"))  # type: ignore[arg-type]


class Stage:
    """A parked task, and the door at which its service may knock."""

    def __init__(self, shop: Workshop, contract: Any, client: httpx.AsyncClient, task: Task, url: str) -> None:
        self.shop, self.contract, self.client, self.task = shop, contract, client, task
        self.path = url.removeprefix(ADDRESSES.public_url)
        [self.external_id] = contract.created

    async def knock(self, body: Any = None, path: str | None = None, headers: Mapping[str, str] | None = None) -> int:
        said = {"id": self.external_id, "status": "succeeded"} if body is None else body
        content = said if isinstance(said, bytes) else json.dumps(said).encode()
        return (await self.client.post(path or self.path, content=content, headers=headers)).status_code

    async def due_in(self) -> float:
        row = await Task.get(id=self.task.id)
        assert row.next_check_at is not None
        return (row.next_check_at - self.shop.deps.clock.now()).total_seconds()


@pytest.fixture
def stage(room: Room, pool: ProcessPool, tmp_path: Path) -> Any:
    @contextlib.asynccontextmanager
    async def open_stage(reader: CallbackReader = UNSIGNED) -> AsyncIterator[Stage]:
        async with (
            contract_of(SEEDANCE) as (service, contract),
            provider_of(
                SEEDANCE, service, pool.run, addresses=ADDRESSES, callbacks=True, check_seconds=3600
            ) as provider,
            workshop(room, pool, tmp_path, [provider]) as shop,
        ):
            task = await parked(shop, await submit(shop, SEEDANCE))
            receiver = CallbackReceiver(ADDRESSES, {"seedance": reader}, shop.deps)
            app = Starlette(routes=callback_routes(receiver))
            url = contract.bodies[task.external_id]["callback_url"]
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=ADDRESSES.public_url) as client:
                yield Stage(shop, contract, client, task, url)

    return open_stage


async def test_a_message_that_a_job_has_ended_makes_the_server_ask_now(stage: Any) -> None:
    async with stage() as opened:
        assert await opened.due_in() == 3600
        opened.contract.finish(opened.external_id, CLIP)
        assert await opened.knock() == 204
        assert await opened.due_in() == 0
        await opened.shop.checker.check_due(opened.shop.deps)
        assert (await opened.shop.ended(opened.task)).status is TaskStatus.COMPLETED
        assert await opened.knock() == 204  # of no use any more, which is no error


async def test_what_a_message_says_of_the_job_is_not_believed(stage: Any) -> None:
    async with stage() as opened:
        lie = {"id": opened.external_id, "status": "succeeded", "content": {"video_url": "http://10.0.0.1/x.mp4"}}
        assert await opened.knock(lie) == 204
        await opened.shop.checker.check_due(opened.shop.deps)
        row = await parked(opened.shop, opened.task)
        assert (row.status, row.check_count, await opened.due_in()) == (TaskStatus.RUNNING, 1, 3600)


async def test_a_message_that_a_job_goes_on_changes_nothing(stage: Any) -> None:
    async with stage() as opened:
        assert await opened.knock({"id": opened.external_id, "status": "running"}) == 204
        assert await opened.due_in() == 3600


@pytest.mark.parametrize(
    "wrong",
    [
        lambda path: path.partition("?")[0],
        lambda path: path[:-1] + ("A" if path[-1] != "A" else "B"),
        lambda path: path.replace("/seedance/", "/kling/"),
        lambda path: path.replace("/job_", "/tsk_"),
        lambda path: path.replace("job_0", "job_1"),
        lambda path: path.replace("?token=", "?token=%FF%00"),
        lambda path: path.replace("/job_", "/job_%00"),
    ],
)
async def test_an_address_that_was_not_given_away_is_nobodys(stage: Any, wrong: Any) -> None:
    async with stage() as opened:
        assert await opened.knock(path=wrong(opened.path)) == 404
        assert await opened.due_in() == 3600


async def test_a_job_that_does_not_exist_any_more_is_no_error_and_nothing_happens(stage: Any) -> None:
    async with stage() as opened:
        unknown = ADDRESSES.url("seedance", "job_00000000000000000000000009").removeprefix(ADDRESSES.public_url)
        assert await opened.knock(path=unknown) == 204
        await opened.shop.tasks.cancel(opened.shop.room.user.id, opened.task.id)
        assert await opened.knock() == 204
        assert (await Task.get(id=opened.task.id)).status is TaskStatus.CANCELLED


async def test_a_message_that_is_not_signed_is_refused_and_one_that_is_may_be_of_another_job(stage: Any) -> None:
    async with stage(SignedReader()) as opened:
        assert await opened.knock() == 401
        assert await opened.knock(headers={"X-Word": "sesam"}) == 401
        assert await opened.due_in() == 3600
        assert await opened.knock({"id": "cgt-another"}, headers={"X-Word": "sesame"}) == 204
        assert await opened.due_in() == 3600
        assert await opened.knock(headers={"X-Word": "sesame"}) == 204
        assert await opened.due_in() == 0


async def test_a_message_that_comes_again_does_not_make_it_ask_again(stage: Any, clock: MovableClock) -> None:
    async with stage() as opened:
        await opened.knock()
        await opened.shop.checker.check_due(opened.shop.deps)
        clock.advance(60)
        assert await opened.knock() == 204
        assert await opened.due_in() == 3540
        assert await opened.knock({"id": opened.external_id, "status": "failed"}) == 204
        assert await opened.due_in() == 0


async def test_messages_in_a_row_make_it_ask_no_faster_than_every_few_seconds(stage: Any, clock: MovableClock) -> None:
    async with stage() as opened:
        for number in range(10):
            assert await opened.knock({"status": "succeeded", "number": number}) == 204
            await opened.shop.checker.check_due(opened.shop.deps)
            clock.advance(0.1)
        assert (await Task.get(id=opened.task.id)).check_count == 1
        assert await opened.due_in() == pytest.approx(4, abs=0.01)


async def test_too_many_messages_about_a_job_are_refused_before_they_are_read(stage: Any, clock: MovableClock) -> None:
    async with stage() as opened:
        answers = [await opened.knock({"number": number}) for number in range(40)]
        assert (answers.count(204), answers.count(429)) == (30, 10)
        assert await opened.knock(b"x" * (MAX_BYTES + 1)) == 429
        clock.advance(60)
        assert await opened.knock() == 204


async def test_a_message_that_is_too_large_is_refused_and_read_no_further(stage: Any) -> None:
    async with stage() as opened:
        assert await opened.knock(b" " * MAX_BYTES) == 204
        assert await opened.knock(b" " * (MAX_BYTES + 1)) == 413
        sent = 0

        async def endless() -> AsyncIterator[bytes]:
            nonlocal sent
            while True:
                sent += 65_536
                yield b" " * 65_536
                await asyncio.sleep(0)

        answer = await opened.client.post(opened.path, content=endless())
        assert answer.status_code == 413
        assert sent <= MAX_BYTES + 2 * 65_536


async def test_two_processes_told_at_once_ask_once(stage: Any) -> None:
    async with stage() as opened:
        await asyncio.gather(*(opened.knock({"number": number}) for number in range(5)))
        await asyncio.gather(*(opened.shop.checker.check_due(opened.shop.deps) for _ in range(3)))
        assert (await Task.get(id=opened.task.id)).check_count == 1
        assert await ExternalJob.all().count() == 1


async def test_only_posts_are_taken(stage: Any) -> None:
    async with stage() as opened:
        assert (await opened.client.get(opened.path)).status_code == 405
