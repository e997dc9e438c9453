"""What flies, falls and glimmers in a scene. Where each particle is follows from the time alone."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.providers.builtin.chance import Chance
from worker.providers.builtin.color import Bytes
from worker.providers.builtin.film.camera import Camera

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Kind:
    """How one sort of particle moves and looks. Lengths in units of the scene (it is about 180 high), a second."""

    colors: tuple[str, ...]
    #: How many there are in a scene 320 units wide.
    count: int
    #: Speed to the right and downwards; every particle's differs by up to 40 percent.
    go: tuple[float, float]
    #: How far to each side it swings, and how many times a second.
    swing: tuple[float, float] = (0.0, 0.0)
    #: Width and height.
    size: tuple[float, float] = (1.0, 1.0)
    #: Times a second that it shines and fades; 0: always seen.
    blink: float = 0.0
    #: Share of the height within which it is born and dies, from top to bottom.
    band: tuple[float, float] = (0.0, 1.0)
    #: Speed of the camera's move, as of layers.
    speed: float = 1.0


KINDS: Final = {
    "snow": Kind(("#ffffff", "#e4ecf8"), 150, (-5, 26), (4, 0.4), (1.5, 1.5), speed=1.1),
    "rain": Kind(("#a8b8d0", "#c8d4e4"), 170, (-42, 250), (0, 0), (0.9, 6.0), speed=0.9),
    "embers": Kind(("#f8a040", "#f8e070", "#f06030"), 80, (5, -24), (5, 0.6), (1.4, 1.4), 0.9),
    "bubbles": Kind(("#c8f0fa", "#e8fafc"), 46, (0, -15), (2.5, 0.5), (1.8, 1.8)),
    "fireflies": Kind(("#f8f070", "#d8f078"), 26, (3, -2), (8, 0.22), (1.5, 1.5), 0.55, (0.35, 0.95)),
    "leaves": Kind(("#8fbf4c", "#d8a03c", "#c86c3c"), 20, (-16, 13), (7, 0.5), (2.2, 1.4), speed=1.2),
    "petals": Kind(("#f8d0e0", "#ffffff", "#f8e0a0"), 28, (-11, 5), (6, 0.35), (1.3, 1.3)),
    "sand": Kind(("#fce4b0", "#e8c890"), 80, (-70, 3), (2, 0.8), (3.4, 0.8), band=(0.5, 1.0), speed=1.2),
    "motes": Kind(("#c8bce0", "#9a90b4"), 36, (2, -3), (5, 0.2), (1.1, 1.1), 0.3),
    "sparks": Kind(("#f8c060", "#f8e8a0"), 34, (0, -14), (3, 0.7), (1.1, 1.1), 0.8, (0.15, 0.75), speed=0.5),
    "stars": Kind(("#ffffff", "#b8c4f0"), 60, (-9, 0), (0, 0), (1.2, 1.0), speed=0.35),
    "streaks": Kind(("#ffffff", "#d8e4ff"), 16, (-90, 0), (0, 0), (6.0, 0.9), speed=0.8),
    "twinkles": Kind(("#ffffff", "#f8e8c0"), 26, (0, 0), (0, 0), (1.6, 1.6), 0.5, (0.0, 0.45), speed=0.0),
    "glitter": Kind(("#ffffff", "#f8f0c0"), 24, (0, -7), (3, 0.4), (1.5, 1.5), 0.9, (0.2, 0.7), speed=0.2),
    "lamps": Kind(("#f8f0c0", "#f05048"), 12, (55, 0), (0, 0), (4.0, 1.4), band=(0.88, 0.96), speed=0.9),
    "gulls": Kind(("#f4f6fa", "#3c4454"), 5, (-12, 0.6), (0, 0), (4.0, 1.0), band=(0.12, 0.4), speed=0.2),
}


@dataclass(frozen=True, slots=True)
class Swarm:
    """All particles of one kind in one clip; arrays of one number a particle."""

    kind: Kind
    rgb: Bytes
    x: Floats
    y: Floats
    pace: Floats
    phase: Floats
    #: Pixels a unit.
    unit: float

    def put(self, frame: Bytes, camera: Camera, time: float) -> None:
        """Draw the particles on a frame (height, width, 3) at a time, in seconds."""
        high, wide = frame.shape[:2]
        kind, unit = self.kind, self.unit
        margin = 8.0 * unit
        angle = 2 * np.pi * (kind.swing[1] * time + self.phase)
        x = self.x * (wide + 2 * margin) + kind.go[0] * unit * self.pace * time + kind.swing[0] * unit * np.sin(angle)
        x = (x - camera.place(time) * kind.speed) % (wide + 2 * margin) - margin
        low, top = (kind.band[1] - kind.band[0]) * high, kind.band[0] * high
        y = (self.y * low + kind.go[1] * unit * self.pace * time) % low + top
        seen = np.ones(len(x), dtype=np.bool_)
        if kind.blink:
            seen = np.sin(2 * np.pi * (kind.blink * time * self.pace + self.phase)) > -0.2
        columns, rows = max(1, round(kind.size[0] * unit)), max(1, round(kind.size[1] * unit))
        for index in np.flatnonzero(seen):
            left, upper = int(x[index]), int(y[index])
            if kind is KINDS["gulls"]:
                _gull(frame, left, upper, columns, self.rgb[index], np.sin(7 * time * self.pace[index] + left * 0.02))
                continue
            frame[max(upper, 0) : max(upper + rows, 0), max(left, 0) : max(left + columns, 0)] = self.rgb[index]


def _gull(frame: Bytes, x: int, y: int, wing: int, rgb: Bytes, flap: float) -> None:
    """Draw a bird far away: two wings that go up and down."""
    for step in range(-wing, wing + 1):
        row = y - round(abs(step) * 0.7 * flap)
        if 0 <= row < frame.shape[0] and 0 <= x + step < frame.shape[1]:
            frame[row, x + step] = rgb


def swarm(name: str, chance: Chance, colors: Bytes, wide: float, unit: float) -> Swarm:
    """Return the particles of a kind for a scene so many units wide, in colours (n, 3) of the kind."""
    kind = KINDS[name]
    count = max(1, round(kind.count * wide / 320))
    numbers = chance.generator(f"particles-{name}").random((count, 5))
    return Swarm(
        kind,
        colors[(numbers[:, 4] * len(colors)).astype(np.intp)],
        numbers[:, 0],
        numbers[:, 1],
        0.6 + 0.8 * numbers[:, 2],
        numbers[:, 3],
        unit,
    )
