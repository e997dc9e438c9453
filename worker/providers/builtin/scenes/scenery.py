"""What fills air, sky and water of a background: sun, moon, stars, clouds, fog, embers, fishes; plants of places."""

import math

from worker.providers.builtin.canvas import Canvas, Form, arc, rounded
from worker.providers.builtin.ink import Ink, Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import Pose
from worker.providers.builtin.scenes.places import Hour, Place
from worker.providers.builtin.stage import Drawing
from worker.providers.builtin.subjects.buildings import BUILDINGS
from worker.providers.builtin.subjects.crawlers import fish
from worker.providers.builtin.subjects.goods import GOODS
from worker.providers.builtin.subjects.nature import NATURE
from worker.providers.builtin.subjects.weapons import flame


def drawing_of(kind: str) -> Drawing:
    """Return the drawing of a thing that stands about in a place."""
    special = {
        "snowpine": _snow_pine,
        "deadtree": _dead_tree,
        "mushroomcap": _toadstool,
        "coral": _coral,
        "weed": _weed,
        "floating": _island,
    }
    if kind in special:
        return special[kind]
    plain = NATURE.get(kind) or BUILDINGS.get(kind) or GOODS[kind]

    def draw(g: Canvas, look: Look, _: Pose) -> None:
        with g.moved(0, -8 if kind in GOODS else 0, wide=0.6 if kind in GOODS else 1, tall=0.6 if kind in GOODS else 1):
            plain(g, look)

    return draw


def draw_scenery(
    g: Canvas, look: Look, place: Place, hour: Hour, wide: float, high: float, horizon: float, *, front: bool
) -> None:
    """Draw what is in the air: behind everything else, or in front of it."""
    if front:
        _front(g, look, place, wide, high, horizon)
        return
    draw_heavens(g, look, place, hour, wide, high, horizon)
    draw_clouds(g, look, place, hour, wide, horizon)
    draw_air(g, look, place, wide, high, horizon)


def draw_heavens(g: Canvas, look: Look, place: Place, hour: Hour, wide: float, high: float, horizon: float) -> None:
    """Draw what is furthest away: stars, sun or moon, planets."""
    with g.unlined():
        sky = not place.sky or "space" in place.extras
        if (hour.orb == "moon" and sky) or "space" in place.extras:
            _stars(g, look, wide, horizon)
        if sky and "space" not in place.extras:
            _orb(g, look, hour, wide, horizon)
        if "space" in place.extras:
            _planets(g, look, wide, high)


def draw_clouds(g: Canvas, look: Look, place: Place, hour: Hour, wide: float, horizon: float) -> None:
    """Draw the clouds, where there are any."""
    if "clouds" in place.extras:
        with g.unlined():
            _clouds(g, look, hour, wide, horizon)


def draw_air(g: Canvas, look: Look, place: Place, wide: float, high: float, horizon: float) -> None:
    """Draw what light and smoke do to the air."""
    with g.unlined():
        if "beams" in place.extras:
            _beams(g, look, wide, high)
        if "smoke" in place.extras:
            _smoke(g, look, wide, horizon)


def _front(g: Canvas, look: Look, place: Place, wide: float, high: float, horizon: float) -> None:
    """Draw what floats before everything else."""
    lined = g.inner_lines
    g.inner_lines = False
    if "snowfall" in place.extras:
        white = look.ink("#ffffff", Surface.FLAT)
        for x, y, size in _places(look, wide * high / 480):
            g.dot(x * wide, y * high, 1 + 1.2 * (size > 0.8), 1 + 1.2 * (size > 0.8), white)
    if "embers" in place.extras:
        for x, y, size in _places(look, wide * high / 700):
            ember = look.ink("#f8a040" if size > 0.5 else "#f8e070", Surface.FLAT)
            g.dot(x * wide, high * (1 - y * y), 1 + size, 1 + size, ember)
    if "bubbles" in place.extras:
        _bubbles(g, look, wide, high)
    if "fog" in place.extras:
        draw_fog(g, look, wide, high, horizon)
    if "torches" in place.extras:
        draw_torches(g, look, wide, high)
    g.inner_lines = lined


def draw_fog(g: Canvas, look: Look, wide: float, high: float, horizon: float) -> None:
    """Draw streaks of fog over the ground."""
    mist = look.ink("#c8d0d8", Surface.SOFT)
    for index, (x, y, size) in enumerate(_places(look, wide / 24)):
        level = 2 + index % 2
        g.dot(x * wide, horizon + y * (high - horizon) * 0.5, 18 + 30 * size, 1.4, mist, level)


def _places(look: Look, count: float) -> list[tuple[float, float, float]]:
    """Return random (x, y, size), each from 0 to 1."""
    numbers = look.chance.generator("front").random((int(count), 3))
    return [(float(x), float(y), float(size)) for x, y, size in numbers]


def _bubbles(g: Canvas, look: Look, wide: float, high: float) -> None:
    foam = look.ink("#c8f0fa", Surface.FLAT)
    for x, y, size in _places(look, wide / 12):
        g.blob(x * wide, y * high * 0.8, 0.8 + 1.2 * size, 0.8 + 1.2 * size, foam)
    _fishes(g, look, wide, high)


def _stars(g: Canvas, look: Look, wide: float, horizon: float) -> None:
    rng = look.chance.generator("stars")
    inks = [look.ink(color, Surface.FLAT) for color in ("#f4f4ff", "#b8c4f0", "#f8e8c0", "#8890c8")]
    for index, (x, y, size) in enumerate(rng.random((int(wide * horizon / 240), 3))):
        px, py, ink = x * wide, y * horizon * 0.95, inks[index % 4]
        g.dot(px, py, 0.9, 0.9, ink)
        if size > 0.93:
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                g.dot(px + dx, py + dy, 0.9, 0.9, inks[3])


def _orb(g: Canvas, look: Look, hour: Hour, wide: float, horizon: float) -> None:
    x = wide * look.between("orb-x", 0.18, 0.82)
    match hour.orb:
        case "moon":
            moon = look.ink("#f0ecd8", Surface.SOFT)
            y = horizon * 0.27
            g.blob(x, y, 14, 14, look.ink("#4a5890", Surface.FLAT), lift=-0.4)
            g.blob(x, y, 11, 11, moon, lift=0.5)
            for dx, dy, r in ((-3, -3, 2.6), (4, 1, 1.9), (-1, 5, 1.6), (3, -6, 1.2)):
                g.blob(x + dx, y + dy, r, r, moon, lift=-0.9)
        case "low-sun":
            y = horizon * 0.80
            for r, color in ((25, "#f4a060"), (19, "#f8c070"), (13.6, "#fdf0b8")):
                g.blob(x, y, r, r, look.ink(color, Surface.FLAT))
        case "sun":
            y = horizon * 0.24
            for r, color in ((15, "#f8e8a0"), (11, "#fdf6d0")):
                g.blob(x, y, r, r, look.ink(color, Surface.FLAT))
        case _:
            pass


def _clouds(g: Canvas, look: Look, hour: Hour, wide: float, horizon: float) -> None:
    color = {"moon": "#4a5688", "low-sun": "#f4b0a0", "": "#6c7484"}.get(hour.orb, "#ffffff")
    ink = look.ink(color, Surface.SOFT)
    count = max(2, round(wide / 64))
    for index in range(count):
        x = wide * (index + look.between(f"cloud-x{index}", 0.1, 0.9)) / count
        y = horizon * look.between(f"cloud-y{index}", 0.10, 0.58)
        size = look.between(f"cloud-s{index}", 0.5, 1.25)
        _cloud(g, look, ink, x, y, size, index)


def _cloud(g: Canvas, look: Look, ink: Ink, x: float, y: float, size: float, index: int) -> None:
    """Draw a flat-bottomed heap of puffs."""
    puffs = []
    for step in range(6):
        dx = (step - 2.5) * 7.4 * size
        r = (10 - abs(step - 2.5) * 2.6) * size * look.between(f"puff{index}{step}", 0.8, 1.2)
        puffs.append((x + dx, y, r))
    for px, py, r in puffs:
        g.blob(px, py - r * 0.35, r, r * 0.8, ink, lift=0.3)
    for px, py, r in puffs:
        g.blob(px + r * 0.2, py + r * 0.12, r * 0.95, r * 0.46, ink, lift=-0.7)


def _planets(g: Canvas, look: Look, wide: float, high: float) -> None:
    for index, (x, y, size) in enumerate(((0.26, 0.66, 2.3), (0.76, 0.34, 1.1), (0.60, 0.86, 0.5))):
        other = look.pick(f"planet{index}", ("#d8804c", "#5a90d8", "#a870c8", "#58b090", "#c8506c"))
        ink = look.ink(other, Surface.SKIN)
        px, py, r = wide * x + look.between(f"px{index}", -24, 24), high * y, 15 * size
        ring = index == 1
        if ring:
            g.path(
                [(a, b, 1.6) for a, b in arc(px, py, r * 1.7, 180, 360, 20, tall=0.26)],
                look.ink("#e0c890", Surface.SOFT),
                lift=-0.6,
            )
        g.blob(px, py, r, r, ink)
        for band in range(4):
            dy = (band - 1.5) * r * 0.42
            half = math.sqrt(max(r * r - dy * dy, 0)) * 0.9
            g.poly(
                rounded(
                    [
                        (px - half, py + dy - r * 0.05),
                        (px, py + dy + r * 0.05),
                        (px + half, py + dy - r * 0.05),
                        (px + half, py + dy + r * 0.08),
                        (px, py + dy + r * 0.17),
                        (px - half, py + dy + r * 0.08),
                    ],
                    3,
                ),
                ink,
                lift=-1.0 if band % 2 else 0.9,
                on=ink,
            )
        g.relight(px + r * 0.55, py + r * 0.5, r * 0.95, r * 0.95, -0.9, on=ink)
        if ring:
            g.path(
                [(a, b, 1.6) for a, b in arc(px, py, r * 1.7, 0, 180, 20, tall=0.26)],
                look.ink("#e0c890", Surface.SOFT),
                lift=0.4,
            )


def _beams(g: Canvas, look: Look, wide: float, high: float) -> None:
    del look
    for index in range(max(2, round(wide / 70))):
        x = wide * (index + 0.4) * 70 / wide
        for step in range(24):
            g.relight(x + step * 2.2, step * high * 0.026, 5 + step * 0.3, high * 0.03, 0.5 if step < 16 else 0.25)


def _smoke(g: Canvas, look: Look, wide: float, horizon: float) -> None:
    ink = look.ink("#4a2c38", Surface.SOFT)
    for index in range(9):
        g.blob(
            wide * 0.5 + (index - 4) * 9 + look.between(f"sx{index}", -16, 16),
            horizon * 0.22 - index % 3 * 6,
            12 + index % 4 * 3,
            8,
            ink,
            lift=0.2 - index % 2 * 0.4,
        )


def _fishes(g: Canvas, look: Look, wide: float, high: float) -> None:
    for index in range(max(3, round(wide / 60))):
        size = look.between(f"fs{index}", 0.25, 0.6)
        x, y = wide * look.between(f"fx{index}", 0.05, 0.95), high * look.between(f"fy{index}", 0.2, 0.7)
        with g.moved(x, y, wide=size if look.has(f"fd{index}", 0.5) else -size, tall=size):
            fish(g, look, Pose())


def draw_torches(g: Canvas, look: Look, wide: float, high: float, tall: float = 1.0) -> None:
    """Draw torches on a wall; `tall` stretches their flames."""
    for share in (0.2, 0.5, 0.8):
        x, y = wide * share, high * 0.42
        g.path([(x, y + 12, 1.3), (x, y, 2.2)], look.wood)
        g.path([(x - 3, y, 1.2), (x + 3, y, 1.2)], look.ink("#5c6070", Surface.METAL))
        with g.moved(x, y - 1, tall=tall):
            flame(g, look, 0, 0, 1.25)


def _snow_pine(g: Canvas, look: Look, _: Pose) -> None:
    leaf = look.ink("#3a7a68")
    snow = look.ink("#f2f6fc", Surface.SOFT)
    g.poly([(-2.6, 0), (-2, -9), (2, -9), (2.6, 0)], look.ink("#7d5230"), Form.BARREL)
    for y, half, high in ((-6, 13, 14), (-15, 10.6, 13), (-24, 8, 12), (-32, 5.2, 10)):
        g.poly(
            [
                (0, y - high),
                (half * 0.55, y - high * 0.42),
                (half, y),
                (half * 0.5, y - 1.4),
                (half * 0.24, y + 1.2),
                (-half * 0.24, y - 0.8),
                (-half * 0.5, y + 1.4),
                (-half, y),
                (-half * 0.55, y - high * 0.42),
            ],
            leaf,
            Form.DOME,
        )
        g.poly(
            [
                (0, y - high),
                (half * 0.55, y - high * 0.42),
                (half * 0.7, y - 3),
                (half * 0.3, y - high * 0.3),
                (0, y - 3),
                (-half * 0.35, y - high * 0.3),
                (-half * 0.76, y - 2.4),
                (-half * 0.55, y - high * 0.42),
            ],
            snow,
            Form.DOME,
            edge=False,
            on=leaf,
        )


def _dead_tree(g: Canvas, look: Look, _: Pose) -> None:
    bark = look.ink("#4a3c44")
    g.path([(0, 0, 3.4), (-1, -12, 2.6), (1, -24, 2.0), (-1, -34, 0.8)], bark)
    for side, y, far, up in ((1, -14, 9, -8), (-1, -19, 10, -9), (1, -25, 7, -9)):
        g.path([(0, y, 1.6), (side * far * 0.6, y + up * 0.5, 1.2), (side * far, y + up * 1.3, 0.5)], bark)
        g.path([(side * far * 0.6, y + up * 0.5, 0.8), (side * far * 1.1, y + up * 0.4, 0.4)], bark)


def _toadstool(g: Canvas, look: Look, _: Pose) -> None:
    cap = look.ink(look.pick("cap", ("#c8504c", "#8a6ac8", "#d89a4c")), Surface.GLOSS)
    for x, size in ((0, 1.0), (7, 0.6)):
        g.path([(x, 0, 2 * size), (x, -8 * size, 1.7 * size)], look.ink("#f0e2c6"))
        g.poly(
            rounded(
                [
                    (x - 7 * size, -7 * size),
                    (x - 4 * size, -12 * size),
                    (x, -14 * size),
                    (x + 4 * size, -12 * size),
                    (x + 7 * size, -7 * size),
                    (x, -6 * size),
                ],
                3,
            ),
            cap,
            Form.DOME,
        )
        for dx, dy in ((-2.6, -10), (2, -11), (0.4, -8)):
            g.blob(x + dx * size, dy * size, 1.2 * size, 1.0 * size, look.white, edge=False, on=cap)


def _coral(g: Canvas, look: Look, _: Pose) -> None:
    ink = look.ink(look.pick("coral", ("#f0708c", "#f0a050", "#b070d8", "#f0d060")), Surface.SKIN)
    for x, y, bend in ((-8, -15, -2), (0, -21, 1), (8, -14, 3), (4, -18, 0)):
        g.path([(x * 0.3, 0, 2.4), (x * 0.7, y * 0.5, 2.0), (x + bend, y, 1.9)], ink)
        g.path([(x * 0.7, y * 0.5, 1.5), (x * 0.7 + (5 if x < 0 else -5), y * 0.8, 1.4)], ink)


def _weed(g: Canvas, look: Look, _: Pose) -> None:
    ink = look.ink(look.pick("weed", ("#3f9a6c", "#58a848", "#2f8a7c")), Surface.SKIN)
    for x, high in ((-5, 22), (0, 32), (5, 18)):
        beads = [(x + math.sin(step * 1.1 + x) * 2.4, -high * step / 6, 1.9 - step * 0.22) for step in range(7)]
        g.path(beads, ink, lift=0.2 if x == 0 else -0.4)


def _island(g: Canvas, look: Look, _: Pose) -> None:
    up = look.between("island-up", 22, 60)
    with g.moved(0, -up):
        g.poly(
            [(-22, 0), (22, 0), (13, 9), (5, 18), (-2, 24), (-8, 15), (-16, 8)],
            look.ink("#8a7268"),
            Form.BEVEL,
            bevel=4,
        )
        g.poly(
            rounded([(-24, 0), (-12, -4), (0, -3), (12, -4.6), (24, 0), (12, 3.4), (0, 2), (-12, 4)], 3),
            look.ink("#6cb04a"),
            Form.DOME,
        )
        with g.moved(-6, -2, wide=0.6, tall=0.6):
            NATURE["tree"](g, look)
        with g.moved(10, -2, wide=0.34, tall=0.34):
            BUILDINGS["house"](g, look)
