"""Input of tasks."""

from datetime import datetime

import strawberry

from domain.params import Animation, ParamsRequest
from domain.tasks.queries import TaskFilter
from domain.tasks.requests import GenerateRequest
from domain.text import checked_text
from schema.declare import described, given, input_object, optional
from schema.enums import AssetType, AtlasFormat, ImageFormat, TaskStatus
from schema.node import own_id

MAX_SEARCH = 200


@input_object
class AnimationInput:
    """One animation of a spritesheet."""

    name: str = described("Unique within the sheet; 1 to 64 characters.")
    frames: int = described("1 to 64.")
    fps: int | None = optional("Frames per second, 1 to 60; 8 unless told.")
    loop: bool | None = optional("Whether it starts again at its end; true unless told.")
    ping_pong: bool | None = optional("Whether it runs back from its end to its start; false unless told.")

    def animation(self) -> Animation:
        """Return the animation that is asked for."""
        fps, loop, ping_pong = given(self.fps), given(self.loop), given(self.ping_pong)
        default = Animation(self.name, self.frames)
        return Animation(
            name=self.name,
            frames=self.frames,
            fps=default.fps if fps is None else fps,
            loop=default.loop if loop is None else loop,
            ping_pong=default.ping_pong if ping_pong is None else ping_pong,
        )


@input_object
class GenerationParams:
    """How to make it. What is left out or null takes the asset type's default."""

    width: int | None = optional(
        "16 to 2048 pixels, of one picture: a frame of a SPRITESHEET, else the asset. Of a VIDEO 64 to 1920, even."
    )
    height: int | None = optional(
        "16 to 2048 pixels, as width. A VIDEO has at most 1280 x 720 pixels, in whatever shape."
    )
    seed: int | None = optional("What randomness begins with; the same request with the same seed looks the same.")
    count: int | None = optional("Variations, 1 to 8; 1 unless told.")
    negative_prompt: str | None = optional("What must not be in the picture, besides what the project's style says.")
    transparent: bool | None = optional("Whether to cut out the subject.")
    format: ImageFormat | None = optional("Encoding of the pictures; PNG unless told.")
    palette_size: int | None = optional("Reduce to at most so many colors, 2 to 256.")
    animations: list[AnimationInput] | None = optional(
        "For a SPRITESHEET; idle, walk and attack unless told. Of all frames at most 256 and 32 x 1024 x 1024 pixels."
    )
    atlas_formats: list[AtlasFormat] | None = optional(
        "For a SPRITESHEET or TILESET: which files for which engines. For a VIDEO: its frames as a sheet as well."
        " For a UI: files that tell how it is stretched."
    )
    padding: int | None = optional("Empty pixels between frames or tiles, 0 to 64.")
    extrude: int | None = optional("How many pixels to repeat each edge outwards, 0 to 16.")
    trim: bool | None = optional("Whether to cut off empty borders of frames.")
    power_of_two: bool | None = optional("Whether the sheet's sides must be powers of two.")
    max_sheet_size: int | None = optional("Longest side of a sheet in pixels, 64 to 8192; 4096 unless told.")
    pivot_x: float | None = optional("0 to 1 of the untrimmed frame, from the left; 0.5 unless told.")
    pivot_y: float | None = optional("0 to 1 of the untrimmed frame, from the top; 0.5 unless told.")
    tile_size: int | None = optional("For a TILESET: side of a tile in pixels, 8 to 256; 32 unless told.")
    seamless: bool | None = optional("For a BACKGROUND or TILESET: whether it must wrap around in both directions.")
    embed_metadata: bool | None = optional("Whether the files tell where they come from; true unless told.")
    duration_seconds: float | None = optional("For a VIDEO: its length, 0.5 to 10; 3 unless said.")
    fps: int | None = optional("For a VIDEO: frames per second, 1 to 30; 24 unless said.")
    outline: int | None = optional(
        "For a SPRITE, SPRITESHEET, ICON or UI that is cut out: a line around it, 0 to 8 pixels; none unless told."
    )
    outline_color: str | None = optional(
        "As #rrggbb; unless told the style's darkest color, or without a palette the picture's own, darkened."
    )
    outline_corners: bool | None = optional(
        "Whether the outline goes around corners too, by eight neighbours; false unless told: by four."
    )
    dither: int | None = optional(
        "Where colors are limited: mix them by an ordered (Bayer) pattern of 2, 4 or 8 pixels a side; not unless told."
    )
    tile_count: int | None = optional(
        "For a TILESET: 16 (told apart by corners) or 47 (by corners and edges, also called blob); 16 unless told."
    )

    def request(self) -> ParamsRequest:
        """Return the parameters that are asked for."""
        animations, formats = given(self.animations), given(self.atlas_formats)
        return ParamsRequest(
            width=given(self.width),
            height=given(self.height),
            seed=given(self.seed),
            count=given(self.count),
            negative_prompt=given(self.negative_prompt),
            transparent=given(self.transparent),
            format=given(self.format),
            palette_size=given(self.palette_size),
            animations=None if animations is None else tuple(item.animation() for item in animations),
            atlas_formats=None if formats is None else tuple(formats),
            padding=given(self.padding),
            extrude=given(self.extrude),
            trim=given(self.trim),
            power_of_two=given(self.power_of_two),
            max_sheet_size=given(self.max_sheet_size),
            pivot_x=given(self.pivot_x),
            pivot_y=given(self.pivot_y),
            tile_size=given(self.tile_size),
            seamless=given(self.seamless),
            embed_metadata=given(self.embed_metadata),
            duration_seconds=given(self.duration_seconds),
            fps=given(self.fps),
            outline=given(self.outline),
            outline_color=given(self.outline_color),
            outline_corners=given(self.outline_corners),
            dither=given(self.dither),
            tile_count=given(self.tile_count),
        )


@input_object
class GenerateInput:
    """What to make."""

    project_id: strawberry.ID = described("In which project, and so in which style.")
    prompt: str = described("1 to 4,000 characters after trimming, in any language.")
    asset_type: AssetType = described("What kind of asset.")
    params: GenerationParams | None = optional("How to make it.")
    priority: int | None = optional("0 to 9, higher first.", default=0)
    depends_on: list[strawberry.ID] | None = optional(
        "Tasks that must complete before it starts; it fails when one of them does not. At most 20."
    )
    source_image_id: strawberry.ID | None = optional("An uploaded image or an image asset to start from.")
    source_task_id: strawberry.ID | None = optional(
        "Instead of an image: a task whose main picture to start from. It is waited for as by `dependsOn`."
    )
    depends_on_indexes: list[int] | None = optional(
        "In `generateBatch`: places, from 0, of earlier inputs whose tasks must complete before this one starts."
    )
    source_index: int | None = optional(
        "In `generateBatch`: the place, from 0, of an earlier input whose main picture to start from."
    )
    idempotency_key: str | None = optional(
        "The same key leads to the first task again, for 24 hours, whatever became of it. 1 to 200 characters."
    )
    provider: str | None = optional("One of `providers`; else the server chooses.")

    def request(self) -> GenerateRequest:
        """Return the request that the domain takes."""
        params, image, source = given(self.params), given(self.source_image_id), given(self.source_task_id)
        return GenerateRequest(
            project_id=own_id(self.project_id),
            prompt=self.prompt,
            asset_type=self.asset_type,
            params=ParamsRequest() if params is None else params.request(),
            priority=given(self.priority) or 0,
            depends_on=tuple(own_id(item) for item in given(self.depends_on) or ()),
            source_image_id=image,
            source_task_id=None if source is None else own_id(source),
            depends_on_indexes=tuple(given(self.depends_on_indexes) or ()),
            source_index=given(self.source_index),
            idempotency_key=given(self.idempotency_key),
            provider=given(self.provider),
        )


@strawberry.input(name="TaskFilter", description="Which tasks; every condition must hold.")
class TaskFilterInput:
    """Which tasks; every condition must hold."""

    project_id: strawberry.ID | None = optional("Only of this project.")
    status: list[TaskStatus] | None = optional("Only in one of these states.")
    asset_type: list[AssetType] | None = optional("Only for one of these.")
    search: str | None = optional(
        "Only with this in the prompt, in any case; at most 200 characters."
        " Looks through the 10,000 newest tasks, or the 10,000 before `createdBefore`."
    )
    created_after: datetime | None = optional("Only those made later.")
    created_before: datetime | None = optional("Only those made earlier.")

    def wanted(self) -> TaskFilter:
        """Return the filter that the domain takes; raises `InvalidInput`."""
        project_id, statuses, asset_types = given(self.project_id), given(self.status), given(self.asset_type)
        search = given(self.search)
        return TaskFilter(
            project_id=None if project_id is None else own_id(project_id),
            statuses=None if statuses is None else tuple(dict.fromkeys(statuses)),
            asset_types=None if asset_types is None else tuple(dict.fromkeys(asset_types)),
            search=None if search is None else checked_text(search, maximum=MAX_SEARCH, path=("filter", "search")),
            created_after=given(self.created_after),
            created_before=given(self.created_before),
        )


def wanted_of(chosen: TaskFilterInput | None) -> TaskFilter:
    """Return the filter in a request; without one, that which lets everything through."""
    chosen = given(chosen)
    return TaskFilter() if chosen is None else chosen.wanted()
