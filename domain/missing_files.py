"""Rows that name an object which is not in the storage; nothing can bring it back.

First the rows, then the objects, since an object is stored before its row; then once more the rows, for what was
deleted in between. A project or a user at a time is held in memory.
"""

from collections.abc import AsyncIterator, Collection
from typing import Final

from domain.models.projects import Project, StoredUpload, UploadedImage
from domain.models.tasks import Asset
from domain.ports import Storage
from domain.storage.keys import project_prefix

_BATCH: Final = 500


async def assets_without_file(storage: Storage) -> AsyncIterator[str]:
    """Yield the ids of assets, project by project. Raises `StorageError`."""
    last = ""
    while projects := await Project.filter(id__gt=last, user_id__isnull=False).order_by("id").limit(_BATCH):
        last = projects[-1].id
        for project in projects:
            rows = Asset.filter(project_id=project.id, user_id__isnull=False)
            keys = {str(key) for key in await rows.values_list("storage_key", flat=True)}
            gone = await _missing(storage, keys, {project_prefix(str(project.user_id), project.id)})
            for some in _portions(gone):
                left = Asset.filter(storage_key__in=some, user_id__isnull=False).order_by("id")
                for asset_id in await left.values_list("id", flat=True):
                    yield str(asset_id)


async def images_without_file(storage: Storage) -> AsyncIterator[str]:
    """Yield the ids of uploaded pictures, user by user. Raises `StorageError`."""
    last = ""
    while next_one := await StoredUpload.filter(user_id__gt=last).order_by("user_id").first():
        last = next_one.user_id
        rows = StoredUpload.filter(user_id=last)
        keys = {str(key) for key in await rows.values_list("storage_key", flat=True)}
        gone = await _missing(storage, keys, {key.rpartition("/")[0] + "/" for key in keys})
        for some in _portions(gone):
            left = UploadedImage.filter(storage_key__in=some, user_id=last).order_by("id")
            for image_id in await left.values_list("id", flat=True):
                yield str(image_id)


async def _missing(storage: Storage, keys: set[str], prefixes: Collection[str]) -> list[str]:
    """Return those of the keys, all below the prefixes, that are not in the storage."""
    if keys:
        for prefix in sorted(prefixes):
            async for item in storage.list(prefix):
                keys.discard(item.key)
    return sorted(keys)


def _portions(keys: list[str]) -> list[list[str]]:
    return [keys[start : start + _BATCH] for start in range(0, len(keys), _BATCH)]
