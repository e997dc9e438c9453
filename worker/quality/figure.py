"""A frame's figure: how large, where, and in which colours."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from worker.imaging.color import Floats
from worker.quality.visible import Mask

_QUANTILES: Final = np.linspace(0.05, 0.95, 16)


@dataclass(frozen=True, slots=True)
class Figure:
    """Measures of what is visible. Lengths are shares of the frame's longer side, places shares of its sides."""

    #: Side of a square of the same area.
    side: float
    #: How far its pixels lie from its middle, the geometric mean of both directions: squashing keeps it.
    spread: float
    #: Median column, and the middle of the box around it.
    median_x: float
    box_x: float
    #: Median row, and the lowest row: the ground line.
    median_y: float
    bottom: float
    #: 16 quantiles each of OKLab's three axes, (48,): the distribution of colours, whatever the pose.
    colors: Floats

    def scale_to(self, other: "Figure") -> float:
        """Return how many times as large this is, by area or by spread, whichever says the less.

        A raised sword changes the spread, a trail of light the area; another scale changes both.
        """
        by_area, by_spread = np.log(self.side / other.side), np.log(self.spread / other.spread)
        if by_area * by_spread <= 0:
            return 1.0
        return float(np.exp(min(by_area, by_spread, key=abs)))


def describe(seen: Mask, lab: Floats) -> Figure | None:
    """Measure the visible pixels of a frame, of which `lab` are the colours; None when there are none."""
    rows, columns = np.nonzero(seen)
    if not rows.size:
        return None
    height, width = seen.shape
    longer = max(height, width)
    middle_x, middle_y = float(np.median(columns)), float(np.median(rows))
    # Half a pixel is added: a figure one pixel wide has an extent too.
    across, down = float(np.abs(columns - middle_x).mean()) + 0.5, float(np.abs(rows - middle_y).mean()) + 0.5
    return Figure(
        side=float(np.sqrt(rows.size)) / longer,
        spread=float(np.sqrt(across * down)) / longer,
        median_x=(middle_x + 0.5) / width,
        box_x=(int(columns.min()) + int(columns.max()) + 1) / 2 / width,
        median_y=(middle_y + 0.5) / height,
        bottom=(int(rows.max()) + 1) / height,
        colors=np.quantile(lab, _QUANTILES, axis=0).T.ravel().astype(np.float32),
    )


def color_distance(first: Figure, second: Figure) -> float:
    """Return how far two figures' distributions of colours are apart: mean OKLab distance from quantile to quantile."""
    apart = np.abs(first.colors - second.colors).reshape(3, -1).mean(axis=1)
    return float(np.sqrt((apart**2).sum()))
