"""Whether there is enough drawn within the outline."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from domain.kinds import AssetType
from worker.artifacts import Verdict
from worker.imaging.color import distance, oklab
from worker.quality.frames import Frame, Measured
from worker.quality.scores import HALF, at_least
from worker.quality.visible import visible_mask

#: Least mean OKLab step between neighbours at 64 pixels a side; a flat icon with one highlight has 0.003.
_LEAST: Final[Mapping[AssetType, float]] = {
    AssetType.SPRITE: 0.002,
    AssetType.SPRITESHEET: 0.002,
    AssetType.ICON: 0.002,
    AssetType.PORTRAIT: 0.002,
    AssetType.UI: 0.001,
    AssetType.BACKGROUND: 0.0015,
    AssetType.TILESET: 0.001,
    AssetType.VIDEO: 0.0015,
}
_SIDE: Final = 64


def check_detail(measured: Measured) -> Verdict:
    """Score the mean step of colour between visible neighbours, at 64 pixels a side whatever the size is.

    Of a sheet or tileset the picture with the most detail counts: a plain tile among others is fine.
    """
    least = _LEAST[measured.subject.asset_type]
    detail = max(_detail(frame) for frame in measured.frames)
    score = at_least(detail, least)
    figures = f"the mean step between neighbouring colors is {detail:.4f} (OKLab)"
    if score >= HALF:
        return Verdict("detail", score, HALF, f"There is enough detail: {figures}.")
    reason = f"There is too little detail: {figures}, {least:.4f} is the least. Draw shapes, edges and shading."
    return Verdict("detail", score, HALF, reason)


def _detail(frame: Frame) -> float:
    step = max(1, max(frame.sample.shape[:2]) // _SIDE)
    small = frame.sample[::step, ::step]
    lab, seen = oklab(small[..., :3]), visible_mask(small)
    across, down = seen[:, 1:] & seen[:, :-1], seen[1:] & seen[:-1]
    steps = np.concatenate(
        [distance(lab[:, 1:], lab[:, :-1])[across], distance(lab[1:], lab[:-1])[down]],
    )
    return float(steps.mean()) if steps.size else 0.0
