"""Storage in a folder of this machine."""

import asyncio
import contextlib
import itertools
import shutil
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import IO, BinaryIO, Final, TypeVar

from domain.errors import ObjectMissing, StorageError, StorageUnusable
from domain.ports import StoredObject
from domain.storage.disk import Folder
from domain.storage.keys import check_key, check_prefix
from domain.storage.signing import UrlSigner

_T = TypeVar("_T")
#: Work on the disk at the same time; more threads only queue up at the disk.
_THREADS: Final = 4
_CHUNK_BYTES: Final = 256 * 1024
_COPY_BYTES: Final = 1024 * 1024
_LISTED_AT_ONCE: Final = 500


class LocalStorage:
    """Keeps objects as files below a folder, served by `server.files` under signed addresses.

    Every key is checked first: `ValueError` for what is no key. An object cannot have the name of a folder that holds
    others; the keys that `domain.storage.keys` builds never do.
    """

    def __init__(self, root: Path, signer: UrlSigner) -> None:
        self._folder = Folder(root)
        self._root = root
        self._signer = signer
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="storage")

    async def put(self, key: str, data: bytes, media_type: str) -> None:  # noqa: ARG002 (the address carries the type)
        """Store an object whole or not at all; the same key is replaced. Raises `StorageError`."""
        await self._write(key, lambda file: file.write(data))

    async def put_file(self, key: str, source: Path, media_type: str) -> None:  # noqa: ARG002 (as above)
        """Store a local file's content whole or not at all. Raises `StorageError`."""

        def copy(target: IO[bytes]) -> None:
            with source.open("rb") as file:
                shutil.copyfileobj(file, target, _COPY_BYTES)

        await self._write(key, copy)

    async def get(self, key: str) -> bytes:
        """Return an object whole. Raises `ObjectMissing` or `StorageError`."""

        def read() -> bytes:
            with self.open_object(key) as file, _as_storage_error("read", key):
                return file.read()

        return await self._in_thread(read)

    async def read(self, key: str) -> AsyncGenerator[bytes, None]:
        """Yield an object's content in pieces of at most 256 KiB. Raises `ObjectMissing` or `StorageError`."""
        file = await self._in_thread(lambda: self.open_object(key))

        def some() -> bytes:
            with _as_storage_error("read", key):
                return file.read(_CHUNK_BYTES)

        with file:
            while chunk := await self._in_thread(some):
                yield chunk

    async def delete(self, keys: Sequence[str]) -> None:
        """Remove objects and the folders they leave empty; missing ones are no error. Raises `StorageError`."""
        checked = [check_key(key) for key in keys]

        def remove() -> None:
            for key in checked:
                with _as_storage_error("remove", key):
                    self._folder.remove(key)

        await self._in_thread(remove)

    async def list(self, prefix: str, after: str = "") -> AsyncIterator[StoredObject]:
        """Yield the objects with the prefix whose keys come behind `after`, in their order. Raises `StorageError`."""
        if "/" in prefix:
            check_key(prefix.rpartition("/")[0])
        found = self._folder.walk(prefix, after)

        def some() -> Sequence[StoredObject]:
            with _as_storage_error("list", prefix or "the objects"):
                return tuple(itertools.islice(found, _LISTED_AT_ONCE))

        while batch := await self._in_thread(some):
            for item in batch:
                yield item

    async def delete_prefix(self, prefix: str) -> int:
        """Remove every object under a prefix that ends in `/`; returns how many went. Raises `StorageError`."""
        check_prefix(prefix)

        def remove() -> int:
            with _as_storage_error("remove", prefix):
                return self._folder.remove_below(prefix)

        return await self._in_thread(remove)

    def url(self, key: str, *, media_type: str, download_name: str, base_url: str) -> str:
        """Return an address from which a client fetches the object as it is, for a limited time."""
        return base_url.rstrip("/") + self._signer.sign(key, media_type, download_name)

    async def check(self) -> None:
        """Make the folder, sweep out what killed writers left, and raise `StorageUnusable` if it cannot be written."""

        def prepare_and_probe() -> None:
            try:
                self._folder.prepare()
                self._folder.probe()
            except OSError as error:
                raise StorageUnusable(
                    f"Cannot use the folder {self._root}: {error.strerror or type(error).__name__}. Stored files are "
                    "kept there: make it a folder that this server may write and that has room, then start again."
                ) from error

        await self._in_thread(prepare_and_probe)

    async def clock_ahead(self) -> timedelta:
        """Return how far the file system's clock is ahead: nothing, unless it is another machine's.

        Raises `StorageError`.
        """

        def measured() -> float:
            with _as_storage_error("date", "files"):
                return self._folder.clock() - time.time()

        return timedelta(seconds=await self._in_thread(measured))

    async def close(self) -> None:
        """Let the threads end."""
        self._threads.shutdown(wait=False)

    def open_object(self, key: str) -> BinaryIO:
        """Open an object for reading; blocks, so call it in a thread. Raises `ObjectMissing` or `StorageError`."""
        with _as_storage_error("read", check_key(key)):
            return self._folder.open(key)

    async def _write(self, key: str, fill: Callable[[IO[bytes]], object]) -> None:
        check_key(key)

        def write() -> None:
            with _as_storage_error("write", key):
                self._folder.write(key, fill)

        await self._in_thread(write)

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        """Run blocking work; a cancelled caller still waits for work under way, so that nothing is written late."""
        job = self._threads.submit(work)
        try:
            return await asyncio.wrap_future(job)
        except asyncio.CancelledError:
            if not job.cancel():
                late = asyncio.wrap_future(job)
                await asyncio.wait([late])
                late.exception()  # known to have been looked at; the cancellation is what counts
            raise


@contextlib.contextmanager
def _as_storage_error(action: str, subject: str) -> Iterator[None]:
    """Turn what the file system says into what the port says."""
    try:
        yield
    except FileNotFoundError as error:
        if action == "read":
            raise ObjectMissing(f"There is no object {subject}.") from error
        raise StorageError(f"Cannot {action} {subject}: {error.strerror}.") from error
    except OSError as error:
        raise StorageError(f"Cannot {action} {subject}: {error.strerror or type(error).__name__}.") from error
