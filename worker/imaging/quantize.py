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
#: Sides of the ordered patterns there are.
PATTERNS: Final = (2, 4, 8)
#: How far apart, in OKLab lightness, a pattern moves its lightest and darkest pixel, at least and at most.
_DITHER: Final = (0.04, 0.25)
#: OKLab distance within which a pixel has a colour of the palette already and is not dithered: flat areas stay flat.
_EXACT: Final = 0.01


def quantize(array: Pixels, colors: int, palette: Sequence[str] | None = None, *, dither: int = 0) -> Pixels:
    """Return the picture with at most `colors` different RGBA values, transparency counted as one where it occurs.

    With a palette only its colours occur (those most needed, when it has more than `colors`); without one they are
    chosen. Alpha becomes hard: a pixel is visible when it is at least half as opaque as the picture's most opaque one,
    up to half of 255, so that a shape made of faint alpha alone stays visible. `dither` is the side of an ordered
    pattern: 2, 4 or 8; 0 for none.
    """
    return quantize_together([array], colors, palette, dither=dither)[0]


def quantize_together(
    pictures: Sequence[Pixels],
    colors: int,
    palette: Sequence[str] | None = None,
    *,
    dither: int = 0,
    keep_transparent: bool = False,
) -> list[Pixels]:
    """Return pictures that share one palette; each is dithered from its own top left.

    `keep_transparent` reserves one of the colours for transparency even where nothing is transparent.
    """
    flat = [np.ascontiguousarray(picture).reshape(-1, 4) for picture in pictures]
    places = [np.arange(len(part)) for part in flat] if dither else []
    pixels = np.concatenate(flat)
    pattern = np.zeros(0, dtype=np.float32)
    if dither:
        pattern = np.concatenate(
            [
                _bayer(dither)[place // picture.shape[1] % dither, place % picture.shape[1] % dither]
                for place, picture in zip(places, pictures, strict=True)
            ]
        )
    done = _reduced(pixels, colors, palette, pattern, keep_transparent=keep_transparent)
    ends = np.cumsum([len(part) for part in flat])[:-1]
    return [part.reshape(picture.shape) for picture, part in zip(pictures, np.split(done, ends), strict=True)]


def _reduced(
    array: Pixels, colors: int, palette: Sequence[str] | None, pattern: Floats, *, keep_transparent: bool
) -> Pixels:
    """Reduce pixels (n, 4) by a palette of their own or a given one; `pattern` is (n,), or empty."""
    visible = _visible(array)
    result = np.zeros_like(array)
    if not visible.any():
        return result
    budget = max(colors - (1 if keep_transparent or not visible.all() else 0), 1)
    rgb = array[visible][:, :3]
    found, inverse, counts = unique_colors(rgb)
    if palette:
        chosen = _most_needed(found, counts, parse_palette(palette), budget)
    elif len(found) <= budget:
        chosen = _opaque(found)
    else:
        chosen = _opaque(_choose(found, counts, budget))
    chosen_lab = oklab(chosen[:, :3])
    plain, away = nearest(oklab(found), chosen_lab)
    indices = plain[inverse]
    if len(pattern):
        moved = (away > _EXACT)[inverse]
        indices[moved] = _dithered(rgb[moved], pattern[visible][moved], chosen_lab)
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


def _bayer(side: int) -> Floats:
    """Return Bayer's ordered thresholds (side, side), -0.5 to 0.5, of which the mean is 0; side is 2, 4 or 8."""
    levels = np.zeros((1, 1), dtype=np.float32)
    while len(levels) < side:
        levels = np.block([[4 * levels, 4 * levels + 2], [4 * levels + 3, 4 * levels + 1]]).astype(np.float32)
    thresholds: Floats = ((levels + 0.5) / levels.size - 0.5).astype(np.float32)
    return thresholds


def _dithered(rgb: Bytes, pattern: Floats, chosen_lab: Floats) -> NDArray[np.intp]:
    """Return the nearest colours after the pattern has moved the lightness by about a step of the palette."""
    levels = np.sort(chosen_lab[:, 0])
    steps = np.diff(levels)
    low, high = _DITHER
    reach = float(np.clip(np.median(steps) if len(steps) else 0, low, high))
    lab = oklab(rgb)
    lab[:, 0] += pattern * reach
    return nearest(lab, chosen_lab)[0]
