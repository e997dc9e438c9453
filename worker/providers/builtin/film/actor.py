"""The subject of a clip, moving: it walks while the camera follows, flies, swims, or stands and is passed by."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from PIL import Image

from worker.providers.builtin.canvas import Mask
from worker.providers.builtin.color import Bytes
from worker.providers.builtin.film.camera import Camera
from worker.providers.builtin.film.layers import speed_at
from worker.providers.builtin.finish import Manner, colored
from worker.providers.builtin.lexicon.subjects import Family
from worker.providers.builtin.look import Look
from worker.providers.builtin.phrase import find
from worker.providers.builtin.pose import NAMES, Pose, motion_of, poses
from worker.providers.builtin.reading import Reading
from worker.providers.builtin.scenes.haze import HazyLook
from worker.providers.builtin.scenes.places import Place
from worker.providers.builtin.scenes.scene import Scene
from worker.providers.builtin.stage import Grid, extent_of, fit, painted
from worker.providers.builtin.subjects.catalog import drawing_for, stands

#: Poses of one turn of a motion, and how long a turn takes.
_POSES: Final = 12
_SECONDS: Final = {"run": 0.55, "walk": 0.9, "idle": 1.6, "attack": 0.9, "cast": 1.4, "jump": 0.9}
_FLYERS: Final = frozenset({"dragon", "bat", "bird", "owl", "bee", "ghost", "eye", "spaceship", "fish", "angel"})
_WINGED_SECONDS: Final = 0.7
#: Heights of an actor as shares of the picture's, by family.
_HEIGHTS: Final = {Family.PERSON: 0.46, Family.CREATURE: 0.44, Family.ITEM: 0.36, Family.PROP: 0.58}
#: How far from the horizon to the lower edge feet are.
FEET: Final = 0.55
_AIRBORNE: Final = 0.40
#: Alpha from which a given picture covers what is behind.
_SOLID_FROM: Final = 128
#: Vehicles go, as those do who walk.
_DRIVEN: Final = frozenset({"car", "ship", "cart", "spaceship"})


@dataclass(frozen=True, slots=True)
class Actor:
    """The subject in its poses."""

    #: Each (height, width, 3) with its mask, all of one size.
    pictures: tuple[tuple[Bytes, Mask], ...]
    turn_seconds: float
    #: Where its lower edge is, and its middle at the clip's beginning, in pixels.
    bottom: float
    middle: float
    #: Pixels that it rises and falls.
    hover: float
    #: How fast the camera passes it, beside the nearest ground; 0: the camera goes along.
    passed: float

    def put(self, frame: Bytes, camera: Camera, time: float) -> None:
        """Lay the actor over a frame as the camera sees it at a time, in seconds."""
        colors, mask = self.pictures[int(time / self.turn_seconds * len(self.pictures)) % len(self.pictures)]
        high, wide = mask.shape
        middle_place = camera.place(camera.seconds / 2)
        left = round(self.middle - wide / 2 - (camera.place(time) - middle_place) * self.passed)
        top = round(self.bottom - high + self.hover * math.sin(time * 2.6))
        x0, y0 = max(left, 0), max(top, 0)
        x1, y1 = min(left + wide, frame.shape[1]), min(top + high, frame.shape[0])
        if x0 >= x1 or y0 >= y1:
            return
        rows, columns = slice(y0 - top, y1 - top), slice(x0 - left, x1 - left)
        np.copyto(frame[y0:y1, x0:x1], colors[rows, columns], where=mask[rows, columns, None])


def has_actor(reading: Reading, place: Place) -> bool:
    """Tell whether the words name somebody or something that does not stand in the place anyway."""
    if not reading.recognised or reading.kind in reading.places or reading.family is Family.EMBLEM:
        return False
    there = {*place.near, *place.distant, *(("torch",) if "torches" in place.extras else ())}
    return reading.family in (Family.PERSON, Family.CREATURE) or reading.kind not in there


def cast_actor(look: Look, scene: Scene, manner: Manner, camera: Camera) -> Actor:
    """Draw the subject in the poses of its motion, in the light of the scene."""
    reading = look.reading
    airborne = flies(reading) or "space" in scene.place.extras
    motion = _motion(reading, camera)
    # What goes on wheels or keels does not step.
    shown = "idle" if reading.kind in _DRIVEN else motion
    moves = poses(f"{shown} {'left' if camera.speed < 0 else 'right'}", _POSES, loop=True)
    pictures = _pictures(look, scene, manner, moves, grounded=not airborne)
    height = scene.canvas.height
    feet = scene.horizon * scene.unit + (height - scene.horizon * scene.unit) * FEET
    seconds = _WINGED_SECONDS if airborne and motion == "walk" else _SECONDS.get(motion, 1.0)
    floating = airborne or reading.family is Family.ITEM
    middle_row = height * _AIRBORNE + pictures[0][1].shape[0] / 2
    return Actor(
        pictures,
        seconds,
        bottom=middle_row if floating else min(feet, height - 2.0),
        middle=scene.canvas.width * (0.5 - math.copysign(0.06, camera.speed)),
        hover=height * 0.025 if floating else 0.0,
        passed=0.0 if motion in ("walk", "run") else speed_at(FEET),
    )


def given_actor(picture: Bytes, scene: Scene, camera: Camera) -> Actor:
    """Return an actor out of a cut-out picture, (height, width, 4): it hops along while the camera follows."""
    rows, columns = np.flatnonzero(picture[..., 3].any(axis=1)), np.flatnonzero(picture[..., 3].any(axis=0))
    figure = picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    height, width = scene.canvas.height, scene.canvas.width
    scale = min(height * _HEIGHTS[Family.PERSON] / figure.shape[0], width * 0.5 / figure.shape[1])
    if scale > 1:
        scale = math.floor(scale)  # pixels of one size
    feet = scene.horizon * scene.unit + (height - scene.horizon * scene.unit) * FEET
    return Actor(
        tuple(_hopping(figure, scale, index / _POSES) for index in range(_POSES)),
        _SECONDS["walk"],
        bottom=min(feet, height - 2.0),
        middle=width * 0.5,
        hover=0.0,
        passed=0.0 if camera.speed else speed_at(FEET),
    )


def _hopping(figure: Bytes, scale: float, share: float) -> tuple[Bytes, Mask]:
    """Return a figure at a share of its hop, with room for all of it: stretched on its way up, squat on the ground."""
    high, wide = max(2, round(figure.shape[0] * scale)), max(2, round(figure.shape[1] * scale))
    wave = math.sin(2 * math.pi * share)
    size = (round(wide * (1 - 0.05 * wave)), round(high * (1 + 0.06 * wave)))
    method = Image.Resampling.NEAREST if scale >= 1 else Image.Resampling.BOX
    shown = np.asarray(Image.fromarray(np.ascontiguousarray(figure)).resize(size, method))
    room = np.zeros((round(high * 1.16) + 1, round(wide * 1.06) + 1, 4), dtype=np.uint8)
    lift = round(high * 0.08 * max(wave, 0.0))
    left = (room.shape[1] - size[0]) // 2
    bottom = room.shape[0] - lift
    room[bottom - size[1] : bottom, left : left + size[0]] = shown
    return np.ascontiguousarray(room[..., :3]), room[..., 3] >= _SOLID_FROM


def flies(reading: Reading) -> bool:
    """Tell whether the subject is in the air."""
    return reading.kind in _FLYERS or not (stands(reading) or reading.family is Family.ITEM)


def _motion(reading: Reading, camera: Camera) -> str:
    """Return the motion that the words name; else who can walk does, when the camera moves, and things stand."""
    for motion, words in NAMES.items():
        if motion != "death" and find(reading.text, tuple(form for word in words for form in _forms(word))):
            return motion_of(motion)
    alive = reading.family in (Family.PERSON, Family.CREATURE) or reading.kind in _DRIVEN
    return "walk" if alive and camera.speed else "idle"


def _forms(verb: str) -> tuple[str, ...]:
    """Return how a verb stands in a sentence: runs, running, flying."""
    if not verb.isascii():
        return (verb,)
    stem = verb.removesuffix("e")
    return verb, f"{verb}s", f"{stem}ing", f"{verb}{verb[-1]}ing"


def _pictures(
    look: Look, scene: Scene, manner: Manner, moves: list[Pose], *, grounded: bool
) -> tuple[tuple[Bytes, Mask], ...]:
    drawing = drawing_for(look.reading)
    lit = HazyLook(
        look.reading, look.book, look.chance, light=scene.hour.light, lit=scene.hour.lit * 0.45, haze="#000000", hazy=0
    )
    height = round(scene.canvas.height * _HEIGHTS.get(look.reading.family, 0.4))
    extent = extent_of(drawing, lit, moves)
    grid = _grid_of(extent, height, scene)
    placing = fit(extent, grid, grounded=grounded, margin=0.01)
    canvases = [painted(drawing, lit, pose, grid, placing, manner) for pose in moves]
    whole = [colored(canvas, look.book, manner) for canvas in canvases]
    return tuple((np.ascontiguousarray(picture[..., :3]), picture[..., 3] > 0) for picture in whole)


def _grid_of(extent: tuple[float, float, float, float], height: int, scene: Scene) -> Grid:
    """Return pixels for an actor of the given height, wider when it is, but never wider than most of the picture."""
    left, top, right, bottom = extent
    wide = (right - left) / max(bottom - top, 1e-6)
    width = min(round(height * wide), round(scene.canvas.width * 0.6))
    return Grid(max(width, 8) + 4, max(height, 8) + 4, 1, 1)
