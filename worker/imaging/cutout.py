"""Taking away a plain background, as models paint it that cannot leave one out."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.imaging.color import Floats, distance, oklab
from worker.imaging.fringe import unmixed, without_spill
from worker.imaging.indexed import Pixels

Mask = NDArray[np.bool_]
#: OKLab distance within which a pixel has the background's colour; models shade it a little.
_NEAR: Final = 0.09
#: The same where the background is the colour that was asked for, which the subject does not have.
_NEAR_ASKED: Final = 0.2
#: Share of the border that has to have the background's colour for there to be one.
_PLAIN: Final = 0.6
#: OKLab distance within which the background is the colour that was asked for: then its islands go, too.
_AS_ASKED: Final = 0.25
#: Share of transparent pixels from which a picture has no background to take away.
_ALREADY: Final = 0.02
_HALF: Final = 128
_SWEEPS: Final = 64
#: Rim that is mixed with the background's colour, in pixels and as a share of the picture's smaller side.
_RIM: Final = 1 / 256
_LEAST_REACH: Final = 2
#: How far the colour that was asked for tints a figure, as a share of the picture's smaller side, after compression.
_SPILL: Final = 1 / 96


def cut_out(pixels: Pixels, key: tuple[int, int, int] | None = None) -> Pixels:
    """Return the picture with its plain background transparent, as it is when there is none or it is gone already.

    What is connected to the border in the border's own colour goes; when that is the key colour that the background was
    asked to have, everything of that colour goes, also between the legs. The edge is left soft and free of the colour.
    """
    alpha = pixels[..., 3]
    if np.count_nonzero(alpha < _HALF) >= _ALREADY * alpha.size:
        return pixels
    lab = oklab(pixels[..., :3])
    color = np.median(_border(lab), axis=0).astype(np.float32)
    near = distance(lab, color) < _NEAR
    if np.mean(_border(near[..., None])) < _PLAIN:
        return pixels
    asked = None if key is None else oklab(np.array(key, dtype=np.uint8))
    as_asked = asked is not None and float(distance(color, asked)) < _AS_ASKED
    gone = distance(lab, color) < _NEAR_ASKED if as_asked else reached_from_border(near)
    ground = np.median(pixels[gone][:, :3], axis=0) if gone.any() else np.zeros(3)
    reach = max(_LEAST_REACH, round(min(alpha.shape) * _RIM))
    cut = unmixed(pixels, gone, (float(ground[0]), float(ground[1]), float(ground[2])), reach)
    if key is None or not as_asked:
        return cut
    return without_spill(cut, gone, key, max(_LEAST_REACH, round(min(alpha.shape) * _SPILL)))


def reached_from_border(open_: Mask) -> Mask:
    """Return which open pixels (height, width) can be reached from the border through open ones, by the four sides."""
    reached = np.zeros_like(open_)
    for edge in (np.s_[0], np.s_[-1], np.s_[:, 0], np.s_[:, -1]):
        reached[edge] = open_[edge]
    for _ in range(_SWEEPS):  # a spiral takes one for each turn
        before = np.count_nonzero(reached)
        reached = _both_ways(open_, reached)
        reached = _both_ways(open_.T, reached.T).T
        if np.count_nonzero(reached) == before:
            break
    return reached


def _both_ways(open_: Mask, reached: Mask) -> Mask:
    """Return what is reached along the rows, from the left or the right."""
    there = _swept(open_, reached)
    back: Mask = _swept(open_[:, ::-1], reached[:, ::-1])[:, ::-1]
    return reached | there | back


def _swept(open_: Mask, reached: Mask) -> Mask:
    """Return what is reached from the left along each row: a reached pixel with no closed one since."""
    places = np.arange(1, open_.shape[1] + 1)
    last_reached = np.maximum.accumulate(np.where(reached, places, 0), axis=1)
    last_closed = np.maximum.accumulate(np.where(open_, 0, places), axis=1)
    swept: Mask = open_ & (last_reached > last_closed)
    return swept


def _border(values: Floats | Mask) -> Floats:
    found: Floats = np.concatenate([values[0], values[-1], values[:, 0], values[:, -1]])
    return found
