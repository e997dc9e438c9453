"""Objects as files below a folder: the blocking steps, each of which leaves the folder whole wherever it is cut off.

Finished objects live below `objects/`, files being written in `incoming/` on the same file system, so that a rename
publishes an object at once and whole. Folders are entered one by one from an open descriptor and without following
symbolic links: a link that somebody placed inside leads nowhere. All functions raise `OSError`.
"""

import contextlib
import errno
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, BinaryIO, Final

from domain.ports import StoredObject

_FOLDER_MODE: Final = 0o700
_FILE_MODE: Final = 0o600
_OPEN_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CREATE_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a named pipe would wait for ever.
_READ_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
#: How often a folder may vanish under a writer, removed as empty by a deletion, before it gives up.
_MAX_TRIES: Final = 1000
#: After this long without a write, a file in `incoming/` belongs to a process that was killed.
_ABANDONED_SECONDS: Final = 3600
#: The folder is not there, or what is there is none: a file, or a symbolic link.
_NOT_A_FOLDER: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})


class Folder:
    """A folder of objects."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._objects = root / "objects"
        self._incoming = root / "incoming"

    def prepare(self) -> None:
        """Make the folders and remove what killed writers left behind."""
        self._make()
        abandoned = time.time() - _ABANDONED_SECONDS
        with os.scandir(self._incoming) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):
                    if entry.stat(follow_symlinks=False).st_mtime < abandoned:
                        Path(entry.path).unlink()

    def probe(self) -> None:
        """Write a file and remove it."""
        path = self._write_incoming(lambda file: file.write(b"probe"))
        path.unlink()

    def clock(self) -> float:
        """Return the time as the file system has it, which may be another machine's; needs no room on the disk."""
        self._make()
        os.utime(self._incoming)
        return self._incoming.stat().st_mtime

    def write(self, key: str, fill: Callable[[IO[bytes]], object]) -> None:
        """Publish what `fill` writes under the key, whole and durable, or change nothing."""
        self._make()
        path = self._write_incoming(fill)
        try:
            self._publish(path, key.split("/"))
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def open(self, key: str) -> BinaryIO:
        """Open an object; `FileNotFoundError` when there is none."""
        *parents, name = key.split("/")
        try:
            with self._entered(parents) as folders:
                descriptor = os.open(name, _READ_FILE, dir_fd=folders[-1])
        except OSError as error:
            if error.errno in _NOT_A_FOLDER:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None
            raise
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return open(descriptor, "rb")  # noqa: PTH123 (a descriptor, for the caller to close)

    def remove(self, key: str) -> None:
        """Remove an object if it is there, and the folders that it leaves empty."""
        *parents, name = key.split("/")
        with _missing_is_fine(), self._entered(parents) as folders:
            with contextlib.suppress(IsADirectoryError):
                os.unlink(name, dir_fd=folders[-1])
            os.fsync(folders[-1])
        self._prune(parents)

    def remove_below(self, prefix: str) -> int:
        """Remove what is below a prefix ending in `/`, folders included; returns how many objects went."""
        parts = prefix[:-1].split("/")
        count = 0
        with _missing_is_fine(), self._entered(parts) as folders:
            count = _remove_content(folders[-1])
            os.fsync(folders[-1])
        self._prune(parts)
        return count

    def walk(self, prefix: str, after: str) -> Iterator[StoredObject]:
        """Yield the objects whose keys start with the prefix and come behind `after`, in the order of the keys.

        What appears or goes meanwhile may or may not be seen.
        """
        with self._entered(()):
            pass
        parents, slash, start = prefix.rpartition("/")
        yield from _walk(self._objects / parents, parents + slash, start, after)

    def _make(self) -> None:
        for folder in (self._root, self._objects, self._incoming):
            folder.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)

    def _write_incoming(self, fill: Callable[[IO[bytes]], object]) -> Path:
        path = self._incoming / secrets.token_hex(16)
        descriptor = os.open(path, _CREATE_FILE, _FILE_MODE)
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123 (a descriptor)
                fill(file)
                file.flush()
                os.fsync(descriptor)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path

    def _publish(self, path: Path, parts: Sequence[str]) -> None:
        *parents, name = parts
        for _ in range(_MAX_TRIES):
            try:
                with self._entered(parents, create=True) as folders:
                    os.replace(path, name, dst_dir_fd=folders[-1])
                    # From the file up, since any folder on the way may be new. A crash before the last sync may lose
                    # the object; it cannot tear it.
                    for folder in reversed(folders):
                        os.fsync(folder)
            except FileNotFoundError:
                continue  # a deletion removed a folder as empty before the file was in it
            return
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    @contextlib.contextmanager
    def _entered(self, parts: Sequence[str], *, create: bool = False) -> Iterator[list[int]]:
        """Hold open descriptors of `objects/` and of each folder down the path."""
        try:
            folders = [os.open(self._objects, _OPEN_FOLDER)]
        except OSError as error:
            if error.errno not in _NOT_A_FOLDER:
                raise
            # Not the same as a folder without objects: the disk may be away, with all of them.
            raise OSError(errno.ENODEV, "the storage folder is missing") from None
        try:
            for part in parts:
                if create:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, _FOLDER_MODE, dir_fd=folders[-1])
                folders.append(os.open(part, _OPEN_FOLDER, dir_fd=folders[-1]))
            yield folders
        finally:
            for folder in folders:
                os.close(folder)

    def _prune(self, parts: Sequence[str]) -> None:
        """Remove the folder and those above it, as far as they are empty."""
        for depth in range(len(parts) - 1, -1, -1):
            with _missing_is_fine(), self._entered(parts[:depth]) as folders:
                try:
                    os.rmdir(parts[depth], dir_fd=folders[-1])
                except FileNotFoundError:
                    continue
                except OSError:
                    return  # not empty, or in use: then it has a reason to stay
                os.fsync(folders[-1])


@contextlib.contextmanager
def _missing_is_fine() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _NOT_A_FOLDER:
            raise


def _remove_content(folder: int) -> int:
    count = 0
    with os.scandir(folder) as entries:
        listed = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in listed:
        with contextlib.suppress(FileNotFoundError):
            if not is_folder:
                os.unlink(name, dir_fd=folder)
                count += 1
                continue
            inner = os.open(name, _OPEN_FOLDER, dir_fd=folder)
            try:
                count += _remove_content(inner)
            finally:
                os.close(inner)
            try:
                os.rmdir(name, dir_fd=folder)
            except OSError as error:
                if error.errno != errno.ENOTEMPTY:  # somebody has just written there
                    raise
    return count


def _walk(folder: Path, key_start: str, name_start: str, after: str) -> Iterator[StoredObject]:
    found: list[tuple[str, bool]] = []
    with _missing_is_fine(), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(name_start):
                is_folder = entry.is_dir(follow_symlinks=False)
                # With its slash, by which the keys in a folder compare with the names beside it.
                found.append((f"{key_start}{entry.name}/" if is_folder else f"{key_start}{entry.name}", is_folder))
    # Characters compare as the bytes of their UTF-8 do.
    for key, is_folder in sorted(found):
        if is_folder:
            if key > after or after.startswith(key):
                yield from _walk(folder / key[len(key_start) : -1], key, "", after)
        elif key > after:
            with contextlib.suppress(FileNotFoundError):
                status = (folder / key[len(key_start) :]).stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode):
                    yield StoredObject(key, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))
