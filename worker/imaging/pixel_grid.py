"""Finding the grid of painted pixel art: the true size and place of its pixels.

A model that paints "pixel art" paints pictures of it: blocks of 13.7 pixels, blurred, noisy, off any grid. Edges of
such a picture lie at multiples of the block's size, which is measured for each axis by itself: steps of colour vote for
their place, and the votes' spectrum tells the period, whole or not. Two questions have to agree before a grid counts as
found: whether edges lie on its lines more than chance would have it, and whether colours are even within its cells but
not within cells shifted by half.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.imaging.indexed import Pixels

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
#: Sizes of a block in pixels that are looked for, and how many blocks a side needs to be told from chance.
MIN_PITCH: Final = 2.5
MAX_PITCH: Final = 64.0
_LEAST_CELLS: Final = 6
#: Step of colour, 0 to 1, from which it is an edge: four times the quiet quarter of all steps, within these bounds.
_EDGE: Final = (0.04, 0.2)
_QUIET: Final = 25
#: Steps above this weigh no more: outlines would drown all else.
_LOUD: Final = 0.4
#: Share of the strongest period's strength that a longer one needs; half a block fits as well as a whole one.
_AS_STRONG: Final = 0.8
#: Least concentration of edges on the lines (0 to 1), and least evidence: the logarithm of how unlikely chance is.
_CONCENTRATION: Final = 0.5
_EVIDENCE: Final = 12.0
#: The same for both axes together when their periods are equal, which chance would not have either.
_TOGETHER: Final = 13.0
#: The same where hardly an edge of either axis lies anywhere else: a panel of few lines has not more to show.
_EXACT: Final = 0.95
_TOGETHER_EXACT: Final = 10.0
#: Share by which two periods may differ and still be equal.
_ALIKE: Final = 0.04
#: Unevenness within cells against that within cells shifted by half, from which the grid is none.
_UNEVEN: Final = 0.62
#: How many times larger blocks of the halved picture have to be to count in place of the others.
_LARGER: Final = 1.5
#: Periods looked at closely, and how near two are, in logarithms of their sizes, to be one peak.
_MOST_PERIODS: Final = 12
_PEAK_WIDTH: Final = 0.22
#: Frequencies tried for each that can be told apart.
_FINE: Final = 8
#: Share of a block, around its middle, that is looked at; its rim is mixed with its neighbours.
_CORE: Final = 0.5
_MOST_SAMPLES: Final = 7
#: Pixels that are looked at for unevenness.
_LOOKED_AT: Final = 512 * 1024


@dataclass(frozen=True, slots=True)
class Axis:
    """Blocks along one axis: `pitch` pixels long, the first begins at `start`; both need not be whole."""

    pitch: float
    start: float
    count: int

    def centers(self) -> Doubles:
        """Return the middles of the blocks, in pixels from the picture's edge."""
        centers: Doubles = self.start + (np.arange(self.count, dtype=np.float64) + 0.5) * self.pitch
        return centers


@dataclass(frozen=True, slots=True)
class PixelGrid:
    """The blocks of a picture; `confidence` is 0 to 1, `noise` the mean step of colour (0 to 1) within a block."""

    across: Axis
    down: Axis
    confidence: float
    noise: float


@dataclass(frozen=True, slots=True)
class _Period:
    """A period of one axis, its phase in pixels, how far edges keep to it and how much evidence that is."""

    pitch: float
    phase: float
    concentration: float
    evidence: float


def find_grid(pixels: Pixels) -> PixelGrid | None:
    """Return the grid of the blocks that a picture (height, width, 4) is painted in, or None when there is none.

    Blocks are 2.5 to 64 pixels a side, and at least six a side. A picture whose pixels are its blocks has no grid.

    The picture is also looked at in half its size, where noise and blur weigh half as much: large blurred blocks are
    found there only, and when both find some the larger ones count.
    """
    values = _weighted(pixels)
    near, far = _grid(values), _grid(_halved(values))
    if far is not None and (near is None or far.across.pitch * 2 > _LARGER * near.across.pitch):
        return replace(far, across=_doubled(far.across, pixels.shape[1]), down=_doubled(far.down, pixels.shape[0]))
    return near


def _grid(values: Floats) -> PixelGrid | None:
    if min(values.shape[:2]) < _LEAST_CELLS * MIN_PITCH:
        return None
    found = []
    for axis in (values, values.swapaxes(0, 1)):
        votes = _votes(axis)
        found.append((votes, _periods(votes)))
    pair = _agreeing(found[0][1], found[1][1])
    if pair is None:
        return None
    across, down = _square(pair[0], found[0][0], pair[1]), _square(pair[1], found[1][0], pair[0])
    grid_across, grid_down = _axis(across, values.shape[1]), _axis(down, values.shape[0])
    if min(grid_across.count, grid_down.count) < _LEAST_CELLS:
        return None
    own = _unevenness(values, grid_across, grid_down, 0.0)
    shifted = _unevenness(values, grid_across, grid_down, 0.5)
    if own > _UNEVEN * shifted:
        return None
    even = 1 - own / max(shifted, 1e-9)
    confidence = min(math.sqrt(across.concentration * down.concentration), 1.0) * (0.5 + 0.5 * even)
    return PixelGrid(grid_across, grid_down, round(confidence, 3), own)


def _weighted(pixels: Pixels) -> Floats:
    """Return (height, width, 4) in 0 to 1, colours weighted by alpha."""
    values = pixels.astype(np.float32) / 255
    values[..., :3] *= values[..., 3:]
    return np.asarray(values, dtype=np.float32)


def _halved(values: Floats) -> Floats:
    """Return the means of two by two pixels; an odd last row or column is left out."""
    even = values[: values.shape[0] // 2 * 2, : values.shape[1] // 2 * 2]
    return (even[0::2, 0::2] + even[1::2, 0::2] + even[0::2, 1::2] + even[1::2, 1::2]) / np.float32(4)


def _doubled(axis: Axis, length: int) -> Axis:
    """Return blocks that were found in the halved picture as those of the picture itself, `length` pixels long."""
    period = _Period(2 * axis.pitch, 2 * axis.start % (2 * axis.pitch), 0, 0)
    return _axis(period, length)


def _votes(values: Floats) -> Doubles:
    """Return for each place between two columns how many edges lie there; every edge votes for its steepest place."""
    steps = np.abs(np.diff(values, axis=1)).max(axis=2)
    if steps.shape[1] < 3:  # noqa: PLR2004 (a place and its neighbours)
        return np.zeros(steps.shape[1])
    low, high = _EDGE
    edge = min(max(4 * float(np.percentile(steps[steps.shape[0] // 8 :], _QUIET)), low), high)
    before = np.pad(steps[:, :-1], ((0, 0), (1, 0)))
    after = np.pad(steps[:, 1:], ((0, 0), (0, 1)))
    peak = (steps >= before) & (steps > after) & (steps > edge)
    weights = np.where(peak, np.minimum(steps, _LOUD), 0)
    # Between the places: a parabola through the step and its neighbours tells where its top is.
    bend = before + after - 2 * steps
    lean = np.where(peak, 0.5 * (before - after) / np.where(np.abs(bend) < 1e-6, -1, bend), 0)  # noqa: PLR2004
    lean = np.clip(lean, -0.5, 0.5)
    rows, columns = np.nonzero(peak)
    places = columns + lean[rows, columns]
    # On a line twice as fine as the pixels, so that what is between them is kept.
    slots = np.rint(2 * places).astype(np.intp).clip(0, 2 * steps.shape[1] - 1)
    votes: Doubles = np.bincount(slots, weights=weights[rows, columns], minlength=2 * steps.shape[1]).astype(np.float64)
    return votes


def _periods(votes: Doubles) -> list[_Period]:
    """Return the periods in which edges lie, the likeliest first."""
    total = votes.sum()
    length = len(votes) / 2
    longest = min(MAX_PITCH, length / _LEAST_CELLS)
    if total <= 0 or longest <= MIN_PITCH:
        return []
    slots = np.flatnonzero(votes)
    weights = votes[slots] / total
    places = slots / 2 + 1  # the line behind the first column is at 1
    step = 1 / (_FINE * length)
    frequencies = np.arange(1 / longest, 1 / MIN_PITCH, step)
    spectrum = _spectrum(frequencies, places, weights)
    strength = np.abs(spectrum)
    tops = np.flatnonzero((strength >= np.pad(strength[:-1], (1, 0))) & (strength >= np.pad(strength[1:], (0, 1))))
    # How many lines the edges stand for: many votes on one line are one piece of evidence.
    lines = 1 / float((_per_line(weights, places) ** 2).sum())
    best = float(strength[tops].max())
    strong = [int(top) for top in tops if strength[top] >= max(_AS_STRONG * best, 0.3)]
    chosen = _peaks(strong, frequencies, strength)[:_MOST_PERIODS]
    found = [_refined(float(frequencies[top]), step, places, weights, lines) for top in chosen]
    # The longest period counts that is about as strong as any.
    return sorted(found, key=lambda period: -period.pitch)


def _peaks(tops: list[int], frequencies: Doubles, strength: Doubles) -> list[int]:
    """Return the tops without those that stand beside a stronger one: few lines make a peak with steps at its sides."""
    kept: list[int] = []
    for top in sorted(tops, key=lambda top: -strength[top]):
        if all(abs(math.log(frequencies[top] / frequencies[other])) > _PEAK_WIDTH for other in kept):
            kept.append(top)
    return sorted(kept)


def _per_line(weights: Doubles, places: Doubles) -> Doubles:
    """Return the weights of places that are nearer than two pixels as one."""
    lines: Doubles = np.bincount(np.rint(places / 2).astype(np.intp), weights=weights).astype(np.float64)
    return lines


def _spectrum(frequencies: Doubles, places: Doubles, weights: Doubles) -> NDArray[np.complex128]:
    """Return the mean of the edges' phases at each frequency; its length is 1 when all lie on lines of that period."""
    result = np.empty(len(frequencies), dtype=np.complex128)
    for start in range(0, len(frequencies), 256):
        part = frequencies[start : start + 256]
        result[start : start + 256] = np.exp(-2j * np.pi * part[:, None] * places[None, :]) @ weights
    return result


def _refined(frequency: float, step: float, places: Doubles, weights: Doubles, lines: float) -> _Period:
    fine = frequency + np.linspace(-step, step, 41)
    spectrum = _spectrum(fine, places, weights)
    top = int(np.abs(spectrum).argmax())
    strength = float(abs(spectrum[top]))
    pitch = 1 / float(fine[top])
    phase = -float(np.angle(spectrum[top])) / (2 * np.pi) * pitch % pitch
    return _Period(pitch, phase, strength, lines * strength**2)


def _agreeing(across: list[_Period], down: list[_Period]) -> tuple[_Period, _Period] | None:
    """Return a period for each axis: equal ones when there are, since pixels are square, else each axis' own.

    Equal ones are evidence together, others have to stand each by itself.
    """
    for first in across:
        for second in down:
            # One of them is its axis' longest: two parts of blocks may happen to be equal.
            longest = first is across[0] or second is down[0]
            alike = abs(first.pitch - second.pitch) < _ALIKE * first.pitch
            exact = min(first.concentration, second.concentration) >= _EXACT
            if longest and alike and _sure(first, second, _TOGETHER_EXACT if exact else _TOGETHER):
                return first, second
    alone = [next((p for p in periods if _sure(p, p, 2 * _EVIDENCE)), None) for periods in (across, down)]
    return (alone[0], alone[1]) if alone[0] and alone[1] else None


def _square(period: _Period, votes: Doubles, other: _Period) -> _Period:
    """Return an axis' period, or, when it is the less certain of two that are about equal, the other's in its place."""
    if period.evidence >= min(other.evidence, _EVIDENCE) or abs(period.pitch - other.pitch) >= _ALIKE * other.pitch:
        return period
    slots = np.flatnonzero(votes)
    return _refined(1 / other.pitch, 0.0, slots / 2 + 1, votes[slots] / votes.sum(), 1.0)


def _sure(first: _Period, second: _Period, evidence: float) -> bool:
    return min(first.concentration, second.concentration) >= _CONCENTRATION and (
        first.evidence + second.evidence >= evidence
    )


def _axis(period: _Period, length: int) -> Axis:
    """Return the blocks whose middles are within the picture."""
    first = math.ceil((0 - period.phase) / period.pitch - 0.5 - 1e-9)
    start = period.phase + first * period.pitch
    count = max(0, math.floor((length - start) / period.pitch + 0.5))
    return Axis(period.pitch, start, count)


def _unevenness(values: Floats, across: Axis, down: Axis, shift: float) -> float:
    """Return the mean distance (0 to 1) of colours around the middles of blocks from the middles themselves."""
    height, width = values.shape[:2]
    xs, ys = _samples(across, shift, width, 3), _samples(down, shift, height, 3)
    rows = max(1, len(ys) * len(xs) // _LOOKED_AT + 1)
    ys = ys.reshape(-1, 3)[::rows]
    picked = values[np.ix_(ys.ravel(), xs)].reshape(len(ys), 3, -1, 3, 4)
    middle = picked[:, 1:2, :, 1:2]
    return float(np.abs(picked - middle).max(axis=-1).mean())


def _samples(axis: Axis, shift: float, length: int, number: int) -> NDArray[np.intp]:
    """Return `number` places a block around its middle, block by block."""
    offsets = (np.linspace(-0.5, 0.5, number) if number > 1 else np.zeros(1)) * _CORE * axis.pitch
    places = axis.centers()[:, None] + shift * axis.pitch + offsets[None, :]
    indices: NDArray[np.intp] = np.floor(places).astype(np.intp).clip(0, length - 1).ravel()
    return indices


def resample(pixels: Pixels, grid: PixelGrid) -> Pixels:
    """Return the picture with one pixel a block: the median of what is around the block's middle.

    Colours that differ by no more than the painting's own noise become one.
    """
    height, width = pixels.shape[:2]
    across, down = (_number(axis) for axis in (grid.across, grid.down))
    xs, ys = _samples(grid.across, 0, width, across), _samples(grid.down, 0, height, down)
    picked = pixels[np.ix_(ys, xs)].reshape(grid.down.count, down, grid.across.count, across, 4)
    cells = picked.transpose(0, 2, 1, 3, 4).reshape(grid.down.count, grid.across.count, -1, 4)
    small: Pixels = np.median(cells, axis=2).astype(np.uint8)
    small[small[..., 3] == 0] = 0
    return _settled(small, grid.noise)


def _number(axis: Axis) -> int:
    """Return how many samples a block gets along one axis: odd, so that a median is a colour that was there."""
    return max(1, min(_MOST_SAMPLES, round(axis.pitch * _CORE) // 2 * 2 + 1 if axis.pitch >= 4 else 1))  # noqa: PLR2004


def _settled(small: Pixels, noise: float) -> Pixels:
    """Give colours that are nearer than the noise the most frequent one's value."""
    reach = min(round(3 * noise * 255), 16)
    if reach < 2:  # noqa: PLR2004 (one step of a channel is no noise)
        return small
    colors, inverse, counts = np.unique(small.reshape(-1, 4), axis=0, return_inverse=True, return_counts=True)
    wide = colors.astype(np.int16)
    # Around frequent colours first: each takes those within reach that nothing has taken.
    near = np.empty(len(colors), dtype=np.int64)
    for start in range(0, len(colors), 512):
        apart = np.abs(wide[start : start + 512, None] - wide[None]).max(axis=2)
        near[start : start + 512] = (apart <= reach) @ counts
    taken = np.full(len(colors), -1)
    for place in np.argsort(-near, kind="stable"):
        if taken[place] < 0:
            group = (np.abs(wide - wide[place]).max(axis=1) <= reach) & (taken < 0)
            mean = np.average(colors[group], axis=0, weights=counts[group])
            colors[place] = np.rint(mean)
            taken[group] = place
    settled: Pixels = colors[taken[inverse.reshape(-1)]].reshape(small.shape)
    return settled
