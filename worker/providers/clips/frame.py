"""The picture that a clip begins with, as services want it. Runs in a process of the picture pool."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from worker.imaging.fit import contain, cover, opaque
from worker.imaging.indexed import Pixels
from worker.imaging.pixels import decode_rgba, encode_png
from worker.imaging.resize import resize

#: Up to this much difference of shape, a picture is cropped; beyond, it is set on a ground of its edges' color.
_CROPPED: Final = 1.35
_OPAQUE: Final = 255
#: What stands out against no subject and dazzles nobody.
_GREY: Final = (128, 128, 128)


@dataclass(frozen=True, slots=True)
class FrameJob:
    """An encoded picture, and the size of the frame to make of it, in pixels."""

    picture: bytes
    width: int
    height: int


def start_frame(job: FrameJob) -> bytes:
    """Return the picture as a PNG of exactly the size, opaque, without metadata; raises `UnreadablePicture`.

    Services take the clip's shape from it and refuse small pictures; a sprite has neither the shape nor the size.
    """
    pixels = decode_rgba(job.picture)
    if pixels[..., 3].min() < _OPAQUE:
        return encode_png(_grounded(contain(_enlarged(pixels, job), job.width, job.height), _GREY))
    apart = pixels.shape[1] / pixels.shape[0] / (job.width / job.height)
    if max(apart, 1 / apart) <= _CROPPED:
        return encode_png(cover(pixels, job.width, job.height))
    return encode_png(_bordered(pixels, job))


def _enlarged(pixels: Pixels, job: FrameJob) -> Pixels:
    """Repeat the pixels of a small picture as often as they fit, so that pixel art keeps its edges."""
    times = min(job.width // pixels.shape[1], job.height // pixels.shape[0])
    return resize(pixels, pixels.shape[1] * times, pixels.shape[0] * times) if times > 1 else pixels


def _bordered(pixels: Pixels, job: FrameJob) -> Pixels:
    edges = np.concatenate((pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]))[:, :3]
    red, green, blue = (int(value) for value in np.median(edges, axis=0))
    large = _enlarged(pixels, job)
    scale = min(job.width / large.shape[1], job.height / large.shape[0])
    wide, high = max(1, round(large.shape[1] * scale)), max(1, round(large.shape[0] * scale))
    placed = np.zeros((job.height, job.width, 4), dtype=np.uint8)
    left, top = (job.width - wide) // 2, (job.height - high) // 2
    placed[top : top + high, left : left + wide] = resize(large, wide, high)
    return _grounded(placed, (red, green, blue))


def _grounded(pixels: Pixels, color: tuple[int, int, int]) -> Pixels:
    """Return the picture on a plain ground."""
    ground = np.empty_like(pixels)
    ground[...] = (*color, _OPAQUE)
    share = pixels[..., 3:].astype(np.float32) / _OPAQUE
    mixed = pixels[..., :3] * share + ground[..., :3] * (1 - share)
    ground[..., :3] = np.rint(mixed).astype(np.uint8)
    return opaque(ground)
