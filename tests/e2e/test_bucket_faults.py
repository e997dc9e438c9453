"""A real server is killed, or its bucket fails, while files are stored and removed: nothing is lost or left."""

import asyncio
import dataclasses
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from domain.storage.s3.options import S3Options
from tests.e2e.test_bucket import variables
from tests.helpers.fault_proxy import INTERNAL_ERROR, SLOW_DOWN, Event, Fault, FaultProxy, fault_proxy
from tests.helpers.seaweed import SeaweedServer
from tests.helpers.server import Client, Server

pytestmark = pytest.mark.slow

KILL = "kill"


@pytest.fixture
def proxy(s3_server: SeaweedServer) -> Iterator[FaultProxy]:
    """A proxy on a loop of its own, beside a test that waits for servers."""
    ready, ended = threading.Event(), threading.Event()
    running: list[FaultProxy] = []

    async def run() -> None:
        async with fault_proxy(s3_server.port) as proxy:
            running.append(proxy)
            ready.set()
            await asyncio.to_thread(ended.wait)
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()

    thread = threading.Thread(target=asyncio.run, args=(run(),))
    thread.start()
    ready.wait()
    yield running[0]
    ended.set()
    thread.join()


@pytest.fixture
def server(tmp_path: Path, proxy: FaultProxy, s3_options: S3Options) -> Iterator[Server]:
    settings = variables(
        dataclasses.replace(s3_options, endpoint_url=proxy.url),
        WONDER_LEASE_SECONDS="2",
        WONDER_TASK_RETRY_DELAY_SECONDS="0.2",
    )
    server = Server(tmp_path, **settings)
    assert server.start() is not None, server.log.read_text()
    yield server
    if server.exit_code is None:
        server.end()


def _planned(proxy: FaultProxy, server: Server, pattern: str, event: Event | str, times: int) -> threading.Event:
    """Let the server be killed, or the request fail, at the next request that matches; tells when that has happened."""
    happened = threading.Event()

    def kill() -> None:
        server.kill()
        happened.set()

    proxy.on(pattern, *([kill] if isinstance(event, str) else [happened.set, *[event] * times]))
    return happened


def _finished(client: Client, server: Server, task_id: str, happened: threading.Event) -> dict[str, object]:
    if happened.wait(30) and server.exit_code is not None:
        server.end()
        assert server.start() is not None, server.log.read_text()
        client.address = server.address
    client.follow(task_id)
    return client.task(task_id)


@pytest.mark.parametrize("step", [0, 2])
def test_a_server_killed_while_it_stores_leaves_exactly_the_files_of_its_assets(
    proxy: FaultProxy, server: Server, s3_server: SeaweedServer, s3_options: S3Options, step: int
) -> None:
    client = server.client().sign_up()
    project = client.project()
    seen: list[str] = []
    happened = threading.Event()

    def count() -> None:
        seen.append("put")
        if len(seen) == step + 1:
            server.kill()
            happened.set()

    proxy.on("^PUT .*/users/", *[count] * (step + 1))
    task_id = client.generate(project, "a slime", "SPRITESHEET")["task"]["id"]
    task = _finished(client, server, task_id, happened)
    assert happened.is_set()
    assert task["status"] == "COMPLETED"
    _only_its_files_stay(task, s3_server, s3_options)


@pytest.mark.parametrize("event", [SLOW_DOWN, Fault.LOSE_ANSWER], ids=["503", "answer lost"])
def test_a_bucket_that_keeps_failing_costs_an_attempt_and_no_file(
    proxy: FaultProxy, server: Server, s3_server: SeaweedServer, s3_options: S3Options, event: Event
) -> None:
    client = server.client().sign_up()
    # The second file of the first attempt fails as often as it is tried; the next attempt finds the bucket well.
    proxy.on("^PUT .*/users/", lambda: None, *[event] * 5)
    task_id = client.generate(client.project(), "a slime", "SPRITESHEET")["task"]["id"]
    client.follow(task_id)
    task = client.task(task_id)
    assert (task["status"], task["error"]) == ("COMPLETED", None)
    _only_its_files_stay(task, s3_server, s3_options)


@pytest.mark.parametrize(
    ("pattern", "event"),
    [("^POST .*delete", KILL), ("^POST .*delete", Fault.LOSE_ANSWER), ("^GET .*prefix=users", INTERNAL_ERROR)],
    ids=["killed", "answer lost", "no list"],
)
def test_what_was_deleted_goes_whatever_happens_while_it_is_removed(
    proxy: FaultProxy, server: Server, s3_server: SeaweedServer, s3_options: S3Options, pattern: str, event: Event | str
) -> None:
    client = server.client().sign_up()
    project = client.project()
    client.follow(client.generate(project, "a slime", "SPRITESHEET")["task"]["id"])
    assert s3_server.keys(s3_options.bucket)
    happened = _planned(proxy, server, pattern, event, 5)
    deleted = client.data("mutation($id: ID!) { deleteProject(id: $id) { errors { code } } }", id=project)
    assert deleted["deleteProject"]["errors"] == []
    assert happened.wait(30)
    if event == KILL:
        server.end()
        assert server.start() is not None, server.log.read_text()
    s3_server.wait_until_empty(s3_options.bucket)


def _only_its_files_stay(task: dict[str, object], s3_server: SeaweedServer, s3_options: S3Options) -> None:
    assets = task["assets"]
    assert isinstance(assets, list)
    assert assets
    named = set()
    for asset in assets:
        response = httpx.get(asset["url"])
        assert (response.status_code, len(response.content)) == (200, asset["sizeBytes"])
        named.add(httpx.URL(asset["url"]).path.removeprefix(f"/{s3_options.bucket}/"))
    s3_server.wait_until_empty(s3_options.bucket, but=named)
