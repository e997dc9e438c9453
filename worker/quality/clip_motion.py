"""How the frames of a clip follow each other: black ones, frozen ones, and whether it is a scene or noise."""

from dataclasses import dataclass
from typing import Final

from worker.artifacts import Verdict
from worker.quality.scores import HALF, at_most

#: A frame is black when 98 % of it are darker than this OKLab lightness.
_BLACK: Final = 0.12
#: Share of frames that may be black: a short fade.
_BLACK_SHARE: Final = 0.1
#: Mean OKLab change between two frames below which nothing moves; coding alone makes about a tenth of it.
_STILL: Final = 0.0006
#: How long nothing may move, as a share of the clip.
_FROZEN_SHARE: Final = 0.25
#: Mean OKLab change from frame to frame of a clip that cannot be followed: fast camera moves have 0.03, noise 0.3.
_RESTLESS: Final = 0.10


@dataclass(frozen=True, slots=True)
class Course:
    """A clip in numbers."""

    #: Of each frame: the OKLab lightness that 2 % of it reach.
    brightness: tuple[float, ...]
    #: From each frame to the next: the mean OKLab distance.
    changes: tuple[float, ...]
    fps: float

    @property
    def seconds(self) -> float:
        """How long the frames last."""
        return len(self.brightness) / self.fps if self.fps else 0.0


def check_black(course: Course) -> Verdict:
    """Score the share of black frames: a tenth is the limit."""
    black = sum(value < _BLACK for value in course.brightness)
    share = black / len(course.brightness)
    score = at_most(share, _BLACK_SHARE)
    if score >= HALF:
        return Verdict("clip_black", score, HALF, f"{black} of {len(course.brightness)} frames are black.")
    reason = f"{black} of {len(course.brightness)} frames are black. Show the scene from the first frame to the last."
    return Verdict("clip_black", score, HALF, reason)


def check_frozen(course: Course) -> Verdict:
    """Score the longest time in which nothing moves: a quarter of the clip is the limit."""
    longest = run = 0
    for change in course.changes:
        run = run + 1 if change < _STILL else 0
        longest = max(longest, run)
    score = at_most(longest / max(len(course.changes), 1), _FROZEN_SHARE) if course.changes else 0.0
    still = f"nothing moves for {longest / course.fps:.2f} s" if course.fps else "nothing moves"
    if score >= HALF:
        return Verdict("clip_frozen", score, HALF, f"The clip moves; at most {still}.")
    return Verdict(
        "clip_frozen", score, HALF, f"The clip is frozen: {still}. Let camera and subject move all the time."
    )


def check_steadiness(course: Course) -> Verdict:
    """Score the median change from frame to frame: what changes everywhere at once is noise, not a scene."""
    ordered = sorted(course.changes)
    median = ordered[len(ordered) // 2] if ordered else 0.0
    score = at_most(median, _RESTLESS)
    figures = f"the mean change from frame to frame is {median:.4f} (OKLab)"
    if score >= HALF:
        return Verdict("clip_steadiness", score, HALF, f"The frames follow each other smoothly: {figures}.")
    reason = f"The clip flickers: {figures}, {_RESTLESS:.2f} is the limit. Keep the scene from frame to frame."
    return Verdict("clip_steadiness", score, HALF, reason)
