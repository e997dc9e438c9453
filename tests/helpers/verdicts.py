"""Pictures made to pass or to fail one check, and what the checks say of them."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from domain.kinds import AssetType
from domain.params import Animation, ParamsRequest, resolve_params
from domain.styles import Style
from tests.helpers.stub import sprite
from worker.artifacts import Picture, Verdict
from worker.imaging.indexed import Pixels
from worker.imaging.pixels import decode_rgba, encode_png
from worker.quality.measure import QualitySubject, measure

#: A small figure on a transparent ground, 64 x 64.
GOOD = decode_rgba(sprite(3))


def picture(array: Pixels, name: str = "image", animation: str | None = None, index: int = 0) -> Picture:
    return Picture(encode_png(array), array.shape[1], array.shape[0], name, animation, index)


def verdicts(
    *pictures: Picture,
    asset_type: AssetType = AssetType.SPRITE,
    style: Style | None = None,
    details: Mapping[str, object] | None = None,
    **params: object,
) -> dict[str, Verdict]:
    resolved = resolve_params(asset_type, ParamsRequest(**params))  # type: ignore[arg-type]
    subject = QualitySubject(asset_type, resolved, style or Style(), pictures, details or {})
    return {verdict.name: verdict for verdict in measure(subject)}


def failed(found: Mapping[str, Verdict]) -> set[str]:
    return {name for name, verdict in found.items() if not verdict.passed}


def sheet(frames: Sequence[Pixels], name: str = "walk") -> dict[str, Verdict]:
    height, width = frames[0].shape[:2]
    pictures = [picture(frame, f"{name}/{index}", name, index) for index, frame in enumerate(frames)]
    animations = (Animation(name, len(frames)),)
    return verdicts(*pictures, asset_type=AssetType.SPRITESHEET, animations=animations, width=width, height=height)


def noise(side: int, blur: float, seed: int, *, wraps: bool) -> NDArray[np.float64]:
    """A cloudy texture (side, side, 3) about middle grey whose features are `blur` pixels large.

    One that wraps is blurred round its edges; the other is a quarter of a larger one.
    """
    whole = side if wraps else 2 * side
    values = np.random.default_rng(seed).normal(size=(whole, whole, 3))
    across, down = np.meshgrid(np.fft.fftfreq(whole), np.fft.fftfreq(whole))
    low_pass = np.exp(-2 * (np.pi * blur) ** 2 * (across**2 + down**2))[..., None]
    smooth = np.real(np.fft.ifft2(np.fft.fft2(values, axes=(0, 1)) * low_pass, axes=(0, 1)))[:side, :side]
    return np.asarray(128 + 50 * smooth / smooth.std())


def opaque(values: NDArray[np.float64]) -> Pixels:
    """An opaque picture of (height, width, 3) values."""
    alpha = np.full(values.shape[:2], 255)
    return np.dstack([np.clip(values, 0, 255), alpha]).astype(np.uint8)
