"""An installation moves: files to a bucket and back, everything into one file and back, also while a server runs."""

import json
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.storage.s3.options import S3Options
from server.cli import main
from tests.e2e.test_bucket import variables
from tests.helpers.seaweed import SeaweedServer
from tests.helpers.server import Server, running

pytestmark = pytest.mark.slow


def files_below(folder: Path) -> dict[str, bytes]:
    objects = folder / "files" / "objects"
    return {str(path.relative_to(objects)): path.read_bytes() for path in objects.rglob("*") if path.is_file()}


@pytest.fixture
def made(tmp_path: Path) -> tuple[Server, dict[str, Any]]:
    """A server that has made an asset and has ended, and the asset's task."""
    with running(tmp_path) as server:
        client = server.client().sign_up()
        task_id = client.generate(client.project(), "史莱姆 slime", "SPRITESHEET")["task"]["id"]
        client.follow(task_id)
        return server, client.task(task_id)


def run(*arguments: str | Path) -> int:
    return main([str(argument) for argument in arguments])


def test_files_move_to_a_bucket_and_back(
    made: tuple[Server, dict[str, Any]],
    s3_server: SeaweedServer,
    s3_options: S3Options,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    server, task = made
    data = server.data_dir
    for name, value in variables(s3_options).items():
        monkeypatch.setenv(name, value)
    before = files_below(data)
    assert run("storage", "copy", "--from", "local", "--to", "s3", "--data-dir", data) == 0
    assert f"{len(before)} objects" in capsys.readouterr().out
    assert set(s3_server.keys(s3_options.bucket)) == set(before)
    # What is there already is compared, and not sent again.
    assert run("storage", "copy", "--from", "local", "--to", "s3", "--data-dir", data) == 0
    assert f"{len(before)} of them were there already" in capsys.readouterr().out
    for path in (data / "files" / "objects").rglob("*"):
        if path.is_file():
            path.unlink()
    assert run("storage", "copy", "--from", "s3", "--to", "local", "--data-dir", data) == 0
    assert files_below(data) == before
    assert len(before) == len(task["assets"])


def test_what_differs_at_its_new_place_is_sent_again(
    made: tuple[Server, dict[str, Any]], s3_options: S3Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = made[0].data_dir
    for name, value in variables(s3_options).items():
        monkeypatch.setenv(name, value)
    before = files_below(data)
    assert run("storage", "copy", "--from", "local", "--to", "s3", "--data-dir", data) == 0
    damaged = next(path for path in (data / "files" / "objects").rglob("*") if path.is_file())
    damaged.write_bytes(bytes(damaged.stat().st_size))
    assert run("storage", "copy", "--from", "s3", "--to", "local", "--data-dir", data) == 0
    assert files_below(data) == before


def test_a_storage_is_not_copied_to_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("storage", "copy", "--from", "local", "--to", "local", "--data-dir", tmp_path) == 2
    assert "the same storage" in capsys.readouterr().err


def test_a_backup_of_a_running_server_brings_everything_back(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    backup = tmp_path / "backup.zip"
    with running(tmp_path / "first") as server:
        client = server.client().sign_up()
        project = client.project()
        task_id = client.generate(project, "a slime", "SPRITESHEET")["task"]["id"]
        client.follow(task_id)
        client.generate(project, "another slime that is being made just now", "SPRITESHEET")
        assert run("backup", backup, "--data-dir", server.data_dir) == 0
        token = client.token
    assert run("restore", backup, "--data-dir", tmp_path / "second" / "data") == 0
    with running(tmp_path / "second") as server:
        restored = server.client(token)  # the signing key came along
        task = restored.task(task_id)
        assert task["status"] == "COMPLETED"
        for asset in task["assets"]:
            response = httpx.get(asset["url"])
            assert (response.status_code, len(response.content)) == (200, asset["sizeBytes"])


def test_a_restore_replaces_nothing_unless_told_to(
    made: tuple[Server, dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, backup = made[0].data_dir, tmp_path / "backup.zip"
    assert run("backup", backup, "--data-dir", data) == 0
    assert run("backup", backup, "--data-dir", data) == 2
    before = files_below(data)
    with sqlite3.connect(data / "wonder.db") as connection:
        connection.execute("UPDATE user_account SET display_name = 'changed since'")
    connection.close()
    assert run("restore", backup, "--data-dir", data) == 2
    assert "--force" in capsys.readouterr().err
    assert _names(data) == ["changed since"]
    assert run("restore", backup, "--data-dir", data, "--force") == 0
    assert "changed since" not in _names(data)
    assert files_below(data) == before


def _names(data: Path) -> list[str]:
    connection = sqlite3.connect(data / "wonder.db")
    try:
        return [name for (name,) in connection.execute("SELECT display_name FROM user_account")]
    finally:
        connection.close()


def test_a_restore_waits_for_no_running_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(tmp_path) as server:
        assert run("backup", tmp_path / "b.zip", "--data-dir", server.data_dir) == 0
        assert run("restore", tmp_path / "b.zip", "--data-dir", server.data_dir, "--force") == 2
        assert server.client().ask("{ __typename }")["data"] == {"__typename": "Query"}


def test_a_damaged_file_is_not_backed_up_and_leaves_no_backup(
    made: tuple[Server, dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = made[0].data_dir
    next(path for path in (data / "files" / "objects").rglob("*") if path.is_file()).write_bytes(b"damaged")
    assert run("backup", tmp_path / "b.zip", "--data-dir", data) == 1
    assert "damaged" in capsys.readouterr().err
    assert [path.name for path in tmp_path.glob("b.zip*")] == []


@pytest.mark.parametrize("damage", ["no zip", "other zip", "other bytes", "missing file", "other format"])
def test_a_damaged_backup_changes_no_database(
    made: tuple[Server, dict[str, Any]], tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    backup, fresh = tmp_path / "backup.zip", tmp_path / "fresh"
    assert run("backup", backup, "--data-dir", made[0].data_dir) == 0
    with zipfile.ZipFile(backup) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    key = next(name for name in content if name.startswith("files/"))
    if damage == "no zip":
        backup.write_bytes(b"PK and so on")
    else:
        if damage == "other zip":
            del content["manifest.json"]
        elif damage == "other bytes":
            content[key] = content[key][:-1] + b"?"
        elif damage == "missing file":
            del content[key]
        else:
            content["manifest.json"] = json.dumps({**json.loads(content["manifest.json"]), "format": 99}).encode()
        with zipfile.ZipFile(backup, "w") as archive:
            for name, data in content.items():
                archive.writestr(name, data)
    assert run("restore", backup, "--data-dir", fresh) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert not (fresh / "wonder.db").exists()


def test_postgres_is_backed_up_by_its_own_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WONDER_DATABASE_URL", "postgres://nobody@127.0.0.1/none")
    assert run("backup", tmp_path / "b.zip", "--data-dir", tmp_path / "data") == 2
