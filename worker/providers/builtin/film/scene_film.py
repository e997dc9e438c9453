"""Text to video: a scene in layers, its subject in motion, particles, and a camera that moves past."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.providers.builtin.color import Bytes
from worker.providers.builtin.film.actor import FEET, Actor, cast_actor, given_actor, has_actor
from worker.providers.builtin.film.camera import Camera, camera_for
from worker.providers.builtin.film.layers import Stage, build_stage
from worker.providers.builtin.film.particles import Swarm
from worker.providers.builtin.film.weather import swarms, weather_of
from worker.providers.builtin.finish import Manner, reduced
from worker.providers.builtin.look import Look
from worker.providers.builtin.scenes.places import PLACES
from worker.providers.builtin.scenes.scene import open_scene, place_of, scene_grid
from worker.providers.builtin.stage import Grid

#: Lightning in a storm: how often at most, and how long the sky is lit, in seconds.
_FLASH_EVERY: Final = 2.2
_FLASH_SECONDS: Final = 0.14
_FLASH: Final = 70


@dataclass(frozen=True, slots=True)
class SceneFilm:
    """A clip in the making."""

    place: str
    seconds: float
    grid: Grid
    size: tuple[int, int]
    camera: Camera
    stage: Stage
    actor: Actor | None
    #: Whether the actor is a given picture.
    given: bool
    swarms: tuple[Swarm, ...]
    #: Tells whether lightning lights the sky at a time.
    lit: Callable[[float], bool]

    def frames(self, fps: int) -> Iterator[Bytes]:
        """Yield the frames one after the other, each (height, width, 3)."""
        for number in range(frame_count(self.seconds, fps)):
            yield self._frame(number / fps)

    def _frame(self, time: float) -> Bytes:
        frame = np.zeros((self.grid.height, self.grid.width, 3), dtype=np.uint8)
        for layer in self.stage.behind:
            layer.put(frame, self.camera, time)
        if self.actor is not None:
            self.actor.put(frame, self.camera, time)
        for layer in self.stage.before:
            layer.put(frame, self.camera, time)
        for particles in self.swarms:
            particles.put(frame, self.camera, time)
        if self.lit(time):
            frame = np.minimum(frame.astype(np.uint16) + _FLASH, 255).astype(np.uint8)
        return enlarged_to(frame, self.grid, self.size, self.camera.enlargement(time))


def frame_count(seconds: float, fps: int) -> int:
    """Return how many frames a clip has, at least one."""
    return max(1, round(seconds * fps))


def scene_film(
    look: Look, size: tuple[int, int], seconds: float, manner: Manner, figure: Bytes | None = None
) -> SceneFilm:
    """Set up the clip of a request: `size` in pixels, both even.

    A given figure, a cut-out picture (height, width, 4), takes the place of the subject that the words name.
    """
    grid = scene_grid(size, manner)
    name = place_of(look)
    acted = figure is not None or has_actor(look.reading, PLACES[name])
    scene = open_scene(_surroundings(look, acted=acted), name, grid, manner)
    camera = camera_for(look, grid.width, seconds, crisp=manner.grid > 0)
    actor = None
    if figure is not None:
        actor = given_actor(figure, scene, camera)
    elif acted:
        actor = cast_actor(look, scene, manner, camera)
    stage = build_stage(scene, manner, camera, FEET)
    weather = weather_of(look, scene.place, scene.hour)
    first = look.between("flash", 0.3, 0.9)

    def lit(time: float) -> bool:
        return "rain" in weather and time >= first and (time - first) % _FLASH_EVERY < _FLASH_SECONDS

    return SceneFilm(
        name,
        seconds,
        grid,
        size,
        camera,
        stage,
        actor,
        figure is not None,
        tuple(swarms(weather, look, scene.wide, scene.unit)),
        lit,
    )


def _surroundings(look: Look, *, acted: bool) -> Look:
    """Return the look of what is around the subject: without the qualities that the words give to the subject."""
    reading = look.reading
    colors = () if acted else reading.colors
    return Look(replace(reading, colors=colors, materials=(), elements=()), look.book, look.chance)


def enlarged_to(frame: Bytes, grid: Grid, size: tuple[int, int], zoom: float) -> Bytes:
    """Bring a frame of the grid to (width, height), its middle enlarged by the camera."""
    if grid.reduce > 1:
        opaque = np.dstack((frame, np.full(frame.shape[:2], 255, dtype=np.uint8)))
        frame = reduced(opaque, grid.reduce)[..., :3]
    width, height = size
    scale = grid.enlarge * zoom
    rows = _sources(height, frame.shape[0], scale)
    columns = _sources(width, frame.shape[1], scale)
    return frame[rows[:, None], columns[None, :]]


def _sources(count: int, held: int, scale: float) -> NDArray[np.intp]:
    """Return which of `held` pixels each of `count` shows, when the middle is enlarged."""
    places = np.floor((np.arange(count) + 0.5 - count / 2) / scale + held / 2).astype(np.intp)
    within: NDArray[np.intp] = np.clip(places, 0, held - 1)
    return within
