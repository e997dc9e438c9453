"""Whether light and dark differ enough to read the picture."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from domain.kinds import AssetType
from worker.artifacts import Verdict
from worker.quality.subject import Measured, clipped

#: Least distance in OKLab lightness between the 5th and the 95th percentile.
_LEAST: Final[Mapping[AssetType, float]] = {
    AssetType.SPRITE: 0.14,
    AssetType.SPRITESHEET: 0.14,
    AssetType.ICON: 0.20,
    AssetType.UI: 0.10,
    AssetType.PORTRAIT: 0.16,
    AssetType.BACKGROUND: 0.08,
    AssetType.TILESET: 0.03,
    AssetType.VIDEO: 0.08,
}
_THRESHOLD: Final = 0.5


def check_contrast(measured: Measured) -> Verdict:
    """Score the spread of lightness over all pictures; the least that passes depends on the asset type."""
    least = _LEAST[measured.subject.asset_type]
    lightness = np.concatenate([frame.visible_lab[:, 0] for frame in measured.frames])
    low, high = np.percentile(lightness, [5, 95]) if len(lightness) else (0.0, 0.0)
    spread = float(high - low)
    score = clipped(_THRESHOLD * spread / least)
    figures = f"lightness spans {spread:.2f} of 1"
    if score >= _THRESHOLD:
        return Verdict("contrast", score, _THRESHOLD, f"There is enough contrast: {figures}.")
    reason = f"There is too little contrast: {figures}, {least:.2f} is needed. Use darker shadows and brighter lights."
    return Verdict("contrast", score, _THRESHOLD, reason)
