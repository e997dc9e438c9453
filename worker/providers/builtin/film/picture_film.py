"""Image to video: a given picture as a scene with depth, past which the camera goes.

What is low in the picture, or stands out from its border, counts as near. Every pixel is moved by the camera as far as
it is near, so that the picture turns a little, as scenes do; nothing of it is drawn anew.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from worker.providers.builtin.color import Bytes, oklab_of
from worker.providers.builtin.film.camera import Camera
from worker.providers.builtin.film.particles import Swarm
from worker.providers.builtin.film.scene_film import frame_count
from worker.providers.builtin.film.weather import swarms, words_of
from worker.providers.builtin.look import Look

Floats = NDArray[np.float64]
Box = tuple[int, int, int, int]
#: The picture is enlarged beyond the frame, so that there is something beyond its edges.
_OVERSCAN: Final = 1.14
#: How far the nearest goes beside the furthest, as a share of the width.
_SWAY: Final = 0.085
#: Depth is worked out on a small copy, and blurred so that nothing tears.
_DEPTH_SIDE: Final = 64
_BLUR: Final = 5
#: Nearness by height in the picture, and by what stands out; the rest is the same for all.
_BY_HEIGHT: Final = 0.55
_BY_CONTRAST: Final = 0.45
#: The camera breathes: up and down, and nearer, by shares of the height.
_RISE: Final = 0.012
_NEARER: Final = 0.05
#: From so many times the shape of the frame on, a picture is shown whole; what is around it is dimmed.
_MOST_CUT: Final = 1.4
_DIMMED: Final = 0.45
_CRISP_FROM: Final = 2.0
#: Lengths of particles are given for a scene so many units high.
_SCENE_HIGH: Final = 180


@dataclass(frozen=True, slots=True)
class PictureFilm:
    """A clip in the making."""

    #: Packed colours (h, w), larger than the frame, and how near each pixel of the frame is, 0 to 1.
    packed: NDArray[np.uint32]
    nearness: Floats
    size: tuple[int, int]
    seconds: float
    direction: float
    swarms: tuple[Swarm, ...]

    def frames(self, fps: int) -> Iterator[Bytes]:
        """Yield the frames one after the other, each (height, width, 3)."""
        width, height = self.size
        y, x = np.mgrid[0:height, 0:width].astype(np.float64)
        still = Camera(0.0, (1.0, 1.0), self.seconds)
        for number in range(frame_count(self.seconds, fps)):
            time = number / fps
            share = time / self.seconds
            frame = self._seen(x, y, share)
            for particles in self.swarms:
                particles.put(frame, still, time)
            yield frame

    def _seen(self, x: Floats, y: Floats, share: float) -> Bytes:
        """Return the frame at a share of the clip, 0 to 1."""
        width, height = self.size
        rows, columns = self.packed.shape
        eased = share * share * (3 - 2 * share)
        across = self.direction * (eased - 0.5) * _SWAY * width * (self.nearness - 0.35)
        rise = np.sin(share * 2 * np.pi) * _RISE * height
        scale = columns / width / _OVERSCAN * (1 - _NEARER * eased * (0.4 + 0.6 * self.nearness))
        px = ((x + 0.5 - width / 2 + across) * scale + columns / 2).astype(np.intp)
        py = ((y + 0.5 - height / 2 + rise) * scale + rows / 2).astype(np.intp)
        np.clip(px, 0, columns - 1, out=px)
        np.clip(py, 0, rows - 1, out=py)
        found = self.packed[py, px]
        return np.dstack((found >> 16 & 255, found >> 8 & 255, found & 255)).astype(np.uint8)


def picture_film(picture: Bytes, look: Look, size: tuple[int, int], seconds: float) -> PictureFilm:
    """Set up the clip of a picture, (height, width, 4)."""
    filled, place = _filled(_on_ground(picture), size)
    if look.book.palette is not None:
        filled = look.book.palette.nearest(filled)
    rgb = filled.astype(np.uint32)
    return PictureFilm(
        (rgb[..., 0] << 16 | rgb[..., 1] << 8 | rgb[..., 2]).astype(np.uint32),
        _nearness(filled, size, place),
        size,
        seconds,
        -1.0 if look.has("camera-left", 0.5) else 1.0,
        tuple(swarms(words_of(look), look, size[0] * _SCENE_HIGH / size[1], size[1] / _SCENE_HIGH)),
    )


def _on_ground(picture: NDArray[np.uint8]) -> Bytes:
    """Return the picture opaque: what is transparent shows a dimmed mean of its colours, as (h, w, 3)."""
    alpha = picture[..., 3:].astype(np.float64) / 255
    total = max(float(alpha.sum()), 1e-9)
    mean = (picture[..., :3] * alpha).sum(axis=(0, 1)) / total * 0.4
    flat: Bytes = np.rint(picture[..., :3] * alpha + mean * (1 - alpha)).astype(np.uint8)
    return flat


def _filled(picture: Bytes, size: tuple[int, int]) -> tuple[Bytes, Box]:
    """Scale a picture to the size and some to spare; return it with the place (left, top, right, bottom) it takes.

    When filling the frame would cut much away, the whole picture is shown before a dimmed and blurred copy of itself.
    """
    wide, high = (round(side * _OVERSCAN) for side in size)
    scales = wide / picture.shape[1], high / picture.shape[0]
    cover = _resized(picture, max(scales))
    top, left = (cover.shape[0] - high) // 2, (cover.shape[1] - wide) // 2
    ground = np.ascontiguousarray(cover[top : top + high, left : left + wide])
    if max(scales) / min(scales) < _MOST_CUT:
        return ground, (0, 0, wide, high)
    soft = Image.fromarray(ground).filter(ImageFilter.BoxBlur(high / 24))
    filled = np.rint(np.asarray(soft) * _DIMMED).astype(np.uint8)
    whole = _resized(picture, min(scales) / _OVERSCAN)
    top, left = (high - whole.shape[0]) // 2, (wide - whole.shape[1]) // 2
    box = (left, top, left + whole.shape[1], top + whole.shape[0])
    filled[box[1] : box[3], box[0] : box[2]] = whole
    return filled, box


def _resized(picture: Bytes, scale: float) -> Bytes:
    """Scale a picture; small ones, pixel art mostly, keep hard edges when they are enlarged."""
    target = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
    method = Image.Resampling.NEAREST if scale >= _CRISP_FROM else Image.Resampling.LANCZOS
    resized = Image.fromarray(np.ascontiguousarray(picture)).resize(target, method)
    pixels: Bytes = np.array(resized)
    return pixels


def _nearness(filled: Bytes, size: tuple[int, int], place: Box) -> Floats:
    """Return how near each pixel of the frame is, 0 to 1, smooth enough that nothing tears.

    What is outside the picture's place is far away.
    """
    small_size = (_DEPTH_SIDE, max(8, round(_DEPTH_SIDE * size[1] / size[0])))
    small = np.asarray(Image.fromarray(filled).resize(small_size, Image.Resampling.BOX))
    lab = oklab_of(small)
    border = np.concatenate((lab[0], lab[:, 0], lab[:, -1]))
    apart = np.sqrt(((lab - np.median(border, axis=0)) ** 2).sum(axis=2))
    middle = 1 - np.abs(np.linspace(-1, 1, small.shape[1]))[None, :] * 0.6
    contrast = np.clip(apart / max(float(np.percentile(apart, 95)), 0.02), 0, 1) * middle
    height = np.linspace(0, 1, small.shape[0])[:, None] ** 1.2
    near = _BY_HEIGHT * height + _BY_CONTRAST * contrast
    left, top, right, bottom = place
    columns = (np.arange(small.shape[1]) + 0.5) * filled.shape[1] / small.shape[1]
    rows = (np.arange(small.shape[0]) + 0.5) * filled.shape[0] / small.shape[0]
    inside = ((rows >= top) & (rows < bottom))[:, None] & ((columns >= left) & (columns < right))[None, :]
    near = _blurred(np.where(inside, near, 0.0))
    spread = Image.fromarray(near.astype(np.float32)).resize(size, Image.Resampling.BICUBIC)
    return np.clip(np.asarray(spread, dtype=np.float64), 0, 1)


def _blurred(values: Floats) -> Floats:
    """Average over a square of so many pixels, twice."""
    for _ in range(2):
        for axis in (0, 1):
            pad = [(0, 0), (0, 0)]
            pad[axis] = (_BLUR, _BLUR)
            padded = np.pad(values, pad, mode="edge")
            total = np.zeros_like(values)
            for offset in range(2 * _BLUR + 1):
                total += np.take(padded, np.arange(values.shape[axis]) + offset, axis=axis)
            values = total / (2 * _BLUR + 1)
    return values
