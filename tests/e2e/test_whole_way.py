"""The main job through the public API of a real server."""

import hashlib
import io
import json
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from PIL import Image

from tests.helpers.server import Client, Server, running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("server"), WONDER_MAX_ACTIVE_TASKS="50") as started:
        yield started


def test_from_sign_up_to_a_downloaded_sprite(server: Server) -> None:
    ada = server.client().sign_up("whole@example.com")
    payload = ada.generate(ada.project(), "一个红色的史莱姆 👾", params={"seed": 5})
    assert payload["errors"] == []
    assert (payload["task"]["status"], payload["deduplicated"]) == ("PENDING", False)
    events = ada.follow(payload["task"]["id"])
    assert events[-1]["status"] == "COMPLETED"
    assert [event["sequence"] for event in events] == list(range(events[0]["sequence"], events[-1]["sequence"] + 1))
    assert [event["progress"] for event in events] == sorted(event["progress"] for event in events)
    task = ada.task(payload["task"]["id"])
    (asset,) = task["assets"]
    answer = httpx.get(asset["url"])
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert (len(answer.content), hashlib.sha256(answer.content).hexdigest()) == (asset["sizeBytes"], asset["sha256"])
    assert Image.open(io.BytesIO(answer.content)).size == (64, 64)
    assert task["qualityChecks"]
    assert task["provider"] == "builtin"


@pytest.mark.parametrize("asset_type", ["SPRITE", "SPRITESHEET", "TILESET", "ICON", "BACKGROUND", "PORTRAIT", "UI"])
def test_every_picture_type_completes_without_falling_back(server: Server, asset_type: str) -> None:
    ada = server.client().sign_up(f"{asset_type}@example.com")
    task_id = ada.generate(ada.project(), "a castle in the forest", asset_type)["task"]["id"]
    assert ada.follow(task_id)[-1]["status"] == "COMPLETED"
    task = ada.task(task_id)
    assert not task["degraded"], [check for check in task["qualityChecks"] if not check["passed"]]
    for asset in task["assets"]:
        assert hashlib.sha256(httpx.get(asset["url"]).content).hexdigest() == asset["sha256"]
        if asset["role"] not in {"atlas", "archive"}:
            with Image.open(io.BytesIO(httpx.get(asset["thumbnailUrl"]).content)) as small:
                assert max(small.size) <= 256
        else:
            assert asset["thumbnailUrl"] is None


@pytest.mark.parametrize(
    "prompt", ["龙" * 200, "👩‍🚀👍🏽 家族 👨‍👩‍👧‍👦", "\u202eمرحبا ../../etc/passwd", 'a "b" <c> &amp; \\ d']
)
def test_words_in_any_language_come_back_and_name_safe_files(server: Server, prompt: str) -> None:
    ada = server.client().sign_up(f"words-{hashlib.sha256(prompt.encode()).hexdigest()[:8]}@example.com")
    task_id = ada.generate(ada.project(prompt), prompt)["task"]["id"]
    assert ada.follow(task_id)[-1]["status"] == "COMPLETED"
    query = "query($id: ID!) { task(id: $id) { prompt project { name } assets { name url provenance { prompt } } } }"
    task = ada.data(query, id=task_id)["task"]
    assert (task["prompt"], task["project"]["name"]) == (prompt, prompt)
    assert prompt in task["assets"][0]["provenance"]["prompt"]
    answer = httpx.get(task["assets"][0]["url"])
    assert answer.status_code == 200
    assert task["assets"][0]["name"] in answer.headers["content-disposition"]
    stored = [path.relative_to(server.data_dir) for path in server.data_dir.rglob(f"*{task_id}*/**/*.png")]
    assert stored
    assert all(len(part.encode()) <= 255 for path in stored for part in path.parts)


def test_characters_that_cannot_be_stored_are_refused(server: Server) -> None:
    ada = server.client().sign_up("nul@example.com")
    errors = ada.generate(ada.project(), "a\x00b")["errors"]
    assert [(error["code"], error["path"]) for error in errors] == [("INVALID_INPUT", ["input", "prompt"])]


@pytest.mark.parametrize("from_picture", [False, True])
def test_a_clip_is_made_offline_from_words_or_a_picture(server: Server, *, from_picture: bool) -> None:
    ada = server.client().sign_up(f"video-{from_picture}@example.com")
    project = ada.project()
    source = None
    if from_picture:
        first = ada.generate(project, "a forest", "BACKGROUND", params={"width": 160, "height": 90})["task"]["id"]
        ada.follow(first)
        source = ada.task(first)["assets"][0]["id"]
    params = {"width": 160, "height": 90, "durationSeconds": 1, "fps": 12}
    payload = ada.generate(project, "a flying dragon", "VIDEO", params=params, sourceImageId=source)
    assert payload["errors"] == []
    assert ada.follow(payload["task"]["id"])[-1]["status"] == "COMPLETED"
    task = ada.task(payload["task"]["id"])
    assert not task["degraded"], [check for check in task["qualityChecks"] if not check["passed"]]
    assert [asset["role"] for asset in task["assets"]] == ["video", "poster", "preview", "preview"]
    answer = httpx.get(task["assets"][0]["url"], headers={"Range": "bytes=0-11"})
    assert (answer.status_code, answer.headers["content-type"]) == (206, "video/mp4")
    assert answer.content[4:8] == b"ftyp"


def test_each_variation_records_its_seed_and_comes_again_from_it(server: Server) -> None:
    ada = server.client().sign_up("variations@example.com")
    project = ada.project()
    query = "query($id: ID!) { task(id: $id) { assets { sha256 provenance { seed } } } }"
    task_id = ada.generate(project, "a ghost", params={"seed": 1000, "count": 4})["task"]["id"]
    ada.follow(task_id)
    found = ada.data(query, id=task_id)["task"]["assets"]
    seeds = [asset["provenance"]["seed"] for asset in found]
    assert (len(set(seeds)), seeds[0]) == (4, 1000)
    again = ada.generate(project, "a ghost", params={"seed": seeds[2]})["task"]["id"]
    ada.follow(again)
    assert [asset["sha256"] for asset in ada.data(query, id=again)["task"]["assets"]] == [found[2]["sha256"]]


def test_a_stranger_finds_nothing(server: Server) -> None:
    ada = server.client().sign_up("owner@example.com")
    eve = server.client().sign_up("stranger@example.com")
    project = ada.project()
    task_id = ada.generate(project, "a key")["task"]["id"]
    ada.follow(task_id)
    asset = ada.task(task_id)["assets"][0]
    for kind, known in (("task", task_id), ("project", project), ("asset", asset["id"])):
        query = f"query($id: ID!) {{ {kind}(id: $id) {{ id }} node(id: $id) {{ id }} }}"
        assert eve.data(query, id=known) == {kind: None, "node": None}
    assert [error["code"] for error in eve.generate(project, "mine")["errors"]] == ["NOT_FOUND"]
    for tampered in (asset["url"].split("?")[0], asset["url"][:-1] + ("0" if asset["url"][-1] != "0" else "1")):
        assert httpx.get(tampered).status_code == 404


def test_deleting_a_project_removes_its_files(server: Server) -> None:
    ada = server.client().sign_up("deleter@example.com")
    project = ada.project()
    task_id = ada.generate(project, "a shield")["task"]["id"]
    ada.follow(task_id)
    url = ada.task(task_id)["assets"][0]["url"]
    query = "mutation($id: ID!) { deleteProject(id: $id) { deletedId errors { code } } }"
    assert ada.data(query, id=project)["deleteProject"] == {"deletedId": project, "errors": []}
    assert ada.data("query($id: ID!) { task(id: $id) { id } }", id=task_id) == {"task": None}
    deadline = time.monotonic() + 30
    while httpx.get(url).status_code != 404 or list(server.data_dir.rglob(f"*{task_id}*")):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_what_is_wrong_with_a_request_is_said_in_a_coded_answer(server: Server) -> None:
    anonymous = Client(server.address)
    answer = anonymous.ask("{ projects { totalCount } }")
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["UNAUTHENTICATED"]
    assert anonymous.data("{ me { id } }") == {"me": None}
    assert [error["extensions"]["code"] for error in anonymous.ask("{ nonsense }")["errors"]] == ["BAD_REQUEST"]
    for path in ("/healthz", "/readyz"):
        assert httpx.get(server.address + path).status_code == 200
    assert httpx.get(server.address + "/", headers={"Host": "evil.example"}).status_code == 400


@pytest.mark.slow
def test_a_killed_server_goes_on_where_it_was(tmp_path: Path) -> None:
    with running(tmp_path, WONDER_MAX_ACTIVE_TASKS="50", WONDER_WORKERS="2") as server:
        ada = server.client().sign_up()
        project = ada.project()
        ids = [
            ada.generate(project, f"a wizard {number}", "SPRITESHEET", params={"seed": number})["task"]["id"]
            for number in range(6)
        ]
        seen = ada.follow(ids[0], after=0, limit=2)
        server.end(signal.SIGKILL)
        assert server.start() is not None
        ada = server.client(ada.token)
        rest = ada.follow(ids[0], after=seen[-1]["sequence"])
        told = [event["sequence"] for event in [*seen, *rest]]
        assert told == list(range(1, len(told) + 1))
        for task_id in ids:
            assert ada.follow(task_id)[-1]["status"] == "COMPLETED"
            task = ada.task(task_id)
            assert [event["sequence"] for event in task["events"]] == list(range(1, len(task["events"]) + 1))
            assert len([asset for asset in task["assets"] if asset["role"] == "spritesheet"]) == 1


@pytest.mark.slow
def test_a_stop_ends_well_tells_sockets_to_come_back_and_loses_nothing(tmp_path: Path) -> None:
    with running(tmp_path, WONDER_WORKERS="0", WONDER_SHUTDOWN_GRACE_SECONDS="1") as server:
        ada = server.client().sign_up()
        task_id = ada.generate(ada.project(), "a waiting wizard")["task"]["id"]
        with ada.socket() as socket:
            query = "subscription($id: ID!) { taskProgress(taskId: $id) { sequence } }"
            payload = {"query": query, "variables": {"id": task_id}}
            socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
            assert json.loads(socket.recv(10))["type"] == "next"
            started = time.monotonic()
            assert server.end() == 0
            assert time.monotonic() - started < 10
            assert server.output == "", "one line with the address and nothing else on standard output"
            with pytest.raises(Exception, match="1012"):
                socket.recv(5)
    log = server.log.read_text()
    assert "Traceback" not in log
    assert str(ada.token) not in log
    with sqlite3.connect(server.data_dir / "wonder.db") as connection:
        assert connection.execute("SELECT status FROM task").fetchall() == [("PENDING",)]


@pytest.mark.slow
def test_a_second_server_on_the_same_data_is_refused_with_a_reason(tmp_path: Path) -> None:
    with running(tmp_path) as first:
        second = Server(tmp_path)
        assert second.start() is None
        assert second.exit_code not in (0, None)
        assert "another" in second.log.read_text().lower()
        assert httpx.get(first.address + "/readyz").status_code == 200


def test_a_file_that_is_no_database_is_said_to_be_none(tmp_path: Path) -> None:
    server = Server(tmp_path)
    server.data_dir.mkdir()
    (server.data_dir / "wonder.db").write_text("not a database " * 500)
    assert server.start() is None
    assert server.exit_code not in (0, None)
    log = server.log.read_text()
    assert "no SQLite database" in log
    assert "Traceback" not in log
