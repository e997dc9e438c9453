"""Projects and their style."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry

from domain.models import projects
from domain.storage.signing import ARCHIVES
from domain.styles import style_from_json
from schema.context import Info
from schema.declare import argument, described, given, output, resolved
from schema.enums import AssetType, TaskOrder
from schema.inputs.tasks import TaskFilterInput, wanted_of
from schema.loaders import AssetPage, TaskPage
from schema.node import Node
from schema.pagination import After, Before, Connection, First, Last, page_request
from schema.scalars import Color
from schema.types.image import UploadedImage

if TYPE_CHECKING:
    from schema.types.asset import Asset
    from schema.types.task import Task
    from schema.types.webhook import Webhook


@output
class ProjectStyle:
    """What makes a project's assets look like one game. Empty words and an empty palette leave the choice free."""

    art_style: str = described('Such as "16-bit pixel art" or "flat vector".')
    palette: list[Color] = described("The colors to use; empty: free.")
    perspective: str = described('Such as "side view", "top-down" or "isometric".')
    mood: str = described('Such as "gloomy" or "cheerful".')
    negative_prompt: str = described("What must not be in any picture.")
    image_ids: strawberry.Private[tuple[str, ...]]

    @resolved
    async def reference_images(self, info: Info) -> list[UploadedImage]:
        """Pictures that show the style."""
        images = await info.context.loaders.image.load_many(self.image_ids)
        return [image for image in images if image is not None]

    @classmethod
    def from_json(cls, data: dict[str, object]) -> "ProjectStyle":
        """Return a style as the API shows it."""
        style = style_from_json(data)
        return cls(
            art_style=style.art_style,
            palette=[Color(color) for color in style.palette],
            perspective=style.perspective,
            mood=style.mood,
            negative_prompt=style.negative_prompt,
            image_ids=style.reference_image_ids,
        )


@output
class Project(Node):
    """A game, or a part of one, with its style."""

    name: str = described("What it is called.")
    description: str = described("What it is about.")
    style: ProjectStyle = described("What makes its assets look like one game.")
    created_at: datetime = described("When it was made.")
    updated_at: datetime = described("When its name, description or style last changed.")

    @resolved
    async def tasks(
        self,
        info: Info,
        first: First = strawberry.UNSET,
        after: After = strawberry.UNSET,
        last: Last = strawberry.UNSET,
        before: Before = strawberry.UNSET,
        filter: Annotated[TaskFilterInput | None, argument("Which tasks.")] = strawberry.UNSET,
        order_by: Annotated[TaskOrder | None, argument("In which order; newest first unless told.")] = strawberry.UNSET,
    ) -> Connection[Annotated["Task", strawberry.lazy("schema.types.task")]]:
        """What was asked for in this project."""
        wanted = TaskPage(
            self.id,
            page_request(first, after, last, before),
            wanted_of(filter),
            given(order_by) or TaskOrder.CREATED_DESC,
        )
        return await info.context.loaders.tasks_of_project.load(wanted)

    @resolved
    async def assets(
        self,
        info: Info,
        first: First = strawberry.UNSET,
        after: After = strawberry.UNSET,
        last: Last = strawberry.UNSET,
        before: Before = strawberry.UNSET,
        asset_type: Annotated[AssetType | None, argument("Only of tasks for this.")] = strawberry.UNSET,
    ) -> Connection[Annotated["Asset", strawberry.lazy("schema.types.asset")]]:
        """The finished files of this project, newest first."""
        request = page_request(first, after, last, before)
        return await info.context.loaders.assets_of_project.load(AssetPage(self.id, request, given(asset_type)))

    @resolved
    async def webhooks(self, info: Info) -> list[Annotated["Webhook", strawberry.lazy("schema.types.webhook")]]:
        """Who is told of this project's tasks, oldest first; at most 10."""
        return await info.context.loaders.webhooks_of_project.load(self.id)

    @resolved
    async def storage_bytes(self, info: Info) -> float:
        """How many bytes its files take: assets and uploaded pictures."""
        return await info.context.loaders.project_storage_use.load(self.id)

    @resolved
    def max_storage_bytes(self, info: Info) -> float | None:
        """How many they may take; null for no limit of a project's own."""
        return info.context.services.settings.max_project_storage_bytes or None

    @resolved
    def download_url(self, info: Info) -> str:
        """Where to fetch all its finished files as one ZIP, a folder for each task; signed, for a limited time."""
        signed = info.context.services.signer.sign(f"{ARCHIVES}{self.id}", "application/zip", f"{self.name}.zip")
        return info.context.base_url.rstrip("/") + signed

    @classmethod
    def from_row(cls, row: projects.Project) -> "Project":
        """Return a project as the API shows it."""
        return cls(
            id=strawberry.ID(row.id),
            name=row.name,
            description=row.description,
            style=ProjectStyle.from_json(row.style),
            created_at=row.created_at,
            updated_at=row.updated_at,
        )
