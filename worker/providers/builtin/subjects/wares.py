"""Food and clothing. The middle is near the origin, about 30 units tall."""

from collections.abc import Callable, Mapping
from typing import Final

from worker.providers.builtin.canvas import Canvas, Form, rounded
from worker.providers.builtin.ink import Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.subjects.hats import crown as crown_at


def _apple(g: Canvas, look: Look) -> None:
    skin = look.tone(0, "skin", ("#d8343c", "#d8343c", "#7ab83c", "#e8b83c"), Surface.GLOSS)
    g.poly(
        rounded(
            [
                (0, -8),
                (-6, -10.4),
                (-12, -6),
                (-13, 3),
                (-8, 12),
                (-3, 13.6),
                (0, 12.4),
                (3, 13.6),
                (8, 12),
                (13, 3),
                (12, -6),
                (6, -10.4),
            ],
            4,
        ),
        skin,
        Form.DOME,
        lift=0.2,
    )
    g.poly(rounded([(-9.4, -2), (-8, -6), (-5, -7.4), (-6, -2.4)], 3), skin, lift=2.6, edge=False)
    g.path([(0, -7, 1.0), (1.4, -14, 1.1)], look.wood)
    g.poly(rounded([(1.6, -11), (6, -15.4), (11, -14), (6, -9.6)], 3), look.ink("#5cb048"), Form.DOME, lift=0.2)


def _cherry(g: Canvas, look: Look) -> None:
    skin = look.tone(0, "skin", ("#d02c4c",), Surface.GLOSS)
    g.path([(-6, 4, 0.8), (-2, -6, 0.8), (4, -14, 0.9)], look.ink("#5a8a3c"))
    g.path([(7, 5, 0.8), (6, -5, 0.8), (4, -14, 0.9)], look.ink("#5a8a3c"))
    g.poly(rounded([(4, -14), (-2, -17), (-8, -14), (-2, -10.6)], 3), look.ink("#5cb048"), Form.DOME)
    for x, y in ((-6.4, 7.0), (7.0, 8.0)):
        g.blob(x, y, 7, 7, skin)
        g.dot(x - 2.4, y - 2.6, 2, 2, look.white)


def _meat(g: Canvas, look: Look) -> None:
    flesh = look.tone(0, "meat", ("#b8603c", "#c8704c"), Surface.GLOSS)
    bone = look.ink("#f0e6d0", Surface.SKIN)
    for x, y in ((11.0, 14.0), (14.4, 10.4)):
        g.blob(x, y, 2.9, 2.9, bone)
    g.path([(11.4, 11.4, 1.9), (4, 4, 2.2)], bone, edge=False)
    g.poly(
        rounded([(8, 7), (2, 10), (-8, 8), (-13.4, 0), (-12, -9), (-4, -14), (5, -11), (9, -3)], 4),
        flesh,
        Form.DOME,
        lift=0.1,
    )
    g.poly(rounded([(-9, -4), (-7, -9), (-2, -11), (-4, -6)], 3), flesh, lift=1.8, edge=False)
    g.path([(-6, 3, 0.8), (0, 5, 0.8)], flesh, lift=-1.4, edge=False)


def _bread(g: Canvas, look: Look) -> None:
    crust = look.ink("#c98a44", Surface.GLOSS)
    g.poly(
        rounded([(-15, 5), (-13.6, -3), (-7, -9), (2, -10), (11, -7), (15, 0), (14, 7), (6, 9.6), (-8, 9.6)], 4),
        crust,
        Form.DOME,
        lift=0.2,
    )
    for x in (-7.6, -0.6, 6.4):
        g.path([(x - 2, -4.6, 1.4), (x + 2.4, 2.6, 1.2)], look.ink("#f2dca8", Surface.SOFT), lift=0.2)


def _cheese(g: Canvas, look: Look) -> None:
    ink = look.ink("#f2c344", Surface.SKIN)
    g.poly([(-14, -1), (10, -10.6), (14, -2)], ink, lift=1.0)
    g.poly([(-14, -1), (14, -2), (14, 9), (-14, 9.6)], ink)
    for x, y, r in ((-7.0, 4.6, 2.5), (3.0, 2.4, 1.9), (8.4, 6.0, 2.1), (-1.0, 7.0, 1.3)):
        g.blob(x, y, r, r, ink, lift=-1.5)


def _cake(g: Canvas, look: Look) -> None:
    sponge = look.ink("#e6b878", Surface.SOFT)
    icing = look.tone(0, "icing", ("#f48cb0", "#f4ece0", "#9ad8c8", "#8a5a44"), Surface.GLOSS)
    g.poly([(-11, 1), (11, 1), (8, 14), (-8, 14)], look.ink("#c86a5a"), Form.BARREL)
    for x in (-6.0, -2.0, 2.0, 6.0):
        g.path([(x * 1.1, 2, 0.5), (x, 13, 0.5)], look.ink("#c86a5a"), lift=-1.4, edge=False)
    g.blob(0, 1, 12, 3.4, sponge)
    g.poly(
        rounded(
            [
                (-12.4, 2),
                (-12, -4),
                (-7, -8),
                (-5, -12),
                (0, -15),
                (5, -12),
                (7, -8),
                (12, -4),
                (12.4, 2),
                (7, 3.6),
                (2, 1.6),
                (-4, 3.6),
                (-9, 2),
            ],
            3,
        ),
        icing,
        Form.DOME,
        lift=0.2,
    )
    for x, y, color in (
        (-6.0, -4.0, "#f0e05a"),
        (3.0, -8.0, "#5ab8e8"),
        (6.0, -2.0, "#f05a5a"),
        (-2.0, -1.0, "#7ad86a"),
    ):
        g.dot(x, y, 1.8, 1.1, look.ink(color, Surface.FLAT))
    g.blob(0, -16.4, 3.2, 3.2, look.ink("#d8283c", Surface.GLOSS))


def _egg(g: Canvas, look: Look) -> None:
    shell = look.tone(0, "shell", ("#f0e4cc", "#8ac8e0", "#d88ab0", "#9ad07a"), Surface.SKIN)
    spot = look.tone(1, "spot", ("#c89a6c", "#e8f4f8", "#f4d05c", "#7a5ac0"), Surface.SKIN)
    g.poly(
        rounded([(0, -16), (8, -9), (11.6, 1), (9.6, 10), (4, 13.6), (-4, 13.6), (-9.6, 10), (-11.6, 1), (-8, -9)], 4),
        shell,
        Form.DOME,
        lift=0.2,
    )
    for x, y, r in ((-4.0, -6.0, 2.6), (5.0, -2.0, 3.2), (-6.0, 5.0, 2.4), (3.0, 8.6, 2.2), (3.0, -11.0, 1.6)):
        g.blob(x, y, r, r * 1.1, spot, edge=False, on=shell)


def _carrot(g: Canvas, look: Look) -> None:
    root = look.ink("#ee7f2e", Surface.SKIN)
    for side in (-1, 0, 1):
        g.path([(4, -6, 1.5), (7 + side * 4, -15 + abs(side) * 1.6, 1.7)], look.ink("#55a843"), lift=side * -0.4)
    g.poly(rounded([(8, -8), (9, -1), (1, 8), (-10, 15), (-6, 4), (-1, -5), (3, -9)], 3), root, Form.DOME, lift=0.2)
    for x, y in ((2.0, -3.0), (-1.0, 3.0), (-5.0, 8.0)):
        g.path([(x, y, 0.5), (x + 3, y + 1.6, 0.5)], root, lift=-1.5, edge=False)


def _armor(g: Canvas, look: Look) -> None:
    metal = look.metal("armor")
    for side in (-1, 1):
        g.blob(side * 11.4, -7.4, 5, 5.6, metal, lift=-0.2 if side > 0 else 0.2)
    half = [(0, -8), (-4.6, -12.6), (-9.6, -12), (-11, -4), (-9, 6), (-9.6, 13), (0, 15)]
    g.poly([*half, *[(-x, y) for x, y in reversed(half[1:-1])]], metal, Form.DOME, lift=0.2)
    g.path([(0, -7, 0.7), (0, 13, 0.7)], metal, lift=-1.4, edge=False)
    for side in (-1, 1):
        g.path([(side * 1.6, 3, 0.6), (side * 8, 1, 0.6)], metal, lift=-1.3, edge=False)
    g.path([(-9, 8, 1.4), (0, 10, 1.4), (9, 8, 1.4)], look.gold)
    g.blob(0, -2.6, 2.6, 2.6, look.tone(1, "stone", ("#e0405a", "#3fa8e8", "#54c86a"), Surface.GEM))


def _helmet(g: Canvas, look: Look) -> None:
    metal = look.metal("helmet")
    plume = look.tone(1, "plume", ("#c8323a", "#3a68c8", "#7a4aa8"))
    g.path([(-1, -13, 2), (-7, -17, 3), (-13, -12, 2.6), (-15, -4, 1.2)], plume)
    g.poly(
        rounded(
            [(-12.4, 2), (-11, -8), (-1, -14), (9, -10.6), (13, -2), (12.6, 8), (9, 14), (2, 12), (-9, 14), (-12, 9)], 4
        ),
        metal,
        Form.DOME,
        lift=0.2,
    )
    g.poly([(-3, -1.4), (13, -1.4), (12.6, 3), (4.6, 4.4), (5, 13), (2, 13), (1.4, 4.4), (-3, 3)], look.dark)
    g.path([(-3.6, -2.6, 1.3), (5, -4, 1.3), (13, -2.4, 1.3)], look.gold)


def _boots(g: Canvas, look: Look) -> None:
    ink = look.ink(look.reading.material_color() or look.color(0, "boots", ("#8a5630", "#5c4a3c", "#a83a3c")))
    for x, y, lift in ((3.6, -2.4, -0.7), (-5.0, 0.0, 0.1)):
        g.poly(
            rounded(
                [
                    (x - 5, y - 12),
                    (x + 4, y - 12),
                    (x + 4, y + 2),
                    (x + 11, y + 6),
                    (x + 11, y + 11),
                    (x - 5.6, y + 11),
                ],
                2,
            ),
            ink,
            Form.DOME,
            lift=lift,
        )
        g.path([(x - 5, y + 11.6, 1.5), (x + 10.6, y + 11.6, 1.5)], look.ink("#4a382c"))
        g.path([(x - 4.8, y - 12, 1.8), (x + 3.8, y - 12, 1.8)], ink, lift=0.8 + lift)
        g.dot(x - 0.4, y - 1.4, 8.4, 1.6, look.gold, 3.4)


def _glove(g: Canvas, look: Look) -> None:
    ink = look.ink(look.reading.material_color() or look.color(0, "glove", ("#8a5630", "#5a6478", "#a83a3c")))
    g.path([(-6.4, 4, 2.6), (-11, -2, 2.4)], ink, lift=-0.2)
    for x, top in ((-5.0, -9.0), (-1.0, -12.0), (3.0, -11.4), (7.0, -8.0)):
        g.path([(x, 0, 2.3), (x, top, 2.0)], ink)
    g.poly(
        rounded([(-7.4, -1), (9.4, -1), (9, 7), (6, 10), (-5, 10), (-7.6, 6)], 3), ink, Form.DOME, lift=0.1, edge=False
    )
    g.poly([(-7, 9), (8, 9), (10, 16), (-9, 16)], ink, Form.BARREL, lift=0.4)
    g.path([(-7, 10, 1.1), (8, 10, 1.1)], look.gold)


def _hat(g: Canvas, look: Look) -> None:
    felt = look.tone(0, "hat", ("#4a54b8", "#7a3fa8", "#8a5630", "#3f7a4c"))
    g.poly(
        rounded([(-9.6, 7), (-6, -4), (-1, -11), (7, -17), (9, -13), (5.4, -8), (9.6, 7)], 3), felt, Form.DOME, lift=0.2
    )
    g.path([(-9, 4.4, 1.9), (0, 5.6, 1.9), (9, 4.4, 1.9)], look.tone(1, "band", ("#e9b23a", "#c8323a")))
    g.poly(rounded([(-16, 9), (-8, 6), (0, 7.4), (8, 6), (16, 9), (8, 13), (-8, 13)], 3), felt, Form.DOME, lift=0.2)


def _crown(g: Canvas, look: Look) -> None:
    crown_at(g, look, 0, 5, 1.7)
    g.path([(-12, 6, 1.9), (0, 8.4, 1.9), (12, 6, 1.9)], look.gold, lift=0.4)


WARES: Final[Mapping[str, Callable[[Canvas, Look], None]]] = {
    "apple": _apple,
    "cherry": _cherry,
    "meat": _meat,
    "bread": _bread,
    "cheese": _cheese,
    "cake": _cake,
    "egg": _egg,
    "carrot": _carrot,
    "armor": _armor,
    "helmet": _helmet,
    "boots": _boots,
    "glove": _glove,
    "hat": _hat,
    "crown": _crown,
}
