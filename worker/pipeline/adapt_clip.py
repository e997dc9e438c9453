"""From a clip to its files: the MP4 itself, a poster, animated previews, and its frames as a sheet when asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from domain.kinds import ImageFormat
from domain.params import MAX_FRAMES, Animation
from worker.artifacts import OutputFile, Picture
from worker.exporters.naming import Names
from worker.imaging.encode import FILE_KINDS, encode_animation, encode_still, held_durations
from worker.imaging.indexed import Pixels
from worker.imaging.pixels import encode_png
from worker.imaging.provenance import xmp_packet
from worker.imaging.webp import encode_animated_webp
from worker.pipeline.adapt_job import AdaptJob
from worker.pipeline.adapt_sheet import adapt_sheet
from worker.video.encode import EXTENSION, MEDIA_TYPE
from worker.video.errors import UnreadableClip
from worker.video.read import ClipFacts, described, probe, read_frames

#: Previews are to be looked at in lists: no side longer than this, in pixels, and no more frames per second.
_PREVIEW_SIDE: Final = 320
_PREVIEW_FPS: Final = 12
_PREVIEW_FRAMES: Final = 120
_PREVIEW_QUALITY: Final = 82
#: A sheet holds so many pixels at most, as long as that is two frames.
_SHEET_PIXELS: Final = 16 * 1024 * 1024
#: The animation that a sheet of frames makes.
_CLIP: Final = "clip"


@dataclass(frozen=True, slots=True)
class _Contents:
    """What one pass over a clip kept of it."""

    count: int
    poster: Pixels
    #: Small frames, each opaque RGBA, every so many-th.
    small: tuple[Pixels, ...]
    small_every: int
    #: Frames as they are, for a sheet; none when there is to be no sheet.
    whole: tuple[Picture, ...]
    whole_every: int


def adapt_clip(job: AdaptJob, names: Names) -> tuple[OutputFile, ...]:
    """Return the MP4 first, its pictures untouched, then poster, GIF and WebP, then pages and sidecars if asked for.

    Raises `UnreadableClip`, and `SheetTooSmall` when maxSheetSize cannot hold a frame.
    """
    if job.clip is None:
        raise UnreadableClip("There is no clip.")
    facts = probe(job.clip)
    contents = _contents(job.clip, facts, with_sheet=bool(job.params.atlas_formats))
    fps = facts.fps or contents.count / max(facts.seconds, 1e-6)
    return (
        _video(job, names, facts, contents.count),
        _poster(job, names, contents.poster),
        *_previews(job, names, contents, fps),
        *_sheet(job, names, contents, fps),
    )


def _video(job: AdaptJob, names: Names, facts: ClipFacts, count: int) -> OutputFile:
    data = described(job.clip or b"", job.embedded)
    metadata: dict[str, object] = {
        "durationSeconds": round(count / facts.fps, 3) if facts.fps else round(facts.seconds, 3),
        "fps": round(facts.fps, 3),
        "frameCount": count,
        "codec": facts.codec,
        "pixelFormat": facts.pixel_format,
        "hasSound": facts.has_sound,
        **({"variation": job.variation + 1} if job.variations > 1 else {}),
    }
    return OutputFile(names.take(names.stem, EXTENSION), "video", MEDIA_TYPE, data, facts.width, facts.height, metadata)


def _contents(clip: bytes, facts: ClipFacts, *, with_sheet: bool) -> _Contents:
    """Go through the frames once, and keep only those that are needed."""
    expected = max(1, round(facts.fps * facts.seconds))
    small_every = max(1, round(facts.fps / _PREVIEW_FPS), -(-expected // _PREVIEW_FRAMES))
    held = min(MAX_FRAMES, max(2, _SHEET_PIXELS // (facts.width * facts.height)))
    whole_every = -(-expected // held)
    small: list[Pixels] = []
    whole: list[Picture] = []
    poster: Pixels | None = None
    count = 0
    for count, pixels in enumerate(read_frames(clip), start=1):
        place = count - 1
        if poster is None or place == expected // 2:
            poster = _opaque(pixels)
        if place % small_every == 0 and len(small) < _PREVIEW_FRAMES:
            small.append(_opaque(_reduced(pixels)))
        if with_sheet and place % whole_every == 0 and len(whole) < held:
            height, width = pixels.shape[:2]
            whole.append(
                Picture(encode_png(_opaque(pixels)), width, height, f"{_CLIP}/{len(whole)}", _CLIP, len(whole))
            )
    if poster is None:
        raise UnreadableClip("The clip holds no frame.")
    return _Contents(count, poster, tuple(small), small_every, tuple(whole), whole_every)


def _opaque(pixels: Pixels) -> Pixels:
    return np.dstack((pixels, np.full(pixels.shape[:2], 255, dtype=np.uint8)))


def _reduced(pixels: Pixels) -> Pixels:
    """Average squares of pixels, so that no side is longer than a preview's; rests at the edges are left out."""
    by = max(1, -(-max(pixels.shape[:2]) // _PREVIEW_SIDE))
    height, width = pixels.shape[0] // by, pixels.shape[1] // by
    squares = pixels[: height * by, : width * by].reshape(height, by, width, by, 3)
    small: Pixels = np.rint(squares.mean(axis=(1, 3))).astype(np.uint8)
    return small


def _poster(job: AdaptJob, names: Names, pixels: Pixels) -> OutputFile:
    data = encode_still(pixels, ImageFormat.PNG, job.embedded)
    height, width = pixels.shape[:2]
    kind = FILE_KINDS[ImageFormat.PNG]
    return OutputFile(names.part("poster", kind.extension), "poster", kind.media_type, data, width, height)


def _previews(job: AdaptJob, names: Names, contents: _Contents, fps: float) -> list[OutputFile]:
    frames = contents.small
    durations = _durations(len(frames), 1000 * contents.small_every / fps)
    xmp = xmp_packet(job.embedded) if job.embedded else None
    made = {
        ImageFormat.GIF: encode_animation(frames, durations, ImageFormat.GIF, job.embedded, loop=True),
        ImageFormat.WEBP: encode_animated_webp(frames, durations, loop=True, xmp=xmp, quality=_PREVIEW_QUALITY),
    }
    height, width = frames[0].shape[:2]
    files = []
    for image_format, data in made.items():
        metadata: dict[str, object] = {
            "name": _CLIP,
            "frameCount": len(frames),
            "durationsMs": held_durations(durations, image_format),
        }
        kind = FILE_KINDS[image_format]
        name = names.part("preview", kind.extension)
        files.append(OutputFile(name, "preview", kind.media_type, data, width, height, metadata))
    return files


def _durations(count: int, milliseconds: float) -> Sequence[int]:
    """Return whole milliseconds whose sum is right."""
    ends = [round(milliseconds * (number + 1)) for number in range(count)]
    return [end - start for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _sheet(job: AdaptJob, names: Names, contents: _Contents, fps: float) -> tuple[OutputFile, ...]:
    """Return the frames as an animation called "clip", packed as those of a spritesheet are."""
    if not contents.whole:
        return ()
    animation = Animation(_CLIP, len(contents.whole), max(1, round(fps / contents.whole_every)), loop=False)
    params = replace(job.params, animations=(animation,), format=ImageFormat.PNG)
    return adapt_sheet(replace(job, params=params, pictures=contents.whole), names, with_previews=False)
