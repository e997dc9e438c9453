"""Pictures that people bring along: style references and sources of image-to-image tasks."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from domain import db
from domain.clock import Clock
from domain.errors import NotFound, QuotaExceeded, TooLarge
from domain.ids import IdPrefix, new_id
from domain.models.projects import Project, StoredUpload, UploadedImage
from domain.outbox import Reservation
from domain.ports import Storage
from domain.quotas import hold, take
from domain.settings import Settings
from domain.storage.keys import upload_key
from domain.stored_uploads import record_stored, stored_for

MAX_UPLOAD_BYTES: Final = 10 * 1024 * 1024
#: Width times height, judged by the file's header before anything is decoded.
MAX_UPLOAD_PIXELS: Final = 40_000_000
#: Longer than any upload takes from its object to its row.
_RESERVED_SECONDS: Final = 3600


@dataclass(frozen=True, slots=True)
class InspectedImage:
    """A picture that was decoded whole and written again without anything but its pixels."""

    data: bytes
    media_type: str
    #: Without a dot.
    extension: str
    width: int
    height: int


#: Decodes an untrusted file away from the event loop. Raises `UnsupportedMedia` and `TooLarge`.
Inspect = Callable[[bytes], Awaitable[InspectedImage]]


class Uploads:
    """Takes pictures into a project."""

    def __init__(self, storage: Storage, clock: Clock, inspect: Inspect, settings: Settings) -> None:
        self._storage = storage
        self._clock = clock
        self._inspect = inspect
        self._settings = settings

    async def store(self, user_id: str, project_id: str, source: Path) -> UploadedImage:
        """Check a file and keep its picture.

        The same picture again in the same project is the same image; in another project of the user it is an image of
        its own that names the same object. Raises `NotFound` for a project that is not the user's, `UnsupportedMedia`,
        `TooLarge`, `QuotaExceeded` and `StorageError`.
        """
        if not await Project.filter(id=project_id, user_id=user_id).exists():
            raise _no_project()
        inspected = await self._inspect(await asyncio.to_thread(_read, source))
        image = await asyncio.to_thread(self._described, user_id, project_id, inspected)
        known = await _same(image) or await self._share(image)
        if known is None:
            return await self._keep(image, inspected.data)
        if not await self._is_there(known.storage_key):
            # Lost, by whatever fault; who brings the picture again brings the very bytes.
            await self._storage.put(known.storage_key, inspected.data, known.media_type)
        return known

    def _described(self, user_id: str, project_id: str, inspected: InspectedImage) -> UploadedImage:
        image_id = new_id(IdPrefix.IMAGE)
        return UploadedImage(
            id=image_id,
            user_id=user_id,
            project_id=project_id,
            storage_key=upload_key(user_id, image_id, inspected.extension),
            media_type=inspected.media_type,
            width=inspected.width,
            height=inspected.height,
            size_bytes=len(inspected.data),
            sha256=hashlib.sha256(inspected.data).hexdigest(),
            created_at=self._clock.now(),
        )

    async def _is_there(self, key: str) -> bool:
        async for item in self._storage.list(key):
            if item.key == key:
                return True
        return False

    async def _share(self, image: UploadedImage) -> UploadedImage | None:
        """Name the object that the user has of this picture; None when there is none."""
        if not await StoredUpload.filter(user_id=image.user_id, sha256=image.sha256).exists():
            return None
        return await self._commit(image, None)

    async def _keep(self, image: UploadedImage, data: bytes) -> UploadedImage:
        """Write the object, then the row; whatever is cut off between the two is removed again."""
        key = image.storage_key
        reservation = await Reservation.make(key, self._clock.now(), _RESERVED_SECONDS)
        await self._storage.put(key, data, image.media_type)
        kept = None
        try:
            kept = await self._commit(image, reservation)
        except (NotFound, QuotaExceeded):
            await reservation.drop(self._clock.now())
            raise
        if kept is None:
            raise RuntimeError("an object that was stored is to be stored")
        if kept.storage_key != key:
            await reservation.drop(self._clock.now())
        return kept

    async def _commit(self, image: UploadedImage, reservation: Reservation | None) -> UploadedImage | None:
        """Write the row; returns the image that is there then, or None when its object must be stored first.

        `reservation` is of the image's own object, once that is stored. Raises `NotFound` and `QuotaExceeded`.
        """
        async with db.transaction():
            # The lock on the project's row lets equal uploads go one by one, and keeps it from being deleted meanwhile.
            project = await Project.filter(id=image.project_id, user_id=image.user_id).select_for_update().first()
            if project is None:
                raise _no_project()
            if (same := await _same(image)) is not None:
                return same
            user_id = str(image.user_id)
            await hold(user_id)
            stored = await stored_for(image)
            if stored is None and reservation is None:
                return None
            there = stored is not None
            await take(user_id, image.project_id, image.size_bytes, self._settings, stored_already=there)
            if stored is not None:
                image.storage_key = stored.storage_key
            elif reservation is not None:
                await reservation.keep()
                await record_stored(image)
            await image.save(force_create=True)
            return image


async def _same(image: UploadedImage) -> UploadedImage | None:
    return await UploadedImage.filter(user_id=image.user_id, project_id=image.project_id, sha256=image.sha256).first()


def _read(source: Path) -> bytes:
    with source.open("rb") as file:
        data = file.read(MAX_UPLOAD_BYTES + 1)
    if len(data) > MAX_UPLOAD_BYTES:
        raise TooLarge(f"The file is larger than {MAX_UPLOAD_BYTES // 1024 // 1024} MiB.", path=("file",))
    return data


def _no_project() -> NotFound:
    return NotFound("There is no such project.", path=("projectId",))
