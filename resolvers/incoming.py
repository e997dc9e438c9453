"""A file of a request, on the disk for as long as it is read."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Protocol, cast

from domain.uploads import MAX_UPLOAD_BYTES

_CHUNK_BYTES: Final = 1 << 20


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
    """Copy an `Upload` to a temporary file, which goes when the context ends; of what is too large, enough to tell."""
    incoming = cast("IncomingFile", file)  # the scalar has checked it
    folder = await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="wonder-upload-")
    try:
        path = Path(folder.name) / "file"
        with await asyncio.to_thread(path.open, "wb") as target:
            await incoming.seek(0)  # a request may name one file in several places, and each reads all of it
            while target.tell() <= MAX_UPLOAD_BYTES and (chunk := await incoming.read(_CHUNK_BYTES)):
                await asyncio.to_thread(target.write, chunk)
        yield path
    finally:
        await asyncio.to_thread(folder.cleanup)
