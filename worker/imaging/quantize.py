"""Fewer colours, chosen as people see them, with transparency kept."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from worker.imaging.color import Bytes, Floats, nearest, oklab, parse_palette, unique_colors
from worker.imaging.indexed import Pixels

_HALF: Final = 128
_REFINEMENTS: Final = 6
#: Different colours above which similar ones are put together before a palette is sought.
_MANY: Final = 20_000
_PATTERN: Final = ((0, 8, 2, 10), (12, 4, 14, 6), (3, 11, 1, 9), (15, 7, 13, 5))
_BAYER: Final = np.array(_PATTERN, dtype=np.float32) / 16 - 0.46875
#: How far, in OKLab lightness, ordered dithering moves a pixel at most.
_DITHER: Final = 0.06


def quantize(array: Pixels, colors: int, palette: Sequence[str] | None = None, *, dither: bool = False) -> Pixels:
    """Return the picture with at most `colors` different RGBA values, transparency counted as one where it occurs.

    With a palette only its colours occur (those most needed, when it has more than `colors`); without one they are
    chosen. Alpha becomes hard: a pixel is visible when it is at least half as opaque as the picture's most opaque one,
    up to half of 255, so that a shape made of faint alpha alone stays visible. `dither` adds an ordered 4 x 4 pattern.
    """
    visible = _visible(array)
    result = np.zeros_like(array)
    if not visible.any():
        return result
    budget = max(colors - (0 if visible.all() else 1), 1)
    rgb = array[visible][:, :3]
    found, inverse, counts = unique_colors(rgb)
    if palette:
        chosen = _most_needed(found, counts, parse_palette(palette), budget)
    elif len(found) <= budget:
        chosen = _opaque(found)
    else:
        chosen = _opaque(_choose(found, counts, budget))
    chosen_lab = oklab(chosen[:, :3])
    indices = _dithered(rgb, visible, chosen_lab) if dither else nearest(oklab(found), chosen_lab)[0][inverse]
    result[visible] = chosen[indices]
    return result


def _visible(array: Pixels) -> NDArray[np.bool_]:
    alpha = array[..., 3]
    threshold = max(min(_HALF, (int(alpha.max()) + 1) // 2), 1)
    visible: NDArray[np.bool_] = alpha >= threshold
    return visible


def _opaque(rgb: Bytes) -> Bytes:
    return np.concatenate([rgb, np.full((len(rgb), 1), 255, dtype=np.uint8)], axis=1)


def _most_needed(found: Bytes, counts: NDArray[np.intp], palette: Bytes, budget: int) -> Bytes:
    """Return the palette's colours, at most `budget`: those that stand for the most pixels."""
    seen = palette[palette[:, 3] > 0]
    palette = np.unique(seen if len(seen) else _opaque(palette[:1, :3]), axis=0)
    indices, _ = nearest(oklab(found), oklab(palette[:, :3]))
    use = np.bincount(indices, weights=counts, minlength=len(palette))
    order = np.argsort(-use, kind="stable")[:budget]
    return palette[np.sort(order)]


def _choose(found: Bytes, counts: NDArray[np.intp], budget: int) -> Bytes:
    """Return `budget` colours that stand well for the weighted ones: median cut, then Lloyd's steps in OKLab."""
    if len(found) > _MANY:
        found, counts = _pooled(found, counts)
    start = _median_cut(found, counts, budget)
    lab, weights = oklab(found), counts.astype(np.float64)
    centers = oklab(start)
    representatives = start
    for _ in range(_REFINEMENTS):
        indices, _ = nearest(lab, centers)
        centers = _means(lab, weights, indices, centers)
        representatives = _medoids(found, lab, centers, indices)
    return np.unique(representatives, axis=0)


def _pooled(found: Bytes, counts: NDArray[np.intp]) -> tuple[Bytes, NDArray[np.intp]]:
    """Put together what agrees in the upper five bits of each channel; the most frequent one stands for all."""
    order = np.argsort(-counts, kind="stable")
    _, first, inverse = np.unique(found[order] >> 3, axis=0, return_index=True, return_inverse=True)
    totals = np.bincount(inverse.reshape(-1), weights=counts[order]).astype(np.intp)
    return found[order][first], totals


def _median_cut(found: Bytes, counts: NDArray[np.intp], budget: int) -> Bytes:
    # Weights by repetition, bounded: a colour counts at most 64 times as much as the rarest.
    times = np.clip(np.rint(np.sqrt(counts / counts.min())), 1, 64).astype(np.intp)
    strip = np.repeat(found, times, axis=0)[None]
    reduced = Image.fromarray(strip).quantize(budget, Image.Quantize.MEDIANCUT)
    flat = reduced.getpalette() or []
    used = len(reduced.getcolors() or [])
    return np.array(flat[: used * 3], dtype=np.uint8).reshape(-1, 3)


def _means(lab: Floats, weights: NDArray[np.float64], indices: NDArray[np.intp], centers: Floats) -> Floats:
    totals = np.bincount(indices, weights=weights, minlength=len(centers))
    columns = [np.bincount(indices, weights=weights * lab[:, axis], minlength=len(centers)) for axis in range(3)]
    sums = np.stack(columns, axis=1)
    used = totals > 0
    moved = centers.copy()
    moved[used] = (sums[used] / totals[used, None]).astype(np.float32)
    return moved


def _medoids(found: Bytes, lab: Floats, centers: Floats, indices: NDArray[np.intp]) -> Bytes:
    """Return for each centre the real colour nearest to it, so that a flat area keeps its very colour."""
    offsets = ((lab - centers[indices]) ** 2).sum(axis=1)
    order = np.lexsort((offsets, indices))
    first = np.unique(indices[order], return_index=True)[1]
    return found[order][first]


def _dithered(rgb: Bytes, visible: NDArray[np.bool_], chosen_lab: Floats) -> NDArray[np.intp]:
    rows, columns = np.nonzero(visible)
    lab = oklab(rgb)
    lab[:, 0] += _BAYER[rows % 4, columns % 4] * _DITHER
    return nearest(lab, chosen_lab)[0]
