"""The objects of uploaded pictures: one for each user and content, named by images of one or several projects.

Whoever writes the first image that names an object, another one that does, or takes the last one away, holds the
user's counter of stored bytes (`domain.quotas.hold`) until the transaction ends, so that these go one by one. An object
is recorded for removal in the transaction in which nothing names it any more, and no row leads to it from then on: the
same picture brought again is stored anew, under another key.
"""

from datetime import datetime
from typing import Final

from domain.models.projects import StoredUpload, UploadedImage
from domain.models.storage import StorageDeletion
from domain.statements import execute_each, fetch

_OF_PROJECT: Final = """
SELECT s.id AS id, s.storage_key AS storage_key, s.size_bytes AS size_bytes, EXISTS (
    SELECT 1 FROM uploaded_image o WHERE o.user_id = s.user_id AND o.sha256 = s.sha256 AND o.project_id <> ?
) AS shared
FROM uploaded_image i JOIN stored_upload s ON s.user_id = i.user_id AND s.sha256 = i.sha256
WHERE i.project_id = ? AND i.user_id = ?
"""
_GONE: Final = "DELETE FROM stored_upload WHERE id = ?"


async def stored_for(image: UploadedImage) -> StoredUpload | None:
    """Inside a transaction that holds the user's counter: return the object that the user has of this picture, held."""
    return await StoredUpload.filter(user_id=image.user_id, sha256=image.sha256).select_for_update().first()


async def record_stored(image: UploadedImage) -> None:
    """Inside a transaction that holds the user's counter: the image's object is the user's one of this picture."""
    await StoredUpload.create(
        user_id=image.user_id, sha256=image.sha256, storage_key=image.storage_key, size_bytes=image.size_bytes
    )


async def let_go_of_project(user_id: str, project_id: str, now: datetime) -> int:
    """Inside the transaction that makes a project nobody's, holding the user's counter and before its rows change.

    Has those objects removed that only this project names; returns how many bytes the others take, which stay.
    """
    rows = await fetch(_OF_PROJECT, [project_id, project_id, user_id])
    leaving = [row for row in rows if not row["shared"]]
    await StorageDeletion.bulk_create(
        StorageDeletion(target=row["storage_key"], created_at=now, next_try_at=now, final_at=now) for row in leaving
    )
    await execute_each(_GONE, [[row["id"]] for row in leaving])
    return sum(int(row["size_bytes"]) for row in rows if row["shared"])


async def forget_stored(user_id: str) -> None:
    """Inside the transaction that ends a user, whose files all go: nothing is named any more."""
    await StoredUpload.filter(user_id=user_id).delete()
