"""How far the colours are from those of the project's style."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.artifacts import Verdict
from worker.imaging.color import Bytes, Floats, nearest, oklab, parse_palette, unique_colors
from worker.quality.frames import Measured
from worker.quality.scores import HALF, clipped

#: OKLab distances at which each half of the score is used up.
_MEAN: Final = 0.10
_P95: Final = 0.25
#: A palette's color is used when this share of pixels is nearest to it.
_USED: Final = 0.002
#: Colours that a reason names.
_NAMED: Final = 3


def check_palette(measured: Measured) -> tuple[Verdict, ...]:
    """Score the visible pixels' distance to the palette, every pixel alike; nothing when the style has none.

    Half of the score is lost at a mean of 0.10, the other half at 0.25 for the furthest twentieth.
    """
    palette = parse_palette(measured.subject.style.palette)
    palette = palette[palette[:, 3] > 0][:, :3]
    if not len(palette):
        return ()
    pixels = np.concatenate([frame.visible_rgb for frame in measured.frames])
    if not len(pixels):
        return (Verdict("palette", 0.0, HALF, "There is nothing visible whose colors could be compared."),)
    colors, inverse, counts = unique_colors(pixels)
    indices, distances = nearest(oklab(colors), oklab(palette))
    apart = distances[inverse]
    mean, high = float(apart.mean()), float(np.percentile(apart, 95))
    score = clipped(1 - 0.5 * mean / _MEAN - 0.5 * high / _P95)
    figures = f"{mean:.3f} from the palette on average, {high:.3f} for the furthest twentieth (OKLab)"
    if score < HALF:
        return (Verdict("palette", score, HALF, _reason(figures, colors, distances * counts, palette[indices])),)
    share = np.bincount(indices, weights=counts, minlength=len(palette)) / len(pixels)
    used = int(np.count_nonzero(share > _USED))
    reason = f"The colors fit the style: they are {figures}; {used} of {len(palette)} colors are used."
    return (Verdict("palette", score, HALF, reason),)


def _reason(figures: str, colors: Bytes, harm: NDArray[np.float64] | Floats, instead: Bytes) -> str:
    worst = np.argsort(-harm, kind="stable")[:_NAMED]
    pairs = ", ".join(f"{_hex(instead[place])} instead of {_hex(colors[place])}" for place in worst)
    return f"The colors are not the style's: they are {figures}. Use only the style's colors: {pairs}."


def _hex(color: Bytes) -> str:
    return "#" + bytes(color.tolist()).hex()
