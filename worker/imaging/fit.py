"""From the size that a model paints in to the size that was asked for."""

from typing import Final

import numpy as np

from worker.imaging.indexed import Pixels
from worker.imaging.resize import resize

#: Least alpha that counts as something to see.
_VISIBLE: Final = 16
_HALF: Final = 128
#: Space left around a subject, as a share of each side.
_MARGIN: Final = 1 / 16
#: How much larger than needed a picture of whole pixels may become, to be cut off.
_CUT_OFF: Final = 1.25


def content_of(pixels: Pixels) -> tuple[int, int, int, int] | None:
    """Return what is visible as (left, top, right, bottom), the last two excluded; None when nothing is."""
    seen = pixels[..., 3] >= _VISIBLE
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    if not rows.size:
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def cover(pixels: Pixels, width: int, height: int) -> Pixels:
    """Return the picture scaled to fill the size, what is too much cut off on both sides."""
    old_height, old_width = pixels.shape[:2]
    wide = max(1, min(old_width, round(old_height * width / height)))
    high = max(1, min(old_height, round(old_width * height / width)))
    left, top = (old_width - wide) // 2, (old_height - high) // 2
    return resize(pixels[top : top + high, left : left + wide], width, height)


def contain(pixels: Pixels, width: int, height: int) -> Pixels:
    """Return the visible part scaled into the size, centred on transparent ground with a small margin."""
    box = content_of(pixels)
    if box is None:
        return np.zeros((height, width, 4), dtype=np.uint8)
    left, top, right, bottom = box
    scale = scale_into(right - left, bottom - top, width, height)
    return place(pixels[top:bottom, left:right], scale, width, height, 0.5, 0.5)


def contain_whole(pixels: Pixels, width: int, height: int) -> Pixels:
    """Return the visible part on transparent ground, every pixel as a square of as many pixels as fit the size.

    What is too large for the size even so is reduced as any picture is.
    """
    box = content_of(pixels)
    if box is None:
        return np.zeros((height, width, 4), dtype=np.uint8)
    left, top, right, bottom = box
    content = pixels[top:bottom, left:right]
    scale = min(width // (right - left), height // (bottom - top))
    if scale < 1:
        return contain(pixels, width, height)
    result = np.zeros((height, width, 4), dtype=np.uint8)
    large = resize(content, content.shape[1] * scale, content.shape[0] * scale)
    top, left = (height - large.shape[0]) // 2, (width - large.shape[1]) // 2
    result[top : top + large.shape[0], left : left + large.shape[1]] = large
    return result


def cover_whole(pixels: Pixels, width: int, height: int) -> Pixels:
    """Return the picture filling the size, every pixel as a square of pixels, what is too much cut off on both sides.

    Where that would cost more than a fifth of a side, squares are made as nearly equal as they can be; what is too
    large for the size is reduced as any picture is.
    """
    high, wide = pixels.shape[:2]
    exact = max(width / wide, height / high)
    if exact < 1:
        return cover(pixels, width, height)
    factor = int(np.ceil(exact))
    if factor > exact * _CUT_OFF:
        rows = ((np.arange(height) + 0.5 - height / 2) / exact + high / 2).astype(np.intp).clip(0, high - 1)
        columns = ((np.arange(width) + 0.5 - width / 2) / exact + wide / 2).astype(np.intp).clip(0, wide - 1)
        return pixels[np.ix_(rows, columns)]
    large = resize(pixels, wide * factor, high * factor)
    top, left = (large.shape[0] - height) // 2, (large.shape[1] - width) // 2
    return large[top : top + height, left : left + width]


def scale_into(content_width: int, content_height: int, width: int, height: int) -> float:
    """Return the scale at which content fits a size with its margin."""
    room_x, room_y = _room(width), _room(height)
    return min(room_x / content_width, room_y / content_height)


def place(content: Pixels, scale: float, width: int, height: int, across: float, down: float) -> Pixels:
    """Return content at a scale on transparent ground; 0 and 1 are the ends of the room within the margin."""
    wide = min(width, max(1, round(content.shape[1] * scale)))
    high = min(height, max(1, round(content.shape[0] * scale)))
    small = resize(content, wide, high)
    result = np.zeros((height, width, 4), dtype=np.uint8)
    left = _start(width, wide, across)
    top = _start(height, high, down)
    result[top : top + high, left : left + wide] = small
    return result


def hard_edged(pixels: Pixels) -> Pixels:
    """Return the picture with every pixel opaque or gone, as pixel art has it."""
    result = pixels.copy()
    seen = pixels[..., 3] >= _HALF
    result[..., 3] = np.where(seen, 255, 0)
    result[~seen] = 0
    return result


def opaque(pixels: Pixels) -> Pixels:
    """Return the picture on white where it was transparent: models that leave things out anyway are not to be black."""
    share = pixels[..., 3:].astype(np.float32) / 255
    result = np.empty_like(pixels)
    result[..., :3] = np.rint(pixels[..., :3] * share + 255 * (1 - share)).astype(np.uint8)
    result[..., 3] = 255
    return result


def _room(side: int) -> int:
    return max(1, side - 2 * round(side * _MARGIN))


def _start(side: int, size: int, share: float) -> int:
    room, margin = _room(side), round(side * _MARGIN)
    return max(0, min(side - size, round(margin + (room - size) * share)))
