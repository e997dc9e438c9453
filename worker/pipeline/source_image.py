"""The picture that an image-to-image task starts from."""

from domain.ids import IdPrefix, prefix_of
from domain.models.projects import UploadedImage
from domain.models.tasks import Asset, Task
from domain.ports import Storage
from worker.providers.base import ProviderError


async def load_source_image(task: Task, storage: Storage) -> bytes | None:
    """Return the encoded source picture of a task, None when it has none; raises `ProviderError` when it is gone."""
    if task.source_image_id is None:
        return None
    model = UploadedImage if prefix_of(task.source_image_id) is IdPrefix.IMAGE else Asset
    row = await model.filter(id=task.source_image_id, user_id=task.user_id).first()
    if row is None:
        raise ProviderError("SOURCE_IMAGE_GONE", "The source image has been deleted.", retryable=False)
    return await storage.get(row.storage_key)
