"""Resizing without blurred pixel art and without dark fringes."""

from typing import Final

import numpy as np
from PIL import Image

from worker.imaging.indexed import Pixels

_OPAQUE: Final = 255.0


def resize(array: Pixels, width: int, height: int) -> Pixels:
    """Return the picture at another size.

    Whole factors up repeat pixels (nearest neighbour). Everything else is filtered (Lanczos) on colours weighted by
    alpha, so that what is transparent lends no colour to the edges.
    """
    if width < 1 or height < 1:
        raise ValueError("A picture has at least one pixel each way.")
    old_height, old_width = array.shape[:2]
    if width % old_width == 0 and height % old_height == 0:
        return array.repeat(height // old_height, axis=0).repeat(width // old_width, axis=1)
    weighted = array.astype(np.float32)
    weighted[..., :3] *= weighted[..., 3:] / _OPAQUE
    channels = [
        np.asarray(Image.fromarray(weighted[..., index]).resize((width, height), Image.Resampling.LANCZOS))
        for index in range(4)
    ]
    alpha = np.clip(channels[3], 0, _OPAQUE)
    # What rounds to transparent has no colour either, so that equal transparent pixels stay equal.
    scale = np.where(alpha >= 0.5, _OPAQUE / np.maximum(alpha, 0.5), 0)  # noqa: PLR2004 (half a step of alpha)
    result = np.stack([*(np.clip(channel * scale, 0, _OPAQUE) for channel in channels[:3]), alpha], axis=-1)
    rounded: Pixels = np.rint(result).astype(np.uint8)
    return rounded
