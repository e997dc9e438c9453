"""Whether light and dark differ enough to read the picture."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from domain.kinds import AssetType
from worker.artifacts import Verdict
from worker.quality.frames import Measured
from worker.quality.scores import HALF, at_least

#: Least contrast, in OKLab lightness; small things that must be understood at a glance need the most.
_LEAST: Final[Mapping[AssetType, float]] = {
    AssetType.SPRITE: 0.14,
    AssetType.SPRITESHEET: 0.14,
    AssetType.ICON: 0.20,
    AssetType.UI: 0.18,
    AssetType.PORTRAIT: 0.16,
    AssetType.BACKGROUND: 0.08,
    AssetType.TILESET: 0.04,
    AssetType.VIDEO: 0.08,
}
#: A difference of hue helps to tell things apart half as much as one of lightness.
_HUE_WEIGHT: Final = 0.5


def check_contrast(measured: Measured) -> Verdict:
    """Score the spread of lightness, and half that of hue, over all pictures between the 5th and 95th percentile."""
    subject = measured.subject
    # A ground that repeats must be quiet, as tiles are.
    least = _LEAST[AssetType.TILESET if subject.params.seamless else subject.asset_type]
    lab = np.concatenate([frame.visible_lab for frame in measured.frames])
    low, high = np.percentile(lab, [5, 95], axis=0) if len(lab) else (np.zeros(3), np.zeros(3))
    lightness, green_red, blue_yellow = (float(value) for value in high - low)
    contrast = float(np.hypot(lightness, _HUE_WEIGHT * np.hypot(green_red, blue_yellow)))
    score = at_least(contrast, least)
    figures = f"lightness spans {lightness:.2f} of 1, with hues {contrast:.2f}"
    if score >= HALF:
        return Verdict("contrast", score, HALF, f"There is enough contrast: {figures}.")
    reason = f"There is too little contrast: {figures}, {least:.2f} is the least. Use darker shadows, brighter lights."
    return Verdict("contrast", score, HALF, reason)
