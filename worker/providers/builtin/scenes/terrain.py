"""Ground textures that repeat with the tile, and what happens where two terrains meet."""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.providers.builtin.canvas import Canvas, dilate
from worker.providers.builtin.color import mix, ramp_of
from worker.providers.builtin.ink import Ink, Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.scenes.light import clouded

Mask = NDArray[np.bool_]
#: From the lowest to the highest: of two terrains the later one lies above.
RANKS: Final = (
    "void",
    "lava",
    "water",
    "swamp",
    "ice",
    "floor",
    "metal",
    "sand",
    "dirt",
    "wood",
    "stone",
    "snow",
    "grass",
    "wall",
)
COLORS: Final[Mapping[str, str]] = {
    "grass": "#6cb04a",
    "water": "#3f8fd0",
    "sand": "#e4c888",
    "dirt": "#a87848",
    "stone": "#8e909a",
    "lava": "#e8602a",
    "snow": "#e8eff6",
    "ice": "#a4d8f0",
    "floor": "#6c6878",
    "wall": "#8a7468",
    "swamp": "#5c7a4a",
    "wood": "#a87444",
    "void": "#241c3c",
    "metal": "#7e8a9e",
}
#: Terrains that lie so low that the edge of the other shows a bank.
_DEEP: Final = frozenset({"void", "lava", "water", "swamp"})


def paint_terrain(look: Look, name: str, side: int) -> Canvas:
    """Paint one terrain on a square that wraps, its quietest row and column at the edge."""
    canvas = Canvas(side, side, wrap=True, inner_lines=False)
    canvas.place(side / 32, 0, 0)
    ink = soft_ink(look, terrain_color(look, name))
    canvas.ink[:] = ink.row
    canvas.level[:] = 3.0
    _TEXTURES.get(name, _speckled)(canvas, look, name)
    _quiet_edges(canvas)
    return canvas


def _quiet_edges(canvas: Canvas) -> None:
    """Turn a wrapping texture round so that its edges fall where neighbouring rows and columns differ least."""
    for axis in (0, 1):
        step = np.abs(canvas.level - np.roll(canvas.level, 1, axis))
        step[canvas.ink != np.roll(canvas.ink, 1, axis)] = 3.0
        quiet = -int(step.sum(axis=1 - axis).argmin())
        canvas.level = np.roll(canvas.level, quiet, axis)
        canvas.ink = np.roll(canvas.ink, quiet, axis)


def soft_ink(look: Look, color: str) -> Ink:
    """Return an ink for large grounds, whose levels beside the middle differ less than those of things."""
    steps = ramp_of(color)
    if look.book.palette is not None:
        # Its colours are few: half steps would all become the same one.
        return look.book.shared(list(steps))
    quiet = [
        steps[0],
        steps[1],
        mix(steps[3], steps[2], 0.62),
        steps[3],
        mix(steps[3], steps[4], 0.45),
        steps[4],
        steps[5],
        steps[6],
    ]
    return look.book.shared(quiet)


def terrain_color(look: Look, name: str) -> str:
    """Return a terrain's colour: its own, or one that the words give it when only one terrain is named."""
    colors = look.reading.colors
    if colors and look.reading.terrains[:1] == (name,):
        return colors[0]
    return COLORS[name]


def _spots(look: Look, name: str, count: int, apart: float) -> list[tuple[float, float]]:
    """Return places on a wrapping square of 32 units that keep their distance."""
    rng = look.chance.generator(f"spots-{name}")
    places: list[tuple[float, float]] = []
    for x, y in rng.random((count * 12, 2)) * 32:
        near = any(
            min(abs(x - a), 32 - abs(x - a)) ** 2 + min(abs(y - b), 32 - abs(y - b)) ** 2 < apart * apart
            for a, b in places
        )
        if not near:
            places.append((float(x), float(y)))
        if len(places) == count:
            break
    return places


def _grass(canvas: Canvas, look: Look, name: str) -> None:
    ink = soft_ink(look, terrain_color(look, name))
    for index, (x, y) in enumerate(_spots(look, name, 13, 6.2)):
        level = 2.0 if index % 3 else 4.0
        canvas.dot(x, y, 1, 2, ink, level)
        canvas.dot(x + 2, y, 1, 2, ink, level)
        canvas.dot(x + 1, y + 1, 1, 2, ink, level)
    if look.has("flowers", 0.75):
        petal = look.ink(look.pick("petals", ("#f4f0e0", "#f0d048", "#f090b8")), Surface.FLAT)
        for x, y in _spots(look, "flowers", 2, 11):
            for dx, dy in ((0, -1), (-1, 0), (1, 0), (0, 1)):
                canvas.dot(x + dx, y + dy, 1, 1, petal)
            canvas.dot(x, y, 1, 1, look.ink("#e8a030", Surface.FLAT))


def _ripples(canvas: Canvas, look: Look, name: str) -> None:
    ink = soft_ink(look, terrain_color(look, name))
    for index, (x, y) in enumerate(_spots(look, name, 8, 7.4)):
        long = 5 if index % 2 else 3
        canvas.dot(x, y, long, 1, ink, 4)
        canvas.dot(x + long * 0.5 + 0.6, y + 1, 2, 1, ink, 4)
        if index % 3 == 0:
            canvas.dot(x + 1, y - 1, 2, 1, ink, 5)


def _speckled(canvas: Canvas, look: Look, name: str) -> None:
    ink = soft_ink(look, terrain_color(look, name))
    for index, (x, y) in enumerate(_spots(look, name, 12, 6.0)):
        if index % 4 == 0:
            canvas.dot(x, y, 3, 2, ink, 2)
            canvas.dot(x - 0.5, y - 1, 2, 1, ink, 4)
        else:
            canvas.dot(x, y, 1 + index % 2, 1, ink, 2 if index % 3 else 4)


def _dunes(canvas: Canvas, look: Look, name: str) -> None:
    ink = soft_ink(look, terrain_color(look, name))
    for index, (x, y) in enumerate(_spots(look, name, 9, 7.0)):
        if index % 3:
            canvas.dot(x, y, 4, 1, ink, 2)
            canvas.dot(x + 3, y + 1, 3, 1, ink, 2)
        else:
            canvas.dot(x, y, 1, 1, ink, 1.6 if index % 2 else 2)


def _cobbles(canvas: Canvas, look: Look, name: str) -> None:
    """Fill with stones: the cells around scattered points, lit at the left top."""
    side = canvas.height
    ink = soft_ink(look, terrain_color(look, name))
    places = np.array(_spots(look, name, 11, 7.6)) * (side / 32)
    y, x = np.mgrid[0:side, 0:side] + 0.5
    dx = np.abs(x[..., None] - places[:, 0])
    dy = np.abs(y[..., None] - places[:, 1])
    away = np.hypot(np.minimum(dx, side - dx), np.minimum(dy, side - dy))
    order = np.sort(away, axis=2)
    owner = away.argmin(axis=2)
    gap = order[..., 1] - order[..., 0]
    canvas.level[:] = np.array([3.0, 3.0, 2.6, 3.4])[owner % 4]
    joint = gap < 1.5 * side / 32
    lit = ~joint & (np.roll(joint, 1, 0) | np.roll(joint, 1, 1))
    dim = ~joint & (np.roll(joint, -1, 0) | np.roll(joint, -1, 1))
    canvas.level[dim] = 2.0
    canvas.level[lit] = 4.0
    canvas.level[joint] = 1.0
    canvas.ink[:] = ink.row


def _slabs(canvas: Canvas, look: Look, name: str) -> None:
    """Lay square flagstones, some cracked."""
    side = canvas.height
    rows, columns = np.mgrid[0:side, 0:side]
    half = side // 2
    shade = np.array([3.0, 2.7, 3.3, 2.8])
    canvas.level[:] = shade[(rows // half % 2) * 2 + columns // half % 2]
    for index, (row, column) in enumerate(((0, 0), (0, half), (half, 0), (half, half))):
        far_row, far_column = row + half, column + half
        canvas.level[row, column:far_column] = 4.0
        canvas.level[row:far_row, column] = 4.0
        canvas.level[far_row - 1, column:far_column] = 1.0
        canvas.level[row:far_row, far_column - 1] = 1.0
        if index in (look.chance.whole("crack", 0, 3), 2):
            ink = soft_ink(look, terrain_color(look, name))
            canvas.dot((column + half * 0.4) * 32 / side, (row + half * 0.5) * 32 / side, 1, 3, ink, 2)
            canvas.dot((column + half * 0.4) * 32 / side + 1, (row + half * 0.5) * 32 / side + 2, 1, 2, ink, 2)


def _bricks(canvas: Canvas, _look: Look, _name: str) -> None:
    side = canvas.height
    course = max(3, side // 4)
    long = max(4, side // 2)
    rows, columns = np.mgrid[0:side, 0:side]
    line = rows // course
    shifted = (columns + (line % 2) * (long // 2)) % long
    level = np.where(((columns + (line % 2) * (long // 2)) // long + line) % 3 == 0, 3.4, 3.0)
    level = np.where(rows % course == 1, 4.0, level)
    level = np.where(shifted == 1, 3.8, level)
    level = np.where((rows % course == 0) | (shifted == 0), 1.4, level)
    canvas.level[:] = level


def _planks(canvas: Canvas, look: Look, name: str) -> None:
    side = canvas.height
    ink = soft_ink(look, terrain_color(look, name))
    board = max(4, side // 4)
    rows, columns = np.mgrid[0:side, 0:side]
    line = rows // board
    level = np.where(line % 2 == 0, 3.0, 2.7)
    level = np.where(rows % board == 0, 4.0, level)
    level = np.where(rows % board == board - 1, 1.2, level)
    joint = (columns == (line * (side * 5 // 13)) % side) & (rows % board != board - 1)
    canvas.level[:] = np.where(joint, 1.4, level)
    for index, (x, y) in enumerate(_spots(look, name, 6, 8)):
        canvas.dot(x, (int(y / 8) + 0.5) * 8, 4 if index % 2 else 2, 1, ink, 2.2)


def _plates(canvas: Canvas, look: Look, name: str) -> None:
    _slabs(canvas, look, name)
    ink = soft_ink(look, terrain_color(look, name))
    for x in (3, 13, 19, 29):
        for y in (3, 13, 19, 29):
            canvas.dot(x, y, 1, 1, ink, 1.4)


def _glow(canvas: Canvas, look: Look, name: str) -> None:
    """Flow with bright veins between dark crusts."""
    ink = soft_ink(look, terrain_color(look, name))
    noise = clouded(look.chance.generator("lava"), canvas.height, canvas.width, 2, 2)
    canvas.level[:] = np.select([noise < 0.26, noise < 0.42, noise < 0.62, noise < 0.8], [2.0, 3.0, 4.0, 3.0], 2.0)
    for index, (x, y) in enumerate(_spots(look, name, 5, 9)):
        canvas.dot(x, y, 2, 1, ink, 5.6)
        if index % 2:
            canvas.dot(x + 1, y - 1, 1, 1, ink, 6)


def _frost(canvas: Canvas, look: Look, name: str) -> None:
    ink = soft_ink(look, terrain_color(look, name))
    for x, y in _spots(look, name, 5, 10):
        for step in range(4):
            canvas.dot(x + step, y - step, 1, 1, ink, 5)
        canvas.dot(x + 3, y, 1, 1, ink, 5)


def _snow(canvas: Canvas, look: Look, name: str) -> None:
    ink = soft_ink(look, terrain_color(look, name))
    for index, (x, y) in enumerate(_spots(look, name, 9, 7.4)):
        canvas.dot(x, y, 3 if index % 2 else 1, 1, ink, 2)
        if index % 3 == 0:
            canvas.dot(x + 2, y + 1, 2, 1, ink, 2)


def _stars(canvas: Canvas, look: Look, name: str) -> None:
    white = look.ink("#e8e8f8", Surface.FLAT)
    noise = clouded(look.chance.generator("void"), canvas.height, canvas.width, 2, 2)
    canvas.level[noise > 0.6] = 4.0
    canvas.level[noise < 0.3] = 2.0
    for index, (x, y) in enumerate(_spots(look, name, 9, 7)):
        canvas.dot(x, y, 1, 1, white, 3 if index % 2 else 1.6)


def scatter(canvas: Canvas, look: Look, name: str, ink: Ink, wide: float, high: float) -> None:
    """Scatter a terrain's small marks over a large area that wraps."""
    rng = look.chance.generator(f"scatter-{name}")
    for index, (x, y) in enumerate(rng.random((int(wide * high / 130), 2))):
        px, py, level = x * wide, y * high, 2.0 if index % 3 else 4.0
        match name:
            case "grass" | "swamp":
                for dx, dy in ((-1.4, 0), (1.4, 0), (0, 1.4)):
                    canvas.dot(px + dx, py + dy, 1, 2.4, ink, level)
            case "water" | "sand" | "snow" | "sky":
                canvas.dot(px, py, 5, 1, ink, level)
                canvas.dot(px + 3, py + 1.2, 3, 1, ink, level)
            case "void":
                canvas.dot(px, py, 1, 1, look.white, 3)
            case _:
                canvas.dot(px, py, 3, 1.6, ink, level)


_TEXTURES: Final[Mapping[str, Callable[[Canvas, Look, str], None]]] = {
    "grass": _grass,
    "water": _ripples,
    "swamp": _ripples,
    "sand": _dunes,
    "dirt": _speckled,
    "stone": _cobbles,
    "lava": _glow,
    "snow": _snow,
    "ice": _frost,
    "floor": _slabs,
    "wall": _bricks,
    "wood": _planks,
    "void": _stars,
    "metal": _plates,
}


def shore(canvas: Canvas, look: Look, low: str, high: str, mask: Mask, pad: int) -> None:
    """Paint the border of the higher terrain over the lower one.

    `mask` tells where the higher one lies, `pad` pixels wider than the canvas on every side.
    """
    side = canvas.height
    unit = max(1, side // 32)
    cut = (slice(pad, pad + side), slice(pad, pad + side))
    high_ink, low_ink = (
        look.ink(terrain_color(look, high), Surface.SOFT),
        look.ink(terrain_color(look, low), Surface.SOFT),
    )
    drop = min(pad - 1, (5 if high == "wall" else 3 if low in _DEEP else 2) * unit)
    bank = np.zeros_like(mask)
    for step in range(1, drop + 1):
        bank[step:] |= mask[:-step]
    bank &= ~mask
    around = dilate(mask, unit) & ~mask
    if low in ("water", "swamp", "lava"):
        wide = dilate(mask | bank, min(pad - 1, 2 * unit)) & ~mask
        foam = look.ink("#e8f4f8" if low == "water" else "#c8d890" if low == "swamp" else "#fbd95a", Surface.FLAT)
        ring = wide & ~dilate(mask | bank, unit)
        canvas.ink[ring[cut]], canvas.level[ring[cut]] = foam.row, 3.0
        inner = dilate(mask | bank, unit) & ~(mask | bank)
        canvas.ink[inner[cut]], canvas.level[inner[cut]] = low_ink.row, 1.6 if low != "lava" else 5.0
    else:
        shadow = dilate(mask | bank, unit) & ~mask
        canvas.level[shadow[cut]] = 1.6
    own = high in ("wall", "stone", "ice", "metal", "wood", "snow", "sand")
    face = look.ink(terrain_color(look, high) if own else "#8a6040", Surface.SOFT)
    rows = np.arange(side)[:, None]
    columns = np.arange(side)[None, :]
    grain = np.where((columns // unit + rows // unit // 2) % 4 == 0, 1.4, 2.0)
    canvas.ink[bank[cut]] = face.row
    canvas.level[bank[cut]] = grain[bank[cut]]
    lip = bank & np.roll(mask, 1, 0)
    canvas.ink[lip[cut]], canvas.level[lip[cut]] = high_ink.row, 0.0
    sides = around & ~bank
    canvas.ink[sides[cut]], canvas.level[sides[cut]] = high_ink.row, 0.6
    rim = mask & dilate(~mask, unit)
    lit = rim & ~np.roll(~mask, -unit, 0)
    canvas.ink[rim[cut]], canvas.level[rim[cut]] = high_ink.row, 2.0
    canvas.level[(lit & rim)[cut]] = 4.4
