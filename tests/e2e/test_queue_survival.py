"""What waits, what was asked for under a key and what was counted outlive the server, and lists stay small."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from tests.helpers.server import Client, Server, running

pytestmark = pytest.mark.slow

BATCH = """mutation($inputs: [GenerateInput!]!) { generateBatch(inputs: $inputs) {
  results { task { id } errors { code message } } errors { code } } }"""
WAITING = "query($id: ID!) { task(id: $id) { id status priority queuePosition prompt params { seed width } } }"
FIGURES = "{ queueStats { completed failed cancelled timedOut successRate averageSeconds } tasks { totalCount } }"


@pytest.fixture
def idle(tmp_path: Path) -> Iterator[Server]:
    """A server that accepts tasks and works on none."""
    with running(tmp_path, WONDER_WORKERS="0", WONDER_MAX_ACTIVE_TASKS="200") as server:
        yield server


def restarted(server: Server, client: Client) -> Client:
    server.end(signal.SIGKILL)
    assert server.start() is not None, server.log.read_text()
    return server.client(client.token)


def batch(client: Client, inputs: list[dict[str, Any]]) -> list[str]:
    answer = client.data(BATCH, inputs=inputs)["generateBatch"]
    assert [result["errors"] for result in answer["results"]] == [[]] * len(inputs), answer
    return [result["task"]["id"] for result in answer["results"]]


def wishes(project: str, count: int, **fields: Any) -> list[dict[str, Any]]:
    return [
        {"projectId": project, "prompt": f"史莱姆 {number}", "assetType": "ICON", **fields} for number in range(count)
    ]


def test_what_waits_is_there_after_a_kill_with_its_order_and_its_input(idle: Server) -> None:
    ada = idle.client().sign_up()
    inputs = wishes(ada.project(), 5, params={"seed": 7, "width": 48})
    ids = batch(ada, [{**item, "priority": number + 1} for number, item in enumerate(inputs)])
    before = [ada.data(WAITING, id=task_id)["task"] for task_id in ids]
    assert [task["queuePosition"] for task in before] == [5, 4, 3, 2, 1]
    assert [task["params"] for task in before] == [{"seed": 7, "width": 48}] * 5
    ada = restarted(idle, ada)
    assert [ada.data(WAITING, id=task_id)["task"] for task_id in ids] == before
    assert {task["status"] for task in before} == {"PENDING"}
    assert ada.data("{ tasks { totalCount } }")["tasks"]["totalCount"] == 5


def test_a_key_makes_one_task_of_twenty_requests_at_once_and_is_known_after_a_kill(idle: Server) -> None:
    ada = idle.client().sign_up()
    project = ada.project()
    with ThreadPoolExecutor(20) as threads:
        asked = [threads.submit(ada.generate, project, "a key", idempotencyKey="钥匙") for _ in range(20)]
        answers = [answer.result() for answer in asked]
    [task_id] = {answer["task"]["id"] for answer in answers}
    assert sum(not answer["deduplicated"] for answer in answers) == 1
    for _ in range(2):
        other = ada.generate(project, "another key", idempotencyKey="钥匙")
        assert [(error["code"], error["path"]) for error in other["errors"]] == [
            ("CONFLICT", ["input", "idempotencyKey"])
        ]
        again = ada.generate(project, "a key", idempotencyKey="钥匙")
        assert (again["task"]["id"], again["deduplicated"]) == (task_id, True)
        ada = restarted(idle, ada)
    assert ada.data("{ tasks { totalCount } }")["tasks"]["totalCount"] == 1


def test_ten_tasks_of_one_call_are_all_done_and_still_counted_after_a_restart(tmp_path: Path) -> None:
    with running(tmp_path, WONDER_MAX_ACTIVE_TASKS="50") as server:
        ada = server.client().sign_up()
        ids = batch(ada, wishes(ada.project(), 10))
        assert len(set(ids)) == 10
        for task_id in ids:
            assert ada.follow(task_id)[-1]["status"] == "COMPLETED"
        assets = [asset["id"] for task_id in ids for asset in ada.task(task_id)["assets"]]
        assert len(set(assets)) == len(assets) >= 10
        before = ada.data(FIGURES)
        assert (before["queueStats"]["completed"], before["tasks"]["totalCount"]) == (10, 10)
        assert before["queueStats"]["averageSeconds"] > 0
        for number in (signal.SIGTERM, signal.SIGKILL):
            server.end(number)
            assert server.start() is not None, server.log.read_text()
            assert server.client(ada.token).data(FIGURES) == before


def test_a_list_of_tasks_with_a_large_source_image_is_small(idle: Server) -> None:
    ada = idle.client().sign_up()
    project, picture = ada.project(), BytesIO()
    Image.frombytes("RGB", (1300, 1300), os.urandom(1300 * 1300 * 3)).save(picture, "PNG")
    assert len(picture.getvalue()) > 5_000_000
    query = (
        """mutation($p: ID!, $f: Upload!) { uploadImage(projectId: $p, file: $f) { image { id } errors { code } } }"""
    )
    answer = httpx.post(
        f"{idle.address}/graphql",
        data={
            "operations": f'{{"query": "{query}", "variables": {{"p": "{project}", "f": null}}}}',
            "map": '{"0": ["variables.f"]}',
        },
        files={"0": ("noise.png", picture.getvalue(), "image/png")},
        headers={"Authorization": f"Bearer {ada.token}"},
        timeout=60,
    )
    image_id = answer.json()["data"]["uploadImage"]["image"]["id"]
    inputs = [{**item, "assetType": "SPRITE"} for item in wishes(project, 100, sourceImageId=image_id)]
    assert len(set(batch(ada, inputs))) == 100
    listed = "{ tasks(first: 100) { edges { node { id kind prompt status params { width seed } assets { url } } } } }"
    headers = {"Authorization": f"Bearer {ada.token}"}
    answer = httpx.post(f"{idle.address}/graphql", json={"query": listed}, headers=headers, timeout=60)
    nodes = [edge["node"] for edge in answer.json()["data"]["tasks"]["edges"]]
    assert {node["kind"] for node in nodes} == {"IMAGE_TO_IMAGE"}
    assert (len(nodes), len(answer.content) < 50_000) == (100, True)
