"""Parts of a task: parameters, error, verdicts."""

from collections.abc import Mapping

from domain import params
from domain.models import tasks
from domain.params import params_from_json
from schema.declare import described, output
from schema.enums import AtlasFormat, ImageFormat


@output
class TaskError:
    """Why a task ended without a result."""

    code: str = described("Stable, such as PROVIDER_REFUSED; the documentation of errors lists them.")
    message: str = described("For people.")
    retryable: bool = described("Whether `retryTask` may help.")

    @classmethod
    def from_row(cls, row: tasks.Task) -> "TaskError | None":
        """Return the error of a task, if it has one."""
        if row.error_code is None:
            return None
        return cls(code=row.error_code, message=row.error_message or "", retryable=bool(row.error_retryable))


@output
class Animation:
    """One animation of a spritesheet."""

    name: str = described('Such as "walk".')
    frames: int = described("How many pictures it has.")
    fps: int = described("Frames per second.")
    loop: bool = described("Whether it starts again at its end.")
    ping_pong: bool = described("Whether it runs back from its end to its start.")

    @classmethod
    def of(cls, animation: params.Animation) -> "Animation":
        """Return an animation as the API shows it."""
        return cls(
            name=animation.name,
            frames=animation.frames,
            fps=animation.fps,
            loop=animation.loop,
            ping_pong=animation.ping_pong,
        )


@output
class TaskParams:
    """The fields of `GenerationParams` with every default filled in; null where the asset type has no use for one."""

    width: int | None = described("Pixels of one picture: a frame of a SPRITESHEET, else the asset.")
    height: int | None = described("Pixels of one picture: a frame of a SPRITESHEET, else the asset.")
    seed: int | None = described("What randomness begins with; fixed when the task was made.")
    count: int = described("Variations.")
    negative_prompt: str = described("What must not be in the picture, besides what the project's style says.")
    transparent: bool = described("Whether the subject is cut out.")
    format: ImageFormat | None = described("Encoding of the pictures.")
    palette_size: int | None = described("At most so many colors.")
    animations: list[Animation] = described("Of a SPRITESHEET.")
    atlas_formats: list[AtlasFormat] = described("Which files tell engines where the frames or tiles are.")
    padding: int | None = described("Empty pixels between frames or tiles.")
    extrude: int | None = described("How many pixels each edge is repeated outwards, against bleeding.")
    trim: bool | None = described("Whether empty borders of frames are cut off.")
    power_of_two: bool | None = described("Whether the sheet's sides are powers of two.")
    max_sheet_size: int | None = described("Longest side of a sheet, in pixels.")
    pivot_x: float | None = described("0 to 1 of the untrimmed frame, from the left.")
    pivot_y: float | None = described("0 to 1 of the untrimmed frame, from the top.")
    tile_size: int | None = described("Side of a tile, in pixels.")
    seamless: bool | None = described("Whether the picture wraps around in both directions.")
    embed_metadata: bool = described("Whether the files tell where they come from.")
    duration_seconds: float | None = described("Length of a VIDEO.")
    fps: int | None = described("Frames per second of a VIDEO.")
    outline: int | None = described("Pixels of the line around what is cut out.")
    outline_color: str | None = described("As #rrggbb; null for a dark one of the picture's or the style's own.")
    outline_corners: bool | None = described("Whether the outline goes around corners too.")
    dither: int | None = described("Side of the ordered pattern by which limited colors are mixed.")
    tile_count: int | None = described("16 (corners) or 47 (corners and edges) of a TILESET.")

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> "TaskParams":
        """Return stored parameters as the API shows them."""
        stored = params_from_json(data)
        return cls(
            width=stored.width,
            height=stored.height,
            seed=stored.seed,
            count=stored.count,
            negative_prompt=stored.negative_prompt,
            transparent=stored.transparent,
            format=stored.format,
            palette_size=stored.palette_size,
            animations=[Animation.of(animation) for animation in stored.animations],
            atlas_formats=list(stored.atlas_formats),
            padding=stored.padding,
            extrude=stored.extrude,
            trim=stored.trim,
            power_of_two=stored.power_of_two,
            max_sheet_size=stored.max_sheet_size,
            pivot_x=stored.pivot_x,
            pivot_y=stored.pivot_y,
            tile_size=stored.tile_size,
            seamless=stored.seamless,
            embed_metadata=stored.embed_metadata,
            duration_seconds=stored.duration_seconds,
            fps=stored.fps,
            outline=stored.outline,
            outline_color=stored.outline_color,
            outline_corners=stored.outline_corners,
            dither=stored.dither,
            tile_count=stored.tile_count,
        )


@output
class QualityCheck:
    """One measured check of one round."""

    attempt: int = described("In which attempt of the task.")
    round: int = described("Which round of the attempt, from 0: how often it had been tried again before.")
    variation: int = described("Of which of the pictures that `count` asked for, from 0.")
    name: str = described('What was measured, such as "palette".')
    score: float = described("0 to 1, higher is better.")
    threshold: float = described("The least score that passes.")
    passed: bool = described("Whether the score reaches the threshold.")
    reason: str = described("The finding in words.")

    @classmethod
    def from_row(cls, row: tasks.QualityCheckRow) -> "QualityCheck":
        """Return a verdict as the API shows it."""
        return cls(
            attempt=row.attempt,
            round=row.round,
            variation=row.variation,
            name=row.name,
            score=row.score,
            threshold=row.threshold,
            passed=row.passed,
            reason=row.reason,
        )
