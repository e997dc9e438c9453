"""Rows of uploaded pictures, as uploads leave them."""

from datetime import datetime

from domain.ids import IdPrefix, new_id
from domain.models.projects import StoredUpload, UploadedImage
from domain.storage.keys import upload_key


async def keep_picture(user_id: str, project_id: str, size_bytes: int, now: datetime, mark: str = "0") -> UploadedImage:
    """Write the rows of a picture whose SHA-256 is made of one hexadecimal digit, as if it had just been uploaded."""
    image_id, sha256 = new_id(IdPrefix.IMAGE), mark * 64
    stored, _ = await StoredUpload.get_or_create(
        user_id=user_id,
        sha256=sha256,
        defaults={"storage_key": upload_key(user_id, image_id, "png"), "size_bytes": size_bytes},
    )
    return await UploadedImage.create(
        id=image_id,
        user_id=user_id,
        project_id=project_id,
        storage_key=stored.storage_key,
        media_type="image/png",
        width=1,
        height=1,
        size_bytes=size_bytes,
        sha256=sha256,
        created_at=now,
    )
