"""Several real servers on one PostgreSQL: each task done once, everybody told, nobody's death noticed by users."""

import asyncio
import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest
from websockets.exceptions import ConnectionClosed

from tests.helpers.server import Client, Server
from tests.helpers.threads import served

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("database_url", ["postgres"], indirect=True)]

Make = Callable[..., Server]
KEY = "the same secret key of thirty-two bytes or more"


@pytest.fixture
def make(database_url: str, tmp_path: Path) -> Iterator[Make]:
    """What makes a server on the same database and in the same folder, not yet started."""
    made: list[Server] = []

    def made_server(name: str, **variables: str) -> Server:
        folder = tmp_path / name
        folder.mkdir()
        settings = {
            "WONDER_DATABASE_URL": database_url,
            "WONDER_SECRET_KEY": KEY,
            "WONDER_MAX_ACTIVE_TASKS": "500",
            "WONDER_WORKERS": "2",
            "WONDER_LEASE_SECONDS": "3",
            "WONDER_RECONCILE_INTERVAL_SECONDS": "1",
            **variables,
        }
        server = Server(folder, **settings)
        server.data_dir = tmp_path / "data"
        made.append(server)
        return server

    try:
        yield made_server
    finally:
        for server in made:
            if server.exit_code is None:
                with contextlib.suppress(AssertionError):
                    server.end()


def _pair(make: Make, **variables: str) -> tuple[Server, Server]:
    first, second = make("one", **variables), make("two", **variables)
    for server in (first, second):
        assert server.start() is not None, server.log.read_text()
    return first, second


def _batch(client: Client, project: str, count: int, prompt: str = "a slime") -> list[str]:
    query = """mutation($i: [GenerateInput!]!) { generateBatch(inputs: $i) {
      results { task { id } errors { code message } } errors { code message } } }"""
    inputs = [{"projectId": project, "prompt": f"{prompt} {n}", "assetType": "ICON"} for n in range(count)]
    results = client.data(query, i=inputs)["generateBatch"]["results"]
    assert all(result["errors"] == [] for result in results), results
    return [result["task"]["id"] for result in results]


def _finished(client: Client, ids: list[str], seconds: float = 60) -> dict[str, dict[str, Any]]:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        tasks = {task_id: client.task(task_id) for task_id in ids}
        if all(task["status"] not in {"PENDING", "RUNNING"} for task in tasks.values()):
            return tasks
        time.sleep(0.2)
    raise AssertionError({task_id: task["status"] for task_id, task in tasks.items()})


async def _silence(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    """Say nothing until the client hangs up."""
    await reader.read()


def rows(database_url: str, statement: str) -> list[dict[str, Any]]:
    """Ask the database itself; outside any loop."""
    parts = urlsplit(database_url)
    host = parse_qs(parts.query)["host"][0]

    async def ask() -> list[dict[str, Any]]:
        connection = await asyncpg.connect(user="postgres", database=parts.path[1:], host=host)
        try:
            return [dict(row) for row in await connection.fetch(statement)]
        finally:
            await connection.close()

    return asyncio.run(ask())


def test_both_work_on_what_one_takes_and_a_follower_at_the_other_misses_nothing(make: Make, database_url: str) -> None:
    first, second = _pair(make)
    ada = first.client().sign_up()
    elsewhere = second.client(ada.token)
    ids = _batch(ada, ada.project(), 24)
    followed: dict[str, list[dict[str, Any]]] = {}

    def follow(task_id: str) -> None:
        followed[task_id] = elsewhere.follow(task_id, after=0)

    threads = [threading.Thread(target=follow, args=(task_id,)) for task_id in ids[-6:]]
    for thread in threads:
        thread.start()
    tasks = _finished(ada, ids)
    for thread in threads:
        thread.join(30)
    assert {(task["status"], task["attempt"], len(task["assets"])) for task in tasks.values()} == {("COMPLETED", 1, 1)}
    assert len(followed) == 6
    for task_id, events in followed.items():
        assert [event["sequence"] for event in events] == [event["sequence"] for event in tasks[task_id]["events"]]
    workers = rows(database_url, "SELECT released_to, COUNT(*) AS tasks FROM task GROUP BY released_to")
    assert len(workers) == 2, workers
    assert min(row["tasks"] for row in workers) >= 4, workers
    stats = ada.data("{ queueStats { workers capacity } }")["queueStats"]
    assert stats == {"workers": 4, "capacity": 200}


def test_a_killed_servers_tasks_go_on_at_the_other_and_nothing_is_made_twice(make: Make, database_url: str) -> None:
    first, second = _pair(make)
    ada = second.client().sign_up()
    ids = _batch(ada, ada.project(), 40)
    while not rows(database_url, "SELECT 1 FROM task WHERE status = 'COMPLETED'"):
        time.sleep(0.05)
    first.kill()
    tasks = _finished(ada, ids)
    assert {task["status"] for task in tasks.values()} == {"COMPLETED"}
    for task in tasks.values():
        assert len(task["assets"]) == 1
        numbers = [event["sequence"] for event in task["events"]]
        assert numbers == list(range(1, len(numbers) + 1))
    first.end()


def test_a_server_that_stops_lets_the_other_have_its_tasks_at_once(make: Make) -> None:
    first, second = _pair(make, WONDER_LEASE_SECONDS="600", WONDER_RECONCILE_INTERVAL_SECONDS="600")
    ada = second.client().sign_up()
    ids = _batch(ada, ada.project(), 30)
    assert first.end(signal.SIGTERM) == 0
    tasks = _finished(ada, ids, 40)
    assert {task["status"] for task in tasks.values()} == {"COMPLETED"}


def test_a_task_is_cancelled_at_the_server_that_does_not_work_on_it(make: Make) -> None:
    with served(lambda _: _silence) as service:
        variables = {"WONDER_OPENAI_BASE_URL": f"{service.url}/v1", "WONDER_WORKERS": "1"}
        accepting = make("one", **{**variables, "WONDER_WORKERS": "0"})
        working = make("two", **variables)
        assert accepting.start() is not None
        assert working.start() is not None
        ada = accepting.client().sign_up()
        project = ada.project()
        stuck = ada.generate(project, "never painted", provider="openai")["task"]["id"]
        until = time.monotonic() + 20
        while not service.requests:
            assert time.monotonic() < until, ada.task(stuck)
            time.sleep(0.05)
        assert ada.task(stuck)["status"] == "RUNNING"
        cancelled = ada.data("mutation($t: ID!) { cancelTask(id: $t) { task { status } errors { code } } }", t=stuck)
        assert cancelled["cancelTask"] == {"task": {"status": "CANCELLED"}, "errors": []}
        began = time.monotonic()
        other = ada.generate(project, "a slime", "ICON", provider="builtin")["task"]["id"]
        assert _finished(ada, [other])[other]["status"] == "COMPLETED"
        assert time.monotonic() - began < 5
        assert ada.task(stuck)["assets"] == []


def test_logging_out_at_one_server_closes_the_sockets_at_the_other(make: Make) -> None:
    first, second = _pair(make)
    ada = first.client().sign_up()
    with second.client(ada.token).socket() as socket:
        assert ada.data("mutation { logout { errors { code } } }")["logout"]["errors"] == []
        with pytest.raises(ConnectionClosed):
            while True:
                socket.recv(10)
        assert socket.close_code == 4403


def test_followers_miss_nothing_when_the_connection_between_the_servers_breaks(make: Make, database_url: str) -> None:
    first, second = _pair(make)
    ada = first.client().sign_up()
    elsewhere = second.client(ada.token)
    ids = _batch(ada, ada.project(), 30)
    seen: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: seen.extend(elsewhere.follow(ids[-1], after=0)))
    thread.start()
    for _ in range(3):
        cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'wonder instance'"
        assert len(rows(database_url, cut)) <= 2
        time.sleep(0.3)
    tasks = _finished(ada, ids)
    thread.join(30)
    assert [event["sequence"] for event in seen] == [event["sequence"] for event in tasks[ids[-1]]["events"]]
    assert {task["status"] for task in tasks.values()} == {"COMPLETED"}


@pytest.mark.parametrize(
    ("variables", "folder", "named"),
    [
        ({"WONDER_SECRET_KEY": "another secret key of thirty-two bytes or more"}, "data", "WONDER_SECRET_KEY"),
        ({}, "other", "WONDER_STORAGE"),
    ],
)
def test_servers_that_cannot_work_together_are_refused(
    make: Make, tmp_path: Path, variables: dict[str, str], folder: str, named: str
) -> None:
    first, second = make("one"), make("two", **variables)
    second.data_dir = tmp_path / folder
    assert first.start() is not None
    assert second.start() is None
    assert second.exit_code == 2
    assert named in second.log.read_text()
    assert first.client().data("{ __typename }") == {"__typename": "Query"}


def test_the_last_of_several_comes_back_alone_and_takes_everything_back_at_once(make: Make) -> None:
    first, second = _pair(make, WONDER_LEASE_SECONDS="600", WONDER_RECONCILE_INTERVAL_SECONDS="600")
    ada = second.client().sign_up()
    ids = _batch(ada, ada.project(), 20)
    first.kill()
    second.kill()
    first.end()
    second.end()
    assert first.start() is not None
    tasks = _finished(first.client(ada.token), ids, 40)
    assert {task["status"] for task in tasks.values()} == {"COMPLETED"}
