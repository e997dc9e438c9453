"""Inks: a ramp of colours together with the way it takes light."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np

from worker.providers.builtin.color import LEVELS, Bytes, Palette, parse_hex, ramp_of, shift


class Surface(Enum):
    """How a material takes light: contrast, and the light above which a highlight appears."""

    CLOTH = (1.0, 9.0)
    SKIN = (0.8, 9.0)
    SOFT = (0.6, 9.0)
    METAL = (1.55, 0.90)
    GLOSS = (1.2, 0.93)
    GEM = (1.7, 0.86)
    FLAT = (0.0, 9.0)


@dataclass(frozen=True, slots=True)
class Ink:
    """A row of the colour table, with its contrast and highlight threshold."""

    row: int
    contrast: float
    gloss: float


@dataclass(frozen=True, slots=True)
class Tint:
    """What a mood does to every colour."""

    lightness: float = 0.0
    chroma: float = 1.0
    hue: float = 0.0


_NO_TINT: Final = Tint()


class InkBook:
    """All inks of one picture; row 0 is "nothing"."""

    def __init__(self, palette: Palette | None = None, tint: Tint = _NO_TINT) -> None:
        self._palette = palette
        self._tint = tint
        self._rows: list[list[str]] = [["#000000"] * LEVELS]
        self._inks: dict[tuple[str, Surface], Ink] = {}

    @property
    def palette(self) -> Palette | None:
        """The style's palette, if it has one."""
        return self._palette

    def ink(self, color: str, surface: Surface = Surface.CLOTH) -> Ink:
        """Return the ink of a colour, in the picture's mood and palette."""
        key = (color, surface)
        if key not in self._inks:
            tint = self._tint
            moody = color
            if tint != _NO_TINT:
                moody = shift(color, lightness=tint.lightness, chroma=tint.chroma, hue=tint.hue)
            self._inks[key] = self.row(list(ramp_of(moody)), surface)
        return self._inks[key]

    def row(self, colors: list[str], surface: Surface = Surface.FLAT) -> Ink:
        """Return an ink whose LEVELS steps, dark to light, are given."""
        self._rows.append(self._palette.ramp(colors) if self._palette else colors)
        contrast, gloss = surface.value
        return Ink(len(self._rows) - 1, contrast, gloss)

    def shared(self, colors: list[str]) -> Ink:
        """Return the flat ink of a ramp, the same one whenever the same ramp is asked for."""
        key = ("/".join(colors), Surface.FLAT)
        if key not in self._inks:
            self._inks[key] = self.row(colors)
        return self._inks[key]

    def plain(self, color: str) -> Ink:
        """Return an ink of one colour at every level."""
        return self.row([color] * LEVELS)

    def table(self) -> Bytes:
        """Return the colours, (rows, LEVELS, 3)."""
        return np.array([[parse_hex(color) for color in row] for row in self._rows], dtype=np.uint8)
