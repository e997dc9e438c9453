"""All checks over a clip: what it says of itself, what its frames show, and how they follow each other."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from worker.artifacts import Picture, Verdict
from worker.imaging.color import Floats, oklab
from worker.imaging.indexed import Pixels
from worker.quality.clip_facts import check_clip_codec, check_clip_duration, check_clip_size
from worker.quality.clip_motion import Course, check_black, check_frozen, check_steadiness
from worker.quality.contrast import check_contrast
from worker.quality.detail import check_detail
from worker.quality.emptiness import check_emptiness
from worker.quality.frames import Frame, Measured, frame_of
from worker.quality.subject import QualitySubject
from worker.video.errors import UnreadableClip
from worker.video.read import ClipFacts, probe, read_frames

#: Frames are compared at most so many pixels wide.
_COURSE_SIDE: Final = 128
#: Frames that are looked at as pictures, evenly over the clip.
_LOOKS: Final = 5
_LOOK_SIDE: Final = 256


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one pass over the frames found."""

    course: Course
    frames: tuple[Frame, ...]


def measure_clip(subject: QualitySubject) -> tuple[Verdict, ...]:
    """Return the verdicts over a clip, in a fixed order. Never raises for what a provider sent."""
    if subject.clip is None:
        return (Verdict("readable", 0.0, 1.0, "The provider sent no clip."),)
    try:
        facts = probe(subject.clip)
        seen = _watch(subject, subject.clip, facts)
    except UnreadableClip as error:
        return (Verdict("readable", 0.0, 1.0, f"{error} Send a complete MP4."),)
    measured = Measured(subject, seen.frames)
    return (
        check_clip_size(subject, facts),
        check_clip_duration(subject, seen.course.seconds),
        check_clip_codec(facts),
        check_black(seen.course),
        check_frozen(seen.course),
        check_steadiness(seen.course),
        check_emptiness(measured),
        check_detail(measured),
        check_contrast(measured),
    )


def _watch(subject: QualitySubject, clip: bytes, facts: ClipFacts) -> _Seen:
    """Go through the frames once; only small samples of them are kept."""
    expected = max(1, round(facts.fps * facts.seconds))
    wanted = {round(place * (expected - 1) / (_LOOKS - 1)) for place in range(_LOOKS)}
    brightness: list[float] = []
    changes: list[float] = []
    frames: list[Frame] = []
    before: Floats | None = None
    for number, pixels in enumerate(read_frames(clip)):
        lab = _small(pixels)
        brightness.append(float(np.percentile(lab[..., 0], 98)))
        if before is not None and before.shape == lab.shape:
            changes.append(float(np.sqrt(((lab - before) ** 2).sum(axis=2)).mean()))
        before = lab
        if number in wanted:
            frames.append(_look(subject, pixels, number))
    if not frames:
        raise UnreadableClip("The clip holds no frame.")
    fps = facts.fps or len(brightness) / max(facts.seconds, 1e-6)
    return _Seen(Course(tuple(brightness), tuple(changes), fps), tuple(frames))


def _small(pixels: Pixels) -> Floats:
    step = max(1, -(-max(pixels.shape[:2]) // _COURSE_SIDE))
    return oklab(np.ascontiguousarray(pixels[::step, ::step]))


def _look(subject: QualitySubject, pixels: Pixels, number: int) -> Frame:
    height, width = pixels.shape[:2]
    opaque = np.dstack((pixels, np.full((height, width), 255, dtype=np.uint8)))
    return frame_of(subject, Picture(b"", width, height, f"frame {number}"), opaque, _LOOK_SIDE)
