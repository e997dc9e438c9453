"""Outlines of far things: for every column, the height above the horizon, in units of the scene."""

import math
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.providers.builtin.chance import Chance

Floats = NDArray[np.float64]


def ridge(shape: str, chance: Chance, x: Floats) -> Floats:
    """Return the heights of a ridge at the places x (units; the scene is about 180 high)."""
    phase = [chance.between(f"{shape}{index}", 0, 2 * math.pi) for index in range(3)]
    if shape in _WAVES:
        return _WAVES[shape](x, *phase)
    if shape in _GROWN:
        return _GROWN[shape](chance, x)
    rolling = 12 + 5 * np.sin(x / 45 + phase[0])
    apart, low, high = _WOODS[shape]
    return rolling + _trees(chance, x, apart, low, high)


def _hills(x: Floats, one: float, two: float, three: float) -> Floats:
    return _floats(16 + 9 * np.sin(x / 46 + one) + 5 * np.sin(x / 21 + two) + 1.5 * np.sin(x / 7 + three))


def _dunes(x: Floats, one: float, two: float, _: float) -> Floats:
    fold = np.abs((x / 74 + one) % 2 - 1)
    return _floats(8 + 17 * fold**1.3 + 3 * np.sin(x / 33 + two))


def _islands(x: Floats, one: float, two: float, _: float) -> Floats:
    wave = np.sin(x / 60 + one) + 0.6 * np.sin(x / 27 + two)
    return _floats(np.maximum(0, wave - 0.55) * 22 + np.where(wave > 0.55, 1.0, 0.0))


def _cloudsea(x: Floats, one: float, two: float, _: float) -> Floats:
    return _floats(14 + 9 * np.abs(np.sin(x / 26 + one)) + 6 * np.abs(np.sin(x / 11 + two)))


def _reef(x: Floats, one: float, two: float, _: float) -> Floats:
    return _floats(10 + 14 * np.abs(np.sin(x / 37 + one)) ** 0.7 + 5 * np.abs(np.sin(x / 13 + two)))


def _floats(value: object) -> Floats:
    return np.asarray(value, dtype=np.float64)


def _mountains(chance: Chance, x: Floats) -> Floats:
    return _peaks(chance, "mountains", x, 58, 20, 52)


def _high_peaks(chance: Chance, x: Floats) -> Floats:
    return _peaks(chance, "peaks", x, 70, 36, 84)


def _peaks(chance: Chance, name: str, x: Floats, apart: float, low: float, high: float) -> Floats:
    """Return the upper edge of a row of pointed mountains with jagged flanks."""
    top = np.zeros_like(x)
    for index in range(int((x.max() - x.min()) / apart) + 3):
        centre = x.min() + (index - 0.7) * apart + chance.between(f"{name}c{index}", -0.3, 0.3) * apart
        height = chance.between(f"{name}h{index}", low, high)
        slope = chance.between(f"{name}s{index}", 0.75, 1.15)
        top = np.maximum(top, height - np.abs(x - centre) * slope)
    jag = 2.2 * np.sin(x / 3.1) * np.sin(x / 7.3) + 1.4 * np.sin(x / 1.9)
    return _floats(np.maximum(top + jag, 3.0))


def _mesas(chance: Chance, x: Floats) -> Floats:
    top = np.full_like(x, 6.0)
    for index in range(int((x.max() - x.min()) / 80) + 2):
        centre = x.min() + index * 80 + chance.between(f"mc{index}", -28, 28)
        half, height = chance.between(f"mw{index}", 12, 32), chance.between(f"mh{index}", 24, 48)
        away = np.abs(x - centre) - half
        top = np.maximum(
            top, np.where(away < 0, height, np.where(away < 6, height * 0.72, height * 0.72 - (away - 6) * 1.4))
        )
    return _floats(top + 0.8 * np.sin(x / 2.6))


def _volcano(chance: Chance, x: Floats) -> Floats:
    centre = x.min() + (x.max() - x.min()) * chance.between("vc", 0.35, 0.65)
    away = np.abs(x - centre)
    cone = np.where(away < 11, 82 - 2 * np.cos(away), 86 * np.exp(-(away - 11) / 58) - 2)
    return _floats(np.maximum(cone, _peaks(chance, "v", x, 60, 14, 30)) + 1.2 * np.sin(x / 2.7))


def _blocks(chance: Chance, x: Floats) -> Floats:
    top = np.zeros_like(x)
    place, index = float(x.min()) - 10, 0
    while place < x.max():
        wide = chance.between(f"bw{index}", 12, 30)
        height = chance.between(f"bh{index}", 22, 92)
        inside = (x >= place) & (x < place + wide - chance.between(f"bg{index}", 0, 3))
        top = np.maximum(top, np.where(inside, height, 0))
        if chance.chance(f"ba{index}", 0.35):
            top = np.where(np.abs(x - place - wide / 2) < 0.8, np.maximum(top, height + 10), top)
        place, index = place + wide, index + 1
    return top


def _trees(chance: Chance, x: Floats, apart: float, low: float, high: float) -> Floats:
    """Return the pointed tops of a row of firs."""
    top = np.zeros_like(x)
    for index in range(int((x.max() - x.min()) / apart) + 3):
        centre = x.min() + (index - 0.5) * apart + chance.between(f"tc{index}", -3, 3)
        height = chance.between(f"th{index}", low, high)
        away = np.abs(x - centre)
        step = (away * 3) % 3.2
        top = np.maximum(top, height - away * 2.6 + step * 0.9)
    return _floats(np.maximum(top, 0))


_WAVES: Final[Mapping[str, Callable[[Floats, float, float, float], Floats]]] = {
    "hills": _hills,
    "dunes": _dunes,
    "islands": _islands,
    "cloudsea": _cloudsea,
    "reef": _reef,
}
_GROWN: Final[Mapping[str, Callable[[Chance, Floats], Floats]]] = {
    "mountains": _mountains,
    "peaks": _high_peaks,
    "mesas": _mesas,
    "volcano": _volcano,
    "towers": _blocks,
}
#: How far apart trees stand, and from how low to how high they grow, in units.
_WOODS: Final[Mapping[str, tuple[float, float, float]]] = {"pines": (9, 16, 30), "deadwood": (13, 8, 21)}
