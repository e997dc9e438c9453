"""Outlines of far things: for every column, the height above the horizon, in units of the scene."""

import math

import numpy as np
from numpy.typing import NDArray

from worker.providers.builtin.chance import Chance

Floats = NDArray[np.float64]


def ridge(shape: str, chance: Chance, x: Floats) -> Floats:
    """Return the heights of a ridge at the places x (units; the scene is about 180 high)."""
    phase = [chance.between(f"{shape}{index}", 0, 2 * math.pi) for index in range(6)]
    match shape:
        case "hills":
            return 16 + 9 * np.sin(x / 46 + phase[0]) + 5 * np.sin(x / 21 + phase[1]) + 1.5 * np.sin(x / 7 + phase[2])
        case "dunes":
            fold = np.abs((x / 74 + phase[0]) % 2 - 1)
            return 8 + 17 * fold**1.3 + 3 * np.sin(x / 33 + phase[1])
        case "mountains":
            return _peaks(chance, shape, x, 58, 20, 52)
        case "peaks":
            return _peaks(chance, shape, x, 70, 36, 84)
        case "mesas":
            return _mesas(chance, x)
        case "volcano":
            return _volcano(chance, x)
        case "islands":
            wave = np.sin(x / 60 + phase[0]) + 0.6 * np.sin(x / 27 + phase[1])
            return np.maximum(0, wave - 0.55) * 22 + np.where(wave > 0.55, 1.0, 0.0)
        case "towers":
            return _blocks(chance, x)
        case "pines":
            return 14 + 6 * np.sin(x / 50 + phase[0]) + _trees(chance, x, 9, 16, 30)
        case "deadwood":
            return 10 + 4 * np.sin(x / 40 + phase[0]) + _trees(chance, x, 13, 10, 26) * 0.8
        case "cloudsea":
            return 14 + 9 * np.abs(np.sin(x / 26 + phase[0])) + 6 * np.abs(np.sin(x / 11 + phase[1]))
        case "reef":
            return 10 + 14 * np.abs(np.sin(x / 37 + phase[0])) ** 0.7 + 5 * np.abs(np.sin(x / 13 + phase[1]))
        case _:
            return np.zeros_like(x)


def _peaks(chance: Chance, name: str, x: Floats, apart: float, low: float, high: float) -> Floats:
    """Return the upper edge of a row of pointed mountains with jagged flanks."""
    top = np.zeros_like(x)
    for index in range(int((x.max() - x.min()) / apart) + 3):
        centre = x.min() + (index - 0.7) * apart + chance.between(f"{name}c{index}", -0.3, 0.3) * apart
        height = chance.between(f"{name}h{index}", low, high)
        slope = chance.between(f"{name}s{index}", 0.75, 1.15)
        top = np.maximum(top, height - np.abs(x - centre) * slope)
    jag = 2.2 * np.sin(x / 3.1) * np.sin(x / 7.3) + 1.4 * np.sin(x / 1.9)
    return np.maximum(top + jag, 3.0)


def _mesas(chance: Chance, x: Floats) -> Floats:
    top = np.full_like(x, 6.0)
    for index in range(int((x.max() - x.min()) / 80) + 2):
        centre = x.min() + index * 80 + chance.between(f"mc{index}", -28, 28)
        half, height = chance.between(f"mw{index}", 12, 32), chance.between(f"mh{index}", 24, 48)
        away = np.abs(x - centre) - half
        top = np.maximum(
            top, np.where(away < 0, height, np.where(away < 6, height * 0.72, height * 0.72 - (away - 6) * 1.4))
        )
    return top + 0.8 * np.sin(x / 2.6)


def _volcano(chance: Chance, x: Floats) -> Floats:
    centre = x.min() + (x.max() - x.min()) * chance.between("vc", 0.35, 0.65)
    away = np.abs(x - centre)
    cone = np.where(away < 11, 82 - 2 * np.cos(away), 86 * np.exp(-(away - 11) / 58) - 2)
    return np.maximum(cone, _peaks(chance, "v", x, 60, 14, 30)) + 1.2 * np.sin(x / 2.7)


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
    return np.maximum(top, 0)
