"""What the judge is shown: everything in one picture of moderate size. Runs in a process of the picture pool."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from worker.artifacts import Picture
from worker.imaging.indexed import Pixels
from worker.imaging.pixels import decode_rgba, encode_png
from worker.imaging.resize import resize

MAX_SIDE: Final = 1024
#: Small pictures are enlarged, by whole factors, so that a model sees their pixels.
_LEAST_SIDE: Final = 384
_LIGHT: Final = (236, 236, 236)
_DARK: Final = (42, 42, 48)
#: More frames tell a model no more.
_MAX_FRAMES: Final = 16
_GAP: Final = 4


@dataclass(frozen=True, slots=True)
class ContactJob:
    """Pictures of one asset; `joined` lays them edge to edge, as tiles are."""

    pictures: tuple[Picture, ...]
    transparent: bool
    joined: bool = False


def contact_picture(job: ContactJob) -> bytes:
    """Return a PNG: one picture on a light ground and, when it is transparent, on a dark one; several on a grid.

    Raises `UnreadablePicture`.
    """
    chosen = [decode_rgba(picture.data) for picture in _spread(job.pictures)]
    whole = _grid(chosen, 0 if job.joined else _GAP) if len(chosen) > 1 else chosen[0]
    sides = [_on(whole, _LIGHT), _on(whole, _DARK)] if job.transparent and len(chosen) == 1 else [_on(whole, _LIGHT)]
    return encode_png(_sized(np.concatenate(sides, axis=1)))


def _spread(pictures: Sequence[Picture]) -> list[Picture]:
    """Return at most so many pictures, evenly from all of them."""
    step = max(1.0, len(pictures) / _MAX_FRAMES)
    return [pictures[int(place * step)] for place in range(min(len(pictures), _MAX_FRAMES))]


def _grid(pictures: Sequence[Pixels], gap: int) -> Pixels:
    columns = math.ceil(math.sqrt(len(pictures)))
    rows = math.ceil(len(pictures) / columns)
    height = max(picture.shape[0] for picture in pictures)
    width = max(picture.shape[1] for picture in pictures)
    whole = np.zeros((rows * (height + gap), columns * (width + gap), 4), dtype=np.uint8)
    for place, picture in enumerate(pictures):
        top, left = place // columns * (height + gap), place % columns * (width + gap)
        whole[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
    return whole


def _on(pixels: Pixels, ground: tuple[int, int, int]) -> Pixels:
    share = pixels[..., 3:].astype(np.float32) / 255
    result = np.full_like(pixels, 255)
    result[..., :3] = np.rint(pixels[..., :3] * share + np.array(ground, dtype=np.float32) * (1 - share))
    return result


def _sized(pixels: Pixels) -> Pixels:
    height, width = pixels.shape[:2]
    longest = max(height, width)
    if longest > MAX_SIDE:
        scale = MAX_SIDE / longest
        return resize(pixels, max(1, round(width * scale)), max(1, round(height * scale)))
    factor = math.ceil(_LEAST_SIDE / longest)
    return resize(pixels, width * factor, height * factor)
