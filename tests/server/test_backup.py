"""What a backup is and is not: complete at one moment, and refused unchanged when it is anything else."""

import asyncio
import hashlib
import io
import json
import signal
import sqlite3
import struct
import sys
import warnings
import zipfile
from collections.abc import AsyncGenerator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from domain.clock import SystemClock
from domain.errors import SettingsError
from domain.settings import Settings, load_settings
from domain.storage.keys import work_key
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from server.backup import back_up
from server.cli import main
from server.restore import restore
from tests.helpers.server import ROOT, START

IMAGE = """INSERT INTO uploaded_image (id, user_id, project_id, storage_key, media_type, width, height, size_bytes,
    sha256, created_at) VALUES (?, 'usr_1', 'prj_1', ?, 'image/png', 1, 1, 3, ?, '2026-12-01 12:00:00+00:00')"""
Content = dict[str, bytes]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def silent(_: int, __: int) -> None:
    """Show no progress."""


@pytest.fixture
def home(tmp_path: Path, sqlite_template: bytes) -> Settings:
    """An installation with a database, three files that its rows name, and a key."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "wonder.db").write_bytes(sqlite_template)
    (folder / "secret.key").write_text("k" * 64)
    with closing(sqlite3.connect(folder / "wonder.db")) as connection, connection:
        for name in "abc":
            connection.execute(IMAGE, (f"img_{name}", f"users/u/uploads/{name}.png", sha256(name.encode() * 3)))
        # An image of another project that names the same object.
        connection.execute(IMAGE, ("img_a2", "users/u/uploads/a.png", sha256(b"aaa")))
    return load_settings(data_dir=folder)


async def storage_of(settings: Settings, kind: type[LocalStorage] = LocalStorage) -> LocalStorage:
    storage = kind(settings.data_dir / "files", UrlSigner(b"k" * 32, SystemClock(), 60))
    await storage.check()
    return storage


@pytest.fixture
async def storage(home: Settings) -> LocalStorage:
    storage = await storage_of(home)
    for name in "abc":
        await storage.put(f"users/u/uploads/{name}.png", name.encode() * 3, "image/png")
    return storage


@pytest.fixture
async def backup(home: Settings, storage: LocalStorage, tmp_path: Path) -> Path:
    path = tmp_path / "backup.zip"
    report = await back_up(home, storage, path, silent)
    assert (report.files, report.missing) == (3, 0)
    return path


def content_of(path: Path) -> Content:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


async def test_what_is_deleted_while_it_is_written_is_neither_in_the_rows_nor_in_the_files(
    home: Settings, storage: LocalStorage, tmp_path: Path
) -> None:
    class Busy(LocalStorage):
        """Others delete one picture and bring another as soon as the first file is read."""

        begun = False

        async def read(self, key: str) -> AsyncGenerator[bytes, None]:
            if not self.begun:
                self.begun = True
                await self.put("users/u/uploads/d.png", b"ddd", "image/png")
                with closing(sqlite3.connect(home.data_dir / "wonder.db")) as connection, connection:
                    connection.execute("DELETE FROM uploaded_image WHERE id = 'img_c'")
                    connection.execute(IMAGE, ("img_d", "users/u/uploads/d.png", sha256(b"ddd")))
                await self.delete(["users/u/uploads/c.png"])
            async for piece in super().read(key):
                yield piece

    path = tmp_path / "backup.zip"
    report = await back_up(home, await storage_of(home, Busy), path, silent)
    assert (report.files, report.missing) == (3, 0)
    fresh = load_settings(data_dir=tmp_path / "fresh")
    target = await storage_of(fresh)
    assert await restore(fresh, target, path, silent, force=False) == 3
    with closing(sqlite3.connect(fresh.data_dir / "wonder.db")) as connection:
        named = [key for (key,) in connection.execute("SELECT DISTINCT storage_key FROM uploaded_image ORDER BY 1")]
    assert (
        named
        == [item.key async for item in target.list("")]
        == [f"users/u/uploads/{name}.png" for name in ("a", "b", "d")]
    )


async def test_a_file_that_is_not_there_is_told_and_keeps_nobody_from_a_backup(
    home: Settings, storage: LocalStorage, tmp_path: Path
) -> None:
    await storage.delete(["users/u/uploads/b.png"])
    report = await back_up(home, storage, tmp_path / "b.zip", silent)
    assert (report.files, report.missing) == (2, 1)


async def test_what_providers_have_made_for_tasks_that_wait_is_in_it(
    home: Settings, storage: LocalStorage, tmp_path: Path
) -> None:
    keys = [work_key("u", "p", "t", 1, f"job-{name}") for name in ("0", "clip")]
    for key in keys:
        await storage.put(key, key.encode(), "application/octet-stream")
    result = json.dumps({"pictures": [{"key": keys[0], "width": 1}], "clip_key": keys[1]})
    columns = "id, task_id, attempt, round, variation, provider, state, seed, prompt, result, created_at, cancel_tries"
    row = ("job_1", "t", 1, 0, 0, "p", "FETCHED", 1, "{}", result, "2026-12-01 00:00:00+00:00", 0)
    with closing(sqlite3.connect(home.data_dir / "wonder.db")) as connection, connection:
        connection.execute(f"INSERT INTO external_job ({columns}) VALUES ({', '.join('?' * len(row))})", row)
    report = await back_up(home, storage, tmp_path / "b.zip", silent)
    assert (report.files, report.missing) == (5, 0)
    content = content_of(tmp_path / "b.zip")
    assert [content[f"files/{key}"] for key in keys] == [key.encode() for key in keys]
    there = load_settings(data_dir=tmp_path / "there")
    target = await storage_of(there)
    assert await restore(there, target, tmp_path / "b.zip", silent, force=False) == 5
    assert await target.get(keys[1]) == keys[1].encode()


async def test_a_backup_that_was_killed_is_in_nobodys_way_and_two_at_once_are(
    home: Settings, storage: LocalStorage, tmp_path: Path
) -> None:
    path, left = tmp_path / "b.zip", tmp_path / "b.zip.unfinished"
    left.mkdir()
    for name in ("lock", "backup.zip", "wonder.db"):
        (left / name).write_bytes(b"left by a backup that was killed")

    class Nested(LocalStorage):
        async def read(self, key: str) -> AsyncGenerator[bytes, None]:
            with pytest.raises(SettingsError, match="Another backup is writing"):
                await back_up(home, self, path, silent)
            async for piece in super().read(key):
                yield piece

    await back_up(home, await storage_of(home, Nested), path, silent)
    assert (path.exists(), left.exists(), path.stat().st_mode & 0o777) == (True, False, 0o600)


async def test_a_restore_that_broke_off_is_repeated_and_one_over_other_files_is_refused(
    backup: Path, tmp_path: Path
) -> None:
    fresh = load_settings(data_dir=tmp_path / "fresh")
    target = await storage_of(fresh)
    await target.put("users/u/uploads/b.png", b"bbb", "image/png")
    await target.put("users/u/uploads/other.png", b"x", "image/png")
    with pytest.raises(SettingsError, match="--force"):
        await restore(fresh, target, backup, silent, force=False)
    assert len([item async for item in target.list("")]) == 2
    await target.delete(["users/u/uploads/other.png"])
    assert await restore(fresh, target, backup, silent, force=False) == 3
    assert (fresh.data_dir / "secret.key").read_text() == "k" * 64


async def test_what_a_killed_server_had_committed_is_not_mixed_into_the_restored_database(
    backup: Path, home: Settings, storage: LocalStorage
) -> None:
    connection = sqlite3.connect(home.data_dir / "wonder.db")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("DELETE FROM uploaded_image")
    connection.commit()
    left = {path.name: path.read_bytes() for path in home.data_dir.glob("wonder.db-*")}
    assert left
    connection.close()
    for name, data in left.items():
        (home.data_dir / name).write_bytes(data)
    await restore(home, storage, backup, silent, force=True)
    with closing(sqlite3.connect(home.data_dir / "wonder.db")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM uploaded_image").fetchone() == (4,)
    assert not list(home.data_dir.glob("*.restored*"))


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_a_backup_that_is_told_to_stop_takes_back_what_it_has(
    home: Settings, storage: LocalStorage, tmp_path: Path, number: int, code: int
) -> None:
    with closing(sqlite3.connect(home.data_dir / "wonder.db")) as connection, connection:
        for place in range(3000):
            key = f"users/u/uploads/{place}.png"
            await storage.put(key, b"x", "image/png")
            connection.execute(IMAGE, (f"img_{place}", key, sha256(b"x")))
    path = tmp_path / "b.zip"
    program = [sys.executable, "-c", START, str(ROOT), "backup", str(path), "--data-dir", str(home.data_dir)]
    # As from a terminal: a process in the background may be started with interrupts ignored.
    process = await asyncio.create_subprocess_exec(
        *program,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    unfinished = tmp_path / "b.zip.unfinished" / "wonder.db"
    async with asyncio.timeout(30):
        while not await asyncio.to_thread(unfinished.exists):
            await asyncio.sleep(0.01)
    process.send_signal(number)
    async with asyncio.timeout(30):
        _, complaint = await process.communicate()
    assert process.returncode == code
    assert complaint in {b"wonder: Interrupted.\n", b"wonder: Terminated.\n"}
    assert left_of(path) == []


def left_of(path: Path) -> list[Path]:
    return list(path.parent.glob(f"{path.name}*"))


def _manifest(content: Content, change: Callable[[dict[str, Any]], object]) -> None:
    manifest = json.loads(content["manifest.json"])
    change(manifest)
    content["manifest.json"] = json.dumps(manifest).encode()


def _other_database(content: Content, data: bytes) -> None:
    content["wonder.db"] = data
    _manifest(content, lambda manifest: manifest.update(database=sha256(data)))


def _outside(content: Content, key: str) -> None:
    content[f"files/{key}"] = b"evil"
    _manifest(content, lambda manifest: manifest["files"].update({key: {"sha256": sha256(b"evil"), "mediaType": "x"}}))


def _of_another_program(content: Content) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE notes (text)")
        _other_database(content, connection.serialize())


def _of_a_later_version(content: Content) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        data = bytearray(content["wonder.db"])
        data[18:20] = b"\x01\x01"  # in memory there is no write-ahead log
        connection.deserialize(bytes(data))
        connection.execute("UPDATE tortoise_migrations SET name = '9999_from_the_future' WHERE name LIKE '0003%'")
        connection.commit()
        _other_database(content, connection.serialize())


def _with_a_torn_page(content: Content) -> None:
    data = bytearray(content["wonder.db"])
    data[4096 : 4096 + 2048] = b"\xff" * 2048
    _other_database(content, bytes(data))


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: _outside(content, "../../outside.png"),
        lambda content: _outside(content, "users/../../outside.png"),
        lambda content: _outside(content, "/etc/outside.png"),
        lambda content: _outside(content, "users/u/\x00.png"),
        lambda content: _outside(content, "elsewhere/outside.png"),
        lambda content: content.update({"files/users/u/uploads/c.png": b"ccd"}),
        lambda content: content.pop("files/users/u/uploads/c.png"),
        lambda content: content.pop("wonder.db"),
        lambda content: content.pop("manifest.json"),
        lambda content: content.update({"manifest.json": b"[" * 100_000}),
        lambda content: content.update({"manifest.json": b"\xff"}),
        lambda content: _manifest(content, lambda manifest: manifest.update(format=2)),
        lambda content: _manifest(content, lambda manifest: manifest.pop("files")),
        lambda content: _manifest(content, lambda manifest: manifest.update(files=["users/u"])),
        lambda content: _manifest(content, lambda manifest: manifest.update(files={"users/u": "x"})),
        lambda content: content.update({"manifest.json": b"null"}),
        lambda content: _other_database(content, b"not a database"),
        _of_another_program,
        _of_a_later_version,
        _with_a_torn_page,
    ],
)
def test_what_is_no_whole_backup_changes_nothing(
    backup: Path, tmp_path: Path, damage: Callable[[Content], object], capsys: pytest.CaptureFixture[str]
) -> None:
    content = content_of(backup)
    damage(content)
    with zipfile.ZipFile(backup, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    refused(backup, tmp_path, capsys)


def _compressed(archive: bytes) -> bytes:
    return _packed(archive, zipfile.ZIP_DEFLATED)


def _packed(archive: bytes, method: int) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as source, zipfile.ZipFile(target, "w", method) as packed:
        for name in source.namelist():
            packed.writestr(name, source.read(name))
    return target.getvalue()


def _overlapping(archive: bytes) -> bytes:
    """Many names for the same bytes, so that little unpacks to much."""
    target = io.BytesIO(archive)
    with warnings.catch_warnings(), zipfile.ZipFile(target, "a") as packed:
        warnings.simplefilter("ignore")
        info = packed.getinfo("wonder.db")
        packed.filelist += [info] * 50
        packed._didModify = True  # type: ignore[attr-defined]  # so that its end is written anew
    return target.getvalue()


def _encrypted(archive: bytes) -> bytes:
    target, place = bytearray(archive), -1
    while (place := archive.find(b"PK\x01\x02", place + 1)) >= 0:
        flags = struct.unpack_from("<H", target, place + 8)[0]
        struct.pack_into("<H", target, place + 8, flags | 1)
    return bytes(target)


@pytest.mark.parametrize(
    "damage",
    [
        lambda archive: archive[: len(archive) // 2],
        lambda archive: archive[:-1],
        lambda archive: archive[len(archive) // 2 :],
        lambda _: b"",
        lambda _: b"PK\x05\x06" + bytes(18),
        _compressed,
        _overlapping,
        _encrypted,
    ],
)
def test_what_is_no_whole_archive_changes_nothing(
    backup: Path, tmp_path: Path, damage: Callable[[bytes], bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    backup.write_bytes(damage(backup.read_bytes()))
    refused(backup, tmp_path, capsys)


def refused(backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fresh = tmp_path / "fresh"
    before = {path for path in tmp_path.rglob("*") if fresh not in path.parents}
    assert main(["restore", str(backup), "--data-dir", str(fresh), "--force"]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("wonder: ")
    assert "Traceback" not in shown.err
    assert {path.name for path in fresh.rglob("*") if path.is_file()} == {"wonder.lock"}
    assert {path for path in tmp_path.rglob("*") if fresh not in path.parents} - {fresh} == before
