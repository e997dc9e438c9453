"""Pictures that people bring along."""

from datetime import datetime

import strawberry

from domain.models import projects
from schema.context import Info
from schema.declare import described, output, resolved
from schema.node import Node


@output
class UploadedImage(Node):
    """A picture that a user brought: a reference of a style, or the source of an image-to-image task."""

    media_type: str = described("Such as image/png.")
    width: int = described("In pixels.")
    height: int = described("In pixels.")
    size_bytes: int = described("Size of the file.")
    created_at: datetime = described("When it was uploaded.")
    storage_key: strawberry.Private[str]

    @resolved
    def url(self, info: Info) -> str:
        """Where to fetch it, as it is; signed, and good for a limited time."""
        return info.context.services.storage.url(
            self.storage_key,
            media_type=self.media_type,
            # The object may be named by images of other projects, too, and is called after one of them.
            download_name=f"{self.id}.{self.storage_key.rpartition('.')[2]}",
            base_url=info.context.base_url,
        )

    @classmethod
    def from_row(cls, row: projects.UploadedImage) -> "UploadedImage":
        """Return a picture as the API shows it."""
        return cls(
            id=strawberry.ID(row.id),
            media_type=row.media_type,
            width=row.width,
            height=row.height,
            size_bytes=row.size_bytes,
            created_at=row.created_at,
            storage_key=row.storage_key,
        )
