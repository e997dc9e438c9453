"""Colours in OKLab: ramps with shifted hues, and the nearest ones of a palette.

OKLab and its matrices: Björn Ottosson, "A perceptual color space for image processing" (2020).
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: Steps of a ramp: 0 outline, 1 and 2 shadow, 3 the colour itself, 4 and 5 light, 6 and 7 glow.
LEVELS: Final = 8
BASE_LEVEL: Final = 3

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
#: Lightness 0 to 1, chroma 0 to about 0.3, hue in degrees.
Lch = tuple[float, float, float]

_TO_LMS: Final = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB: Final = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_FROM_LMS: Final = np.linalg.inv(_TO_LMS)
_FROM_LAB: Final = np.linalg.inv(_TO_LAB)
#: Shadows lean towards this hue, lights towards the other.
_SHADOW_HUE: Final = 285.0
_LIGHT_HUE: Final = 95.0
_GREY_CHROMA: Final = 0.025
#: Lightness of the darkest and lightest colours that ramps are made of.
_DARKEST: Final = 0.14
_LIGHTEST: Final = 0.98
#: Spread of a palette in OKLab's two colour axes from which it has more than one hue.
_MANY_HUES: Final = 0.06
#: What two neighbouring steps of one colour cost in a palette's ramp, in squared OKLab distance.
_STAY_COST: Final = 0.006
#: What it costs to show a colour by one of another hue, and from which chroma and up to which turn hues count.
_WRONG_HUE_COST: Final = 100.0
_CLEAR_CHROMA: Final = 0.06
_SAME_HUE: Final = 32.0


def parse_hex(text: str) -> tuple[int, int, int]:
    """Return the red, green and blue of "#rrggbb" or "#rrggbbaa"; alpha is left out."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def to_hex(rgb: Sequence[int] | Bytes) -> str:
    """Return "#rrggbb"."""
    return f"#{int(rgb[0]):02x}{int(rgb[1]):02x}{int(rgb[2]):02x}"


def oklab_of(rgb: NDArray[np.generic]) -> Floats:
    """Convert sRGB bytes (..., 3) to OKLab (..., 3)."""
    value = np.asarray(rgb, dtype=np.float64) / 255.0
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    lab: Floats = np.cbrt(linear @ _TO_LMS.T) @ _TO_LAB.T
    return lab


def _linear_of(lab: Floats) -> Floats:
    linear: Floats = (lab @ _FROM_LAB.T) ** 3 @ _FROM_LMS.T
    return linear


def srgb_of(lab: Floats) -> Bytes:
    """Convert OKLab (..., 3) to sRGB bytes, clipped to what sRGB can show."""
    linear = np.clip(_linear_of(lab), 0.0, 1.0)
    value = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    rgb: Bytes = np.rint(value * 255).astype(np.uint8)
    return rgb


@lru_cache(maxsize=2048)
def lch_of(color: str) -> Lch:
    """Return lightness, chroma and hue of "#rrggbb"."""
    lightness, a, b = (float(x) for x in oklab_of(np.array(parse_hex(color))))
    return lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360


def lab_of(lch: Lch) -> Floats:
    """Return OKLab for lightness, chroma, hue, with the chroma lowered until sRGB can show it."""
    lightness = min(max(lch[0], 0.0), 1.0)
    angle = math.radians(lch[2])
    chroma = max(lch[1], 0.0)
    lab = np.array([lightness, 0.0, 0.0])
    for _ in range(24):
        lab = np.array([lightness, chroma * math.cos(angle), chroma * math.sin(angle)])
        linear = _linear_of(lab)
        if linear.min() >= -0.002 and linear.max() <= 1.002:
            break
        chroma *= 0.92
    return lab


def hex_of(lch: Lch) -> str:
    """Return the nearest "#rrggbb" of lightness, chroma, hue."""
    return to_hex(srgb_of(lab_of(lch)))


@lru_cache(maxsize=4096)
def shift(color: str, *, lightness: float = 0.0, chroma: float = 1.0, hue: float = 0.0) -> str:
    """Return a colour made lighter (added), stronger (a factor) or turned (degrees)."""
    base = lch_of(color)
    return hex_of((base[0] + lightness, base[1] * chroma, (base[2] + hue) % 360))


@lru_cache(maxsize=4096)
def mix(first: str, second: str, share: float) -> str:
    """Return the colour that is `share` of the way from the first to the second, in OKLab."""
    one, two = (oklab_of(np.array(parse_hex(color))) for color in (first, second))
    return to_hex(srgb_of(one + (two - one) * share))


def _towards(hue: float, target: float, degrees: float) -> float:
    """Turn a hue at most so many degrees, the short way, to a target."""
    gap = (target - hue + 180) % 360 - 180
    return (hue + max(-degrees, min(degrees, gap))) % 360


@lru_cache(maxsize=1024)
def ramp_of(color: str) -> tuple[str, ...]:
    """Return the LEVELS steps of a colour, dark to light, hues shifted to violet below and to yellow above."""
    light, chroma, hue = lch_of(color)
    grey = chroma < _GREY_CHROMA
    floor = 0.025 if grey else 0.0
    room = 0.99 - light
    low = hue if not grey else _SHADOW_HUE
    steps: list[Lch] = [
        (0.13 + 0.13 * light, max(0.62 * chroma, floor), _towards(low, _SHADOW_HUE, 34)),
        (light * 0.60, max(0.90 * chroma, floor), _towards(low, _SHADOW_HUE, 24)),
        (light * 0.80, max(0.98 * chroma, floor * 0.7), _towards(low, _SHADOW_HUE, 12)),
        (light, chroma, hue),
        (light + room * 0.36, 0.90 * chroma, _towards(hue, _LIGHT_HUE, 9)),
        (light + room * 0.68, 0.60 * chroma, _towards(hue, _LIGHT_HUE, 16)),
        (light + room * 0.84, 0.38 * chroma, _towards(hue, _LIGHT_HUE, 20)),
        (light + room * 0.96, 0.18 * chroma, _towards(hue, _LIGHT_HUE, 22)),
    ]
    return tuple(hex_of(step) for step in steps)


def gradient(stops: Sequence[str], count: int) -> list[str]:
    """Return `count` colours along the stops, evenly spaced in OKLab."""
    labs = oklab_of(np.array([parse_hex(stop) for stop in stops]))
    places = np.linspace(0, len(stops) - 1, count)
    mixed = np.stack([np.interp(places, np.arange(len(stops)), labs[:, axis]) for axis in range(3)], axis=1)
    return [to_hex(rgb) for rgb in srgb_of(mixed)]


class Palette:
    """The colours a style allows."""

    def __init__(self, colors: Sequence[str]) -> None:
        rgb = np.array([parse_hex(color) for color in dict.fromkeys(color[:7] for color in colors)], dtype=np.uint8)
        lab = oklab_of(rgb)
        order = np.lexsort((lab[:, 2], lab[:, 1], lab[:, 0]))
        self._rgb: Bytes = rgb[order]
        self._lab: Floats = lab[order]
        spread = float(np.hypot(*self._lab[:, 1:].std(axis=0)))
        # A palette of one hue has only lightness to tell things apart by.
        hue_weight = 2.2 if spread > _MANY_HUES else 0.25
        self._weights = np.array([0.8, hue_weight, hue_weight])

    def nearest(self, rgb: Bytes) -> Bytes:
        """Map bytes (..., 3) to the nearest colours."""
        flat, inverse = np.unique(rgb.reshape(-1, 3), axis=0, return_inverse=True)
        lab = oklab_of(flat)
        best = np.empty(len(flat), dtype=np.intp)
        for start in range(0, len(flat), 4096):
            part = lab[start : start + 4096]
            distance = ((part[:, None] - self._lab[None]) ** 2).sum(axis=2)
            best[start : start + 4096] = distance.argmin(axis=1)
        result: Bytes = self._rgb[best][inverse.reshape(-1)].reshape(rgb.shape)
        return result

    def _strangers(self, wanted: Floats) -> NDArray[np.bool_]:
        """Return which colours must not stand for one with a hue: all others, if the palette has that hue."""
        chroma = np.hypot(self._lab[:, 1], self._lab[:, 2])
        if math.hypot(wanted[1], wanted[2]) < _CLEAR_CHROMA:
            return np.zeros(len(chroma), dtype=np.bool_)
        turn = np.degrees(np.arctan2(self._lab[:, 2], self._lab[:, 1]) - math.atan2(wanted[2], wanted[1]))
        gap = np.abs((turn + 180) % 360 - 180)
        akin: NDArray[np.bool_] = (gap <= _SAME_HUE) & (chroma >= _CLEAR_CHROMA * 0.6)
        return ~akin if akin.any() else np.zeros(len(chroma), dtype=np.bool_)

    def ramp(self, colors: Sequence[str]) -> list[str]:
        """Map a ramp so that it keeps its direction, dark to light or light to dark, by the cheapest chain.

        Hue matters more than lightness: a ramp may be darker than wished, but not of another colour. Lightness is
        stretched to what the palette has, so that things stay apart in a palette of few greys.
        """
        target = oklab_of(np.array([parse_hex(color) for color in colors]))
        if target[-1, 0] < target[0, 0]:
            return self.ramp(list(reversed(colors)))[::-1]
        darkest, lightest = max(self._lab[0, 0], _DARKEST), min(self._lab[-1, 0], _LIGHTEST)
        share = np.clip((target[:, 0] - _DARKEST) / (_LIGHTEST - _DARKEST), 0, 1)
        target[:, 0] = darkest + share * max(lightest - darkest, 0)
        cost = (((target[:, None] - self._lab[None]) * self._weights) ** 2).sum(axis=2)
        if len(colors) == LEVELS:
            cost[BASE_LEVEL, self._strangers(target[BASE_LEVEL])] += _WRONG_HUE_COST
        places = np.arange(len(self._lab))
        back = np.zeros(cost.shape, dtype=np.intp)
        total = cost[0]
        for step in range(1, len(colors)):
            # Staying on one colour loses a step of light, so it costs a little.
            least = np.minimum.accumulate(total)
            owner = np.maximum.accumulate(np.where(total <= least, places, 0))
            darker = np.concatenate(([np.inf], least[:-1]))
            stays = total + _STAY_COST <= darker
            back[step] = np.where(stays, places, np.concatenate(([0], owner[:-1])))
            total = np.where(stays, total + _STAY_COST, darker) + cost[step]
        place = int(total.argmin())
        chain = [place]
        for step in range(len(colors) - 1, 0, -1):
            place = int(back[step, place])
            chain.append(place)
        return [to_hex(self._rgb[index]) for index in reversed(chain)]
