"""Things that grow or lie about: trees, rocks, bushes, crystals, the sky's lights. They stand on y = 0."""

from collections.abc import Callable, Mapping
from typing import Final

from worker.providers.builtin.canvas import Canvas, Form, arc, rounded, star
from worker.providers.builtin.ink import Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.subjects.weapons import flame as flame_at

_LEAVES: Final = ("#4f9a3c", "#5fae48", "#3f8a4c", "#7a9e34")


def _tree(g: Canvas, look: Look) -> None:
    bark = look.ink("#7d5230")
    dead = look.reading.mood == "spooky"
    g.poly(
        rounded(
            [(-8, 0), (-4, -3), (-3, -14), (-4, -20), (4, -20), (3.4, -13), (4.4, -3), (8.4, 0), (2, -0.8), (-2, -0.8)],
            3,
        ),
        bark,
        Form.BARREL,
        lift=0.1,
    )
    for x, y in ((-1.0, -6.0), (1.4, -11.0)):
        g.path([(x, y, 0.5), (x + 0.4, y - 3, 0.5)], bark, lift=-1.6, edge=False)
    if dead:
        for side in (-1, 1):
            g.path([(0, -16, 2.6), (side * 8, -26, 1.8), (side * 14, -30, 0.8)], bark)
            g.path([(side * 6, -24, 1.4), (side * 6, -34, 0.6)], bark)
        return
    leaf = look.tone(0, "leaf", _LEAVES)
    clumps = (
        (0, -27, 13.4, 9),
        (-10, -23, 8.4, 6.6),
        (10, -23, 8.4, 6.6),
        (-6, -32, 9, 7),
        (7, -32, 8.6, 6.8),
        (0, -37, 8, 6.2),
    )
    for index, (x, y, rx, ry) in enumerate(clumps):
        dx = look.between(f"x{index}", -1.4, 1.4)
        g.blob(x + dx, y, rx, ry, leaf, lift=(-0.9, -0.5, -0.6, 0.1, -0.1, 0.3)[index], edge=index > 2)
    for index in range(9):
        x, y = look.between(f"tx{index}", -13, 11), look.between(f"ty{index}", -40, -22)
        g.path(
            [(x - 1.4, y + 0.6, 0.7), (x, y, 0.8), (x + 1.4, y + 0.6, 0.7)],
            leaf,
            lift=0.9 if y < -29 else -1.2,
            edge=False,
            on=leaf,
        )
    if "apple" in look.reading.text or "苹果" in look.reading.text or look.has("fruit", 0.25):
        for x, y in ((-8.0, -26.0), (3.0, -24.0), (9.0, -29.0), (-3.0, -33.0)):
            g.blob(x, y, 1.9, 1.9, look.red)


def _pine(g: Canvas, look: Look) -> None:
    leaf = look.tone(0, "leaf", ("#2f7a4c", "#3a8a5c", "#2f6a5a"))
    snowy = any(word in look.reading.elements for word in ("ice",))
    g.poly([(-2.6, 0), (-2, -9), (2, -9), (2.6, 0)], look.ink("#7d5230"), Form.BARREL)
    for y, half, high in ((-6.0, 13.0, 14.0), (-15.0, 10.6, 13.0), (-24.0, 8.0, 12.0), (-32.0, 5.2, 10.0)):
        shape = [
            (0, y - high),
            (half * 0.55, y - high * 0.42),
            (half, y),
            (half * 0.5, y - 1.4),
            (half * 0.24, y + 1.2),
            (-half * 0.24, y - 0.8),
            (-half * 0.5, y + 1.4),
            (-half, y),
            (-half * 0.55, y - high * 0.42),
        ]
        g.poly(shape, leaf, Form.DOME)
        if snowy:
            g.poly(
                [
                    (0, y - high),
                    (half * 0.5, y - high * 0.5),
                    (half * 0.1, y - high * 0.36),
                    (-half * 0.2, y - high * 0.2),
                    (-half * 0.62, y - high * 0.36),
                ],
                look.white,
                edge=False,
                on=leaf,
            )
    if "christmas" in look.reading.text or "圣诞" in look.reading.text:
        for x, y, color in (
            (-6, -9, "#e04848"),
            (5, -12, "#f0c83c"),
            (-3, -19, "#5ab8f0"),
            (3, -26, "#e04848"),
            (-2, -32, "#f0c83c"),
        ):
            g.blob(x, y, 1.7, 1.7, look.ink(color, Surface.GLOSS))
        g.poly(star(0, -43, 4, 1.8), look.gold)


def _palm(g: Canvas, look: Look) -> None:
    bark, leaf = look.ink("#a87c4c"), look.tone(0, "leaf", ("#5cae3c", "#4a9a4c"))
    g.path([(-4, 0, 2.8), (-1, -14, 2.2), (4, -28, 1.8)], bark)
    for index in range(6):
        y = -3.5 - index * 4.3
        x = -3.4 + index * 1.3
        g.path([(x - 2, y, 0.45), (x + 2, y + 0.5, 0.45)], bark, lift=-1.5, edge=False, on=bark)
    for x, y, lift in (
        (-13.0, -24.0, -0.5),
        (18.0, -22.0, -0.6),
        (-12.0, -34.0, 0.1),
        (18.0, -34.0, 0.0),
        (4.0, -40.0, 0.3),
    ):
        mid = (4 + (x - 4) * 0.5, -30 + (y + 30) * 0.4 - 5)
        g.poly(
            rounded([(4, -28), (mid[0] - 1, mid[1] - 2), (x, y), (mid[0] + 1, mid[1] + 3)], 4),
            leaf,
            Form.DOME,
            lift=lift,
        )
    for x, y in ((2.0, -27.0), (6.0, -26.0)):
        g.blob(x, y, 2.4, 2.4, look.ink("#6a4a34"))


def _stump(g: Canvas, look: Look) -> None:
    bark, core = look.ink("#7d5230"), look.ink("#dcb478", Surface.SOFT)
    g.poly(
        rounded([(-13, 0), (-8.4, -4), (-8, -13), (8, -13), (8.4, -4), (13, 0), (4, -1), (-4, -1)], 3),
        bark,
        Form.BARREL,
    )
    g.blob(0, -13, 8.6, 3.6, core)
    g.blob(0, -13, 5, 2.0, core, lift=-1, edge=False)
    g.blob(0, -13, 3.4, 1.3, core, lift=0.1, edge=False)
    g.path([(8, -8, 1.2), (12, -13, 0.9)], bark)
    g.poly(rounded([(12, -12), (17, -16), (18, -12), (14, -10.6)], 2), look.ink("#5cae3c"), Form.DOME)


def _rock(g: Canvas, look: Look) -> None:
    stone = look.ink(look.reading.material_color() or look.color(0, "stone", ("#8c8f98", "#8f8478", "#767f8c")))
    g.poly([(4, 0), (6, -8), (11, -11), (16, -6), (17, 0)], stone, Form.BEVEL, bevel=3, lift=-0.4)
    dx = look.between("dx", -2, 2)
    g.poly(
        [(-15, 0), (-14, -8), (-8 + dx, -15), (0 + dx, -17.6), (7, -12), (10, -4), (9, 0)], stone, Form.BEVEL, bevel=4
    )
    g.poly([(-8 + dx, -15), (0 + dx, -17.6), (3, -12), (-5, -9)], stone, lift=1.1, edge=False)
    for points in ([(-9, -5), (-6, -3), (-7, -1)], [(2, -8), (4, -5), (3, -3)]):
        g.path([(x, y, 0.45) for x, y in points], stone, lift=-1.8, edge=False)
    if look.has("moss", 0.5):
        for x, y in ((-10.0, -11.0), (-6.0, -14.0), (11.0, -10.0)):
            g.blob(x, y, 3, 1.5, look.ink("#6a9a48", Surface.SOFT), edge=False, on=stone)


def _bush(g: Canvas, look: Look) -> None:
    leaf = look.tone(0, "leaf", _LEAVES)
    for index, (x, y, r) in enumerate(
        (
            (-9.0, -5.4, 6.0),
            (9.0, -5.4, 6.0),
            (0.0, -6.0, 7.0),
            (-5.0, -10.0, 6.6),
            (5.0, -10.0, 6.4),
            (0.0, -13.0, 5.4),
        )
    ):
        g.blob(x, y, r, r * 0.9, leaf, lift=(-0.7, -0.7, -0.5, 0, 0, 0.3)[index], edge=index > 2)
    for index in range(7):
        x, y = look.between(f"x{index}", -11, 11), look.between(f"y{index}", -15, -4)
        if look.has("berries", 0.6):
            g.blob(x, y, 1.3, 1.3, look.ink("#d83a5c", Surface.GLOSS), edge=False)
        else:
            g.path([(x - 1.2, y, 0.7), (x + 1.2, y, 0.7)], leaf, lift=1.0, edge=False, on=leaf)


def _flower(g: Canvas, look: Look) -> None:
    petal = look.tone(0, "petal", ("#e0485c", "#f0c83c", "#e88ac0", "#8a6ae0", "#f4f0ec"), Surface.SKIN)
    green = look.ink("#4c9a3c")
    g.path([(0, 0, 1.1), (-1, -10, 1.1), (0, -18, 1.1)], green)
    for side in (-1, 1):
        g.poly(
            rounded([(0, -3), (side * 5, -9), (side * 11, -8), (side * 6, -2.6)], 3), green, Form.DOME, lift=-side * 0.3
        )
    if any(word in look.reading.text for word in ("tulip", "rose", "郁金香", "玫瑰")):
        g.poly(
            rounded([(-7, -20), (-7.4, -30), (-3.4, -27), (0, -32), (3.4, -27), (7.4, -30), (7, -20), (0, -16)], 3),
            petal,
            Form.DOME,
            lift=0.2,
        )
        g.path([(-2, -26, 0.5), (0, -22, 0.6), (3, -25, 0.5)], petal, lift=-1.5, edge=False)
        return
    points = [(x, y) for x, y in arc(0, -23, 6.4, -90, 270, 7)][:-1]
    for x, y in points:
        g.blob(x, y, 4.2, 4.2, petal, lift=0.1)
    g.blob(0, -23, 4, 4, look.ink("#f0b83c", Surface.SKIN), lift=0.2)


def _cactus(g: Canvas, look: Look) -> None:
    skin = look.tone(0, "skin", ("#4c9a50", "#5aa85c"), Surface.SKIN)
    g.path([(-4, -12, 3.0), (-11, -13, 3.0), (-11.4, -21, 2.8)], skin, lift=-0.1)
    g.path([(4, -8, 2.8), (10.4, -9.4, 2.8), (11, -16, 2.6)], skin, lift=-0.4)
    g.path([(0, -2, 5.2), (0, -28, 5.0)], skin)
    for x in (-2.4, 1.6):
        g.path([(x, -2, 0.5), (x, -29, 0.5)], skin, lift=-1.2, edge=False, on=skin)
    for index in range(12):
        g.dot(look.between(f"x{index}", -4, 4), look.between(f"y{index}", -30, -3), 0.9, 0.9, look.white, on=skin)
    for x, y in ((-2.0, -33.0), (2.4, -33.0), (0.0, -35.0)):
        g.blob(x, y, 2.1, 2.1, look.ink("#f07aa8", Surface.SKIN))
    g.blob(0, -0.4, 9, 1.8, look.ink("#e0bc7c"))


def _crystal(g: Canvas, look: Look) -> None:
    ink = look.tone(0, "crystal", ("#74d4f2", "#b87af0", "#f07aa8", "#7af0b0"), Surface.GEM)
    for x, y, half, high, turn in (
        (-9, 0, 3.6, 15, -22),
        (9, 0, 3.6, 17, 20),
        (-3, 0, 4.6, 25, -6),
        (4.4, 0, 4.2, 20, 8),
    ):
        with g.moved(x * 0.6, y - 1, turn=turn):
            g.poly([(-half, 0), (-half, -high + 6), (0, -high), (half, -high + 6), (half, 0)], ink, lift=0.3)
            g.poly([(0.6, 0), (0.6, -high + 4.6), (half, -high + 6), (half, 0)], ink, lift=-1.0, edge=False)
            g.poly([(0, -high), (half, -high + 6), (0.6, -high + 6)], ink, lift=-0.2, edge=False)
            g.poly([(-half, -high + 6), (0, -high), (0.6, -high + 6)], ink, lift=1.6, edge=False)
            g.path([(-half + 1.3, -high + 8, 0.5), (-half + 1.3, -high + 13, 0.5)], look.white, edge=False)
    stone = look.ink("#6c6878")
    g.poly([(-12, 0), (-9, -4), (-3, -2.6), (3, -4.4), (9, -3), (12, 0)], stone, Form.BEVEL, bevel=1.6)


def _campfire(g: Canvas, look: Look) -> None:
    for x in (-10.0, -6.0, 6.0, 10.0):
        g.blob(x, -1.6, 3.2, 2.4, look.ink("#7c7a84"))
    g.path([(-9, -2, 2.1), (7, -6, 1.9)], look.wood, lift=-0.3)
    flame_at(g, look, 0, -4, 1.7)
    g.path([(9, -2, 2.1), (-7, -5.6, 1.9)], look.wood)
    for x in (-2.0, 3.0):
        g.blob(x, -1.4, 3.2, 2.2, look.ink("#8a8892"))


def _planet(g: Canvas, look: Look) -> None:
    ink = look.tone(0, "planet", ("#4a8ad8", "#d88a4c", "#a86ac0", "#5ab08a"), Surface.SKIN)
    band = look.tone(1, "band", ("#7ac07a", "#f0d09a", "#e0a0d0"), Surface.SKIN)
    rings = look.has("rings", 0.5) and "moon" not in look.reading.text
    ellipse = arc(0, -16, 21, 0, 360, 40, tall=0.3)
    if rings:
        with g.moved(0, 0):
            g.path([(x, y, 1.3) for x, y in ellipse[20:]], band, lift=-0.5)
    g.blob(0, -16, 13.4, 13.4, ink)
    for x, y, rx, ry in (
        (-5.0, -21.0, 5.0, 3.0),
        (5.0, -14.0, 5.6, 3.4),
        (-4.0, -9.0, 4.0, 2.0),
        (8.0, -22.0, 2.6, 1.8),
    ):
        g.blob(x, y, rx, ry, band if not rings else ink, lift=-0.5, edge=False, on=ink)
    g.relight(6, -9, 11, 10, -0.7, on=ink)
    if rings:
        g.path([(x, y, 1.3) for x, y in ellipse[:21]], band, lift=0.4)


def _cloud(g: Canvas, look: Look) -> None:
    ink = look.tone(0, "cloud", ("#f0f4fa",), Surface.SOFT)
    for index, (x, y, r) in enumerate(
        ((-12.0, -6.0, 6.0), (12.0, -6.0, 6.0), (0.0, -6.0, 8.0), (-6.0, -12.0, 7.4), (5.0, -13.0, 8.0))
    ):
        g.blob(x, y, r, r * 0.9, ink, lift=0.4 if index > 2 else 0, edge=False)
    g.poly(rounded([(-17, -4), (0, -6), (17, -4), (14, 0), (-14, 0)], 2), ink, lift=-0.8, edge=False, on=ink)


def _sun(g: Canvas, look: Look) -> None:
    ink = look.tone(0, "sun", ("#f8c83c",), Surface.GLOSS)
    g.poly(star(0, -16, 17, 11.6, 12), look.ink("#f09a34"), Form.DOME)
    g.blob(0, -16, 10.6, 10.6, ink, lift=0.3)
    for side in (-1, 1):
        g.dot(side * 3.6, -17, 1.8, 3.2, look.dark)
    g.path([(-3, -12.6, 0.5), (0, -11.2, 0.5), (3, -12.6, 0.5)], look.dark, edge=False)


NATURE: Final[Mapping[str, Callable[[Canvas, Look], None]]] = {
    "tree": _tree,
    "pine": _pine,
    "palm": _palm,
    "stump": _stump,
    "rock": _rock,
    "bush": _bush,
    "flower": _flower,
    "cactus": _cactus,
    "crystal": _crystal,
    "campfire": _campfire,
    "planet": _planet,
    "cloud": _cloud,
    "sun": _sun,
}
