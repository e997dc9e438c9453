"""Finished files, and pictures that people bring along."""

from typing import Annotated

import strawberry

from resolvers.errors import answers
from resolvers.guards import user_of, viewer_of
from resolvers.incoming import kept_while_read
from schema.context import Info
from schema.declare import argument, mutation, resolved
from schema.node import own_id
from schema.payloads import UploadPayload
from schema.scalars import Upload
from schema.types.asset import Asset
from schema.types.image import UploadedImage


@strawberry.type
class AssetQueries:
    """Your assets."""

    @resolved
    async def asset(self, info: Info, id: Annotated[strawberry.ID, argument("Which one.")]) -> Asset | None:
        """One of your assets; null when there is none with this id."""
        viewer_of(info)
        return await info.context.loaders.asset.load(own_id(id))


@strawberry.type
class AssetMutations:
    """Bringing pictures along."""

    @mutation
    @answers(UploadPayload)
    async def upload_image(
        self,
        info: Info,
        project_id: Annotated[strawberry.ID, argument("Where it belongs.")],
        file: Annotated[Upload, argument("PNG, JPEG, WebP or GIF.")],
    ) -> UploadPayload:
        """Store a picture, for a style or as the source of an image-to-image task."""
        user = user_of(info)
        info.context.services.rate_limits.upload(user.id)
        async with kept_while_read(file) as path:
            row = await info.context.services.uploads.store(user.id, own_id(project_id), path)
        return UploadPayload(image=UploadedImage.from_row(row))
