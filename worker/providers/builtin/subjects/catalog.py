"""Which drawing shows which kind of thing."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from worker.providers.builtin.canvas import Canvas
from worker.providers.builtin.lexicon.subjects import Family
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import REST, Pose
from worker.providers.builtin.reading import Reading
from worker.providers.builtin.stage import Drawing, extent_of
from worker.providers.builtin.subjects import blobs, crawlers, flyers, robots
from worker.providers.builtin.subjects.beasts import SHAPES, beast
from worker.providers.builtin.subjects.buildings import BUILDINGS
from worker.providers.builtin.subjects.emblems import emblem, monster
from worker.providers.builtin.subjects.faces import soul
from worker.providers.builtin.subjects.goods import GOODS
from worker.providers.builtin.subjects.hats import crown
from worker.providers.builtin.subjects.nature import NATURE
from worker.providers.builtin.subjects.person import draw_person
from worker.providers.builtin.subjects.vehicles import VEHICLES
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
    "fish": crawlers.fish,
    "snake": crawlers.snake,
    "spider": crawlers.spider,
    "crab": crawlers.crab,
    "frog": crawlers.frog,
    "turtle": crawlers.turtle,
    "robot": robots.robot,
    "monster": monster,
    **dict.fromkeys(SHAPES, beast),
}
_OBJECTS: Final[Mapping[str, Callable[[Canvas, Look], None]]] = {
    **WEAPONS,
    **GOODS,
    **WARES,
    **NATURE,
    **BUILDINGS,
    **VEHICLES,
}
#: Weapons and tools stand upright in hands, and lie across in pictures of their own.
_TILTED: Final = frozenset(set(WEAPONS) - {"shield", "lantern", "bow"} | {"feather"})
#: Those that end without a soul: they smoke, or are one.
_SOULLESS: Final = frozenset({"robot", "ghost", "golem"})
#: Where a crown sits on a head, and its size.
_HEADS: Final = {
    "frog": (0.0, -19.5, 0.8),
    "mushroom": (0.0, -27.0, 0.9),
    "robot": (0.0, -33.0, 0.9),
}
#: How much of its length a body shows that walks to or from us.
_END_ON: Final = 0.74
_GIRTH: Final = (0.92, 1.08)
_LIFELESS: Final = 0.5
_SPINNING: Final = frozenset({"coin", "gem", "star", "heart"})
_FLYING: Final = frozenset({"bat", "ghost", "eye", "bee", "fish"})


def drawing_for(reading: Reading) -> Drawing:
    """Return what draws the subject; people and creatures follow the pose, things bob and turn with it."""
    return partial(_turned, _facing_right(reading), 1.0 if is_person(reading) else _END_ON)


def _facing_right(reading: Reading) -> Drawing:
    if reading.kind in _SOULLESS:
        return _BODIES[reading.kind]
    if reading.kind in _BODIES:
        return partial(_mortal, _BODIES[reading.kind])
    if reading.family is Family.PERSON:
        return partial(_mortal, draw_person)
    return partial(_thing, _OBJECTS.get(reading.kind, emblem), 42.0 if reading.kind in _TILTED else 0.0)


def is_person(reading: Reading) -> bool:
    """Tell whether the subject has the build of people: two legs, two arms and a face."""
    return reading.family is Family.PERSON and reading.kind not in _BODIES


def stands(reading: Reading) -> bool:
    """Tell whether the subject stands on the ground rather than hanging in the air."""
    return reading.family in (Family.PERSON, Family.PROP) or (
        reading.family is Family.CREATURE and reading.kind not in _FLYING
    )


def _turned(draw: Drawing, end_on: float, g: Canvas, look: Look, pose: Pose) -> None:
    """Draw the subject as the pose faces, stouter or slimmer by the seed.

    What faces left is mirrored, and so is a back: hands change sides. Bodies without a front view of their own are
    seen narrower.
    """
    wide = look.between("girth", *_GIRTH) * (end_on if pose.towards else 1.0)
    tall = look.between("height", *_GIRTH) if look.reading.family in (Family.ITEM, Family.PROP) else 1.0
    with g.moved(wide=-wide if pose.view in ("left", "back") else wide, tall=tall):
        draw(g, look, pose)
        _crown(g, look)


def _crown(g: Canvas, look: Look) -> None:
    """Crown those who have no crown of their own, where their head is."""
    if look.reading.crowned and look.reading.kind in _HEADS:
        crown(g, look, *_HEADS[look.reading.kind])


def _mortal(draw: Drawing, g: Canvas, look: Look, pose: Pose) -> None:
    """Draw somebody, and the soul that rises to where the head was when the body has fallen."""
    draw(g, look, pose)
    if pose.fall > _LIFELESS:
        rise = (pose.fall - _LIFELESS) / (1 - _LIFELESS)
        _, top, _, _ = extent_of(draw, look, [REST])
        soul(g, look, min(top + 6, -12) * (0.7 + 0.3 * rise))


def _thing(draw: Callable[[Canvas, Look], None], tilt: float, g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a thing: it breathes, hops and is swung, although it has no limbs."""
    turn = tilt + pose.lean * 0.6 - 12 * pose.fall + pose.smear * (0.4 if tilt else 0.12)
    squash = pose.squash * 0.5 + 0.06 * pose.fall
    # Half a turn seen edge on is a coin's face getting narrow and wide again.
    spin = (
        0.7 + 0.3 * math.sqrt(max(0.0, 1 - pose.flap * pose.flap))
        if look.reading.kind in _SPINNING and not pose.smear
        else 1.0
    )
    with g.moved(pose.push, -pose.bob * 1.4 - pose.lift, turn=turn, wide=(1 + squash) * spin, tall=1 - squash):
        draw(g, look)
