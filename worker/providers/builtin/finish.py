"""From a canvas of inks to a picture of colours, in the manner the art style asks for."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from worker.providers.builtin.canvas import Canvas, dilate
from worker.providers.builtin.color import BASE_LEVEL, LEVELS, Bytes
from worker.providers.builtin.ink import InkBook


@dataclass(frozen=True, slots=True)
class Manner:
    """How shapes become pixels."""

    name: str
    #: Pictures are drawn on a grid of at most so many pixels a side and enlarged; 0: drawn at full size and smoothed.
    grid: int
    outlined: bool
    #: Steps between two whole levels; 1: hard edges of light, 0: continuous.
    tones: float
    #: How much of the light and dark is kept.
    depth: float = 1.0


MANNERS: Final = {
    "pixel": Manner("pixel", 72, outlined=True, tones=1),
    "chunky": Manner("chunky", 36, outlined=True, tones=1),
    "flat": Manner("flat", 0, outlined=False, tones=1, depth=0.55),
    "cartoon": Manner("cartoon", 0, outlined=True, tones=1, depth=0.9),
    "painted": Manner("painted", 0, outlined=False, tones=0, depth=1.1),
}


def outline(canvas: Canvas) -> None:
    """Draw a dark line around everything, in the ink of what it surrounds."""
    filled = canvas.ink > 0
    ring = dilate(filled, canvas.line) & ~filled
    ink, level = canvas.ink, canvas.level
    for _ in range(canvas.line):
        source = ink.copy()
        for axis, step in ((0, -1), (1, -1), (1, 1), (0, 1)):
            moved = np.roll(source, step, axis)
            spread = ring & (ink == 0) & (moved > 0)
            ink[spread] = moved[spread]
        level[ring] = 0.0


def colored(canvas: Canvas, book: InkBook, manner: Manner) -> Bytes:
    """Return the canvas as RGBA, one pixel a pixel of the canvas; what nothing covers is transparent."""
    table = book.table()
    alpha = np.where(canvas.ink > 0, 255, 0).astype(np.uint8)
    level = canvas.level
    if manner.depth != 1.0:
        level = np.where(level > 0.5, BASE_LEVEL + (level - BASE_LEVEL) * manner.depth, level)
    if manner.tones or book.palette is not None:
        steps = np.clip(np.rint(level), 0, LEVELS - 1).astype(np.intp)
        rgb = table[canvas.ink, steps]
    else:
        low = np.clip(np.floor(level), 0, LEVELS - 2).astype(np.intp)
        share = np.clip(level - low, 0, 1)[..., None]
        one, two = table[canvas.ink, low].astype(np.float32), table[canvas.ink, low + 1].astype(np.float32)
        rgb = np.rint(one + (two - one) * share).astype(np.uint8)
    result = np.dstack((rgb, alpha))
    result[alpha == 0] = 0
    return result


def enlarged(picture: Bytes, factor: int) -> Bytes:
    """Repeat every pixel."""
    return picture.repeat(factor, axis=0).repeat(factor, axis=1) if factor > 1 else picture


def reduced(picture: Bytes, factor: int) -> Bytes:
    """Average squares of pixels, colours weighted by alpha, so that no edge turns dark."""
    if factor == 1:
        return picture
    height, width = picture.shape[0] // factor, picture.shape[1] // factor
    squares = picture.reshape(height, factor, width, factor, 4).astype(np.float32)
    alpha = squares[..., 3:]
    total = alpha.sum(axis=(1, 3))
    rgb = (squares[..., :3] * alpha).sum(axis=(1, 3)) / np.maximum(total, 1)
    result = np.dstack((np.rint(rgb), np.rint(total / factor**2))).astype(np.uint8)
    result[result[..., 3] == 0] = 0
    return result


def centered(picture: Bytes, width: int, height: int) -> Bytes:
    """Place a picture in the middle of a transparent one, or cut its middle out."""
    result = np.zeros((height, width, 4), dtype=np.uint8)
    source_y, source_x = max((picture.shape[0] - height) // 2, 0), max((picture.shape[1] - width) // 2, 0)
    part = picture[source_y : source_y + height, source_x : source_x + width]
    top, left = (height - part.shape[0]) // 2, (width - part.shape[1]) // 2
    result[top : top + part.shape[0], left : left + part.shape[1]] = part
    return result
