"""Files that went without the server: single ones, by somebody's hand, and a whole bucket for a while."""

import contextlib
import dataclasses
import io
import json
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from domain.storage.s3.options import S3Options
from tests.e2e.test_bucket import variables
from tests.helpers.file_trial import objects_in_bucket
from tests.helpers.seaweed import SeaweedServer
from tests.helpers.server import Client, Server, running

pytestmark = pytest.mark.slow

_REPAIR = "mutation { admin { repairTasks { found changed details errors { code } } } }"
_UPLOAD = "mutation($p: ID!, $f: Upload!) { uploadImage(projectId: $p, file: $f) { image { id } errors { code } } }"
_DELETE = "mutation($id: ID!) { deleteProject(id: $id) { errors { code } } }"
_RETRY = "mutation($id: ID!) { retryTask(id: $id) { errors { code } } }"


def _rows(server: Server, text: str) -> list[tuple[Any, ...]]:
    path = server.data_dir / "wonder.db"
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return connection.execute(text).fetchall()


def _until(reached: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + 40
    while not reached():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def _uploaded(client: Client, project: str) -> str:
    picture = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(picture, "PNG")
    form = {
        "operations": json.dumps({"query": _UPLOAD, "variables": {"p": project, "f": None}}),
        "map": '{"0": ["variables.f"]}',
    }
    answer = httpx.post(
        f"{client.address}/graphql", data=form, files={"0": ("红.png", picture.getvalue(), "image/png")},
        headers={"Authorization": f"Bearer {client.token}"},
    ).json()  # fmt: skip
    image_id: str = answer["data"]["uploadImage"]["image"]["id"]
    return image_id


def _finished(client: Client, project: str, asset_type: str = "SPRITE") -> dict[str, Any]:
    task_id = client.generate(project, "史莱姆 slime", asset_type)["task"]["id"]
    client.follow(task_id)
    return client.task(task_id)


@pytest.mark.parametrize("kind", ["local", "s3"])
def test_files_that_somebody_removed_are_reported_one_by_one(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    settings: dict[str, str] = {}

    def remove(key: str) -> None:
        (tmp_path / "data" / "files" / "objects" / key).unlink()

    if kind == "s3":
        bucket: SeaweedServer = request.getfixturevalue("s3_server")
        options: S3Options = request.getfixturevalue("s3_options")
        settings = variables(options)

        def remove(key: str) -> None:
            bucket.delete(options.bucket, key)

    with running(tmp_path, **settings) as server:
        root, client = server.administrator(), server.client().sign_up()
        project = client.project()
        task = _finished(client, project, "SPRITESHEET")
        image_id = _uploaded(client, project)
        assert root.data(_REPAIR)["admin"]["repairTasks"]["details"] == []
        gone = task["assets"][1]["id"]
        remove(_rows(server, f"SELECT storage_key FROM asset WHERE id = '{gone}'")[0][0])
        remove(_rows(server, f"SELECT storage_key FROM uploaded_image WHERE id = '{image_id}'")[0][0])
        for _ in range(2):  # told each time, since nothing can bring them back
            report = root.data(_REPAIR)["admin"]["repairTasks"]
            assert (report["found"], report["changed"], report["errors"]) == (2, 0, [])
            assert sorted(report["details"]) == sorted(
                [f"asset_without_file: {gone}", f"image_without_file: {image_id}"]
            )


def test_a_bucket_that_vanishes_and_comes_back_loses_no_task_and_keeps_nothing_that_was_deleted(
    tmp_path: Path, s3_server: SeaweedServer, s3_options: S3Options
) -> None:
    s3_server.create_bucket("fleeting-files")
    options = dataclasses.replace(s3_options, bucket="fleeting-files")
    stored = objects_in_bucket(s3_server, options.bucket)
    with running(tmp_path, **variables(options, WONDER_TASK_RETRY_DELAY_SECONDS="0.1")) as server:
        root, client = server.administrator(), server.client().sign_up()
        deleted, kept = client.project("deleted"), client.project("kept")
        _finished(client, deleted, "SPRITESHEET")
        _finished(client, kept)
        before = stored()
        s3_server.empty_bucket(options.bucket)
        s3_server.delete_bucket(options.bucket)
        _until(lambda: httpx.get(f"{server.address}/readyz").status_code == 503, "it is not ready")
        assert client.data(_DELETE, id=deleted)["deleteProject"]["errors"] == []
        _until(
            lambda: "NoSuchBucket" in str(_rows(server, "SELECT last_error FROM storage_deletion")), "a failed removal"
        )
        failed = _finished(client, kept)
        assert (failed["status"], failed["error"]["code"]) == ("FAILED", "STORAGE_FAILED")
        # What cannot be seen is not reported as missing.
        assert "asset_without_file" not in json.dumps(root.ask(_REPAIR))
        s3_server.create_bucket(options.bucket)
        s3_server.put(options.bucket, before)
        _until(lambda: httpx.get(f"{server.address}/readyz").status_code == 200, "it is ready again")
        assert client.data(_RETRY, id=failed["id"])["retryTask"]["errors"] == []
        _until(lambda: client.task(failed["id"])["status"] == "COMPLETED", "what failed is done")
        _until(
            lambda: not _rows(server, "SELECT 1 FROM storage_deletion WHERE last_error IS NOT NULL"), "all is removed"
        )
        named = {key for (key,) in _rows(server, "SELECT storage_key FROM asset WHERE user_id IS NOT NULL")}
        assert set(stored()) == named
        assert len(named) == 2
        assert root.data(_REPAIR)["admin"]["repairTasks"]["details"] == []
    s3_server.empty_bucket(options.bucket)
    s3_server.delete_bucket(options.bucket)
