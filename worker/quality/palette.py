"""How far the colours are from those of the project's style."""

from typing import Final

import numpy as np

from worker.artifacts import Verdict
from worker.imaging.color import nearest, oklab, parse_palette
from worker.quality.subject import Measured, clipped

#: OKLab distances at which each half of the score is used up.
_MEAN: Final = 0.10
_P95: Final = 0.25
_THRESHOLD: Final = 0.5
#: A palette's color is used when this share of pixels is nearest to it.
_USED: Final = 0.002


def check_palette(measured: Measured) -> tuple[Verdict, ...]:
    """Score the mean and the 95th percentile of the visible pixels' distance to the palette; none when it is free."""
    if not measured.subject.style.palette:
        return ()
    palette_lab = oklab(parse_palette(measured.subject.style.palette)[:, :3])
    colors = np.concatenate([frame.visible_lab for frame in measured.frames])
    if not len(colors):
        return (Verdict("palette", 0.0, _THRESHOLD, "There is nothing visible whose colors could be compared."),)
    indices, distances = nearest(colors, palette_lab)
    mean, high = float(distances.mean()), float(np.percentile(distances, 95))
    score = clipped(1 - 0.5 * mean / _MEAN - 0.5 * high / _P95)
    figures = f"distance to the palette {mean:.3f} on average, {high:.3f} for the furthest twentieth (OKLab)"
    if score >= _THRESHOLD:
        used = int(np.count_nonzero(np.bincount(indices, minlength=len(palette_lab)) > _USED * len(colors)))
        reason = f"The colors fit the style: {figures}; {used} of {len(palette_lab)} colors are used."
    else:
        reason = (
            f"The colors are not the style's: {figures}. Use only " + " ".join(measured.subject.style.palette) + "."
        )
    return (Verdict("palette", score, _THRESHOLD, reason),)
