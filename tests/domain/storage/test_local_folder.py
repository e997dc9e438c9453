"""The local folder when things go wrong: killed writers, full disks, wrong folders, links that lead outside."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from domain.errors import ObjectMissing, StorageError
from domain.storage.disk import Folder
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from tests.conftest import MovableClock

PNG = "image/png"
KEY = "users/u/projects/p/tasks/t/output/r/" + "图" * 85
OLD = b"old" * 1000
NEW = b"new" * 100_000

#: Writes the object once in a process of its own for each step of writing, and kills that process at the step. A step
#: is a call into the system or a return from one, as Python's profiler sees them. Prints how many steps there were.
KILLER = """
import os, signal, sys
from pathlib import Path
from domain.storage.disk import Folder

base, key, old, size = Path(sys.argv[1]), sys.argv[2], sys.argv[3].encode() * 1000, int(sys.argv[4])
for step in range(1, 2000):
    folder = Folder(base / str(step))
    if old:
        folder.write(key, lambda file: file.write(old))
    child = os.fork()
    if child == 0:
        left = step
        def count(frame, event, argument):
            global left
            if event in ("c_call", "c_return"):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.setprofile(count)
        folder.write(key, lambda file: file.write(b"new" * size))
        sys.setprofile(None)
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        print(step)
        break
"""

#: Stores more than a file may have, twice, and prints what is seen afterwards.
FULL_DISK = """
import asyncio, resource, sys
from pathlib import Path
from domain.clock import SystemClock
from domain.errors import StorageError
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner

async def main():
    root, source = Path(sys.argv[1]), Path(sys.argv[2])
    storage = LocalStorage(root, UrlSigner(b"k" * 32, SystemClock(), 60))
    await storage.put("a/old", b"old", "image/png")
    source.write_bytes(b"x" * 200_000)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    for key in ("a/old", "a/new"):
        for store in (storage.put(key, b"x" * 200_000, "image/png"), storage.put_file(key, source, "image/png")):
            try:
                await store
            except StorageError as error:
                print(error)
    keys = [item.key async for item in storage.list("")]
    print(await storage.get("a/old"), keys, list((root / "incoming").iterdir()))

asyncio.run(main())
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "files"


@pytest.fixture
def storage(root: Path, clock: MovableClock) -> LocalStorage:
    return _storage(root, clock)


def _storage(root: Path, clock: MovableClock) -> LocalStorage:
    return LocalStorage(root, UrlSigner(b"k" * 32, clock, 60))


def _run(program: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


async def _keys(storage: LocalStorage) -> list[str]:
    return [item.key async for item in storage.list("")]


def _modes(root: Path) -> tuple[set[int], set[int]]:
    paths = [root, *root.rglob("*")]
    folders = {path.stat().st_mode & 0o777 for path in paths if path.is_dir()}
    return folders, {path.stat().st_mode & 0o777 for path in paths if path.is_file()}


def _all_files(root: Path) -> Iterator[Path]:
    return (path for path in root.rglob("*") if not path.is_dir())


@pytest.mark.slow
@pytest.mark.parametrize("old", ["", "old"])
async def test_killed_at_any_step_a_writer_leaves_the_old_or_the_new_whole(
    root: Path, clock: MovableClock, old: str
) -> None:
    steps = int(_run(KILLER, str(root), KEY, old, "100000"))
    assert steps > 30
    seen = set()
    for step in range(1, steps + 1):
        storage = _storage(root / str(step), clock)
        await storage.check()
        keys = await _keys(storage)
        assert keys in ([], [KEY])
        content = await storage.get(KEY) if keys else b""
        assert content in {old.encode() * 1000, NEW}
        seen.add(content)
        await storage.put(KEY, b"next", PNG)
        assert await storage.get(KEY) == b"next"
        assert await storage.delete_prefix("users/") == 1
    assert seen == {old.encode() * 1000, NEW}


async def test_what_killed_writers_leave_is_swept_out_when_it_is_old(root: Path, storage: LocalStorage) -> None:
    await storage.check()
    young, abandoned = root / "incoming" / "young", root / "incoming" / "abandoned"
    young.write_bytes(b"being written just now by another process")
    abandoned.write_bytes(b"its writer is long gone")
    os.utime(abandoned, (time.time() - 4000, time.time() - 4000))
    await storage.check()
    assert list((root / "incoming").iterdir()) == [young]


async def test_a_full_disk_leaves_nothing_half_made(root: Path, tmp_path: Path) -> None:
    *errors, last = _run(FULL_DISK, str(root), str(tmp_path / "source")).splitlines()
    assert errors == [f"Cannot write {key}: File too large." for key in ("a/old", "a/old", "a/new", "a/new")]
    assert last == "b'old' ['a/old'] []"


@pytest.fixture
def blocked_storage(root: Path, clock: MovableClock) -> Iterator[LocalStorage]:
    """A storage whose folder is a file: it can neither be read nor written, not even by root."""
    root.write_bytes(b"no folder")
    yield _storage(root, clock)
    assert root.read_bytes() == b"no folder"


async def test_a_file_in_place_of_the_folder_is_told(blocked_storage: LocalStorage) -> None:
    with pytest.raises(StorageError, match="Cannot use the folder"):
        await blocked_storage.check()
    with pytest.raises(StorageError, match="Cannot write a/b: File exists"):
        await blocked_storage.put("a/b", b"x", PNG)
    await _refuses_all_but_writing(blocked_storage)


async def test_a_folder_that_vanishes_is_no_empty_folder(root: Path, storage: LocalStorage) -> None:
    """Else a deletion would count as done while the disk that holds the objects is away."""
    await storage.put("a/b", b"x", PNG)
    away = root / "objects"
    away.rename(root / "elsewhere")
    await _refuses_all_but_writing(storage)
    (root / "elsewhere").rename(away)
    assert await storage.get("a/b") == b"x"
    assert await storage.delete_prefix("a/") == 1


async def _refuses_all_but_writing(storage: LocalStorage) -> None:
    with pytest.raises(StorageError, match="folder is missing") as failure:
        await storage.get("a/b")
    assert not isinstance(failure.value, ObjectMissing)
    with pytest.raises(StorageError, match="folder is missing"):
        await storage.delete(["a/b"])
    with pytest.raises(StorageError, match="folder is missing"):
        await storage.delete_prefix("a/")
    with pytest.raises(StorageError, match="folder is missing"):
        await _keys(storage)


async def test_a_key_below_an_object_is_told(storage: LocalStorage) -> None:
    await storage.put("a/b", b"x", PNG)
    with pytest.raises(StorageError, match="Cannot write a/b/c"):
        await storage.put("a/b/c", b"x", PNG)
    with pytest.raises(StorageError, match="Cannot write a"):
        await storage.put("a", b"x", PNG)
    assert await _keys(storage) == ["a/b"]


async def test_only_the_owner_can_read_files_and_folders(root: Path, storage: LocalStorage) -> None:
    await storage.put(KEY, b"x", PNG)
    assert _modes(root) == ({0o700}, {0o600})


async def test_links_lead_nowhere(root: Path, tmp_path: Path, storage: LocalStorage) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    await storage.put("a/kept", b"x", PNG)
    (root / "objects" / "a" / "folder").symlink_to(outside)
    (root / "objects" / "a" / "file").symlink_to(outside / "secret")
    os.mkfifo(root / "objects" / "a" / "pipe")
    with pytest.raises(StorageError):
        await storage.put("a/folder/new", b"x", PNG)
    for key in ("a/folder/secret", "a/file", "a/pipe"):
        with pytest.raises(ObjectMissing):
            await storage.get(key)
    assert await _keys(storage) == ["a/kept"]
    await storage.put("a/file", b"an object now", PNG)
    await storage.delete(["a/folder/secret"])
    await storage.delete_prefix("a/folder/")
    assert await storage.delete_prefix("a/") >= 2
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_bytes() == b"secret"
    assert list(_all_files(root)) == []


async def test_empty_folders_go_with_their_last_object(root: Path, storage: LocalStorage) -> None:
    await storage.put("a/b/c/1", b"x", PNG)
    await storage.put("a/2", b"x", PNG)
    await storage.delete(["a/b/c/1"])
    assert [path.name for path in (root / "objects" / "a").iterdir()] == ["2"]
    await storage.put("a/b/c/3", b"x", PNG)
    await storage.delete_prefix("a/b/")
    assert [path.name for path in (root / "objects" / "a").iterdir()] == ["2"]
    await storage.delete_prefix("a/")
    assert list((root / "objects").iterdir()) == []
    assert (root / "objects").is_dir()


async def test_a_reader_keeps_the_object_that_it_opened(storage: LocalStorage) -> None:
    await storage.put("a/b", OLD, PNG)
    with storage.open_object("a/b") as file:
        await storage.put("a/b", NEW, PNG)
        assert file.read() == OLD
        await storage.delete(["a/b"])
        file.seek(0)
        assert file.read() == OLD


async def test_nothing_is_written_after_a_cancellation_came_back(root: Path, storage: LocalStorage) -> None:
    await storage.check()
    for pause in range(12):
        key = f"a/{pause}"
        writer = asyncio.create_task(storage.put(key, NEW, PNG))
        for _ in range(pause):
            await asyncio.sleep(0)
        writer.cancel()
        await asyncio.wait([writer])
        seen = await _keys(storage)
        await storage.check()  # behind it in the same threads: by then a late writer would have been done
        assert await _keys(storage) == seen
    assert list((root / "incoming").iterdir()) == []


async def test_a_stuck_write_holds_up_neither_the_loop_nor_its_failure(root: Path, storage: LocalStorage) -> None:
    """A source that gives nothing for a while blocks one thread; a failing one leaves nothing."""
    pipe = root.parent / "pipe"
    os.mkfifo(pipe)
    stuck = asyncio.create_task(storage.put_file("a/stuck", pipe, PNG))
    await storage.put("a/other", b"x", PNG)
    assert await _keys(storage) == ["a/other"]
    with await asyncio.to_thread(pipe.open, "wb") as source:
        source.write(b"at last")
    await stuck
    assert await storage.get("a/stuck") == b"at last"


def test_a_writer_that_fails_leaves_nothing(root: Path) -> None:
    def fail(file: IO[bytes]) -> None:
        file.write(b"half")
        raise ZeroDivisionError

    folder = Folder(root)
    with pytest.raises(ZeroDivisionError):
        folder.write("a/b", fail)
    assert list(_all_files(root)) == []


def test_a_folder_removed_again_and_again_under_a_writer_is_made_again(root: Path) -> None:
    folder = Folder(root)
    folder.prepare()
    done = threading.Event()

    def remove() -> None:
        while not done.is_set():
            folder.remove_below("a/")

    remover = threading.Thread(target=remove)
    remover.start()
    try:
        for number in range(100):
            folder.write(f"a/b/c/{number}", lambda file: file.write(b"x"))
    finally:
        done.set()
        remover.join()
    folder.remove_below("a/")
    assert list(_all_files(root)) == []


async def test_names_that_begin_alike_are_listed_in_the_order_of_whole_keys(storage: LocalStorage) -> None:
    keys = ["p/a-b/x", "p/a.png", "p/a/x", "p/a/y/z", "p/ab"]
    for key in reversed(keys):
        await storage.put(key, b"x", "image/png")
    for place, key in enumerate(["", *keys]):
        assert [item.key async for item in storage.list("", key)] == keys[place:]
    assert [item.key async for item in storage.list("p/a", "p/a/w")] == keys[2:]
