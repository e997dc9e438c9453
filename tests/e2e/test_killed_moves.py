"""Backups, restores and copies that are killed at any step: nothing passes for whole, and each may be repeated."""

import hashlib
import json
import shutil
import sqlite3
import threading
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from domain.storage.s3.options import S3Options
from server.cli import main
from tests.e2e.test_bucket import variables
from tests.helpers.killing import killed_at, spread, steps_of
from tests.helpers.seaweed import SeaweedServer
from tests.helpers.server import Server, running

pytestmark = pytest.mark.slow

_KILLED = -9
_SAMPLES = 7


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a server that has made the files of two tasks and has ended."""
    folder = tmp_path_factory.mktemp("home")
    with running(folder) as server:
        client = server.client().sign_up()
        project = client.project()
        for prompt in ("a slime", "a knight"):
            client.follow(client.generate(project, prompt, "SPRITESHEET")["task"]["id"])
    return folder / "data"


def files_below(folder: Path) -> dict[str, bytes]:
    objects = folder / "files" / "objects"
    return {str(path.relative_to(objects)): path.read_bytes() for path in objects.rglob("*") if path.is_file()}


def run(*arguments: str | Path) -> int:
    return main([str(argument) for argument in arguments])


def is_whole(path: Path) -> bool:
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        return all(
            hashlib.sha256(archive.read(f"files/{key}")).hexdigest() == about["sha256"]
            for key, about in manifest["files"].items()
        )


def test_a_killed_backup_is_none(home: Path, tmp_path: Path) -> None:
    steps = steps_of(tmp_path, "backup", tmp_path / "whole.zip", "--data-dir", home)
    assert steps > _SAMPLES
    kills = 0
    for step in spread(steps, _SAMPLES):
        path = tmp_path / f"backup-{step}.zip"
        code = killed_at(step, tmp_path, "backup", path, "--data-dir", home)
        kills += code == _KILLED
        if not path.exists():
            assert code == _KILLED
            assert run("backup", path, "--data-dir", home) == 0
            assert not path.with_name(f"{path.name}.unfinished").exists()
        assert is_whole(path)
    assert kills == _SAMPLES


@pytest.mark.parametrize("over", [False, True], ids=["into nothing", "over another"])
def test_a_killed_restore_leaves_the_old_or_the_new_and_is_repeated(
    home: Path, tmp_path: Path, *, over: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    backup, expected = tmp_path / "backup.zip", files_below(home)
    assert run("backup", backup, "--data-dir", home) == 0
    given = ["--force"] if over else []

    def data(name: str) -> Path:
        folder = tmp_path / name
        if over:
            shutil.copytree(home, folder)
            with closing(sqlite3.connect(folder / "wonder.db")) as connection, connection:
                connection.execute("UPDATE user_account SET display_name = 'changed since'")
        return folder

    steps = steps_of(tmp_path, "restore", backup, "--data-dir", data("whole"), *given)
    kills = 0
    for step in spread(steps, _SAMPLES):
        folder = data(f"data-{step}")
        kills += killed_at(step, tmp_path, "restore", backup, "--data-dir", folder, *given) == _KILLED
        there = (folder / "wonder.db").exists()
        if there:
            assert names_in(folder) in (["ada"], ["changed since"])
        assert over or not there or names_in(folder) == ["ada"]
        # Where the last step was done already, there is a whole database, which is not replaced unasked.
        assert run("restore", backup, "--data-dir", folder, *(["--force"] if there else [])) == 0
        assert (names_in(folder), files_below(folder)) == (["ada"], expected)
        assert (folder / "secret.key").read_bytes() == (home / "secret.key").read_bytes()
        assert not list(folder.glob("*.restored"))
    assert kills == _SAMPLES


def names_in(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "wonder.db")) as connection:
        assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        return [name for (name,) in connection.execute("SELECT display_name FROM user_account")]


def test_a_killed_copy_goes_on_where_it_was(
    home: Path,
    tmp_path: Path,
    s3_server: SeaweedServer,
    s3_options: S3Options,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings, expected = variables(s3_options), files_below(home)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    copy = ["storage", "copy", "--from", "local", "--to", "s3", "--data-dir", home]

    def copied() -> set[str]:
        return {key for key in s3_server.keys(s3_options.bucket) if key.startswith("users/")}

    steps = steps_of(tmp_path, *copy, **settings)
    for step in spread(steps, 4)[1:]:
        s3_server.empty_bucket(s3_options.bucket)
        assert killed_at(step, tmp_path, *copy, **settings) == _KILLED
        assert copied() <= set(expected)
        capsys.readouterr()
        assert run(*copy) == 0
        assert f"{len(expected)} objects" in capsys.readouterr().out
        assert copied() == set(expected)
    shutil.rmtree(home / "files" / "objects")
    back = ["storage", "copy", "--from", "s3", "--to", "local", "--data-dir", home]
    assert killed_at(steps // 2, tmp_path, *back, **settings) == _KILLED
    assert run(*back) == 0
    assert files_below(home) == expected


def test_backups_while_a_server_makes_and_deletes_name_what_they_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(tmp_path, WONDER_MAX_ACTIVE_TASKS="50", WONDER_PURGE_INTERVAL_SECONDS="0.1") as server:
        done = threading.Event()
        busy = threading.Thread(target=_make_and_delete, args=(server, done))
        busy.start()
        try:
            for number in range(3):
                path = tmp_path / f"{number}.zip"
                assert run("backup", path, "--data-dir", server.data_dir) == 0
                assert "not in the storage" not in capsys.readouterr().out
                assert is_whole(path)
        finally:
            done.set()
            busy.join()
    for number in range(3):
        folder = tmp_path / f"restored-{number}"
        assert run("restore", tmp_path / f"{number}.zip", "--data-dir", folder) == 0
        with closing(sqlite3.connect(folder / "wonder.db")) as connection:
            rows = connection.execute("SELECT storage_key, sha256 FROM asset WHERE user_id IS NOT NULL").fetchall()
        assert dict(rows) == {key: hashlib.sha256(data).hexdigest() for key, data in files_below(folder).items()}


def _make_and_delete(server: Server, done: threading.Event) -> None:
    client = server.client().sign_up()
    delete = "mutation($id: ID!) { deleteProject(id: $id) { errors { code } } }"
    while not done.is_set():
        project = client.project()
        made: list[dict[str, Any]] = [client.generate(project, f"slime {n}") for n in range(3)]
        client.follow(made[-1]["task"]["id"])
        client.data(delete, id=project)
