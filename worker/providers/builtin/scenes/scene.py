"""A background in the making: which place and hour it shows, and on what canvas it is painted."""

import math
from dataclasses import dataclass, replace
from typing import Final

from worker.providers.builtin.canvas import Canvas
from worker.providers.builtin.chance import Chance
from worker.providers.builtin.color import mix
from worker.providers.builtin.finish import Manner
from worker.providers.builtin.look import Look
from worker.providers.builtin.scenes.haze import HazyLook
from worker.providers.builtin.scenes.places import HOURS, PLACES, Hour, Place
from worker.providers.builtin.stage import Grid, grid_for

_GRID: Final = 340
#: The area, in square units, over which a scene is composed, whatever its shape: 320 by 180.
_AREA: Final = 320.0 * 180.0
#: Which place goes with a subject that is not a place.
_HOMES: Final = {
    "castle": "castle",
    "house": "village",
    "tree": "forest",
    "pine": "forest",
    "cactus": "desert",
    "fish": "underwater",
    "octopus": "underwater",
    "spaceship": "space",
    "planet": "space",
    "astronaut": "space",
    "skeleton": "graveyard",
    "ghost": "graveyard",
    "tombstone": "graveyard",
    "dragon": "volcano",
    "ship": "ocean",
    "pirate": "beach",
    "palm": "beach",
    "bat": "cave",
    "crystal": "cave",
    "flower": "meadow",
    "cloud": "sky",
    "robot": "city",
    "chest": "dungeon",
    "knight": "castle",
    "king": "castle",
    "sun": "meadow",
    "frog": "swamp",
    "mushroom": "forest",
}


@dataclass(slots=True)
class Scene:
    """A background in the making."""

    canvas: Canvas
    look: Look
    place: Place
    hour: Hour
    sky: tuple[str, ...]
    #: Width and height in units, pixels a unit, and where the ground begins, in units.
    wide: float
    high: float
    unit: float
    horizon: float
    dithered: bool
    #: How many times wider than the picture this is; above 1 for what a camera passes by.
    stretch: float = 1.0

    def empty(self, more: int = 0) -> "Scene":
        """Return the same scene with nothing painted, so many pixels wider."""
        width = self.canvas.width + more
        canvas = Canvas(width, self.canvas.height, line=1, inner_lines=self.canvas.inner_lines)
        canvas.place(self.unit, 0, 0)
        return replace(self, canvas=canvas, wide=width / self.unit, stretch=self.stretch * width / self.canvas.width)

    def far_look(self, hazy: float, name: str) -> Look:
        """Return a look for things in the distance."""
        return HazyLook(
            self.look.reading,
            self.look.book,
            Chance(self.look.reading.text, name, self.look.chance.unit("scene")),
            light=self.hour.light,
            lit=self.hour.lit,
            haze=self.sky[-1],
            hazy=hazy,
        )


def place_of(look: Look) -> str:
    """Return the place that the words name, else the home of their subject, else one by chance."""
    reading = look.reading
    if reading.places:
        return reading.places[0]
    if reading.kind in _HOMES:
        return _HOMES[reading.kind]
    return look.pick("place", ("forest", "meadow", "mountains", "desert"))


def scene_grid(size: tuple[int, int], manner: Manner) -> Grid:
    """Return the grid on which a background of (width, height) pixels is painted."""
    return grid_for(*size, manner, cover=True, grid=_GRID if manner.name == "pixel" else _GRID // 2)


def open_scene(look: Look, name: str, grid: Grid, manner: Manner) -> Scene:
    """Return an empty scene of the place of this name."""
    place = PLACES[name]
    unit = math.sqrt(grid.width * grid.height / _AREA)
    hour = HOURS[look.reading.hour or _moody_hour(look, place)]
    sky = place.sky or hour.sky
    if place.sky and look.reading.hour == "night":
        sky = tuple(mix(color, "#101430", 0.45) for color in sky)
    canvas = Canvas(grid.width, grid.height, line=1, inner_lines=manner.outlined)
    canvas.place(unit, 0, 0)
    high = grid.height / unit
    return Scene(
        canvas,
        look,
        place,
        hour,
        sky,
        grid.width / unit,
        high,
        unit,
        high * place.horizon,
        dithered=manner.outlined and grid.reduce == 1,
    )


def _moody_hour(look: Look, place: Place) -> str:
    if place.hour == "day" and look.reading.mood in ("dark", "spooky"):
        return "night"
    return place.hour
