"""Half-transparent pixels at a subject's edge that a removed background left behind."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.imaging.color import distance, oklab
from worker.imaging.indexed import Pixels
from worker.quality.outskirts import OPAQUE_ALPHA
from worker.quality.visible import Mask

#: Least alpha, of 255, of a pixel that can be seen as a rim.
_FAINT: Final = 16
#: OKLab distance from every opaque colour nearby from which a rim pixel is not the subject's.
_STRAY: Final = 0.20
#: OKLab chroma below which a rim darker than everything nearby is an outline, drawn thin or scaled down.
_COLORFUL: Final = 0.12
#: How far, in pixels, opaque colours are looked for.
_REACH: Final = 2
#: Rim pixels looked at; of more, every n-th.
_POINTS: Final = 4096


@dataclass(frozen=True, slots=True)
class Fringe:
    """How long the subject's outline is, and how much of it is a rim in a colour that is not the subject's; pixels."""

    outline: int
    stray: float

    @property
    def share(self) -> float:
        """Stray rim pixels for one pixel of outline, at most 1."""
        return min(self.stray / self.outline, 1.0) if self.outline else 0.0


def find_fringe(pixels: Pixels, seen: Mask) -> Fringe:
    """Compare half-transparent pixels with the opaque ones within two pixels: at full size, because a rim is thin.

    What lies between the subject and nothing, both within two pixels, is a rim; wider is a glow or a shadow.
    """
    alpha = pixels[..., 3]
    soft = np.flatnonzero((alpha >= _FAINT) & (alpha < OPAQUE_ALPHA))
    if not soft.size:
        return Fringe(0, 0.0)
    step = -(-soft.size // _POINTS)
    rows, columns = np.divmod(soft[::step], alpha.shape[1])
    return Fringe(_outline(seen), float(np.count_nonzero(_is_stray(pixels, rows, columns))) * step)


def _is_stray(pixels: Pixels, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Mask:
    own = oklab(pixels[rows, columns, :3])
    nearest, darkest = (np.full(len(rows), np.inf, dtype=np.float32) for _ in range(2))
    ends = np.zeros(len(rows), dtype=np.bool_)
    reach = range(-_REACH, _REACH + 1)
    for down in reach:
        for across in reach:
            y = np.clip(rows + down, 0, pixels.shape[0] - 1)
            x = np.clip(columns + across, 0, pixels.shape[1] - 1)
            near = pixels[y, x]
            lab, opaque = oklab(near[:, :3]), near[:, 3] >= OPAQUE_ALPHA
            nearest = np.where(opaque, np.minimum(nearest, distance(own, lab)), nearest)
            darkest = np.where(opaque, np.minimum(darkest, lab[:, 0]), darkest)
            ends |= near[:, 3] < _FAINT
    outline = (own[:, 0] < darkest) & (np.hypot(own[:, 1], own[:, 2]) < _COLORFUL)
    stray: Mask = (nearest > _STRAY) & np.isfinite(nearest) & ends & ~outline
    return stray


def _outline(seen: Mask) -> int:
    """Count the visible pixels with an invisible one above, below or beside."""
    inner = seen.copy()
    inner[1:] &= seen[:-1]
    inner[:-1] &= seen[1:]
    inner[:, 1:] &= seen[:, :-1]
    inner[:, :-1] &= seen[:, 1:]
    return int(np.count_nonzero(seen)) - int(np.count_nonzero(inner))
