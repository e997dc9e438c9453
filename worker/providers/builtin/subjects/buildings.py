"""Things that were built: houses, castles, chests, barrels, ships. They stand on y = 0."""

from collections.abc import Callable, Mapping
from typing import Final

from worker.providers.builtin.canvas import Canvas, Form, arc, box, rounded
from worker.providers.builtin.ink import Ink, Surface
from worker.providers.builtin.look import Look


def _barrel(g: Canvas, look: Look) -> None:
    wood = look.ink(look.color(0, "wood", ("#9a6538", "#8a5a3c")))
    hoop = (
        look.metal("hoop", ("#7c8498",))
        if look.reading.materials[:1] != ("wood",)
        else look.ink("#7c8498", Surface.METAL)
    )
    g.poly(
        rounded(
            [
                (-9, 0),
                (-11.4, -6),
                (-11.8, -12),
                (-11.4, -18),
                (-9, -24),
                (9, -24),
                (11.4, -18),
                (11.8, -12),
                (11.4, -6),
                (9, 0),
            ],
            3,
        ),
        wood,
        Form.BARREL,
    )
    for x in (-6.4, -2.2, 2.2, 6.4):
        g.path([(x * 0.92, -23, 0.4), (x * 1.12, -12, 0.4), (x * 0.92, -1, 0.4)], wood, lift=-1.4, edge=False, on=wood)
    for y in (-20.0, -4.6):
        g.poly([(-11.6, y - 1.6), (11.6, y - 1.6), (11.6, y + 1.4), (-11.6, y + 1.4)], hoop, Form.BARREL)
    g.blob(0, -24, 9.2, 2.4, wood, lift=0.6)


def _crate(g: Canvas, look: Look) -> None:
    wood = look.ink(look.color(0, "wood", ("#b07c48", "#a06c3c")))
    g.poly(box(-12, -24, 24, 24), wood, lift=-0.9)
    for x in (-4.0, 4.0):
        g.path([(x, -23, 0.4), (x, -1, 0.4)], wood, lift=-2.2, edge=False)
    g.path([(-9, -4, 2.0), (9, -20, 2.0)], wood, lift=0.1)
    for y in (-24.0, -5.0):
        g.poly(box(-12, y, 24, 5), wood, Form.BEVEL, bevel=1.2, lift=0.3)
    for x in (-12.0, 7.0):
        g.poly(box(x, -24, 5, 24), wood, Form.BEVEL, bevel=1.2, lift=0.3)
    for x in (-9.6, 9.4):
        for y in (-21.6, -2.6):
            g.dot(x, y, 1.2, 1.2, look.ink("#5c6070", Surface.METAL), 4)


def _chest(g: Canvas, look: Look) -> None:
    wood = look.ink(look.color(0, "wood", ("#9a6238", "#8a4a3c", "#5a5a8a")))
    opened = any(word in look.reading.text for word in ("open", "打开", "treasure", "宝藏"))
    if opened:
        g.poly([*arc(0, -19, 13.4, 180, 360, 10, tall=0.5), (13, -12), (-13, -12)], wood, Form.DOME, lift=-0.9)
        for x, y, r in (
            (-8.0, -13.0, 3.2),
            (-3.0, -15.4, 3.6),
            (3.0, -14.6, 3.4),
            (8.0, -13.0, 3.2),
            (0.0, -12.0, 3.0),
        ):
            g.blob(x, y, r, r * 0.8, look.gold)
        g.poly([(4, -19), (7.4, -16), (4, -12.6), (0.6, -16)], look.ink("#e0405a", Surface.GEM), Form.BEVEL, bevel=1.6)
    else:
        g.poly([*arc(0, -12, 13.6, 180, 360, 14, tall=0.82), (13.6, -10), (-13.6, -10)], wood, Form.DOME, lift=0.2)
        for x in (-12.6, 9.4):
            g.poly(
                [(x, -20 if x > 0 else -19), (x + 3.2, -19 if x > 0 else -20), (x + 3.2, -10), (x, -10)],
                look.gold,
                Form.BARREL,
                edge=False,
                on=wood,
            )
    g.poly(box(-13.6, -11.4, 27.2, 11.4), wood, Form.BEVEL, bevel=1.6)
    g.poly(box(-13.6, -6, 27.2, 0.9), wood, lift=-1.4, edge=False)
    for x in (-12.6, 9.4):
        g.poly(box(x, -11, 3.2, 11), look.gold, Form.BARREL, edge=False)
    g.path([(-13, -11.2, 1.1), (13, -11.2, 1.1)], look.gold, lift=0.2)
    g.poly(
        rounded([(-3, -13.4), (3, -13.4), (3, -6.6), (0, -5), (-3, -6.6)], 2),
        look.gold,
        Form.BEVEL,
        bevel=1.2,
        lift=0.2,
    )
    g.dot(0, -9.6, 1.3, 2.6, look.dark)


def _bricks(g: Canvas, stone: Ink, x0: float, y0: float, x1: float, y1: float, look: Look, name: str) -> None:
    """Draw some bricks of a wall, here and there."""
    for index in range(int((x1 - x0) * (y1 - y0) / 34)):
        x, y = look.between(f"{name}x{index}", x0 + 1, x1 - 3), look.between(f"{name}y{index}", y0 + 2, y1 - 2)
        g.dot(x, y, 3.2, 1.3, stone, 3.9 if index % 2 else 2.0, on=stone)


def _house(g: Canvas, look: Look) -> None:
    wall = look.ink(look.pick("wall", ("#e8d8b8", "#d8c4a0", "#c8b8a8")), Surface.SOFT)
    roof = look.tone(0, "roof", ("#b8483c", "#4a6aa8", "#7a5a9a", "#5a8a5c"))
    beam = look.ink("#6a4630")
    g.poly(box(-14, -18, 28, 18), wall, Form.BARREL, lift=-0.1)
    for x in (-14.0, 11.6):
        g.poly(box(x, -18, 2.4, 18), beam, Form.BARREL, edge=False)
    g.poly(box(-14, -2, 28, 2), look.ink("#8a8890"), edge=False)
    g.poly(box(6.6, -39, 4.6, 12), look.ink("#9a6a5c"), Form.BEVEL, bevel=1)
    g.poly([(-18.4, -16), (-1, -37), (1, -37), (18.4, -16), (14.6, -14.6), (0, -31), (-14.6, -14.6)], roof, lift=-0.9)
    g.poly([(-17.4, -16), (-9, -35), (9, -35), (17.4, -16)], roof, Form.FLAT, lift=0.1)
    for row, y in enumerate((-31, -27, -23, -19)):
        half = 8.6 + (y + 35) * 0.53
        g.path([(-half, y, 0.45), (half, y, 0.45)], roof, lift=-1.4, edge=False, on=roof)
        for x in range(-14 + row % 2 * 2, 16, 4):
            if abs(x) < half - 1:
                g.dot(x, y - 2, 0.9, 2.4, roof, 2.1, on=roof)
    g.path([(-17.4, -15.8, 1.2), (17.4, -15.8, 1.2)], roof, lift=0.9)
    g.poly([*arc(-5, -9, 4, 180, 360, 8), (-1, 0), (-9, 0)], beam, Form.BARREL, lift=0.2)
    g.dot(-2.2, -5, 1.1, 1.3, look.gold, 5)
    glass = look.ink("#f8d878" if look.reading.hour == "night" else "#8ad0e8", Surface.GLOSS)
    g.poly(box(3, -12.6, 7, 6.4), beam)
    g.poly(box(3.9, -11.7, 5.2, 4.6), glass, lift=0.3, edge=False)
    g.dot(6.5, -9.4, 0.8, 4.6, beam, 3)
    g.dot(6.5, -9.4, 5.2, 0.8, beam, 3)
    for x in (-14.4, 14.4):
        g.blob(x, -2, 3.6, 2.6, look.ink("#5a9a44"))


def _turret(g: Canvas, stone: Ink, roof: Ink, look: Look, x: float, half: float, high: float, lift: float) -> None:
    g.poly(box(x - half, -high, half * 2, high), stone, Form.BARREL, lift=lift)
    _bricks(g, stone, x - half, -high, x + half, 0, look, f"t{x}")
    g.poly(box(x - half - 1.4, -high - 3, half * 2 + 2.8, 4), stone, Form.BARREL, lift=lift + 0.3)
    g.poly(
        [(x - half - 2.4, -high - 3), (x, -high - 17), (x + half + 2.4, -high - 3)], roof, Form.BARREL, lift=lift + 0.2
    )
    g.poly(
        [*arc(x, -high * 0.66, 1.7, 180, 360, 6), (x + 1.7, -high * 0.66 + 4), (x - 1.7, -high * 0.66 + 4)],
        look.ink("#f8d060", Surface.FLAT),
        lift=0,
    )


def _castle(g: Canvas, look: Look) -> None:
    stone = look.ink(look.reading.material_color() or look.pick("stone", ("#a4a6b0", "#b0a898", "#8f98ac")))
    roof = look.tone(0, "roof", ("#b8483c", "#4a62b0", "#7a4aa0", "#3f8a7a"))
    _turret(g, stone, roof, look, 0, 6.4, 34, -0.5)
    g.path([(0, -50, 0.5), (0, -57, 0.5)], look.wood, edge=False)
    g.poly([(0.4, -57), (7, -55), (0.4, -53)], look.red, lift=0.3)
    g.poly(box(-18, -17, 36, 17), stone, lift=-0.1)
    for left in range(-18, 18, 6):
        g.poly(box(left, -20.4, 3.6, 4.4), stone, Form.BEVEL, bevel=0.8, lift=0.3)
    _bricks(g, stone, -13, -16, 13, 0, look, "wall")
    for x, lift in ((-17.0, 0.1), (17.0, -0.3)):
        _turret(g, stone, roof, look, x, 5.4, 24, lift)
    g.poly([*arc(0, -8, 5.6, 180, 360, 10), (5.6, 0), (-5.6, 0)], look.ink("#6a4630"), Form.BARREL)
    for x in (-2.6, 0.0, 2.6):
        g.path([(x, -12, 0.35), (x, 0, 0.35)], look.ink("#6a4630"), lift=-2, edge=False)


def _tower(g: Canvas, look: Look) -> None:
    stone = look.ink(look.reading.material_color() or look.pick("stone", ("#a4a6b0", "#b0a898")))
    roof = look.tone(0, "roof", ("#b8483c", "#4a62b0", "#7a4aa0"))
    g.poly([(-9.6, 0), (-7.4, -34), (7.4, -34), (9.6, 0)], stone, Form.BARREL)
    _bricks(g, stone, -8, -33, 8, 0, look, "tower")
    for x in range(-10, 10, 5):
        g.poly(box(x, -39, 3.4, 4), stone, Form.BEVEL, bevel=0.8, lift=0.2)
    g.poly(box(-10, -36, 19.4, 4.4), stone, Form.BARREL, lift=0.3)
    g.poly([(-8, -38), (-0.4, -54), (7.6, -38)], roof, Form.BARREL, lift=0.2)
    for y in (-27.0, -16.0):
        g.poly([*arc(0, y, 2, 180, 360, 6), (2, y + 4.4), (-2, y + 4.4)], look.ink("#f8d060", Surface.FLAT))
    g.poly([*arc(0, -5, 3.6, 180, 360, 8), (3.6, 0), (-3.6, 0)], look.ink("#6a4630"), Form.BARREL)


def _door(g: Canvas, look: Look) -> None:
    stone = look.ink("#8c8f98")
    wood = look.ink(look.color(0, "wood", ("#8f5e36", "#7a4a3c")))
    magic = any(word in look.reading.text for word in ("portal", "传送"))
    g.poly([*arc(0, -18, 13, 180, 360, 14), (13, 0), (-13, 0)], stone, Form.BEVEL, bevel=2.4)
    inner = [*arc(0, -18, 9.4, 180, 360, 12), (9.4, 0), (-9.4, 0)]
    if magic:
        glow = look.tone(0, "portal", ("#8a5af0", "#4ad0f0", "#f06ac0"), Surface.GEM)
        g.poly(inner, glow, lift=-1)
        for r, lift in ((8, -0.2), (5.6, 0.9), (3, 2.2)):
            g.blob(0, -14, r, r * 1.35, glow, lift=lift, edge=False, on=glow)
        return
    g.poly(inner, wood, Form.BARREL, lift=0.1)
    for x in (-4.6, 0.0, 4.6):
        g.path([(x, -27, 0.45), (x, 0, 0.45)], wood, lift=-1.8, edge=False, on=wood)
    for y in (-20.0, -6.0):
        g.poly(box(-9.4, y, 13, 2.4), look.ink("#5c6070", Surface.METAL), Form.BARREL)
    g.blob(5.6, -11, 1.9, 1.9, look.gold)


def _sign(g: Canvas, look: Look) -> None:
    g.path([(0, 0, 1.7), (0, -26, 1.7)], look.wood, lift=-0.3)
    board = look.ink(look.color(0, "board", ("#b07c48",)))
    g.poly([(-13, -24), (10, -24), (15, -18.6), (10, -13), (-13, -13)], board, Form.BEVEL, bevel=1.4)
    for y, long in ((-20.6, 15.0), (-17.0, 11.0)):
        g.dot(-2.4 - (15 - long) / 2, y, long, 1.2, board, 1.2)
    for x in (-11.0, 8.6):
        g.dot(x, -18.6, 1.2, 1.2, look.ink("#5c6070", Surface.METAL), 4)
    for x, h in ((-4.0, 3.0), (-2.4, 4.4), (3.0, 4.0), (5.0, 2.6)):
        g.path([(x, 0, 0.8), (x * 1.25, -h, 0.4)], look.ink("#5a9a44"), edge=False)


def _spaceship(g: Canvas, look: Look) -> None:
    hull = look.metal("hull", ("#d8dce4", "#c0c8d4"))
    trim = look.tone(0 if not look.reading.materials else 1, "trim", ("#d8404c", "#3f78d8", "#f0a030", "#5ab068"))
    for size, color in ((1.0, "#f07a2c"), (0.62, "#fbd95a")):
        g.poly([(-3.6 * size, -4), (0, 8 * size), (3.6 * size, -4)], look.ink(color, Surface.FLAT), edge=size > 0.9)
    for side in (-1, 1):
        g.poly(
            [(side * 6, -18), (side * 14, -7), (side * 14, 0), (side * 6, -5)],
            trim,
            Form.BEVEL,
            bevel=1.6,
            lift=-0.3 * side,
        )
    g.poly([(-5, -4), (5, -4), (3.6, -1), (-3.6, -1)], look.ink("#5c6070", Surface.METAL), Form.BARREL)
    g.poly(
        rounded(
            [(0, -44), (5.4, -35), (8, -23), (7.4, -11), (5.4, -4), (-5.4, -4), (-7.4, -11), (-8, -23), (-5.4, -35)], 4
        ),
        hull,
        Form.BARREL,
        lift=0.1,
    )
    g.poly(
        rounded([(0, -44), (4.4, -37), (5.6, -33.6), (-5.6, -33.6), (-4.4, -37)], 2),
        trim,
        Form.BARREL,
        edge=False,
        on=hull,
    )
    g.blob(0, -24, 4.4, 4.4, look.ink("#5c6070", Surface.METAL))
    g.blob(0, -24, 3.2, 3.2, look.ink("#58c8f0", Surface.GEM), lift=0.3, edge=False)
    g.poly(box(-7.4, -13, 14.8, 2.4), trim, Form.BARREL, edge=False, on=hull)
    g.poly([(-1.3, -13), (1.3, -13), (1.3, -1), (-1.3, -1)], trim, Form.BARREL)


def _ship(g: Canvas, look: Look) -> None:
    wood = look.ink("#8f5e36")
    sail = look.tone(0, "sail", ("#f0e8d8", "#d8505c", "#4a5a8a"), Surface.SOFT)
    g.path([(0, -8, 1.3), (0, -42, 1.1)], look.wood)
    g.poly(rounded([(-1, -38), (13, -33), (15, -22), (11, -13), (-1, -13)], 3), sail, Form.DOME, lift=0.2)
    g.poly([(-2, -36), (-13, -14), (-2, -13)], sail, Form.DOME, lift=-0.1)
    g.poly([(0, -42), (8, -40), (0, -37.6)], look.red, lift=0.2)
    g.poly(
        rounded([(-19, -11), (-8, -9.4), (8, -9.4), (20, -13), (15, -3), (9, 0), (-11, 0), (-16, -4)], 3),
        wood,
        Form.DOME,
        lift=0.1,
    )
    for y in (-7.0, -4.0):
        g.path([(-16, y, 0.4), (15, y, 0.4)], wood, lift=-1.5, edge=False, on=wood)
    g.path([(-18, -10.6, 1.2), (-8, -9, 1.2), (8, -9, 1.2), (19, -12, 1.2)], look.gold)


def _cart(g: Canvas, look: Look) -> None:
    wood = look.ink("#9a6538")
    g.poly([(-16, -18), (16, -18), (13, -7), (-13, -7)], wood, Form.BEVEL, bevel=1.4)
    g.path([(-14, -12.6, 0.5), (14, -12.6, 0.5)], wood, lift=-1.6, edge=False, on=wood)
    for x in (-8.0, 0.0, 8.0):
        g.blob(x, -19, 5, 3.6, look.tone(0, "load", ("#e0c068", "#c87a3c", "#6a9a4c")), lift=0.1)
    for x in (-8.0, 9.0):
        g.path([(px, py, 1.2) for px, py in arc(x, -6, 5, 0, 360, 14)], look.leather)
        for dx, dy in ((4, 0), (0, 4), (3, 3), (3, -3)):
            g.path([(x - dx, -6 - dy, 0.5), (x + dx, -6 + dy, 0.5)], look.leather, edge=False)
        g.blob(x, -6, 1.5, 1.5, look.gold)


def _well(g: Canvas, look: Look) -> None:
    stone = look.ink("#8c8f98")
    for x in (-9.0, 9.0):
        g.poly(box(x - 1.4, -27, 2.8, 19), look.wood, Form.BARREL)
    g.path([(0, -26, 0.5), (0, -17, 0.5)], look.ink("#d8c8a0"), edge=False)
    g.poly([(-2.6, -17), (2.6, -17), (2, -12), (-2, -12)], look.leather, Form.BARREL)
    g.poly(
        [(-14, -25), (-9, -35), (9, -35), (14, -25)],
        look.tone(0, "roof", ("#b8483c", "#6a7a9a")),
        Form.BEVEL,
        bevel=1.6,
    )
    g.poly(box(-12, -11, 24, 11), stone, Form.BARREL)
    for index, (x, y) in enumerate(((-8.0, -7.0), (-2.0, -8.0), (5.0, -7.0), (-5.0, -3.0), (2.0, -3.0), (8.0, -3.0))):
        g.dot(x, y, 4, 1.6, stone, 4 if index % 2 else 2)
    g.blob(0, -11, 12.4, 3.2, stone, lift=0.4)
    g.blob(0, -11, 9.4, 1.9, look.ink("#2f4a6a", Surface.FLAT), edge=False)


def _fence(g: Canvas, look: Look) -> None:
    wood = look.ink(look.color(0, "wood", ("#b07c48", "#e8e0d0")))
    for y in (-14.0, -7.0):
        g.poly(box(-18, y, 36, 3), wood, Form.BEVEL, bevel=0.9, lift=-0.4)
    for x in (-14.0, -4.6, 4.6, 14.0):
        g.poly([(x - 2.6, 0), (x - 2.6, -17), (x, -20.6), (x + 2.6, -17), (x + 2.6, 0)], wood, Form.BEVEL, bevel=1.1)


def _tent(g: Canvas, look: Look) -> None:
    cloth = look.tone(0, "cloth", ("#c8503c", "#4a78b0", "#6a9a4c", "#d8b878"))
    g.poly([(-18, 0), (0, -27), (18, 0)], cloth, Form.BEVEL, bevel=2)
    for x in (-11.0, 11.0):
        g.poly([(x * 0.1, -25), (x + 2, 0), (x - 2, 0)], look.ink("#f0e6d0"), lift=-0.2, edge=False, on=cloth)
    g.poly([(-5.4, 0), (0, -17), (5.4, 0)], look.dark)
    g.poly([(-5.4, 0), (0, -17), (-1, -7), (-3, 0)], cloth, lift=1)
    g.path([(0, -26, 0.8), (0, -31, 0.8)], look.wood)
    g.poly([(0.4, -31), (6, -29), (0.4, -27.4)], look.gold)


def _statue(g: Canvas, look: Look) -> None:
    stone = look.ink(look.reading.material_color() or look.color(0, "stone", ("#9a9ca6",)))
    g.poly(box(-11, -6, 22, 6), stone, Form.BEVEL, bevel=1.4)
    g.poly(box(-8.6, -11, 17.2, 5), stone, Form.BEVEL, bevel=1.2, lift=0.2)
    g.poly(rounded([(-6, -11), (-6.4, -22), (-4, -28), (4, -28), (6.4, -22), (6, -11)], 3), stone, Form.DOME)
    g.path([(-5.6, -25, 2.2), (-8, -18, 2), (-2, -16, 1.8)], stone, lift=0.2)
    g.path([(5.6, -25, 2.2), (8, -18, 2), (2, -16, 1.8)], stone, lift=-0.2)
    g.poly([(-1, -20), (1, -20), (1, -9), (0, -7.4), (-1, -9)], stone, lift=0.8)
    g.blob(0, -32.6, 5, 5.4, stone, lift=0.2)
    g.poly([*arc(0, -33.6, 5.4, 180, 360, 8), (4, -32), (-4, -32)], stone, Form.DOME, lift=0.4)


def _tombstone(g: Canvas, look: Look) -> None:
    stone = look.ink(look.reading.material_color() or look.color(0, "stone", ("#8c8f98",)))
    g.poly([*arc(0, -16, 9.6, 180, 360, 12), (10, 0), (-10, 0)], stone, Form.BEVEL, bevel=2.2)
    g.dot(0, -15, 1.8, 9, stone, 1)
    g.dot(0, -16.6, 6.4, 1.8, stone, 1)
    for y in (-7.6, -4.8):
        g.dot(0, y, 9, 1.0, stone, 1.6)
    g.path([(5, -24, 0.4), (3, -20, 0.4), (5.4, -17, 0.4)], stone, lift=-2, edge=False)
    for x, h in ((-12.0, 5.0), (-10.0, 7.0), (-7.6, 4.0), (8.0, 5.0), (10.6, 7.0), (12.6, 4.0)):
        g.path([(x, 0, 1.0), (x * 1.1, -h, 0.4)], look.ink("#5a8a48"), edge=False)


def _table(g: Canvas, look: Look) -> None:
    wood = look.ink(look.color(0, "wood", ("#9a6538",)))
    for x in (-12.0, 9.4):
        g.poly(box(x, -12, 2.8, 12), wood, Form.BARREL, lift=-0.4)
    g.poly([(-14, -17.4), (14, -17.4), (17, -11.6), (-17, -11.6)], wood, Form.BEVEL, bevel=1.2, lift=0.5)
    g.poly(box(-17, -12, 34, 3), wood, Form.BARREL, lift=-0.4)


def _chair(g: Canvas, look: Look) -> None:
    royal = any(word in look.reading.text for word in ("throne", "王座"))
    frame = look.gold if royal else look.ink(look.color(0, "wood", ("#9a6538",)))
    seat = look.tone(0, "seat", ("#b8343c", "#4a54b0")) if royal else frame
    g.poly(
        [(-8, -8), (-8, -30), (-5, -34), (0, -37 if royal else -33), (5, -34), (8, -30), (8, -8)],
        frame,
        Form.BEVEL,
        bevel=1.8,
    )
    g.poly(rounded([(-5.4, -12), (-5.4, -28), (0, -31), (5.4, -28), (5.4, -12)], 2), seat, Form.DOME, lift=-0.2)
    for x in (-9.0, 6.2):
        g.poly(box(x, -9, 2.8, 9), frame, Form.BARREL)
    g.poly([(-8.6, -14), (8.6, -14), (10, -9), (-10, -9)], seat, Form.BEVEL, bevel=1.2, lift=0.4)
    for x in (-10.4, 7.6):
        g.poly(box(x, -18, 2.8, 9), frame, Form.BARREL, lift=0.2)


def _bed(g: Canvas, look: Look) -> None:
    wood = look.ink("#8f5e36")
    sheet = look.tone(0, "blanket", ("#b8444c", "#4a68b0", "#5a9a6a"), Surface.SOFT)
    g.poly(box(-19, -20, 4, 20), wood, Form.BEVEL, bevel=1)
    g.poly(box(-17, -9, 34, 6), wood, Form.BARREL)
    g.poly(rounded([(-15, -12), (17, -13), (18, -4), (-15, -4)], 3), sheet, Form.DOME, lift=0.1)
    g.poly(rounded([(-14.4, -15), (-5, -15), (-4.4, -10), (-14.4, -10)], 3), look.white, lift=0)
    g.poly(box(15, -14, 4, 14), wood, Form.BEVEL, bevel=1)


def _pot(g: Canvas, look: Look) -> None:
    brew = any(word in look.reading.text for word in ("cauldron", "坩埚"))
    clay = look.tone(0, "clay", ("#4a4a5a",) if brew else ("#c8784c", "#4a7ab0", "#d8b078"), Surface.GLOSS)
    g.poly(
        rounded(
            [
                (-6, -22),
                (6, -22),
                (6.4, -18),
                (12.4, -10),
                (9, -1),
                (6, 0),
                (-6, 0),
                (-9, -1),
                (-12.4, -10),
                (-6.4, -18),
            ],
            4,
        ),
        clay,
        Form.DOME,
        lift=0.1,
    )
    g.blob(0, -22.4, 8, 2.6, clay, lift=0.5)
    g.blob(0, -22.6, 5.8, 1.5, look.ink("#7ae05a" if brew else "#3a2c34", Surface.FLAT), edge=False)
    if brew:
        for x, y, r in ((-3.0, -24.4, 1.8), (2.4, -26.0, 2.3), (0.0, -29.4, 1.3)):
            g.blob(x, y, r, r, look.ink("#7ae05a", Surface.GLOSS))
    else:
        band = look.tone(1, "band", ("#f0e0b8", "#e8b848"))
        for index in range(7):
            g.dot(-9 + index * 3, -10 + index % 2 * 1.6, 1.8, 1.6, band, on=clay)


BUILDINGS: Final[Mapping[str, Callable[[Canvas, Look], None]]] = {
    "barrel": _barrel,
    "crate": _crate,
    "chest": _chest,
    "house": _house,
    "castle": _castle,
    "tower": _tower,
    "door": _door,
    "sign": _sign,
    "spaceship": _spaceship,
    "ship": _ship,
    "cart": _cart,
    "well": _well,
    "fence": _fence,
    "tent": _tent,
    "statue": _statue,
    "tombstone": _tombstone,
    "table": _table,
    "chair": _chair,
    "bed": _bed,
    "pot": _pot,
}
