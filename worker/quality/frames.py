"""Pictures as the checks see them: decoded one by one, reduced to what is measured, and let go."""

from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Final

import numpy as np

from domain.kinds import AssetType
from worker.artifacts import Picture
from worker.imaging.color import Bytes, Floats, oklab
from worker.imaging.indexed import Pixels
from worker.imaging.pixels import UnreadablePicture, decode_rgba
from worker.quality.figure import Figure, describe
from worker.quality.halo import Fringe, find_fringe
from worker.quality.outskirts import Outskirts, look_around
from worker.quality.seams import Edges, Wrap, edges_of, wrap_of
from worker.quality.subject import QualitySubject
from worker.quality.visible import visible_mask

#: Pictures are thinned out for statistics, evenly and always the same, to this many pixels in all ...
_SAMPLE_PIXELS: Final = 512 * 1024
#: ... with at least and at most so many a side of each.
_SAMPLE_SIDES: Final = (64, 256)


@dataclass(frozen=True)
class Frame:
    """What is known of one picture. A sheet may hold 256 large ones, so their pixels are not kept."""

    picture: Picture
    #: Width and height in pixels, as they are.
    size: tuple[int, int]
    #: Share of visible pixels, 0 to 1.
    coverage: float
    outskirts: Outskirts
    fringe: Fringe
    #: Every n-th pixel each way, (h, w, 4).
    sample: Pixels
    #: How the picture joins itself, where that was asked for; how a tile's edges look.
    wrap: Wrap | None
    edges: Edges | None

    @cached_property
    def visible_rgb(self) -> Bytes:
        """Colours (n, 3) of the visible pixels of the sample."""
        return self.sample[visible_mask(self.sample)][:, :3]

    @cached_property
    def visible_lab(self) -> Floats:
        """The same in OKLab."""
        return oklab(self.visible_rgb)

    @cached_property
    def figure(self) -> Figure | None:
        """Size, place and colours of what is visible; None when nothing is."""
        return describe(visible_mask(self.sample), self.visible_lab)


@dataclass(frozen=True, slots=True)
class Measured:
    """The subject with its pictures examined; at least one."""

    subject: QualitySubject
    frames: tuple[Frame, ...]

    def animations(self) -> dict[str, list[Frame]]:
        """Return the frames by animation, in order; empty unless this is a spritesheet."""
        found: dict[str, list[Frame]] = {}
        for frame in self.frames:
            if frame.picture.animation is not None:
                found.setdefault(frame.picture.animation, []).append(frame)
        for frames in found.values():
            frames.sort(key=lambda frame: frame.picture.index)
        return found


def examine(subject: QualitySubject) -> Measured:
    """Decode and examine every picture. Raises `UnreadablePicture`, which names the picture."""
    least, most = _SAMPLE_SIDES
    side = min(max(isqrt(_SAMPLE_PIXELS // max(len(subject.pictures), 1)), least), most)
    frames = []
    for picture in subject.pictures:
        try:
            pixels = decode_rgba(picture.data)
        except UnreadablePicture as error:
            raise UnreadablePicture(f"{picture.name!r}: {error}") from error
        frames.append(frame_of(subject, picture, pixels, side))
    return Measured(subject, tuple(frames))


def frame_of(subject: QualitySubject, picture: Picture, pixels: Pixels, sample_side: int) -> Frame:
    """Examine one picture, of which a sample of at most so many pixels a side is kept."""
    seen = visible_mask(pixels)
    tile = subject.asset_type is AssetType.TILESET
    step = max(1, -(-max(seen.shape) // sample_side))
    return Frame(
        picture=picture,
        size=(seen.shape[1], seen.shape[0]),
        coverage=float(np.count_nonzero(seen)) / seen.size,
        outskirts=look_around(pixels),
        fringe=find_fringe(pixels, seen),
        sample=pixels[::step, ::step].copy(),
        wrap=wrap_of(pixels) if subject.params.seamless and not tile else None,
        edges=edges_of(pixels) if tile else None,
    )
