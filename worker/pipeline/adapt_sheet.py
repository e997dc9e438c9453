"""From the frames of a spritesheet to its pages, sidecars and previews."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from domain.kinds import AtlasFormat, ImageFormat
from domain.params import Animation
from worker.artifacts import OutputFile, Picture
from worker.exporters.aseprite import aseprite
from worker.exporters.canvas import content_box, draw_page
from worker.exporters.godot import sprite_frames
from worker.exporters.json_atlas import json_array, json_hash
from worker.exporters.naming import Names
from worker.exporters.packing import Layout, Rect, pack
from worker.exporters.sheet import Clip, Frame, Page, Sheet, Sidecar, page_suffix
from worker.exporters.unity import unity
from worker.imaging.encode import FILE_KINDS, encode_animation, held_durations
from worker.imaging.indexed import Pixels
from worker.imaging.pixels import decode_rgba
from worker.pipeline.adapt_job import AdaptJob, atlas_files, limit_colors

#: Of frames that belong to no animation.
_UNNAMED = "default"
_ANIMATED = (ImageFormat.GIF, ImageFormat.APNG, ImageFormat.WEBP)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A frame before and after trimming; the box lies within the whole."""

    whole: Pixels
    box: Rect

    @property
    def pixels(self) -> Pixels:
        return self.whole[self.box.y : self.box.bottom, self.box.x : self.box.right]


def adapt_sheet(job: AdaptJob, names: Names, *, with_previews: bool = True) -> tuple[OutputFile, ...]:
    """Return the pages, the sidecars of every format asked for, and one preview an animation if wanted.

    Frames are trimmed when asked, packed and extruded; equal frames make a regular grid. Raises `SheetTooSmall` when a
    frame does not fit a page of maxSheetSize.
    """
    clips = _clips(job)
    ordered = [picture for _, pictures in clips for picture in pictures]
    wholes = limit_colors(job, [decode_rgba(picture.data) for picture in ordered], keep_transparent=True)
    cuts = [_Cut(whole, _box(whole, trim=bool(job.params.trim))) for whole in wholes]
    groups = [number for number, (_, pictures) in enumerate(clips) for _ in pictures]
    layout = pack([(cut.box.width, cut.box.height) for cut in cuts], job.rules, groups)
    sheet = _sheet(job, names, clips, cuts, layout)
    written = [
        (atlas_format, sidecar)
        for atlas_format in job.params.atlas_formats
        for sidecar in write_sidecars(sheet, atlas_format)
    ]
    previews = (_preview(job, names, sheet, clip, wholes) for clip in sheet.clips) if with_previews else ()
    return (*_pages(job, sheet, cuts, layout), *atlas_files(written), *previews)


def write_sidecars(sheet: Sheet, atlas_format: AtlasFormat) -> tuple[Sidecar, ...]:
    """Return what one format says of a sheet."""
    match atlas_format:
        case AtlasFormat.JSON_HASH:
            return json_hash(sheet)
        case AtlasFormat.JSON_ARRAY:
            return json_array(sheet)
        case AtlasFormat.ASEPRITE:
            return aseprite(sheet)
        case AtlasFormat.GODOT:
            return sprite_frames(sheet)
        case AtlasFormat.UNITY:
            return unity(sheet)
        case AtlasFormat.TILED:
            raise ValueError("TILED describes tilesets.")


def _clips(job: AdaptJob) -> list[tuple[Animation, list[Picture]]]:
    """Return the animations that have pictures, in the order asked for, each with its pictures by index."""
    found: dict[str, list[Picture]] = {animation.name: [] for animation in job.params.animations}
    for picture in job.pictures:
        found.setdefault(picture.animation or _UNNAMED, []).append(picture)
    asked = {animation.name: animation for animation in job.params.animations}
    return [
        (asked.get(name) or Animation(name, len(pictures)), sorted(pictures, key=lambda picture: picture.index))
        for name, pictures in found.items()
        if pictures
    ]


def _box(whole: Pixels, *, trim: bool) -> Rect:
    return content_box(whole) if trim else Rect(0, 0, whole.shape[1], whole.shape[0])


def _sheet(
    job: AdaptJob,
    names: Names,
    clips: Sequence[tuple[Animation, list[Picture]]],
    cuts: Sequence[_Cut],
    layout: Layout,
) -> Sheet:
    extension = FILE_KINDS[job.sheet_format].extension
    pages = tuple(
        Page(names.take(f"{names.stem}{page_suffix(number, layout.pages)}", extension), width, height)
        for number, (width, height) in enumerate(layout.pages)
    )
    frames: list[Frame] = []
    made: list[Clip] = []
    for animation, pictures in clips:
        first = len(frames)
        for index in range(len(pictures)):
            cut, place = cuts[len(frames)], layout.places[len(frames)]
            frames.append(
                Frame(
                    # Names of animations differ and an index is digits only, so no two frames can be called the same.
                    name=f"{animation.name}_{index}",
                    page=place.page,
                    rect=place.rect,
                    source_size=(cut.whole.shape[1], cut.whole.shape[0]),
                    offset=(cut.box.x, cut.box.y),
                    duration_ms=round(1000 / animation.fps),
                    animation=animation.name,
                    index=index,
                )
            )
        own = tuple(range(first, len(frames)))
        made.append(Clip(animation.name, own, animation.fps, animation.loop, animation.ping_pong))
    return Sheet(names.stem, pages, tuple(frames), tuple(made), job.pivot, job.task_id, job.app)


def _pages(job: AdaptJob, sheet: Sheet, cuts: Sequence[_Cut], layout: Layout) -> list[OutputFile]:
    files = []
    for number, page in enumerate(sheet.pages):
        places = [
            (frame.rect, cut.pixels) for frame, cut in zip(sheet.frames, cuts, strict=True) if frame.page == number
        ]
        pixels = draw_page(page.width, page.height, places, job.rules.extrude)
        metadata = _metadata(job, sheet, number, layout)
        files.append(job.image(page.image, "spritesheet", pixels, job.sheet_format, metadata))
    return files


def _metadata(job: AdaptJob, sheet: Sheet, number: int, layout: Layout) -> dict[str, object]:
    """Describe one page. `frameCount` is the number of all frames of the sheet, which is the number asked for."""
    page = sheet.pages[number]
    metadata: dict[str, object] = {
        "size": {"width": page.width, "height": page.height},
        "page": number,
        "pages": [page.image for page in sheet.pages],
        "padding": job.rules.padding,
        "extrude": job.rules.extrude,
        "pivot": {"x": sheet.pivot[0], "y": sheet.pivot[1]},
        "frameCount": len(sheet.frames),
        "frames": [_frame_metadata(frame) for frame in sheet.on_page(number)],
        "animations": [_clip_metadata(sheet, clip) for clip in sheet.clips],
    }
    if layout.grid:
        grid = layout.grid
        metadata["grid"] = {
            "columns": grid.columns,
            "rows": grid.rows,
            "margin": grid.margin,
            "spacing": grid.spacing,
        }
    return metadata


def _frame_metadata(frame: Frame) -> dict[str, object]:
    rect, (left, top) = frame.rect, frame.offset
    return {
        "name": frame.name,
        "animation": frame.animation,
        "index": frame.index,
        "page": frame.page,
        "rect": {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height},
        "trimmed": frame.trimmed,
        "trimRect": {"x": left, "y": top, "width": rect.width, "height": rect.height},
        "sourceSize": {"width": frame.source_size[0], "height": frame.source_size[1]},
        "durationMs": frame.duration_ms,
    }


def _clip_metadata(sheet: Sheet, clip: Clip) -> dict[str, object]:
    return {
        "name": clip.name,
        "fps": clip.fps,
        "loop": clip.loop,
        "pingPong": clip.ping_pong,
        "frames": [sheet.frames[position].name for position in clip.frames],
        "durationsMs": [sheet.frames[position].duration_ms for position in clip.frames],
        "playback": [sheet.frames[position].name for position in clip.playback],
    }


def _preview(job: AdaptJob, names: Names, sheet: Sheet, clip: Clip, wholes: Sequence[Pixels]) -> OutputFile:
    """Return the animation as it looks, forth and back written out: in the format asked for if that moves, else GIF."""
    wanted = job.params.format
    image_format = wanted if wanted in _ANIMATED else ImageFormat.GIF
    frames = _same_size([wholes[position] for position in clip.playback])
    durations = [sheet.frames[position].duration_ms for position in clip.playback]
    data = encode_animation(frames, durations, image_format, job.embedded, loop=clip.loop)
    kind = FILE_KINDS[image_format]
    height, width = frames[0].shape[:2]
    metadata: Mapping[str, object] = {
        **_clip_metadata(sheet, clip),
        "frameCount": len(frames),
        "durationsMs": held_durations(durations, image_format),
    }
    return OutputFile(names.part(clip.name, kind.extension), "preview", kind.media_type, data, width, height, metadata)


def _same_size(frames: Sequence[Pixels]) -> list[Pixels]:
    """Give all frames the size of the largest, with transparent space to the right and below."""
    height = max(frame.shape[0] for frame in frames)
    width = max(frame.shape[1] for frame in frames)
    return [
        np.pad(frame, ((0, height - frame.shape[0]), (0, width - frame.shape[1]), (0, 0)))
        if frame.shape[:2] != (height, width)
        else frame
        for frame in frames
    ]
