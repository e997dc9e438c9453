"""Whether there is anything to see."""

from typing import Final

import numpy as np

from domain.kinds import AssetType
from worker.artifacts import Verdict
from worker.quality.subject import Frame, Measured, clipped

#: Share of visible pixels at which a transparent picture is full enough for full marks.
_COVERAGE: Final = 0.04
#: Standard deviation of OKLab colours at which an opaque picture has enough in it for full marks.
_SPREAD: Final = 0.03
#: From this coverage on, the outline tells nothing, and the colours must.
_FILLED: Final = 0.97
_THRESHOLD: Final = 0.5


def check_emptiness(measured: Measured) -> Verdict:
    """Score the emptiest picture: visible share against 4 %, or, when it is filled, colour spread against 0.03.

    Of a tileset the fullest tile counts, because a tile of one terrain may well be of one colour.
    """
    tiles = measured.subject.asset_type is AssetType.TILESET
    worst = (max if tiles else min)(measured.frames, key=_score)
    score = clipped(_score(worst))
    share = f"{worst.coverage:.0%} of {worst.picture.name!r} is visible"
    if score >= _THRESHOLD:
        reason = f"{share}."
    elif worst.coverage < _FILLED:
        reason = f"The picture is almost empty: only {share}. Draw the subject large and complete."
    else:
        reason = (
            f"The picture {worst.picture.name!r} is one flat color. Draw the subject with light, shadow and detail."
        )
    return Verdict("emptiness", score, _THRESHOLD, reason)


def _score(frame: Frame) -> float:
    if frame.coverage < _FILLED:
        return frame.coverage / _COVERAGE
    lab = frame.visible_lab
    spread = float(np.sqrt(((lab - lab.mean(axis=0)) ** 2).sum(axis=1).mean()))
    return spread / _SPREAD
