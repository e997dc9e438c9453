"""Whether the surroundings are transparent, or opaque, as asked, and free of a fringe."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.kinds import AssetType
from worker.artifacts import Verdict
from worker.imaging.color import distance, oklab
from worker.quality.subject import VISIBLE_ALPHA, Frame, Measured, clipped

#: Share of transparent pixels along the border for full marks.
_BORDER: Final = 0.5
_THRESHOLD: Final = 0.75
_OPAQUE_ALPHA: Final = 250
_OPACITY_THRESHOLD: Final = 0.995
#: OKLab distance from the neighbouring opaque colour from which a half-transparent pixel is a remnant of a background.
_HALO_DISTANCE: Final = 0.22
#: Share of such pixels, of all visible ones, that brings the score to 0.
_HALO_SHARE: Final = 0.10
_HALO_THRESHOLD: Final = 0.5
_FEW_PIXELS: Final = 8


def check_transparency(measured: Measured) -> tuple[Verdict, ...]:
    """Check that what was asked for is there: transparent surroundings without a fringe, or no transparency at all.

    Tiles and pieces of user interface may fill their frame, so of them no transparent surroundings are demanded.
    """
    params, asset_type = measured.subject.params, measured.subject.asset_type
    if not params.transparent:
        return (_opacity(measured),)
    if asset_type in (AssetType.TILESET, AssetType.UI):
        return (_fringe(measured),)
    return (_surroundings(measured), _fringe(measured))


def _surroundings(measured: Measured) -> Verdict:
    """Score the worst picture: half for transparent corners, half for a transparent border."""
    worst = min(measured.frames, key=_surroundings_score)
    corners, border = _corners(worst), _border_share(worst)
    score = clipped(_surroundings_score(worst))
    if score >= _THRESHOLD:
        reason = f"The surroundings are transparent ({border:.0%} of the border)."
        return Verdict("transparency", score, _THRESHOLD, reason)
    reason = (
        f"{4 - corners} of 4 corners and {1 - border:.0%} of the border of {worst.picture.name!r} are opaque although "
        "a transparent background was asked for. Leave everything around the subject empty."
    )
    return Verdict("transparency", score, _THRESHOLD, reason)


def _surroundings_score(frame: Frame) -> float:
    return 0.5 * _corners(frame) / 4 + 0.5 * min(_border_share(frame) / _BORDER, 1)


def _corners(frame: Frame) -> int:
    alpha = frame.pixels[..., 3]
    return sum(int(alpha[y, x]) < VISIBLE_ALPHA for y in (0, -1) for x in (0, -1))


def _border_share(frame: Frame) -> float:
    alpha = frame.pixels[..., 3]
    border = np.concatenate([alpha[0], alpha[-1], alpha[:, 0], alpha[:, -1]])
    return float(np.mean(border < VISIBLE_ALPHA))


def _opacity(measured: Measured) -> Verdict:
    """Score the share of opaque pixels of the worst picture."""
    shares = [float(np.mean(frame.pixels[..., 3] >= _OPAQUE_ALPHA)) for frame in measured.frames]
    score = clipped(min(shares))
    if score >= _OPACITY_THRESHOLD:
        return Verdict("opacity", score, _OPACITY_THRESHOLD, "The picture is opaque.")
    reason = (
        f"{1 - score:.1%} of the picture is transparent although an opaque one was asked for. Fill the whole picture."
    )
    return Verdict("opacity", score, _OPACITY_THRESHOLD, reason)


def _fringe(measured: Measured) -> Verdict:
    """Score how few half-transparent pixels have a colour that their opaque neighbours do not explain."""
    share = max(_halo_share(frame) for frame in measured.frames)
    score = clipped(1 - share / _HALO_SHARE)
    if score >= _HALO_THRESHOLD:
        return Verdict("fringe", score, _HALO_THRESHOLD, "The edges are clean.")
    reason = (
        f"{share:.1%} of the visible pixels are a half-transparent fringe in a color that is not the subject's. "
        "Draw clean edges without a halo."
    )
    return Verdict("fringe", score, _HALO_THRESHOLD, reason)


def _halo_share(frame: Frame) -> float:
    alpha = frame.sample[..., 3]
    soft = (alpha >= VISIBLE_ALPHA // 2) & (alpha < _OPAQUE_ALPHA)
    visible = int(np.count_nonzero(alpha >= VISIBLE_ALPHA))
    if not visible or np.count_nonzero(soft) < _FEW_PIXELS:
        return 0.0
    lab = oklab(frame.sample[..., :3])
    near, weight = _opaque_around(lab, alpha >= _OPAQUE_ALPHA)
    beside = soft & (weight > 0)
    stray = distance(lab[beside], near[beside] / weight[beside][:, None]) > _HALO_DISTANCE
    return float(np.count_nonzero(stray)) / visible


def _opaque_around(
    lab: NDArray[np.float32], opaque: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return, for each pixel, the sum of the opaque colours around it (5 x 5) and their number."""
    height, width = opaque.shape
    colors = np.pad(lab * opaque[..., None], ((2, 2), (2, 2), (0, 0)))
    ones = np.pad(opaque.astype(np.float32), 2)
    total = np.zeros_like(lab)
    number = np.zeros((height, width), dtype=np.float32)
    for y in range(5):
        for x in range(5):
            total += colors[y : y + height, x : x + width]
            number += ones[y : y + height, x : x + width]
    return total, number
