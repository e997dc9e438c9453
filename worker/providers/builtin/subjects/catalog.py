"""Which drawing shows which kind of thing."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from worker.providers.builtin.canvas import Canvas
from worker.providers.builtin.lexicon.subjects import Family
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import Pose
from worker.providers.builtin.reading import Reading
from worker.providers.builtin.stage import Drawing
from worker.providers.builtin.subjects import blobs, flyers
from worker.providers.builtin.subjects.beasts import SHAPES, beast
from worker.providers.builtin.subjects.buildings import BUILDINGS
from worker.providers.builtin.subjects.emblems import emblem, monster
from worker.providers.builtin.subjects.goods import GOODS
from worker.providers.builtin.subjects.nature import NATURE
from worker.providers.builtin.subjects.person import draw_person
from worker.providers.builtin.subjects.wares import WARES
from worker.providers.builtin.subjects.weapons import WEAPONS

_BODIES: Final[Mapping[str, Drawing]] = {
    "slime": blobs.slime,
    "ghost": blobs.ghost,
    "mushroom": blobs.mushroom,
    "eye": blobs.eye,
    "octopus": blobs.octopus,
    "mimic": blobs.mimic,
    "plant": blobs.plant,
    "golem": blobs.golem,
    "bat": flyers.bat,
    "bird": flyers.bird,
    "chicken": flyers.bird,
    "owl": flyers.bird,
    "penguin": flyers.bird,
    "dragon": flyers.dragon,
    "bee": flyers.bee,
    "fish": flyers.fish,
    "snake": flyers.snake,
    "spider": flyers.spider,
    "crab": flyers.crab,
    "frog": flyers.frog,
    "turtle": flyers.turtle,
    "robot": flyers.robot,
    "monster": monster,
    **dict.fromkeys(SHAPES, beast),
}
_OBJECTS: Final[Mapping[str, Callable[[Canvas, Look], None]]] = {**WEAPONS, **GOODS, **WARES, **NATURE, **BUILDINGS}
#: Weapons and tools stand upright in hands, and lie across in pictures of their own.
_TILTED: Final = frozenset(set(WEAPONS) - {"shield", "lantern", "bow"} | {"feather"})
_FLYING: Final = frozenset({"bat", "ghost", "eye", "bee", "fish"})


def drawing_for(reading: Reading) -> Drawing:
    """Return what draws the subject; people and creatures follow the pose, things bob and turn with it."""
    if reading.family is Family.PERSON and reading.kind not in _BODIES:
        return draw_person
    if reading.kind in _BODIES:
        return _BODIES[reading.kind]
    return partial(_thing, _OBJECTS.get(reading.kind, emblem), 42.0 if reading.kind in _TILTED else 0.0)


def is_alive(reading: Reading) -> bool:
    """Tell whether the subject is somebody rather than something."""
    return reading.family in (Family.PERSON, Family.CREATURE)


def stands(reading: Reading) -> bool:
    """Tell whether the subject stands on the ground rather than hanging in the air."""
    return reading.family in (Family.PERSON, Family.PROP) or (
        reading.family is Family.CREATURE and reading.kind not in _FLYING
    )


def _thing(draw: Callable[[Canvas, Look], None], tilt: float, g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a thing: it breathes, hops and is swung, although it has no limbs."""
    turn = tilt + pose.lean * 0.6 - 20 * pose.fall + (pose.smear * 0.4 if pose.smear else 0.0)
    squash = pose.squash * 0.9 + 0.12 * pose.fall
    with g.moved(pose.push, -pose.bob * 1.4 - pose.lift, turn=turn, wide=1 + squash, tall=1 - squash):
        draw(g, look)
