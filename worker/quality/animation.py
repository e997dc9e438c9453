"""Whether the frames of an animation are one figure: same size, place and colours, and yet not standing still."""

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Final

import numpy as np

from worker.artifacts import Verdict
from worker.imaging.color import distance, oklab
from worker.quality.animation_names import may_flash, may_leap, may_vanish
from worker.quality.figure import Figure, color_distance
from worker.quality.frames import Frame, Measured
from worker.quality.scores import HALF, at_least, at_most, clipped
from worker.quality.visible import visible_mask

#: How many times as large the largest figure may be as the smallest, as a length; the second where it may leap.
_SCALES: Final = (1.25, 1.5)
#: How far a figure may move over the whole animation, as a share of the frame's side; likewise.
_SHIFTS: Final = (0.15, 0.42)
#: How far the distributions of two frames' colours may be apart (OKLab).
_COLORS: Final = 0.09
#: Least share of visible pixels that change between two frames, and from which OKLab distance or alpha one has.
_MOTION: Final = 0.004
_CHANGE: Final = 0.02
_ALPHA_CHANGE: Final = 24


def check_animation(measured: Measured) -> tuple[Verdict, ...]:
    """Return four verdicts for a spritesheet, none for anything else; each is that of the worst animation."""
    animations = {name: frames for name, frames in measured.animations().items() if len(frames) > 1}
    if not animations:
        return ()
    checks = (_size, _position, _palette, _motion)
    return tuple(
        min((check(name, frames) for name, frames in animations.items()), key=lambda verdict: verdict.score)
        for check in checks
    )


def _figures(frames: Sequence[Frame]) -> list[Figure]:
    return [frame.figure for frame in frames if frame.figure is not None]


def _size(name: str, frames: Sequence[Frame]) -> Verdict:
    """Score the largest ratio of two figures' lengths, on a logarithmic scale: 1 is the same size, 0 the limit squared.

    Area and spread have to agree on it, so that squashing, raised swords and trails of light are no other size.
    """
    if may_vanish(name):
        return Verdict("frame_size", 1.0, HALF, f"In {name!r} the figure may vanish.")
    figures = _figures(frames)
    if len(figures) < len(frames):
        gone = next(index for index, frame in enumerate(frames) if frame.figure is None)
        return Verdict("frame_size", 0.0, HALF, f"Frame {gone} of {name!r} is empty. Draw the figure in every frame.")
    scale = max(first.scale_to(second) for first in figures for second in figures)
    score = at_most(float(np.log(scale)), float(np.log(_SCALES[may_leap(name)])))
    if score >= HALF:
        return Verdict("frame_size", score, HALF, "The figure keeps its size from frame to frame.")
    odd = _odd_one([[abs(float(np.log(one.scale_to(other)))) for other in figures] for one in figures])
    reason = (
        f"In {name!r} the largest figure is {scale:.2f} times as large as the smallest; frame {odd} differs most from "
        "the others. Draw it at the same scale in every frame."
    )
    return Verdict("frame_size", score, HALF, reason)


def _position(name: str, frames: Sequence[Frame]) -> Verdict:
    """Score how far the figure moves over the whole animation: 0.15 of the frame is the limit, 0.42 where it may leap.

    Sideways its middle and its box, upwards its middle and its ground line have to agree, so that bending, crouching
    and swinging something is no drift.
    """
    figures = _figures(frames)
    if not figures:
        return Verdict("frame_position", 0.0, HALF, f"The frames of {name!r} are empty.")
    sideways = min(_range([figure.median_x for figure in figures]), _range([figure.box_x for figure in figures]))
    upwards = min(_range([figure.median_y for figure in figures]), _range([figure.bottom for figure in figures]))
    furthest, way = max((sideways, "sideways"), (upwards, "up and down"))
    score = at_most(furthest, _SHIFTS[may_leap(name)])
    if score >= HALF:
        return Verdict("frame_position", score, HALF, "The figure keeps its place.")
    reason = (
        f"In {name!r} the figure drifts {way} by {furthest:.0%} of the frame. "
        "Keep it in one place, with its feet on one line."
    )
    return Verdict("frame_position", score, HALF, reason)


def _odd_one(differences: Sequence[Sequence[float]]) -> int:
    """Return which one differs most from all others."""
    return int(np.argmax([sum(row) for row in differences]))


def _range(values: Sequence[float]) -> float:
    return max(values) - min(values)


def _palette(name: str, frames: Sequence[Frame]) -> Verdict:
    """Score the two frames whose distributions of colours are furthest apart: 0.09 (OKLab) is the limit."""
    if may_flash(name):
        return Verdict("frame_palette", 1.0, HALF, f"In {name!r} the figure may flash.")
    figures = _figures(frames)
    furthest = max((color_distance(first, second) for first, second in combinations(figures, 2)), default=0.0)
    score = at_most(furthest, _COLORS)
    if score >= HALF:
        return Verdict("frame_palette", score, HALF, "The colors are the same in every frame.")
    odd = _odd_one([[color_distance(one, other) for other in figures] for one in figures])
    reason = (
        f"In {name!r} the colors of frame {odd} are up to {furthest:.2f} (OKLab) away from the others'. "
        "Use the same colors in every frame."
    )
    return Verdict("frame_palette", score, HALF, reason)


def _motion(name: str, frames: Sequence[Frame]) -> Verdict:
    """Score the share of visible pixels that change between the two consecutive frames that differ most."""
    changed = max(_changed(first, second) for first, second in pairwise(frames))
    score = at_least(changed, _MOTION)
    if score >= HALF:
        return Verdict("frame_motion", score, HALF, "Every animation moves.")
    reason = (
        f"The {len(frames)} frames of {name!r} are practically equal: at most {clipped(changed):.2%} of the figure "
        "changes. Draw a different pose in each frame."
    )
    return Verdict("frame_motion", score, HALF, reason)


def _changed(first: Frame, second: Frame) -> float:
    """Return the share of the visible pixels that look different; all of them when the sizes differ."""
    one, other = first.sample, second.sample
    if one.shape != other.shape:
        return 1.0
    seen = visible_mask(one) | visible_mask(other)
    visible = int(np.count_nonzero(seen))
    differs = seen & (one != other).any(axis=2)
    before, after = one[differs], other[differs]
    faded = np.abs(before[:, 3].astype(np.int16) - after[:, 3]) >= _ALPHA_CHANGE
    recolored = distance(oklab(before[:, :3]), oklab(after[:, :3])) >= _CHANGE
    return float(np.count_nonzero(faded | recolored)) / max(visible, 1)
