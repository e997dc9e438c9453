"""A hundred tasks and a first provider that is dead: it is found out once, and every task is done by the next."""

import logging
import socket
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from domain.clock import SystemClock
from domain.lifecycle import TaskStatus
from domain.models.tasks import TaskEventRow
from tests.helpers.clients import client_of, tls_of_nobody
from tests.helpers.requests import run_here
from tests.helpers.room import Room
from tests.helpers.workshop import workshop
from worker.process_pool import ProcessPool
from worker.providers.health import Health
from worker.providers.http.download import Downloader
from worker.providers.http.service import Times
from worker.providers.openai.judge import judge_openai
from worker.providers.openai.options import OpenAIOptions
from worker.providers.openai.painter import OpenAIPainter
from worker.providers.pictures.provider import PictureProvider
from worker.providers.pictures.work import PictureWork
from worker.providers.terms import Terms

TASKS = 100


async def nowhere(host: str, port: int) -> Sequence[str]:
    raise OSError(host)


NO_DOWNLOADS = Downloader(nowhere, tls_of_nobody())


@pytest.fixture
def black_hole() -> Iterator[str]:
    """An address whose connections are never taken: its backlog is full."""
    with socket.socket() as listener, socket.socket() as first, socket.socket() as second:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for filler in (first, second):
            filler.settimeout(0)
            filler.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


async def test_a_hundred_tasks_find_a_dead_provider_out_once(
    room: Room, pool: ProcessPool, tmp_path: Path, caplog: pytest.LogCaptureFixture, black_hole: str
) -> None:
    connect_seconds = 1.0
    health = Health()
    terms = {"dead": Terms(health, priority=10, paid=True)}
    async with client_of(
        black_hole, name="dead", judge=judge_openai, health=health, times=Times(connect=connect_seconds, total=20)
    ) as client:
        painter = OpenAIPainter(client, NO_DOWNLOADS, "m", OpenAIOptions(), SystemClock())
        dead = PictureProvider(PictureWork("dead", "m", painter.traits, run_here), painter)
        with caplog.at_level(logging.WARNING, "worker.providers.http.client"):
            async with workshop(room, pool, tmp_path, [dead], terms=terms, workers=4, max_pending_tasks=500) as shop:
                began = time.monotonic()
                tasks = [await shop.submit() for _ in range(TASKS)]
                first = await shop.ended(tasks[0], 60)
                waited = time.monotonic() - began
                ended = [await shop.ended(task, 120) for task in tasks]
    attempts = [record for record in caplog.records if "PROVIDER_UNAVAILABLE" in record.getMessage()]
    print(f"{TASKS} tasks, {len(attempts)} connections tried, the first task had waited {waited:.2f} s")  # noqa: T201
    assert {task.status for task in ended} == {TaskStatus.COMPLETED}
    assert {task.provider for task in ended} == {"stub"}
    assert first.attempt == 1
    # Those that were at work when nobody knew yet: one for each worker, all at the same time.
    assert 1 <= len(attempts) <= 4
    told = await TaskEventRow.filter(message__contains="dead could not be had").count()
    assert told == len(attempts)
