"""Backgrounds: sky, lights, ridges behind each other, ground, and what stands on them."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.providers.builtin.chance import Chance
from worker.providers.builtin.color import Bytes, gradient, mix, shift
from worker.providers.builtin.finish import Manner, centered
from worker.providers.builtin.ink import Ink, Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import REST
from worker.providers.builtin.scenes.light import clouded, fill, ordered
from worker.providers.builtin.scenes.ridges import ridge
from worker.providers.builtin.scenes.scene import Scene, open_scene, place_of, scene_grid
from worker.providers.builtin.scenes.scenery import draw_scenery, drawing_of
from worker.providers.builtin.stage import finished

Floats = NDArray[np.float64]
#: Tufts or tiles on the ground of a picture.
_MARKS: Final = 90


def render_landscape(look: Look, size: tuple[int, int], manner: Manner) -> tuple[Bytes, str]:
    """Return a background, (height, width, 4), opaque, and the name of its place."""
    width, height = size
    name = place_of(look)
    grid = scene_grid(size, manner)
    scene = open_scene(look, name, grid, manner)
    paint_sky(scene)
    draw_scenery(scene.canvas, look, scene.place, scene.hour, scene.wide, scene.high, scene.horizon, front=False)
    for depth in (0, 1):
        paint_ridge(scene, depth)
    paint_ground(scene)
    paint_marks(scene)
    paint_things(scene)
    paint_foreground(scene)
    draw_scenery(scene.canvas, look, scene.place, scene.hour, scene.wide, scene.high, scene.horizon, front=True)
    return centered(finished(scene.canvas, look, grid, manner), width, height), name


def paint_sky(scene: Scene) -> None:
    """Fill the sky with the colours of the hour."""
    canvas, place = scene.canvas, scene.place
    ink = scene.look.book.row(gradient(scene.sky, 8))
    rows = (np.arange(canvas.height)[:, None] + 0.5) / (max(scene.horizon, 1) * scene.unit)
    level = np.clip(rows, 0, 1) ** 1.1 * 7 + np.zeros((1, canvas.width))
    if "space" in place.extras:
        noise = clouded(scene.look.chance.generator("nebula"), canvas.height, canvas.width, 2, 4)
        level = np.clip(noise * 7.5 - 1, 0, 7)
    fill(canvas, ink, level, dithered=scene.dithered, spread=0.9)


def paint_ridge(scene: Scene, depth: int) -> None:
    """Paint the far ridge (0), or the middle one (1) with what stands on it."""
    shape, color = scene.place.middle if depth else scene.place.far
    if shape == "none":
        return
    hazy, sink = (0.20, 5.0) if depth else (0.50, 0.0)
    ink = scene.far_look(hazy, f"ridge{depth}").ink(color, Surface.SOFT)
    match shape:
        case "stalactites" | "stalagmites":
            _spikes(scene, ink, down=shape == "stalactites")
        case "brickwall":
            _wall(scene, ink)
        case "columns":
            _columns(scene, ink)
        case _:
            _ridge(scene, shape, ink, depth, sink)
    if depth == 1:
        _stand(scene, scene.place.distant, 0.22, 4 if len(scene.place.distant) > 1 else 1)


def _ridge(scene: Scene, shape: str, ink: Ink, depth: int, sink: float) -> None:
    """Paint one ridge: lit along its upper left flanks, dimmer towards the bottom."""
    canvas = scene.canvas
    x: Floats = (np.arange(canvas.width, dtype=np.float64) + 0.5) / scene.unit
    scale = 1.0 if scene.wide < 1.3 * scene.high else 1.15
    heights = ridge(shape, Chance(scene.look.reading.text, "ridge", depth, scene.look.chance.unit("scene")), x) * scale
    top = (scene.horizon + sink - heights) * scene.unit
    rows = np.arange(canvas.height)[:, None] + 0.5
    mask = (rows >= top[None, :]) & (rows < (scene.horizon + 26) * scene.unit) & (heights > 0.5)[None, :]
    under = (rows - top[None, :]) / scene.unit
    slope = np.gradient(heights, x)
    lit = np.clip(slope * 0.9, -1.2, 1.2)[None, :]
    level = 3.0 + np.where(under < 24, lit * (1 - under / 24), 0.0) - np.clip(under / 40, 0, 1.2) * 0.6
    if shape in ("pines", "deadwood", "towers"):
        level = np.full_like(under, 2.6 if depth else 3.0)
    if shape == "cloudsea":
        level = np.clip(4.2 - under * 0.09, 2.4, 4.2)
    if shape in ("peaks", "mountains") and shape == "peaks":
        jag = 3.0 * np.sin(x / 3.3)[None, :] + 2.0 * np.sin(x / 1.7)[None, :]
        snow = (heights[None, :] > 44) & (under < (heights[None, :] - 40) * 0.5 + jag)
        _paint_where(scene, mask & ~snow, ink, level)
        _paint_where(scene, mask & snow, scene.far_look(0.25, "snow").ink("#f2f6fc", Surface.SOFT), level + 0.2)
    else:
        _paint_where(scene, mask, ink, level)
    if "windows" in scene.place.extras:
        _windows(scene, mask, depth)


def _paint_where(scene: Scene, mask: NDArray[np.bool_], ink: Ink, level: Floats) -> None:
    if scene.dithered:
        level = np.floor(level + (ordered(scene.canvas.height, scene.canvas.width) - 0.5) * 0.8 + 0.5)
    canvas = scene.canvas
    canvas.ink[mask] = ink.row
    canvas.level[mask] = np.clip(np.broadcast_to(level, mask.shape)[mask], 1, 5)


def _windows(scene: Scene, mask: NDArray[np.bool_], depth: int) -> None:
    """Light windows of towers, on a grid, some of them."""
    canvas = scene.canvas
    rng = scene.look.chance.generator(f"windows{depth}")
    step = 4 if depth == 0 else 5
    light = scene.look.ink("#f8d878" if depth else "#c8a8d8", Surface.FLAT)
    neon = scene.look.ink(scene.look.pick("neon", ("#f05cb8", "#4ce0f0")), Surface.FLAT)
    size = max(1, round(scene.unit))
    for y in range(2 * size, canvas.height - 2 * size, step * size):
        for x in range(2 * size, canvas.width - 2 * size, step * size):
            lucky = rng.random()
            spot = mask[y - size : y + 3 * size, x - size : x + 3 * size]
            if lucky < (0.5 if depth else 0.3) and spot.all():
                ink = neon if lucky < 0.05 else light
                canvas.ink[y : y + 2 * size, x : x + (1 + depth) * size] = ink.row
                canvas.level[y : y + 2 * size, x : x + (1 + depth) * size] = 3.0


def _spikes(scene: Scene, ink: Ink, *, down: bool) -> None:
    """Grow the teeth of a cave from its roof or floor."""
    canvas, look = scene.canvas, scene.look
    x = (np.arange(canvas.width) + 0.5) / scene.unit
    chance = Chance(look.reading.text, "spikes", down, look.chance.unit("scene"))
    edge = 14 + 5 * np.sin(x / 31 + chance.between("p", 0, 6)) + 2 * np.sin(x / 9)
    for index in range(int(scene.wide / 22) + 2):
        centre, high = (
            index * 22 + chance.between(f"c{index}", -9, 9),
            chance.between(f"h{index}", 10, 50 if down else 34),
        )
        edge = np.maximum(edge, edge * 0.6 + high - np.abs(x - centre) * chance.between(f"s{index}", 3.4, 6.0))
    rows = (np.arange(canvas.height)[:, None] + 0.5) / scene.unit
    mask = rows < edge[None, :] if down else (rows > scene.horizon + 8 - edge[None, :]) & (rows < scene.horizon + 30)
    slope = np.clip(np.gradient(edge, x) * 0.35, -1.2, 1.2)
    _paint_where(scene, mask, ink, 2.8 + slope[None, :] + np.zeros_like(rows))


def _wall(scene: Scene, ink: Ink) -> None:
    """Lay a wall of bricks over the whole back, lit from the middle."""
    canvas = scene.canvas
    y, x = np.mgrid[0 : canvas.height, 0 : canvas.width]
    course, long = max(4, round(9 * scene.unit)), max(8, round(20 * scene.unit))
    line = y // course
    shifted = (x + (line % 2) * (long // 2)) % long
    tone = ((x + (line % 2) * (long // 2)) // long * 7 + line * 13) % 5
    level = 2.6 + np.array([0.0, 0.4, -0.4, 0.2, -0.2])[tone]
    level = np.where(
        (y % course == 0) | (shifted == 0), 1.0, np.where((y % course == 1) | (shifted == 1), level + 0.8, level)
    )
    glow = np.zeros(level.shape)
    for share in (0.2, 0.5, 0.8):
        glow = np.maximum(
            glow,
            1.5
            - np.hypot(x - share * canvas.width, (y - 0.36 * canvas.height) * 1.1)
            / (0.16 * canvas.width + 20 * scene.unit),
        )
    _paint_where(scene, np.ones(level.shape, dtype=np.bool_), ink, level + np.clip(glow, -0.9, 1.4))


def _columns(scene: Scene, ink: Ink) -> None:
    g = scene.canvas
    count = max(2, round(scene.wide / 96))
    for index in range(count + 1):
        x = index * scene.wide / count
        top = scene.high * 0.02
        g.path([(x, top, 9), (x, scene.horizon + 6, 9)], ink)
        for y, tall in ((top, 8), (scene.horizon - 1, 9)):
            g.poly([(x - 13, y), (x + 13, y), (x + 13, y + tall), (x - 13, y + tall)], ink, lift=0.4)
            g.poly([(x - 13, y), (x + 13, y), (x + 13, y + 1.6), (x - 13, y + 1.6)], ink, lift=1.4, edge=False)


def paint_ground(scene: Scene, moment: int = 0) -> None:
    """Paint the ground, lighter at its far edge, or water, which glitters differently from moment to moment."""
    place = scene.place
    if "space" in place.extras:
        return
    canvas = scene.canvas
    look = scene.far_look(0.04, "ground")
    ink = look.ink(place.ground, Surface.SOFT)
    x = (np.arange(canvas.width) + 0.5) / scene.unit
    flat = bool(place.extras & {"sea", "indoor", "road", "shoreline"})
    wave = 0.0 if flat else 2.2
    edge = scene.horizon + wave * np.sin(x / 38 + scene.look.chance.between("g", 0, 6)) + wave * 0.5 * np.sin(x / 15)
    rows = (np.arange(canvas.height)[:, None] + 0.5) / scene.unit
    depth = (rows - edge[None, :]) / max(scene.high - scene.horizon, 1)
    level = 3.8 - 2.2 * np.clip(depth, 0, 1)
    _paint_where(scene, depth >= 0, ink, level)
    rim = (depth >= 0) & ((rows - edge[None, :]) < 1.6)
    if place.extras & {"sea", "shoreline"}:
        _sea(scene, moment)
    if not flat:
        _paint_where(scene, rim, ink, np.full(depth.shape, 4.4))


def _sea(scene: Scene, moment: int) -> None:
    """Paint water from the horizon to the lower edge or to a beach, with glitter and a line of foam."""
    canvas, look = scene.canvas, scene.far_look(0.06, "sea")
    span = (scene.high - scene.horizon) * (1.0 if "sea" in scene.place.extras else 0.42)
    ink = look.ink("#2f86c8", Surface.SOFT)
    x = (np.arange(canvas.width) + 0.5) / scene.unit
    rows = (np.arange(canvas.height)[:, None] + 0.5) / scene.unit
    beach = scene.horizon + span + 3.0 * np.sin(x / 40 + scene.look.chance.between("beach", 0, 6)) + np.sin(x / 13)
    water = (rows >= scene.horizon) & ((rows < beach[None, :]) | ("sea" in scene.place.extras))
    depth = (rows - scene.horizon) / max(span, 1) + np.zeros((1, canvas.width))
    _paint_where(scene, water, ink, 4.2 - 1.9 * depth)
    rng = scene.look.chance.generator(f"glitter{moment or ''}")
    for near, place in rng.random((round(scene.wide * span / 60), 2)):
        y = scene.horizon + 1.5 + near * near * (span - 3)
        long = 3 + 10 * near * near
        canvas.dot(place * scene.wide, y, long, 0.9, ink, 5.0 if rng.random() < 0.6 else 4.4 - 2.6 * near, on=ink)
    if "shoreline" in scene.place.extras:
        foam = look.ink("#f4fafc", Surface.FLAT)
        edge = np.abs(rows - beach[None, :] + 1.0) < 1.0
        wet = (rows > beach[None, :]) & (rows < beach[None, :] + 4.0)
        canvas.level[wet] = np.maximum(canvas.level[wet] - 1, 1)
        canvas.ink[edge], canvas.level[edge] = foam.row, 3.0
        second = (np.abs(rows - beach[None, :] + 5.0 + 1.4 * np.sin(x / 17)[None, :]) < 0.6) & (np.sin(x / 23) > -0.2)[
            None, :
        ]
        canvas.ink[second], canvas.level[second] = foam.row, 3.0


def paint_foreground(scene: Scene) -> None:
    """Frame the lower edge with what is nearest, dark against the light: grass, rocks."""
    place = scene.place
    if place.extras & {"sea", "space", "road", "cloudground", "torches", "shoreline"} or scene.high < 60:
        return
    canvas, chance = scene.canvas, scene.look.chance
    ink = scene.far_look(0.0, "front").ink(mix(place.ground, "#101820", 0.62), Surface.SOFT)
    x = (np.arange(canvas.width) + 0.5) / scene.unit
    edge = (
        5
        + 4 * np.sin(x / 61 + chance.between("f", 0, 6)) ** 2
        + 1.2 * np.sin(x / 11)
        + 7 * (np.abs(x / scene.wide - 0.5) * 2) ** 4
    )
    rocky = bool(place.extras & {"indoor"}) or place.near[:1] in (("rock",), ("cactus",))
    rows = (np.arange(canvas.height)[:, None] + 0.5) / scene.unit
    if rocky:
        edge = edge + 2.5 * np.abs((x / 9) % 2 - 1)
    _paint_where(scene, rows > scene.high - edge[None, :], ink, np.full((canvas.height, canvas.width), 2.4))
    if rocky or place.ground == "#eef4fa":
        return
    rng = chance.generator("blades")
    for place_x, size, bend in rng.random((round(scene.wide / 2.6), 3)):
        px = place_x * scene.wide
        base = scene.high - float(np.interp(px, x, edge))
        tall = (3 + 7 * size) * (0.7 + abs(place_x - 0.5))
        canvas.path(
            [(px, base + 2, 0.9), (px + (bend - 0.5) * 5, base - tall, 0.3)], ink, lift=-0.6 + 0.9 * bend, edge=False
        )


def paint_marks(scene: Scene, low: float = 0.0, high: float = 1.0) -> None:
    """Scatter tufts and tiles on the ground, smaller and denser in the distance.

    Only those are painted that lie between two shares of the way from the horizon to the lower edge.
    """
    canvas, place = scene.canvas, scene.place
    if "space" in place.extras:
        return
    ink = scene.far_look(0.04, "ground").ink(place.ground, Surface.SOFT)
    rng = scene.look.chance.generator("marks")
    span = scene.high - scene.horizon
    count = round(_MARKS * scene.stretch)
    for near, x in zip(np.sort(rng.random(count)), rng.random(count) * scene.wide, strict=True):
        y = scene.horizon + 3 + near * (span - 3)
        size = 0.8 + 1.6 * near
        tone = 3.8 - 2.2 * near
        if place.extras & {"sea", "shoreline"} and y < scene.horizon + span * (1.0 if "sea" in place.extras else 0.42):
            continue
        if "cloudground" in place.extras or not low <= near < high:
            continue
        if place.extras & {"indoor", "road", "bubbles"} or place.ground in ("#ecc888", "#eef4fa", "#3c2832"):
            canvas.dot(x, y, 3 * size, 0.9 * size, ink, tone + (0.9 if rng.random() < 0.5 else -0.9))
        else:
            for dx in (-1.1, 0.0, 1.1):
                canvas.path(
                    [(x + dx * size, y, 0.5 * size), (x + dx * 2.0 * size, y - (3.4 - abs(dx)) * size, 0.25)],
                    ink,
                    lift=tone - 2.6 + dx * 0.3,
                    edge=False,
                )


def _stand(scene: Scene, kinds: tuple[str, ...], hazy: float, count: int) -> None:
    """Put small things along the horizon."""
    if not kinds:
        return
    chance = Chance(scene.look.reading.text, "stand", scene.look.chance.unit("scene"))
    many = count if count == 1 else max(3, round(scene.wide / 26))
    lined = scene.canvas.inner_lines
    scene.canvas.inner_lines = False
    for index in range(many):
        x = scene.wide * (0.62 if many == 1 else (index + chance.between(f"x{index}", 0.2, 0.8)) / many)
        size = 1.5 if kinds == ("castle",) else chance.between(f"s{index}", 0.5, 0.8)
        look = scene.far_look(hazy, f"stand{index % 3}")
        _put(scene, look, chance.pick(f"k{index}", kinds), x, scene.horizon + 4, size)
    scene.canvas.inner_lines = lined


def paint_things(scene: Scene, low: float = 0.0, high: float = 1.0) -> None:
    """Put things on the ground, far ones first; only those that stand between two shares of the way, as above."""
    place = scene.place
    if not place.near:
        return
    chance = Chance(scene.look.reading.text, "things", scene.look.chance.unit("scene"))
    many = max(2, round(place.crowd * scene.wide / 320))
    span = scene.high - scene.horizon
    spots = []
    for index in range(many):
        near = chance.unit(f"d{index}") ** 1.3
        x = scene.wide * (index + chance.between(f"x{index}", 0.1, 0.9)) / many
        spots.append((near, x, index))
    for near, x, index in sorted(spots):
        y = scene.horizon + span * (0.14 + 0.62 * near)
        if "shoreline" in place.extras:
            y = scene.horizon + span * (0.56 + 0.4 * near)
        if "sea" in place.extras:
            y = scene.horizon + span * (0.08 + 0.3 * near)
        if not low <= (y - scene.horizon) / span < high:
            continue
        size = (0.75 + 0.85 * near) * (1.0 if place.crowd > 2 else 0.9)
        look = scene.far_look(0.10 * (1 - near), f"thing{index % 4}")
        _put(scene, look, place.near[(index + chance.whole(f"k{index}", 0, 1)) % len(place.near)], x, y, size)


def _put(scene: Scene, look: Look, kind: str, x: float, y: float, size: float) -> None:
    """Draw one thing standing on (x, y)."""
    g = scene.canvas
    with g.moved(x, y, wide=size, tall=size):
        shade = look.ink(shift(scene.place.ground, lightness=-0.10), Surface.FLAT)
        if "sea" not in scene.place.extras and g.inner_lines:
            g.blob(1, 0, 10, 1.6, shade, edge=False)
        drawing_of(kind)(g, look, REST)
