"""Which particles go with a place, an hour and the words."""

from typing import Final

import numpy as np

from worker.providers.builtin.color import Bytes, Palette, parse_hex
from worker.providers.builtin.film.particles import KINDS, Swarm, swarm
from worker.providers.builtin.look import Look
from worker.providers.builtin.phrase import find
from worker.providers.builtin.scenes.places import Hour, Place

#: Words that ask for particles by themselves.
_WORDS: Final = (
    ("snow", ("snow", "snowing", "snowfall", "blizzard", "雪")),
    ("rain", ("rain", "raining", "rainy", "storm", "雨")),
    ("embers", ("embers", "sparks", "fire", "burning", "火")),
    ("bubbles", ("bubbles", "underwater", "气泡", "水下")),
    ("fireflies", ("fireflies", "firefly", "萤火虫")),
    ("leaves", ("leaves", "autumn", "落叶", "秋")),
    ("petals", ("petals", "blossom", "blossoms", "花瓣", "樱花")),
    ("sand", ("sandstorm", "dust", "沙尘")),
    ("glitter", ("magic", "magical", "sparkling", "glitter", "魔法", "闪")),
)
#: What the extras of places bring with them.
_EXTRAS: Final = (
    ("snowfall", "snow"),
    ("embers", "embers"),
    ("bubbles", "bubbles"),
    ("torches", "sparks"),
    ("space", "stars"),
    ("space", "streaks"),
    ("road", "lamps"),
    ("sea", "gulls"),
    ("shoreline", "gulls"),
    ("indoor", "motes"),
)
_GREEN: Final = frozenset({"tree", "bush", "pine", "flower"})
_SANDY: Final = "#ecc888"


def weather_of(look: Look, place: Place, hour: Hour) -> list[str]:
    """Return the names of the particles of a scene, in the order in which they are drawn."""
    night = hour.orb == "moon" and not place.extras & {"space", "indoor", "bubbles"}
    storm = hour.orb == "" and not place.sky
    found = [name for extra, name in _EXTRAS if extra in place.extras]
    found += words_of(look)
    if storm:
        found.append("rain")
    if night and not place.sky:
        found.insert(0, "twinkles")
    if place.ground == _SANDY:
        found.append("sand")
    elif _GREEN & set(place.near) and not storm and "snowfall" not in place.extras:
        found.append("fireflies" if night else look.pick("floating", ("leaves", "petals")))
    if "clouds" in place.extras and not night and not storm:
        found.append("gulls")
    return list(dict.fromkeys(found))


def words_of(look: Look) -> list[str]:
    """Return the names of the particles that the words ask for."""
    return [name for name, words in _WORDS if find(look.reading.text, words)]


def swarms(names: list[str], look: Look, wide: float, unit: float) -> list[Swarm]:
    """Return the particles of these names, in the picture's palette; `wide` in units, `unit` in pixels."""
    return [swarm(name, look.chance, _colors(name, look.book.palette), wide, unit) for name in names]


def _colors(name: str, palette: Palette | None) -> Bytes:
    colors = np.array([parse_hex(color) for color in KINDS[name].colors], dtype=np.uint8)
    return palette.nearest(colors) if palette else colors
