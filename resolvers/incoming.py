"""A file of a request, on the disk for as long as it is read."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Protocol, cast

from domain.errors import StorageError
from domain.uploads import MAX_UPLOAD_BYTES

_CHUNK_BYTES: Final = 1 << 20
_NO_ROOM: Final = "What comes in cannot be kept in the folder for temporary files (TMPDIR)."


class IncomingFile(Protocol):
    """What the web framework makes of a file in a multipart request; its name is never used."""

    async def read(self, size: int = -1) -> bytes:
        """Return the next bytes; none at the end."""
        ...

    async def seek(self, offset: int) -> None:
        """Go on reading from there, in bytes from the beginning."""
        ...


@asynccontextmanager
async def kept_while_read(file: object) -> AsyncIterator[Path]:
    """Copy an `Upload` to a temporary file, which goes when the context ends; of what is too large, enough to tell.

    Raises `StorageError` when there is no room for it.
    """
    incoming = cast("IncomingFile", file)  # the scalar has checked it
    folder = await asyncio.to_thread(_temporary_folder)
    try:
        path = Path(folder.name) / "file"
        await incoming.seek(0)  # a request may name one file in several places, and each reads all of it
        await _copy(incoming, path)
        yield path
    finally:
        await asyncio.to_thread(folder.cleanup)


def _temporary_folder() -> "tempfile.TemporaryDirectory[str]":
    try:
        return tempfile.TemporaryDirectory(prefix="wonder-upload-")
    except OSError as error:
        raise StorageError(_NO_ROOM) from error


async def _copy(incoming: IncomingFile, path: Path) -> None:
    size_bytes = 0
    while size_bytes <= MAX_UPLOAD_BYTES and (chunk := await incoming.read(_CHUNK_BYTES)):
        await asyncio.to_thread(_append, path, chunk)
        size_bytes += len(chunk)
    if not size_bytes:
        await asyncio.to_thread(_append, path, b"")


def _append(path: Path, chunk: bytes) -> None:
    try:
        with path.open("ab") as target:
            target.write(chunk)
    except OSError as error:
        raise StorageError(_NO_ROOM) from error
