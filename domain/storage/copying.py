"""Moving house: every object of one storage is brought to another and compared there by its SHA-256.

What the target has already is compared and not sent again, so that a copy that broke off goes on where it was.
"""

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from domain.errors import ObjectMissing, StorageError
from domain.models.projects import UploadedImage
from domain.models.tasks import Asset
from domain.ports import Storage, StoredObject

#: All keys begin with it.
OBJECTS: Final = "users/"
_BATCH: Final = 100
_AT_ONCE: Final = 8
_UNKNOWN_TYPE: Final = "application/octet-stream"


@dataclass(slots=True)
class CopyProgress:
    """How far a copy has come."""

    objects: int = 0
    size_bytes: int = 0
    #: Of the objects, those that the target had already.
    present: int = 0
    #: Of the objects, those that were removed from the source meanwhile.
    gone: int = 0
    total_objects: int = 0
    total_bytes: int = 0


async def copy_objects(source: Storage, target: Storage, tell: Callable[[CopyProgress], None]) -> CopyProgress:
    """Bring every object to the target and check it there; `tell` hears of each step.

    The database must be connected, since rows know the objects' media types. Raises `StorageError`, also for an object
    that is not the same at the target; what was copied until then stays, and a new call goes on from there.
    """
    progress = CopyProgress()
    async for item in source.list(OBJECTS):
        progress.total_objects += 1
        progress.total_bytes += item.size_bytes
    present = {item.key: item.size_bytes async for item in target.list(OBJECTS)}
    free = asyncio.Semaphore(_AT_ONCE)

    async def copy(item: StoredObject, media_type: str) -> None:
        async with free:
            try:
                same = present.get(item.key) == item.size_bytes and await _same(source, target, item.key)
                if not same:
                    await _send(source, target, item.key, media_type)
                progress.present += same
            except ObjectMissing:
                progress.gone += 1
            progress.objects += 1
            progress.size_bytes += item.size_bytes
            tell(progress)

    async for batch in _batches(source):
        types = await _media_types([item.key for item in batch])
        try:
            async with asyncio.TaskGroup() as group:
                for item in batch:
                    group.create_task(copy(item, types.get(item.key, _UNKNOWN_TYPE)))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
    return progress


async def read_to(storage: Storage, key: str, target: IO[bytes]) -> str:
    """Write an object's content to an open file; returns its SHA-256. Raises `ObjectMissing` or `StorageError`."""
    digest = hashlib.sha256()
    async for chunk in storage.read(key):
        digest.update(chunk)
        await asyncio.to_thread(target.write, chunk)
    return digest.hexdigest()


async def sha256_of(storage: Storage, key: str) -> str:
    """Return the SHA-256 of an object as it comes back. Raises `ObjectMissing` or `StorageError`."""
    digest = hashlib.sha256()
    async for chunk in storage.read(key):
        digest.update(chunk)
    return digest.hexdigest()


async def _same(source: Storage, target: Storage, key: str) -> bool:
    try:
        theirs = await sha256_of(target, key)
    except ObjectMissing:
        return False
    return await sha256_of(source, key) == theirs


async def _send(source: Storage, target: Storage, key: str, media_type: str) -> None:
    with tempfile.NamedTemporaryFile(prefix="wonder-copy-") as file:
        expected = await read_to(source, key, file)
        await asyncio.to_thread(file.flush)
        await target.put_file(key, Path(file.name), media_type)
    try:
        arrived = await sha256_of(target, key)
    except ObjectMissing as error:
        raise StorageError(f"The object {key} was stored and is not there.") from error
    if arrived != expected:
        raise StorageError(f"The object {key} is not the same at its new place.")


async def _batches(source: Storage) -> AsyncIterator[Sequence[StoredObject]]:
    batch: list[StoredObject] = []
    async for item in source.list(OBJECTS):
        batch.append(item)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


async def _media_types(keys: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for model in (Asset, UploadedImage):
        rows = await model.filter(storage_key__in=list(keys)).values_list("storage_key", "media_type")
        found.update({str(key): str(media_type) for key, media_type in rows})
    return found
