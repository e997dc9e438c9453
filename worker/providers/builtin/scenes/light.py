"""Dithered light: gradients, vignettes and noise that pixel pictures can carry."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.providers.builtin.canvas import Canvas
from worker.providers.builtin.ink import Ink

Floats = NDArray[np.float64]
_BAYER: Final = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]])


def ordered(height: int, width: int) -> Floats:
    """Return thresholds from 0 to 1 in Bayer's 4 x 4 order, for dithering."""
    tiles = np.tile(_BAYER, (height // 4 + 1, width // 4 + 1))[:height, :width]
    return (tiles + 0.5) / 16


def fill(canvas: Canvas, ink: Ink, level: Floats, *, dithered: bool, spread: float = 1.0) -> None:
    """Cover what is still empty with an ink at levels (height, width); dithering reaches `spread` levels."""
    if dithered:
        level = np.floor(level + (ordered(canvas.height, canvas.width) - 0.5) * spread + 0.5)
    empty = canvas.ink == 0
    canvas.level[empty] = np.broadcast_to(level, canvas.level.shape)[empty]
    canvas.ink[empty] = ink.row


def vignette(height: int, width: int, bright: float, dim: float) -> Floats:
    """Return levels that fall from the middle, a little above it, to the corners."""
    y = (np.arange(height)[:, None] + 0.5) / height - 0.42
    x = (np.arange(width)[None, :] + 0.5) / width - 0.5
    share = np.clip(np.sqrt(x * x * 1.1 + y * y) / 0.72, 0, 1)
    return bright + (dim - bright) * share


def clouded(rng: np.random.Generator, height: int, width: int, cells: int, octaves: int = 3) -> Floats:
    """Return smooth noise, 0 to 1, that wraps in both directions.

    `cells` is the number of its coarsest bumps along the shorter side.
    """
    total = np.zeros((height, width))
    weight = 0.0
    for octave in range(octaves):
        count = cells * 2**octave
        rows = max(1, round(count * height / min(height, width)))
        columns = max(1, round(count * width / min(height, width)))
        grid = rng.random((rows, columns))
        total += _stretched(grid, height, width) / 2**octave
        weight += 1 / 2**octave
    low, high = total.min(), total.max()
    noise: Floats = (total - low) / max(high - low, 1e-9)
    return noise


def _stretched(grid: Floats, height: int, width: int) -> Floats:
    """Enlarge a wrapping grid smoothly."""
    result = grid
    for axis, size in ((0, height), (1, width)):
        count = result.shape[axis]
        place = (np.arange(size) + 0.5) * count / size - 0.5
        low = np.floor(place).astype(np.intp)
        share = place - low
        share = share * share * (3 - 2 * share)
        share = share[:, None] if axis == 0 else share[None, :]
        one, two = np.take(result, low % count, axis), np.take(result, (low + 1) % count, axis)
        result = one + (two - one) * share
    return result
