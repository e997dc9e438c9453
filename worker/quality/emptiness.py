"""Whether there is anything to see."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from domain.kinds import AssetType
from worker.artifacts import Verdict
from worker.quality.animation_names import may_vanish
from worker.quality.frames import Frame, Measured
from worker.quality.scores import HALF, at_least

#: Least share of visible pixels of a transparent picture.
_COVERAGE: Final = 0.02
#: Least standard deviation of the OKLab colours of a picture that is filled.
_SPREAD: Final = 0.015
#: From this coverage on, the outline tells nothing, and the colours must.
_FILLED: Final = 0.97


def check_emptiness(measured: Measured) -> Verdict:
    """Score the emptiest picture: its visible share against 2 % or, when it is filled, its colours' spread.

    Of a tileset the fullest tile counts, because a tile of one terrain may well be of one colour; and of an animation
    in which the figure vanishes the fullest frame.
    """
    worst = min((max(group, key=_score) for group in _groups(measured)), key=_score)
    score = _score(worst)
    share = f"{worst.coverage:.1%} of {worst.picture.name!r} is visible"
    if score >= HALF:
        return Verdict("emptiness", score, HALF, f"There is something to see: {share}.")
    if worst.coverage < _FILLED:
        reason = f"The picture is almost empty: only {share}, {_COVERAGE:.0%} is the least. Draw the subject large."
    else:
        reason = f"The picture {worst.picture.name!r} is one flat color. Draw the subject with light and shadow."
    return Verdict("emptiness", score, HALF, reason)


def _groups(measured: Measured) -> Sequence[Sequence[Frame]]:
    """Return the pictures in groups of which only the fullest has to show something."""
    if measured.subject.asset_type is AssetType.TILESET:
        return [measured.frames]
    vanishing = [frames for name, frames in measured.animations().items() if may_vanish(name)]
    others = [frame for frame in measured.frames if not may_vanish(frame.picture.animation or "")]
    return [*vanishing, *([frame] for frame in others)]


def _score(frame: Frame) -> float:
    if frame.coverage < _FILLED:
        return at_least(frame.coverage, _COVERAGE)
    lab = frame.visible_lab
    spread = float(np.sqrt(((lab - lab.mean(axis=0)) ** 2).sum(axis=1).mean())) if len(lab) else 0.0
    return at_least(spread, _SPREAD)
