"""A disk that fills up or becomes read-only, at the start and while a server runs; real disks of a few megabytes."""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.cli import main
from tests.helpers.files import red_png
from tests.helpers.server import Client
from tests.helpers.server import running as ordinary
from tests.helpers.small_disk import SmallDiskServer, on_small_disk

pytestmark = pytest.mark.slow

GENERATE = """mutation($p: ID!, $t: String!) {
  generate(input: {projectId: $p, assetType: SPRITE, prompt: $t}) { task { id } errors { code } } }"""
DESCRIBE = """mutation($p: ID!, $t: String!) {
  updateProject(input: {id: $p, description: $t}) { project { id } errors { code } } }"""
RETRY = "mutation($id: ID!) { retryTask(id: $id) { task { id } errors { code } } }"
QUICK = {
    "WONDER_LEASE_SECONDS": "2",
    "WONDER_RECONCILE_INTERVAL_SECONDS": "0.5",
    "WONDER_RELEASE_INTERVAL_SECONDS": "0.5",
    "WONDER_PURGE_INTERVAL_SECONDS": "0.5",
    "WONDER_TASK_RETRY_DELAY_SECONDS": "0.1",
    "WONDER_MAX_ACTIVE_TASKS": "50",
    "WONDER_WORKERS": "2",
}


@contextlib.contextmanager
def running(folder: Path, **options: str) -> Iterator[SmallDiskServer]:
    server = SmallDiskServer(folder, **QUICK, **options)
    assert server.start() is not None, server.log.read_text()
    try:
        yield server
    finally:
        assert server.end() == 0


def wait(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)  # between two questions to another process


def is_ready(server: SmallDiskServer) -> bool:
    return httpx.get(f"{server.address}/readyz").status_code == 200


def upload(client: Client, project_id: str) -> dict[str, Any]:
    query = (
        "mutation($f: Upload!, $p: ID!) { uploadImage(projectId: $p, file: $f) { image { id url } errors { code } } }"
    )
    operations = httpx.Request("POST", "http://x", json={"query": query, "variables": {"f": None, "p": project_id}})
    answer: dict[str, Any] = httpx.post(
        f"{client.address}/graphql",
        headers={"Authorization": f"Bearer {client.token}", "GraphQL-Require-Preflight": "1"},
        data={"operations": operations.content.decode(), "map": '{"0": ["variables.f"]}'},
        files={"0": ("a.png", red_png())},
    ).json()
    return answer


def code_of(answer: dict[str, Any]) -> str:
    [error] = answer["errors"]
    code: str = error["extensions"]["code"]
    return code


def everything(client: Client) -> list[dict[str, Any]]:
    query = "{ tasks(first: 50) { edges { node { id status error { code } assets { url sizeBytes } } } } }"
    return [edge["node"] for edge in client.data(query)["tasks"]["edges"]]


def held_to(server: SmallDiskServer, client: Client, below: str) -> None:
    """What is stored is what rows name, whole, and nothing else."""
    wait(lambda: not list((server.disk / below / "incoming").iterdir()))
    sizes = {}
    for asset in [asset for task in everything(client) for asset in task["assets"]]:
        answer = httpx.get(asset["url"])
        assert (answer.status_code, len(answer.content)) == (200, asset["sizeBytes"])
        sizes[httpx.URL(asset["url"]).path.removeprefix("/files/")] = asset["sizeBytes"]
    objects = server.disk / below / "objects"
    tasks = [path for path in objects.rglob("*") if path.is_file() and "tasks" in path.parts]
    assert {str(path.relative_to(objects)): path.stat().st_size for path in tasks} == sizes


def test_a_full_disk_is_told_and_work_goes_on_when_there_is_room_again(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        client = server.client().sign_up()
        project = client.project()
        first = client.generate(project, "a slime")["task"]["id"]
        client.follow(first)
        [url] = [asset["url"] for asset in client.task(first)["assets"]][:1]
        waiting = [client.data(GENERATE, p=project, t=f"slime {n}")["generate"]["task"]["id"] for n in range(6)]
        server.fill()
        wait(lambda: not is_ready(server))
        assert httpx.get(f"{server.address}/healthz").status_code == 200
        assert httpx.get(url).status_code == 200
        assert client.data("{ me { email } }")["me"]["email"] == "ada@example.com"
        # As long as there is room in what the database has taken already, it goes on.
        while "errors" not in (answer := client.ask(DESCRIBE, p=project, t="图" * 4000)):
            pass
        assert code_of(answer) == "UNAVAILABLE"
        assert code_of(upload(client, project)) == "UNAVAILABLE"
        # What could not be committed is not seen either.
        assert {task["id"] for task in everything(client)} == {first, *waiting}
        server.make_room()
        wait(lambda: is_ready(server))
        assert upload(client, project)["data"]["uploadImage"]["errors"] == []
        wait(lambda: all(task["status"] not in {"PENDING", "RUNNING"} for task in everything(client)))
        tasks = everything(client)
        assert {task["id"] for task in tasks} == {first, *waiting}
        assert {(task["error"] or {}).get("code") for task in tasks} <= {None, "STORAGE_FAILED", "DATABASE_FAILED"}
        held_to(server, client, "files")


def test_tasks_whose_files_find_no_room_fail_clearly_and_may_be_tried_again(tmp_path: Path) -> None:
    with running(tmp_path, below="files") as server:
        client = server.client().sign_up()
        project = client.project()
        server.fill()
        wait(lambda: not is_ready(server))
        task_id = client.data(GENERATE, p=project, t="a slime")["generate"]["task"]["id"]
        assert code_of(upload(client, project)) == "UNAVAILABLE"
        wait(lambda: client.task(task_id)["status"] == "FAILED")
        assert [task["error"]["code"] for task in everything(client)] == ["STORAGE_FAILED"]
        assert not list((server.disk / "incoming").iterdir())
        server.make_room()
        wait(lambda: is_ready(server))
        assert client.data(RETRY, id=task_id)["retryTask"]["errors"] == []
        wait(lambda: client.task(task_id)["status"] == "COMPLETED")
        held_to(server, client, "")


def test_a_folder_that_becomes_read_only_still_gives_what_it_has(tmp_path: Path) -> None:
    with running(tmp_path, below="files") as server:
        client = server.client().sign_up()
        project = client.project()
        image = upload(client, project)["data"]["uploadImage"]["image"]
        server.remount("ro")
        wait(lambda: not is_ready(server))
        assert httpx.get(image["url"]).status_code == 200
        task_id = client.data(GENERATE, p=project, t="a slime")["generate"]["task"]["id"]
        wait(lambda: client.task(task_id)["status"] == "FAILED")
        # Deleting is promised, and carried out when it can be.
        deleted = client.data("mutation($p: ID!) { deleteProject(id: $p) { errors { code } } }", p=project)
        assert deleted["deleteProject"]["errors"] == []
        server.remount("rw")
        wait(lambda: is_ready(server))
        wait(lambda: not [path for path in (server.disk / "objects").rglob("*") if path.is_file()])


def test_a_database_that_cannot_grow_is_told_although_files_could_be_stored(tmp_path: Path) -> None:
    database = f"sqlite://{tmp_path}/data/rows/wonder.db"
    with running(tmp_path, below="rows", WONDER_DATABASE_URL=database) as server:
        client = server.client().sign_up()
        project = client.project()
        assert is_ready(server)
        server.fill()
        wait(lambda: not is_ready(server))
        wait(lambda: "errors" in client.ask(DESCRIBE, p=project, t="图" * 4000))
        server.make_room()
        wait(lambda: is_ready(server))
        task_id = client.data(GENERATE, p=project, t="a knight")["generate"]["task"]["id"]
        wait(lambda: client.task(task_id)["status"] == "COMPLETED")


def test_a_full_folder_for_temporary_files_keeps_only_uploads_out(tmp_path: Path) -> None:
    with running(tmp_path, below="tmp", TMPDIR=str(tmp_path / "data" / "tmp")) as server:
        client = server.client().sign_up()
        project = client.project()
        # Which folder is taken is decided at the first use.
        assert upload(client, project)["data"]["uploadImage"]["errors"] == []
        server.fill()
        assert code_of(upload(client, project)) == "UNAVAILABLE"
        assert "TMPDIR" in server.log.read_text()
        task_id = client.data(GENERATE, p=project, t="a slime")["generate"]["task"]["id"]
        wait(lambda: client.task(task_id)["status"] == "COMPLETED")
        server.make_room()
        assert upload(client, project)["data"]["uploadImage"]["errors"] == []
        assert not list(server.disk.iterdir())


def test_a_backup_and_a_restore_that_find_no_room_leave_nothing(tmp_path: Path) -> None:
    with ordinary(tmp_path) as server:
        client = server.client().sign_up()
        client.follow(client.generate(client.project(), "a slime", "SPRITESHEET")["task"]["id"])
        backup = tmp_path / "whole.zip"
        assert main(["backup", str(backup), "--data-dir", str(server.data_dir)]) == 0
        small = tmp_path / "small"
        # As large as the database and no larger.
        size = str(backup.stat().st_size // 2)
        code, complaint, left = on_small_disk(small, size, "backup", small / "b.zip", "--data-dir", server.data_dir)
        assert (code, left) == (1, [])
        assert "full" in complaint or "No space left" in complaint
        assert "Traceback" not in complaint
    target = tmp_path / "target"
    code, complaint, left = on_small_disk(target, size, "restore", backup, "--data-dir", target / "data")
    assert (code, left) == (1, ["./data/wonder.lock"])
    assert "No space left" in complaint


@pytest.mark.parametrize(
    ("options", "prepare", "below", "said"),
    [
        ("size=2m,ro", "true", "", "Read-only file system"),
        ("size=2m", "head -c 2000000 /dev/zero > ballast; : > wonder.db", "", "no space left on its device"),
        ("size=200k", "true", "", "no space left on its device"),
        ("size=2m", "mkdir wonder.db", "", "wonder.db cannot be used: it is a folder."),
        ("size=2m", "yes | head -c 99999 > wonder.db", "", "it is damaged, or no SQLite database"),
        ("size=2m,ro", "true", "files", "Read-only file system. Stored files are kept there"),
        ("size=2m", "touch objects", "files", "File exists. Stored files are kept there"),
    ],
)
def test_a_start_says_what_is_wrong_with_the_disk(
    tmp_path: Path, options: str, prepare: str, below: str, said: str
) -> None:
    server = SmallDiskServer(tmp_path, below=below, options=options, prepare=prepare, WONDER_SECRET_KEY="k" * 40)
    assert server.start() is None
    shown = server.log.read_text()
    assert server.exit_code == 2
    assert said in shown
    assert "Traceback" not in shown
    assert shown.count("\n") == 1
