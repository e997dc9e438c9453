"""The judge beside the measured checks: its reasons feed the next prompt, and its silence costs nothing."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from domain.lifecycle import TaskStatus
from domain.models.spending import UsageDay
from domain.models.tasks import QualityCheckRow
from tests.helpers.chat_contract import BAD, ChatContract
from tests.helpers.clients import client_of
from tests.helpers.requests import run_here
from tests.helpers.room import Room
from tests.helpers.service import Reply, Request, Script, scripted
from tests.helpers.stub import blank
from tests.helpers.workshop import Workshop, workshop
from worker.process_pool import ProcessPool
from worker.providers.judge.judge import Judge
from worker.providers.openai.judge import judge_openai


@contextlib.asynccontextmanager
async def judged(
    room: Room,
    pool: ProcessPool,
    folder: Path,
    answer: Callable[[Request], Script],
    price_micros: int = 0,
    patience_seconds: float = 60,
    **overrides: Any,
) -> AsyncIterator[Workshop]:
    """A workshop with a judge that answers so."""
    async with (
        scripted(otherwise=answer) as service,
        client_of(service.url, judge=judge_openai) as client,
        workshop(
            room, pool, folder, judge=Judge(client, "m", run_here, 0.6, price_micros, patience_seconds), **overrides
        ) as shop,
    ):
        yield shop


async def test_its_reasons_feed_the_next_prompt(room: Room, pool: ProcessPool, tmp_path: Path) -> None:
    async with judged(room, pool, tmp_path, ChatContract([BAD])) as shop:
        task = await shop.ended(await shop.submit())
        [asset] = await shop.assets(task)
    assert (task.status, task.quality_retries, task.degraded) == (TaskStatus.COMPLETED, 1, False)
    assert "The hat is missing. Paint it green." in shop.provider.requests[1].prompt
    rows = await QualityCheckRow.filter(task_id=task.id, name="judge").order_by("round")
    assert [(row.round, row.passed) for row in rows] == [(0, False), (1, True)]
    assert asset.metadata["details"]["judge"] == {"asked": True, "answered": True}  # type: ignore[index]


@pytest.mark.parametrize("reply", [Reply(500), Reply(200, b"nonsense"), Reply(401), b""])
async def test_without_its_answer_the_measured_checks_decide(
    room: Room, pool: ProcessPool, tmp_path: Path, reply: Reply | bytes
) -> None:
    async with judged(room, pool, tmp_path, lambda _: reply) as shop:
        task = await shop.ended(await shop.submit())
        [asset] = await shop.assets(task)
    assert (task.status, task.quality_retries, task.degraded) == (TaskStatus.COMPLETED, 0, False)
    said = asset.metadata["details"]["judge"]  # type: ignore[index]
    assert (said["answered"], bool(said["reason"])) == (False, True)


@pytest.mark.parametrize(("reply", "cost"), [(Reply(401), 0), (Reply(200, b"nonsense"), 50_000), (Reply(200), 50_000)])
async def test_a_look_that_was_certainly_not_charged_is_given_back(
    room: Room, pool: ProcessPool, tmp_path: Path, reply: Reply, cost: int
) -> None:
    async with judged(room, pool, tmp_path, lambda _: reply, price_micros=50_000) as shop:
        task = await shop.ended(await shop.submit())
    assert task.status is TaskStatus.COMPLETED
    assert [row.cost_micros for row in await UsageDay.filter(provider="judge")] == [cost]


async def test_a_judge_that_is_slow_delays_a_task_and_does_not_fail_it(
    room: Room, pool: ProcessPool, tmp_path: Path
) -> None:
    async def slow(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async with judged(room, pool, tmp_path, lambda _: slow, patience_seconds=0.1) as shop:
        task = await shop.ended(await shop.submit())
        [asset] = await shop.assets(task)
    assert (task.status, task.degraded) == (TaskStatus.COMPLETED, False)
    said = asset.metadata["details"]["judge"]  # type: ignore[index]
    assert said == {"asked": True, "answered": False, "reason": "The judge did not answer in time."}


async def test_what_measuring_has_found_wrong_is_not_judged(room: Room, pool: ProcessPool, tmp_path: Path) -> None:
    contract = ChatContract()
    async with judged(room, pool, tmp_path, contract, max_quality_retries=1) as shop:
        shop.provider.draw = lambda _: blank()
        task = await shop.ended(await shop.submit())
    assert task.degraded
    assert contract.requests == []
