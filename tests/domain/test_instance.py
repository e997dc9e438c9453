"""One server at a time on the same SQLite database, and none too few after a crash."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from domain.errors import SettingsError
from domain.instance import LOCK_FILE, InstanceLock
from domain.settings import Settings, load_settings

#: Takes the lock, starts a process as the picture pool does, says so and waits to be killed.
SERVER = """
import asyncio, subprocess, sys, time
from domain.instance import InstanceLock
from domain.settings import load_settings

async def main():
    lock = InstanceLock(load_settings(data_dir=sys.argv[1], database_url=sys.argv[2]))
    await lock.acquire()
    subprocess.Popen(["cat"])  # outlives the server, until the test closes its input
    print("held", flush=True)
    time.sleep(600)

asyncio.run(main())
"""


@pytest.fixture
def served(tmp_path: Path) -> Settings:
    """Settings of a server whose database lies beside the data folder, not in it."""
    return load_settings(data_dir=tmp_path / "data", database_url=f"sqlite://{tmp_path / 'wonder.db'}")


@contextmanager
def _server(settings: Settings) -> Iterator[subprocess.Popen[bytes]]:
    arguments = [sys.executable, "-c", SERVER, str(settings.data_dir), settings.resolved_database_url]
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"held\n"
            yield process
        finally:
            process.kill()


async def test_the_second_server_is_refused_until_the_first_has_ended(served: Settings) -> None:
    first, second = InstanceLock(served), InstanceLock(served)
    await first.acquire()
    with pytest.raises(SettingsError, match="another Wonder server"):
        await second.acquire()
    await first.release()
    await second.acquire()
    await second.release()
    await second.release()


async def test_a_killed_server_leaves_no_lock_even_when_a_child_outlives_it(served: Settings) -> None:
    lock = InstanceLock(served)
    with _server(served) as process:
        with pytest.raises(SettingsError, match="another Wonder server"):
            await InstanceLock(served).acquire()
        process.kill()
        process.wait()
        await lock.acquire()
        await lock.release()


async def test_who_was_refused_holds_nothing(served: Settings) -> None:
    first, second, third = InstanceLock(served), InstanceLock(served), InstanceLock(served)
    await first.acquire()
    for _ in range(2):
        with pytest.raises(SettingsError):
            await second.acquire()
    await first.release()
    await third.acquire()
    await third.release()


@pytest.fixture
def sqlite_settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path / "数据")


async def test_the_refusal_names_setting_and_process(sqlite_settings: Settings) -> None:
    first = InstanceLock(sqlite_settings)
    await first.acquire()
    folder = sqlite_settings.data_dir
    with pytest.raises(SettingsError) as refusal:
        await InstanceLock(sqlite_settings).acquire()
    assert str(refusal.value) == (
        f"WONDER_DATA_DIR: another Wonder server (process {os.getpid()}) is using {folder}. "
        "Stop it first, or use another one."
    )
    await first.release()
    assert [path.name for path in folder.iterdir()] == [LOCK_FILE]


async def test_two_data_folders_cannot_share_a_sqlite_database(tmp_path: Path) -> None:
    url = f"sqlite://{tmp_path / 'shared.db'}"
    first = InstanceLock(load_settings(data_dir=tmp_path / "one", database_url=url))
    second = InstanceLock(load_settings(data_dir=tmp_path / "two", database_url=url))
    await first.acquire()
    with pytest.raises(SettingsError, match="another Wonder server"):
        await second.acquire()
    await first.release()
    await second.acquire()
    await second.release()


async def test_servers_with_data_of_their_own_run_side_by_side(tmp_path: Path) -> None:
    locks = [InstanceLock(load_settings(data_dir=tmp_path / name)) for name in ("one", "two")]
    for lock in locks:
        await lock.acquire()
    for lock in locks:
        await lock.release()


async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(SettingsError, match="WONDER_DATA_DIR"):
        await InstanceLock(load_settings(data_dir=tmp_path / "file" / "data")).acquire()


async def test_a_lock_file_of_an_older_run_is_no_hindrance(sqlite_settings: Settings) -> None:
    sqlite_settings.data_dir.mkdir()
    (sqlite_settings.data_dir / LOCK_FILE).write_text("1\n")
    lock = InstanceLock(sqlite_settings)
    await lock.acquire()
    assert (sqlite_settings.data_dir / LOCK_FILE).read_text() == f"{os.getpid()}\n"
    await lock.release()


async def test_on_postgresql_there_is_nothing_to_take(tmp_path: Path) -> None:
    # An address that is not even looked at.
    locks = [InstanceLock(load_settings(data_dir=tmp_path, database_url="postgres://nowhere/wonder")) for _ in "12"]
    for lock in locks:
        await lock.acquire()
    for lock in locks:
        await lock.release()
