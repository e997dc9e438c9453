"""What a picture's alpha says of its surroundings."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from worker.imaging.indexed import Pixels
from worker.quality.visible import VISIBLE_ALPHA

#: Least alpha, of 255, that counts as opaque: encoders round.
OPAQUE_ALPHA: Final = 250


@dataclass(frozen=True, slots=True)
class Outskirts:
    """Transparent corners (of 4), transparent share of the border (0 to 1), opaque share of all pixels (0 to 1)."""

    clear_corners: int
    clear_border: float
    opaque: float


def look_around(pixels: Pixels) -> Outskirts:
    """Measure the corners, the border, one pixel wide, and the whole."""
    alpha = pixels[..., 3]
    border = np.concatenate([alpha[0], alpha[-1], alpha[:, 0], alpha[:, -1]])
    return Outskirts(
        clear_corners=sum(int(alpha[y, x]) < VISIBLE_ALPHA for y in (0, -1) for x in (0, -1)),
        clear_border=float(np.mean(border < VISIBLE_ALPHA)),
        opaque=float(np.count_nonzero(alpha >= OPAQUE_ALPHA)) / alpha.size,
    )
