"""What the camera does, by the words and the seed."""

from dataclasses import dataclass
from typing import Final

from worker.providers.builtin.look import Look
from worker.providers.builtin.phrase import find

#: Words for where the camera goes.
_STILL: Final = ("static camera", "still camera", "fixed camera", "固定镜头", "镜头不动")
_LEFT: Final = ("to the left", "pan left", "pans left", "leftwards", "向左", "左移")
_RIGHT: Final = ("to the right", "pan right", "pans right", "rightwards", "向右", "右移")
_NEARER: Final = ("zoom in", "zooms in", "push in", "closer", "拉近", "推近", "推进")
_AWAY: Final = ("zoom out", "zooms out", "pull back", "拉远")
#: How far a camera goes in a second, as a share of the picture's width, and how much it zooms in all.
_SPEED: Final = 0.12
_ZOOM: Final = 1.22
_SLOW_ZOOM: Final = 1.08


@dataclass(frozen=True, slots=True)
class Camera:
    """A straight move at an even speed."""

    #: Pixels of the grid that the nearest ground moves in a second; above zero the camera goes to the right.
    speed: float
    #: Enlargement at the beginning and at the end, at least 1.
    zoom: tuple[float, float]
    seconds: float

    def place(self, time: float) -> float:
        """Return how far to the right the camera is at a time in seconds, in pixels; never below zero."""
        return self.speed * (time if self.speed >= 0 else time - self.seconds)

    @property
    def travel(self) -> float:
        """Return how far it goes in all, in pixels."""
        return abs(self.speed) * self.seconds

    def enlargement(self, time: float) -> float:
        """Return by how much the picture is enlarged at a time, with a soft start and stop."""
        share = min(max(time / self.seconds, 0.0), 1.0)
        eased = share * share * (3 - 2 * share)
        first, last = self.zoom
        return first + (last - first) * eased


def camera_for(look: Look, width: int, seconds: float, *, crisp: bool) -> Camera:
    """Choose the move: as the words say, else to a side by the seed.

    `width` is that of the grid in pixels. Crisp pictures are not zoomed unasked: their pixels would differ in size.
    """
    text = look.reading.text
    speed = 0.0 if find(text, _STILL) else width * _SPEED * look.between("camera-speed", 0.85, 1.15)
    if find(text, _LEFT) or (not find(text, _RIGHT) and look.has("camera-left", 0.35)):
        speed = -speed
    zoom = (1.0, 1.0)
    if find(text, _NEARER):
        zoom, speed = (1.0, _ZOOM), speed * 0.4
    elif find(text, _AWAY):
        zoom, speed = (_ZOOM, 1.0), speed * 0.4
    elif not crisp and speed:
        zoom = (1.0, _SLOW_ZOOM)
    return Camera(speed, zoom, seconds)
