"""From the clip that is wanted to one that a service offers. Pure."""

import math
from collections.abc import Sequence
from typing import Final

from worker.artifacts import GenerationRequest
from worker.providers.pictures.size import FixedSizes

#: What a start frame has about as many of, whatever its shape.
_FRAME_PIXELS: Final = 1280 * 720
#: Sides of frames are multiples of this.
_STEP: Final = 16
#: No service takes pictures much longer than this, either way.
_MAX_RATIO: Final = 2.4
_DEFAULT_SECONDS: Final = 5.0


def wanted_seconds(request: GenerationRequest) -> float:
    """Return how long the clip is to be."""
    return request.params.duration_seconds or _DEFAULT_SECONDS


def fitting_seconds(wanted: float, offered: Sequence[int]) -> int:
    """Return the shortest length that is long enough, for the rest can be cut off; else the longest."""
    return min((seconds for seconds in offered if seconds >= wanted), default=max(offered))


def fitting_ratio(request: GenerationRequest, ratios: Sequence[str]) -> str:
    """Return the nearest of proportions written as "16:9"."""
    offered = {_pair(ratio): ratio for ratio in ratios}
    return offered[FixedSizes(tuple(offered)).choose(request.params.width, request.params.height)]


def fitting_lines(request: GenerationRequest, offered: Sequence[int]) -> int:
    """Return the least resolution, as its shorter side in pixels, that loses nothing; else the largest."""
    wanted = min(request.params.width, request.params.height)
    return min((lines for lines in offered if lines >= wanted), default=max(offered))


def frame_size(request: GenerationRequest) -> tuple[int, int]:
    """Return the size, (width, height), of a picture that a clip begins with: the clip then has its shape."""
    ratio = request.params.width / request.params.height
    ratio = min(max(ratio, 1 / _MAX_RATIO), _MAX_RATIO)
    wide = math.sqrt(_FRAME_PIXELS * ratio)
    return _stepped(wide), _stepped(wide / ratio)


def _stepped(side: float) -> int:
    return max(_STEP, round(side / _STEP) * _STEP)


def _pair(ratio: str) -> tuple[int, int]:
    wide, _, high = ratio.partition(":")
    return int(wide), int(high)
