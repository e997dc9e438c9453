"""From the size that is wanted to one that a model paints in. Pure."""

import math
from dataclasses import dataclass
from typing import Final

#: Models paint well at about this many pixels, whatever the size asked for.
_BEST_PIXELS: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class FixedSizes:
    """A model with a list of sizes, each (width, height)."""

    sizes: tuple[tuple[int, int], ...]

    def choose(self, width: int, height: int) -> tuple[int, int]:
        """Return the size of the nearest proportions; of equals the smallest that loses nothing, or the largest."""
        return min(self.sizes, key=lambda size: (_far(size, width, height), _unfit(size, width, height)))


@dataclass(frozen=True, slots=True)
class FreeSizes:
    """A model that takes any size within limits; sides are multiples of `multiple`."""

    multiple: int = 16
    min_side: int = 256
    max_side: int = 3840
    max_ratio: float = 3.0
    best_pixels: int = _BEST_PIXELS
    max_pixels: int = 2560 * 1440

    def choose(self, width: int, height: int) -> tuple[int, int]:
        """Return the proportions asked for at the size that the model paints best, larger where more is asked for."""
        ratio = min(max(width / height, 1 / self.max_ratio), self.max_ratio)
        pixels = min(max(self.best_pixels, width * height), self.max_pixels)
        wide = math.sqrt(pixels * ratio)
        # Rounding may not lead out of the limits of the ratio: the longer side is rounded down, the shorter one up.
        if ratio >= 1:
            return self._down(wide), self._up(wide / ratio)
        return self._up(wide), self._down(wide / ratio)

    def _down(self, side: float) -> int:
        return max(self.min_side, min(self.max_side, int(side // self.multiple) * self.multiple))

    def _up(self, side: float) -> int:
        return max(self.min_side, min(self.max_side, math.ceil(side / self.multiple) * self.multiple))


Sizes = FixedSizes | FreeSizes


def _far(size: tuple[int, int], width: int, height: int) -> float:
    return round(abs(math.log(size[0] / size[1] * height / width)), 6)


def _unfit(size: tuple[int, int], width: int, height: int) -> tuple[bool, int]:
    pixels = size[0] * size[1]
    small = size[0] < width or size[1] < height
    return small, -pixels if small else pixels


def nearest_ratio(ratios: tuple[str, ...], width: int, height: int) -> str:
    """Return the nearest of proportions written as "16:9"."""

    def far(ratio: str) -> float:
        wide, _, high = ratio.partition(":")
        return _far((int(wide), int(high)), width, height)

    return min(ratios, key=far)
