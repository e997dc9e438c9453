"""A scene as layers, each as far away as it is: what is near passes by faster than what is far."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from worker.providers.builtin.canvas import Mask
from worker.providers.builtin.color import Bytes
from worker.providers.builtin.film.camera import Camera
from worker.providers.builtin.finish import Manner, colored
from worker.providers.builtin.scenes.landscape import (
    paint_foreground,
    paint_ground,
    paint_marks,
    paint_ridge,
    paint_sky,
    paint_things,
)
from worker.providers.builtin.scenes.scene import Scene
from worker.providers.builtin.scenes.scenery import draw_air, draw_clouds, draw_fog, draw_heavens, draw_torches

#: Paints a layer on an empty scene; the number tells water and flames of one moment from those of the next.
Painter = Callable[[Scene, int], None]
#: Speed of a layer beside that of the nearest ground.
_CLOUDS: Final = 0.05
_RIDGES: Final = (0.12, 0.26)
_HORIZON: Final = 0.38
_WALL: Final = 0.5
_FOREGROUND: Final = 1.45
#: The ground is cut into so many strips, each with a speed of its own.
_STRIPS: Final = 8
#: Units of a scene that clouds and fog drift in a second.
_DRIFT: Final = 2.4
_FOG_DRIFT: Final = 7.0
#: Pictures of water and of flames, and how many of them follow each other in a second.
_MOMENTS: Final = 4
_MOMENTS_A_SECOND: Final = 7.0
_FLAMES: Final = (1.0, 1.14, 0.9, 1.06)


@dataclass(frozen=True, slots=True)
class Layer:
    """One plane of a scene, in pixels of the grid; several pictures are shown in turn."""

    #: Each (height, width, 3), with the mask of what is painted.
    pictures: tuple[tuple[Bytes, Mask], ...]
    #: Row of the upper edge.
    top: int
    #: Share of the camera's move; 0: as far away as the sky.
    speed: float
    #: Pixels a second that it moves by itself, to the left above zero.
    drift: float = 0.0

    def put(self, frame: Bytes, camera: Camera, time: float) -> None:
        """Lay the layer over a frame (height, width, 3) as the camera sees it at a time, in seconds."""
        colors, mask = self.pictures[int(time * _MOMENTS_A_SECOND) % len(self.pictures)]
        left = round(camera.place(time) * self.speed + self.drift * time)
        wide = frame.shape[1]
        rows = slice(self.top, self.top + colors.shape[0])
        seen = slice(left, left + wide)
        np.copyto(frame[rows], colors[:, seen], where=mask[:, seen, None])


@dataclass(frozen=True, slots=True)
class Stage:
    """The layers behind an actor, and those before."""

    behind: tuple[Layer, ...]
    before: tuple[Layer, ...]


@dataclass(frozen=True, slots=True)
class _Workshop:
    """What every layer is made with."""

    scene: Scene
    manner: Manner
    camera: Camera

    def layer(self, paint: Painter, speed: float, *, drift: float = 0.0, moments: int = 1) -> Layer:
        """Paint a layer, as wide as the camera will see of it."""
        drifting = drift * self.scene.unit
        more = int(self.camera.travel * speed + drifting * self.camera.seconds) + 2
        canvases = []
        for moment in range(moments):
            scene = self.scene.empty(more)
            paint(scene, moment)
            canvases.append(scene.canvas)
        pictures = [colored(canvas, self.scene.look.book, self.manner) for canvas in canvases]
        rows = np.flatnonzero(np.any([picture[..., 3].any(axis=1) for picture in pictures], axis=0))
        top, bottom = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, 1)
        cut = tuple(
            (np.ascontiguousarray(picture[top:bottom, :, :3]), picture[top:bottom, :, 3] > 0) for picture in pictures
        )
        return Layer(cut, top, speed, drifting)


def speed_at(share: float) -> float:
    """Return the speed of what stands on the ground, so far (0 to 1) from the horizon to the lower edge."""
    return _HORIZON + (1 - _HORIZON) * share


def build_stage(scene: Scene, manner: Manner, camera: Camera, actor_at: float) -> Stage:
    """Paint the layers of a scene for a camera; an actor stands so far from the horizon to the lower edge."""
    shop = _Workshop(scene, manner, camera)
    place = scene.place
    layers = [shop.layer(_sky, 0.0)]
    if "clouds" in place.extras:
        layers.append(shop.layer(_clouds, _CLOUDS, drift=_DRIFT))
    layers += [shop.layer(_ridge_of(depth), _wall_or(place.far[0], _RIDGES[depth])) for depth in (0, 1)]
    if "torches" in place.extras:
        layers.append(shop.layer(_torches, _WALL, moments=_MOMENTS))
    watery = bool(place.extras & {"sea", "shoreline"})
    layers.append(shop.layer(paint_ground, _HORIZON, moments=_MOMENTS if watery else 1))
    strips = [_strip(shop, number) for number in range(_STRIPS)]
    first_before = min(int(actor_at * _STRIPS) + 1, _STRIPS)
    after = strips[first_before:]
    if "fog" in place.extras:
        after.append(shop.layer(_fog, speed_at(0.5), drift=_FOG_DRIFT))
    after.append(shop.layer(_front, _FOREGROUND))
    return Stage((*layers, *strips[:first_before]), tuple(after))


def _wall_or(shape: str, speed: float) -> float:
    """Return the speed of a ridge; the back wall and the columns of a room are one thing."""
    return _WALL if shape == "brickwall" else speed


def _strip(shop: _Workshop, number: int) -> Layer:
    low, high = number / _STRIPS, (number + 1) / _STRIPS

    def paint(scene: Scene, _: int) -> None:
        paint_marks(scene, low, high)
        paint_things(scene, low, high)

    return shop.layer(paint, speed_at((low + high) / 2))


def _ridge_of(depth: int) -> Painter:
    def paint(scene: Scene, _: int) -> None:
        paint_ridge(scene, depth)

    return paint


def _sky(scene: Scene, _: int) -> None:
    paint_sky(scene)
    draw_heavens(scene.canvas, scene.look, scene.place, scene.hour, scene.wide, scene.high, scene.horizon)
    draw_air(scene.canvas, scene.look, scene.place, scene.wide, scene.high, scene.horizon)


def _clouds(scene: Scene, _: int) -> None:
    draw_clouds(scene.canvas, scene.look, scene.place, scene.hour, scene.wide, scene.horizon)


def _torches(scene: Scene, moment: int) -> None:
    with scene.canvas.unlined():
        draw_torches(scene.canvas, scene.look, scene.wide, scene.high, _FLAMES[moment])


def _fog(scene: Scene, _: int) -> None:
    with scene.canvas.unlined():
        draw_fog(scene.canvas, scene.look, scene.wide, scene.high, scene.horizon)


def _front(scene: Scene, _: int) -> None:
    paint_foreground(scene)
