"""The picture that an image-to-image task starts from, and those that show its style."""

import contextlib

from domain.errors import ObjectMissing
from domain.ids import IdPrefix, prefix_of
from domain.models.projects import UploadedImage
from domain.models.tasks import Asset, Task
from domain.ports import Storage
from domain.styles import Style
from worker.providers.base import ProviderError


async def load_source_image(task: Task, storage: Storage) -> bytes | None:
    """Return the encoded source picture of a task, None when it has none.

    Raises `ProviderError` when its row is gone, `ObjectMissing` when its file is, and `StorageError`.
    """
    if task.source_image_id is None and task.source_task_id is None:
        return None
    row = await _source_row(task)
    if row is None:
        raise ProviderError("SOURCE_IMAGE_GONE", _gone(task), retryable=False)
    return await storage.get(row.storage_key)


def _gone(task: Task) -> str:
    if task.source_image_id is not None:
        return "The source image has been deleted."
    return f"The picture of {task.source_task_id} is gone: that task was cleaned up. Name another source in a new task."


async def _source_row(task: Task) -> UploadedImage | Asset | None:
    if task.source_image_id is None:
        made = Asset.filter(task_id=task.source_task_id, user_id=task.user_id, media_type__startswith="image/")
        return await made.order_by("position").first()
    model = UploadedImage if prefix_of(task.source_image_id) is IdPrefix.IMAGE else Asset
    return await model.filter(id=task.source_image_id, user_id=task.user_id).first()


async def load_reference_images(task: Task, style: Style, storage: Storage) -> tuple[bytes, ...]:
    """Return the encoded reference images of a task's style, in order; those deleted meanwhile are left out."""
    rows = await UploadedImage.filter(id__in=style.reference_image_ids, user_id=task.user_id)
    keys = {row.id: row.storage_key for row in rows}
    found = []
    for image_id in style.reference_image_ids:
        if image_id in keys:
            with contextlib.suppress(ObjectMissing):
                found.append(await storage.get(keys[image_id]))
    return tuple(found)
