"""The edge of a figure that was painted on a plain ground: mixed colours are taken apart into colour and alpha."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.imaging.color import Floats
from worker.imaging.indexed import Pixels

Mask = NDArray[np.bool_]
#: Distance of channels (0 to 255, Euclidean) from the line between ground and figure within which a colour is a mixture
#: of the two, and the least distance between the two for there to be such a line.
_BESIDE: Final = 40.0
_APART: Final = 48.0
#: Shares of the figure in a mixture that count as nothing and as all.
_NOTHING: Final = 0.06
_ALL: Final = 0.94
_HALF: Final = 128
_NEIGHBOURS: Final = ((0, 1), (0, -1), (1, 0), (-1, 0))


def unmixed(pixels: Pixels, gone: Mask, ground: tuple[float, float, float], reach: int) -> Pixels:
    """Return a picture (height, width, 4) without what is `gone`, and with the rest of the ground taken out of its rim.

    Within `reach` pixels of what is gone a colour that lies between the ground's and the nearest one of the figure
    proper is a mixture: it becomes the figure's colour, as opaque as its share. Other colours, such as a thin
    outline's, are left alone.
    """
    result = pixels.copy()
    result[gone] = 0
    depth = _depth(gone, reach)
    rim = (depth > 0) & (depth < reach) & ~_is_ridge(depth)
    if not rim.any():
        return result
    inner = _carried_out(pixels, (depth > 0) & ~rim, rim, reach)
    rows, columns = np.nonzero(rim)
    color = pixels[rows, columns, :3].astype(np.float32)
    base = np.array(ground, dtype=np.float32)
    line = inner - base
    length = np.maximum((line**2).sum(axis=1), 1e-6)
    share = ((color - base) * line).sum(axis=1) / length
    beside = np.sqrt(((base + share[:, None] * line - color) ** 2).sum(axis=1))
    mixed = (beside < _BESIDE) & (length > _APART**2) & (share < _ALL)
    share = np.where(share < _NOTHING, 0, share).clip(0, 1)
    shown = np.concatenate([inner, (share * result[rows, columns, 3])[:, None]], axis=1)
    shown[share == 0] = 0
    chosen = np.where(mixed[:, None], np.rint(shown), result[rows, columns])
    result[rows, columns] = chosen.astype(np.uint8)
    return result


def without_spill(pixels: Pixels, gone: Mask, ground: tuple[int, int, int], reach: int) -> Pixels:
    """Return a picture whose rim has lost the tint of a strongly coloured ground.

    Compression spreads colour farther than brightness, so that a dark outline on magenta is purple. Within `reach`
    pixels of what is gone, what the ground's strong channels have more than the weak ones is taken from them. Nothing
    happens for a ground without such channels.
    """
    strong = [channel for channel in range(3) if ground[channel] > _HALF]
    weak = [channel for channel in range(3) if channel not in strong]
    if not strong or not weak or min(ground[c] for c in strong) - max(ground[c] for c in weak) < _HALF:
        return pixels
    rows, columns = np.nonzero(_about(gone, reach) & ~gone)
    rim = pixels[rows, columns].astype(np.int16)
    more = np.maximum(rim[:, strong].min(axis=1) - rim[:, weak].max(axis=1), 0)
    rim[:, strong] -= more[:, None]
    result = pixels.copy()
    result[rows, columns] = rim.astype(np.uint8)
    return result


def _about(mask: Mask, reach: int) -> Mask:
    """Return which pixels have one of the mask in the square around them that reaches so far to each side."""
    for axis in (0, 1):
        length = mask.shape[axis]
        counts = np.concatenate([np.zeros_like(mask.take([0], axis), np.int32), np.cumsum(mask, axis, np.int32)], axis)
        ends = np.arange(1, length + 1)
        before, behind = np.maximum(ends - 1 - reach, 0), np.minimum(ends + reach, length)
        mask = counts.take(behind, axis) > counts.take(before, axis)
    return mask


def _depth(gone: Mask, reach: int) -> NDArray[np.uint8]:
    """Return how many steps to the sides each pixel is away from what is gone, counted up to `reach`."""
    depth = np.full(gone.shape, reach, dtype=np.uint8)
    depth[gone] = 0
    reached = gone
    for step in range(1, reach):
        wider = reached.copy()
        for down, across in _NEIGHBOURS:
            _shifted(wider, down, across)[...] |= _shifted(reached, -down, -across)
        depth[wider & ~reached] = step
        reached = wider
    return depth


def _is_ridge(depth: NDArray[np.uint8]) -> Mask:
    """Return which pixels no neighbour is deeper than: the middle of what is thinner than the rim."""
    highest = depth.copy()
    for down, across in _NEIGHBOURS:
        there = _shifted(highest, down, across)
        np.maximum(there, _shifted(depth, -down, -across), out=there)
    ridge: Mask = (depth > 0) & (depth >= highest)
    return ridge


def _carried_out(pixels: Pixels, known: Mask, wanted: Mask, steps: int) -> Floats:
    """Return the colours of the wanted pixels, row by row, carried there from known ones, neighbour by neighbour.

    A wanted pixel that nothing reaches keeps its own.
    """
    wide = pixels.shape[1] + 2
    inside = np.pad(known, 1).ravel()
    colors = np.pad(pixels[..., :3], ((1, 1), (1, 1), (0, 0))).reshape(-1, 3).astype(np.float32)
    places = np.flatnonzero(np.pad(wanted, 1))
    left = places
    for _ in range(steps):
        around = left[:, None] + np.array([1, -1, wide, -wide])
        near = inside[around]
        count = near.sum(axis=1)
        reached = count > 0
        if not reached.any():
            break
        total = (colors[around[reached]] * near[reached][..., None]).sum(axis=1)
        colors[left[reached]] = total / count[reached][:, None]
        inside[left[reached]] = True
        left = left[~reached]
    return colors[places]


def _shifted(values: NDArray, down: int, across: int) -> NDArray:  # type: ignore[type-arg]  # whatever it holds
    """Return the part that has a neighbour on the other side, as a view: that of -down, -across is as large."""
    rows = slice(max(down, 0), values.shape[0] + min(down, 0))
    columns = slice(max(across, 0), values.shape[1] + min(across, 0))
    return values[rows, columns]
