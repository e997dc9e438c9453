"""Whether the frames of an animation are one figure: same size, place and colours, and yet not standing still."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.artifacts import Verdict
from worker.imaging.color import distance
from worker.quality.subject import VISIBLE_ALPHA, Frame, Measured, clipped

_SIZE_THRESHOLD: Final = 0.5
#: Step of the centre between two frames, as a share of the frame's side, that brings the score to 0.
_STEP: Final = 0.4
_POSITION_THRESHOLD: Final = 0.5
#: OKLab distance of a frame's mean colour from the others' that brings the score to 0.
_SHIFT: Final = 0.2
_PALETTE_THRESHOLD: Final = 0.5
#: Share of visible pixels that must change over an animation for full marks.
_MOTION: Final = 0.01
_MOTION_THRESHOLD: Final = 0.2
#: Words in the name of an animation whose sense is that the figure vanishes, or flashes.
_VANISHING: Final = ("death", "die", "dead", "spawn", "vanish", "appear", "explo", "teleport", "死", "消失", "爆")
#: Words in the name of an animation whose sense is a sudden move: twice the step is allowed.
_LEAPING: Final = (
    *_VANISHING,
    *("attack", "strike", "slash", "stab", "punch", "kick", "lunge", "charge", "dash", "roll"),
    *("jump", "leap", "fall", "dodge", "攻击", "跳", "冲", "闪避", "翻滚"),
)
_FLASHING: Final = (*_VANISHING, "hurt", "hit", "damage", "flash", "cast", "受伤", "受击")


def check_animation(measured: Measured) -> tuple[Verdict, ...]:
    """Return four verdicts for a spritesheet, none for anything else; each is that of the worst animation."""
    animations = {name: frames for name, frames in measured.animations.items() if len(frames) > 1}
    if not animations:
        return ()
    checks = (_size, _position, _palette, _motion)
    return tuple(
        min((check(name, frames) for name, frames in animations.items()), key=lambda verdict: verdict.score)
        for check in checks
    )


def _named(name: str, words: Sequence[str]) -> bool:
    lowered = name.casefold()
    return any(word in lowered for word in words)


def _size(name: str, frames: Sequence[Frame]) -> Verdict:
    """Score the smallest visible area against the largest: squashing keeps it, scaling does not."""
    if _named(name, _VANISHING):
        return Verdict("frame_size", 1.0, _SIZE_THRESHOLD, f"In {name!r} the figure may vanish.")
    areas = [frame.coverage for frame in frames]
    score = clipped(min(areas) / max(areas) if max(areas) else 0.0)
    if score >= _SIZE_THRESHOLD:
        return Verdict("frame_size", score, _SIZE_THRESHOLD, "The figure keeps its size from frame to frame.")
    smallest = int(np.argmin(areas))
    reason = (
        f"In {name!r} the figure of frame {smallest} covers only {score:.0%} of the area of the largest one. "
        "Draw it in the same size in every frame."
    )
    return Verdict("frame_size", score, _SIZE_THRESHOLD, reason)


def _position(name: str, frames: Sequence[Frame]) -> Verdict:
    """Score the longest step of the figure's centre between two frames; sudden moves may be twice as long."""
    centers = np.array([_center(frame) for frame in frames])
    steps = np.abs(np.diff(centers, axis=0)).max(axis=1)
    longest = float(steps.max())
    allowed = 2 * _STEP if _named(name, _LEAPING) else _STEP
    score = clipped(1 - longest / allowed)
    if score >= _POSITION_THRESHOLD:
        return Verdict("frame_position", score, _POSITION_THRESHOLD, "The figure moves without jumping.")
    place = int(steps.argmax())
    reason = (
        f"In {name!r} the figure jumps by {longest:.0%} of the frame between frames {place} and {place + 1}. "
        "Keep it in one place, with its feet on one line."
    )
    return Verdict("frame_position", score, _POSITION_THRESHOLD, reason)


def _center(frame: Frame) -> tuple[float, float]:
    rows, columns = np.nonzero(frame.pixels[..., 3] >= VISIBLE_ALPHA)
    if not rows.size:
        return 0.5, 0.5
    height, width = frame.pixels.shape[:2]
    return float(columns.mean()) / width, float(rows.mean()) / height


def _palette(name: str, frames: Sequence[Frame]) -> Verdict:
    """Score how far a frame's mean colour is from the middle of all frames."""
    if _named(name, _FLASHING):
        return Verdict("frame_palette", 1.0, _PALETTE_THRESHOLD, f"In {name!r} the figure may flash.")
    means = np.array([frame.visible_lab.mean(axis=0) if len(frame.visible_lab) else [0, 0, 0] for frame in frames])
    shifts: NDArray[np.float32] = distance(means, np.median(means, axis=0))
    furthest = float(shifts.max())
    score = clipped(1 - furthest / _SHIFT)
    if score >= _PALETTE_THRESHOLD:
        return Verdict("frame_palette", score, _PALETTE_THRESHOLD, "The colors are the same in every frame.")
    reason = (
        f"In {name!r} the colors of frame {int(shifts.argmax())} are {furthest:.2f} (OKLab) away from the others'. "
        "Use the same colors in every frame."
    )
    return Verdict("frame_palette", score, _PALETTE_THRESHOLD, reason)


def _motion(name: str, frames: Sequence[Frame]) -> Verdict:
    """Score the share of visible pixels that change between the two consecutive frames that differ most."""
    changed = max(_changed(first, second) for first, second in pairwise(frames))
    score = clipped(changed / _MOTION)
    if score >= _MOTION_THRESHOLD:
        return Verdict("frame_motion", score, _MOTION_THRESHOLD, "Every animation moves.")
    reason = f"The {len(frames)} frames of {name!r} are practically equal. Draw a different pose in each frame."
    return Verdict("frame_motion", score, _MOTION_THRESHOLD, reason)


def _changed(first: Frame, second: Frame) -> float:
    if first.size != second.size:
        return 1.0
    seen = (first.pixels[..., 3] >= VISIBLE_ALPHA) | (second.pixels[..., 3] >= VISIBLE_ALPHA)
    visible = int(np.count_nonzero(seen))
    if not visible:
        return 0.0
    differs = (first.pixels != second.pixels).any(axis=2) & seen
    return float(np.count_nonzero(differs)) / visible
