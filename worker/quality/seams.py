"""How well pictures join: with themselves when they are to wrap, with each other when they are tiles.

A step of colour across a seam does no harm where the picture has such steps anyway. What remains of it after the steps
that the same lines have inside is the unexplained step, an OKLab distance, and that is what is seen as a seam.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from worker.imaging.color import Floats, distance, oklab
from worker.imaging.indexed import Pixels

#: Steps below this OKLab distance cannot be seen.
INVISIBLE: Final = 0.01
#: Lines across a seam that are looked at; of more, every n-th.
_LINES: Final = 96
_TILE_LINES: Final = 48
#: Share of a picture's width, on either side of the seam, whose steps explain one across it; at least 4 pixels.
_NEAR: Final = 1 / 8
_LEAST_NEAR: Final = 4
#: Blocks a side of the coarse picture in which a seam shows that fine texture hides, and those that are near.
_BLOCKS: Final = 16
_NEAR_BLOCKS: Final = 5


@dataclass(frozen=True, slots=True)
class Join:
    """How a picture's end joins its beginning in one direction."""

    #: Mean step across the seam, the largest mean step inside, and the mean unexplained step; OKLab distances.
    step: float
    inside: float
    unexplained: float


@dataclass(frozen=True, slots=True)
class Wrap:
    """How a picture joins itself: its right with its left, its bottom with its top."""

    across: Join
    down: Join


@dataclass(frozen=True, slots=True)
class Edge:
    """One direction of a tile: its first and last colours (lines, 3), and the largest step of each line (lines,)."""

    first: Floats
    last: Floats
    inside: Floats


@dataclass(frozen=True, slots=True)
class Edges:
    """A tile's edges from left to right, and from top to bottom."""

    across: Edge
    down: Edge


def wrap_of(pixels: Pixels) -> Wrap:
    """Measure how a picture wraps in both directions."""
    return Wrap(_join(_lines(pixels, _LINES)), _join(_lines(pixels.swapaxes(0, 1), _LINES)))


def edges_of(pixels: Pixels) -> Edges:
    """Measure a tile's edges in both directions."""
    return Edges(_edge(_lines(pixels, _TILE_LINES)), _edge(_lines(pixels.swapaxes(0, 1), _TILE_LINES)))


def unexplained(before: Edge, after: Edge) -> float | None:
    """Return the mean step from one tile to the next that either of them has no like of; None if they do not meet.

    Each tile alone has to explain the step: a stray line at the edge of one is no feature of the other.
    """
    if before.last.shape != after.first.shape:
        return None
    seam = distance(before.last, after.first)
    return max(_remainder(seam, before.inside), _remainder(seam, after.inside))


def _lines(pixels: Pixels, number: int) -> Floats:
    """Return at most `number` lines, (lines, length, 3) in OKLab; what is invisible is black."""
    thin = pixels[:: -(-pixels.shape[0] // number)]
    return oklab(thin[..., :3] * (thin[..., 3:] > 0))


def _edge(lab: Floats) -> Edge:
    return Edge(lab[:, 0].copy(), lab[:, -1].copy(), _largest(distance(lab[:, 1:], lab[:, :-1])))


def _join(lab: Floats) -> Join:
    steps = distance(lab[:, 1:], lab[:, :-1])
    seam = distance(lab[:, -1], lab[:, 0])
    near = max(int(lab.shape[1] * _NEAR), _LEAST_NEAR)
    fine = _remainder(seam, _largest(_beside(steps, near)))
    if fine > INVISIBLE:  # looking everywhere takes the longest
        fine = min(fine, _repeated(lab))
    return Join(
        step=float(seam.mean()),
        inside=float(steps.mean(axis=0).max()) if steps.size else 0.0,
        unexplained=max(fine, _coarse(lab)),
    )


def _beside(steps: Floats, near: int) -> Floats:
    """Return the steps next to the seam on both sides of it."""
    return np.concatenate([steps[:, :near], steps[:, -near:]], axis=1)


def _largest(steps: Floats) -> Floats:
    """Return the largest step of each line and its two neighbours, because outlines lean; (lines,)."""
    largest = steps.max(axis=1, initial=INVISIBLE)
    padded = np.pad(largest, 1, mode="edge")
    widened: Floats = np.maximum(np.maximum(padded[:-2], padded[2:]), largest)
    return widened


def _remainder(seam: Floats, inside: Floats) -> float:
    return float(np.maximum(seam - inside, 0).mean())


def _repeated(lab: Floats) -> float:
    """Return what of the seam is left when the same edge, up or down, is found elsewhere in the picture.

    So a chequered picture may be cut along the edge of its squares.
    """
    steps = lab[:, 1:] - lab[:, :-1]
    seam = (lab[:, 0] - lab[:, -1])[:, None]
    likest = min(float(distance(seam, sign * steps).mean(axis=0).min()) for sign in (1, -1))
    return max(likest - INVISIBLE, 0.0)


def _coarse(lab: Floats) -> float:
    """Return the unexplained step between means over a sixteenth of the picture; fine texture is averaged away.

    The means slide: a broad line is as strong wherever it lies.
    """
    lines, length = lab.shape[0] // _BLOCKS, lab.shape[1] // _BLOCKS
    if min(lines, length) < 2:  # noqa: PLR2004 (one pixel is no average)
        return 0.0
    bands = lab[: lines * _BLOCKS].reshape(_BLOCKS, lines, -1, 3).mean(axis=1)
    sums = np.pad(np.cumsum(bands, axis=1, dtype=np.float64), ((0, 0), (1, 0), (0, 0)))
    means = ((sums[:, length:] - sums[:, :-length]) / length).astype(np.float32)
    steps = distance(means[:, length:], means[:, :-length])
    seam = distance(means[:, -1], means[:, 0])
    rest = _remainder(seam, _largest(_beside(steps, _NEAR_BLOCKS * length)))
    return min(rest, _repeated(means[:, ::length])) if rest > INVISIBLE else rest
