"""Which pixels count."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.imaging.indexed import Pixels

#: Least alpha, of 255, of a pixel that counts as visible.
VISIBLE_ALPHA: Final = 32
Mask = NDArray[np.bool_]


def visible_mask(pixels: Pixels) -> Mask:
    """Return (height, width): whether a pixel is visible."""
    mask: Mask = pixels[..., 3] >= VISIBLE_ALPHA
    return mask
