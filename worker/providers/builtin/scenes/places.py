"""Places and hours: the recipes of backgrounds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Hour:
    """The light of an hour: the sky from top to horizon, the tint on everything, and how strong it is."""

    sky: tuple[str, ...]
    light: str
    lit: float
    orb: str


HOURS: Final[Mapping[str, Hour]] = {
    "day": Hour(("#3f86d8", "#6cb4ec", "#a8dcf4", "#e4f4f4"), "#fff4d8", 0.04, "sun"),
    "sunset": Hour(("#4a3a86", "#a04a8c", "#e8704c", "#f8b858", "#fce49c"), "#e8704c", 0.24, "low-sun"),
    "dawn": Hour(("#6a7ac8", "#b49ad8", "#f4b4b4", "#fce0b4"), "#f4a8a0", 0.16, "low-sun"),
    "night": Hour(("#0e1230", "#1c2450", "#30407c", "#5468a0"), "#1e2a60", 0.50, "moon"),
    "storm": Hour(("#363c4c", "#525a6c", "#7c8492", "#a4a8b0"), "#3c4456", 0.36, ""),
}


@dataclass(frozen=True, slots=True)
class Place:
    """What stands where. Colours are those of plain daylight; distance and hour come on top."""

    #: Far, middle and near ground: shape of the ridge and colour.
    far: tuple[str, str]
    middle: tuple[str, str]
    ground: str
    #: Things on the middle ridge, and things on the ground, with how many there are.
    distant: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    crowd: int = 9
    hour: str = "day"
    #: A sky of its own, from top to horizon.
    sky: tuple[str, ...] = ()
    extras: frozenset[str] = frozenset()
    #: The share of the height at which the ground begins.
    horizon: float = 0.66


PLACES: Final[Mapping[str, Place]] = {
    "forest": Place(
        ("hills", "#7aa8a0"),
        ("pines", "#3f7a5c"),
        "#5a9a44",
        ("pine", "tree", "pine"),
        ("tree", "bush", "pine", "bush"),
        12,
        extras=frozenset({"clouds", "rays"}),
    ),
    "meadow": Place(
        ("mountains", "#8aa8d0"),
        ("hills", "#7ab860"),
        "#6cb84a",
        ("tree", "bush", "house"),
        ("flower", "bush", "flower", "tree"),
        9,
        extras=frozenset({"clouds"}),
        horizon=0.68,
    ),
    "desert": Place(
        ("mesas", "#d89468"),
        ("dunes", "#e8b878"),
        "#ecc888",
        ("cactus", "rock"),
        ("cactus", "rock", "skull"),
        7,
        horizon=0.66,
    ),
    "snow": Place(
        ("peaks", "#a8c0dc"),
        ("hills", "#d0e0f0"),
        "#eef4fa",
        ("pine", "pine"),
        ("snowpine", "rock", "snowpine"),
        8,
        extras=frozenset({"snowfall", "clouds"}),
    ),
    "mountains": Place(
        ("peaks", "#8a9cc0"),
        ("mountains", "#6a8a8c"),
        "#6aa050",
        ("pine", "pine"),
        ("pine", "rock", "bush"),
        8,
        extras=frozenset({"clouds"}),
        horizon=0.74,
    ),
    "castle": Place(
        ("mountains", "#8a9ac4"),
        ("hills", "#6aa05c"),
        "#62a048",
        ("castle",),
        ("tree", "bush", "flower", "fence"),
        8,
        extras=frozenset({"clouds"}),
    ),
    "village": Place(
        ("mountains", "#8aa4cc"),
        ("hills", "#78b058"),
        "#6cb04a",
        ("house", "tree", "house", "tower"),
        ("house", "tree", "fence", "well", "bush"),
        8,
        extras=frozenset({"clouds"}),
    ),
    "city": Place(
        ("towers", "#6a5a9c"),
        ("towers", "#2a2448"),
        "#1e1a34",
        (),
        (),
        0,
        hour="night",
        sky=("#14102c", "#2a1c54", "#5c2c78", "#c0507c", "#f09070"),
        extras=frozenset({"windows", "road", "neon"}),
        horizon=0.80,
    ),
    "volcano": Place(
        ("volcano", "#6a3c44"),
        ("mountains", "#4c2e3a"),
        "#3c2832",
        ("rock",),
        ("rock", "crystal", "rock"),
        8,
        sky=("#2a1428", "#5c1c30", "#a83428", "#f07828"),
        extras=frozenset({"embers", "lava", "smoke"}),
    ),
    "ocean": Place(
        ("islands", "#7aa0c0"),
        ("none", "#3f8fd0"),
        "#2f7fc0",
        (),
        ("ship",),
        2,
        extras=frozenset({"clouds", "sea"}),
        horizon=0.52,
    ),
    "beach": Place(
        ("islands", "#6aa8a0"),
        ("none", "#3f9fd0"),
        "#f0d49c",
        (),
        ("palm", "palm", "rock"),
        5,
        extras=frozenset({"clouds", "shoreline"}),
        horizon=0.50,
    ),
    "swamp": Place(
        ("hills", "#6a8478"),
        ("deadwood", "#4a6450"),
        "#4c6a44",
        ("tree",),
        ("stump", "bush", "mushroomcap", "tree"),
        9,
        sky=("#5c7a78", "#86a088", "#b4bc90", "#d8d4a4"),
        extras=frozenset({"fog", "pools"}),
    ),
    "graveyard": Place(
        ("hills", "#4a5070"),
        ("deadwood", "#38405c"),
        "#3f5048",
        ("tombstone", "deadtree"),
        ("tombstone", "deadtree", "tombstone", "fence"),
        10,
        hour="night",
        extras=frozenset({"fog"}),
    ),
    "sky": Place(
        ("cloudsea", "#c8e0f4"),
        ("cloudsea", "#e4f0fa"),
        "#f4f8fc",
        ("floating",),
        (),
        4,
        extras=frozenset({"clouds", "cloudground"}),
        horizon=0.80,
    ),
    "space": Place(
        ("none", "#000000"),
        ("none", "#000000"),
        "#1a1430",
        (),
        (),
        0,
        sky=("#0a0818", "#141030", "#1e1848", "#2a1c54"),
        hour="night",
        extras=frozenset({"space"}),
        horizon=1.0,
    ),
    "underwater": Place(
        ("reef", "#2f6a9c"),
        ("reef", "#255884"),
        "#c8b480",
        (),
        ("coral", "weed", "weed", "coral", "rock"),
        12,
        sky=("#5cc8e8", "#3498d0", "#1e68a8", "#123f78"),
        extras=frozenset({"beams", "bubbles"}),
        horizon=0.80,
    ),
    "cave": Place(
        ("stalactites", "#4a4258"),
        ("stalagmites", "#3a3448"),
        "#5a5060",
        (),
        ("crystal", "rock", "crystal", "mushroomcap"),
        9,
        sky=("#1a1628", "#2a2438", "#3c3450", "#5a4e70"),
        extras=frozenset({"indoor"}),
    ),
    "dungeon": Place(
        ("brickwall", "#5c5668"),
        ("columns", "#6c6678"),
        "#4c4856",
        (),
        ("barrel", "chest", "crate", "skull"),
        5,
        sky=("#2a2634", "#3a3444", "#4a4254", "#544a5c"),
        extras=frozenset({"indoor", "torches"}),
        horizon=0.74,
    ),
}
