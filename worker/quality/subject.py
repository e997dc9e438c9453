"""What is measured, as it comes and as arrays."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from domain.kinds import AssetType
from domain.params import Params
from domain.styles import Style
from worker.artifacts import Picture
from worker.imaging.color import Bytes, Floats, oklab
from worker.imaging.indexed import Pixels
from worker.imaging.pixels import decode_rgba

#: Least alpha of a pixel that counts as visible.
VISIBLE_ALPHA: Final = 32
#: Larger pictures are thinned out for colour statistics, evenly and always the same.
_SAMPLE_SIDE: Final = 384


@dataclass(frozen=True, slots=True)
class QualitySubject:
    """One variation's pictures and what was asked for; picklable."""

    asset_type: AssetType
    params: Params
    style: Style
    pictures: tuple[Picture, ...]
    #: What the provider said; `tiles` of a tileset is read.
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Frame:
    """One decoded picture."""

    picture: Picture
    #: (height, width, 4) straight RGBA.
    pixels: Pixels

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels, as they are."""
        return self.pixels.shape[1], self.pixels.shape[0]

    @cached_property
    def sample(self) -> Pixels:
        """The picture thinned out to at most some 384 pixels a side."""
        step = max(1, -(-max(self.pixels.shape[:2]) // _SAMPLE_SIDE))
        return self.pixels[::step, ::step]

    @cached_property
    def visible_rgb(self) -> Bytes:
        """Colours (n, 3) of the visible pixels of the sample."""
        return self.sample[self.sample[..., 3] >= VISIBLE_ALPHA][:, :3]

    @cached_property
    def visible_lab(self) -> Floats:
        """The same in OKLab."""
        return oklab(self.visible_rgb)

    @cached_property
    def coverage(self) -> float:
        """Share of visible pixels, 0 to 1."""
        return float(np.mean(self.pixels[..., 3] >= VISIBLE_ALPHA))


@dataclass(frozen=True, slots=True)
class Measured:
    """The subject with its pictures decoded; at least one."""

    subject: QualitySubject
    frames: tuple[Frame, ...]

    @property
    def animations(self) -> dict[str, list[Frame]]:
        """Frames by animation, in order; empty unless this is a spritesheet."""
        found: dict[str, list[Frame]] = {}
        for frame in self.frames:
            if frame.picture.animation is not None:
                found.setdefault(frame.picture.animation, []).append(frame)
        for frames in found.values():
            frames.sort(key=lambda frame: frame.picture.index)
        return found


def decode(subject: QualitySubject) -> Measured:
    """Decode every picture; raises `UnreadablePicture`."""
    return Measured(subject, tuple(Frame(picture, decode_rgba(picture.data)) for picture in subject.pictures))


def clipped(score: float) -> float:
    """Return a score within 0 to 1, rounded so that it reads well."""
    return round(min(max(float(score), 0.0), 1.0), 4)
