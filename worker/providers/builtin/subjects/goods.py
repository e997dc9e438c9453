"""Things that are carried: potions, keys, coins, gems, books. The middle is near the origin, about 30 units tall."""

from collections.abc import Callable, Mapping
from typing import Final

from worker.providers.builtin.canvas import Canvas, Form, arc, box, rounded, star
from worker.providers.builtin.ink import Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.subjects.hats import crown as crown_at
from worker.providers.builtin.subjects.weapons import flame as flame_at

_JEWELS: Final = ("#e0405a", "#3fa8e8", "#54c86a", "#b060e0", "#f0a83c", "#5ce0e0")


def _potion(g: Canvas, look: Look) -> None:
    liquid = look.tone(0, "liquid", ("#e0405a", "#3f8ae8", "#54c86a", "#b060e0", "#f0a83c"), Surface.GLOSS)
    glass = look.ink("#cfe4f0", Surface.GLOSS)
    shape = look.pick("bottle", ("round", "flask", "tall"))
    if shape == "round":
        body = [(x, y) for x, y in arc(0, 3, 11.4, -68, 248, 20)]
    elif shape == "flask":
        body = rounded([(-3.6, -8), (3.6, -8), (5, -3), (12.4, 10), (10, 14), (-10, 14), (-12.4, 10), (-5, -3)], 3)
    else:
        body = rounded([(-4, -8), (4, -8), (8.4, -4), (8.8, 11), (6, 14), (-6, 14), (-8.8, 11), (-8.4, -4)], 3)
    g.poly(box(-3.6, -13, 7.2, 7), glass, Form.BARREL)
    g.poly(body, glass, Form.DOME, lift=0.2)
    fill = [(x * 0.84, 3 + (y - 3) * 0.84) for x, y in body]
    level = -1.6 if shape != "tall" else -3
    g.poly([(x, max(y, level)) for x, y in fill], liquid, Form.DOME, edge=False, lift=0.1)
    g.path([(-7, level + 0.4, 0.8), (7, level + 0.4, 0.8)], liquid, lift=1.6, edge=False, on=liquid)
    for x, y, r in ((3.0, 6.0, 1.5), (-1.0, 9.4, 1.1), (4.4, 1.6, 0.9)):
        g.blob(x, y, r, r, liquid, lift=1.6, edge=False, on=liquid)
    g.path([(-6.6, 0.4, 1.0), (-7.2, 5, 0.9)], look.white, edge=False)
    g.dot(-5.4, 9, 1.5, 1.5, look.white)
    g.poly(box(-4.8, -14.4, 9.6, 2.6), glass, Form.BARREL, lift=0.6)
    g.poly([(-3, -18.6), (3, -18.6), (3.6, -14), (-3.6, -14)], look.ink("#b07c48"), Form.BARREL)


def _key(g: Canvas, look: Look) -> None:
    metal = look.metal("key", ("#e9b23a", "#e9b23a", "#b8c0d0"))
    g.path([(0, -2, 1.9), (0, 15, 1.9)], metal)
    for y, long in ((13.4, 6.4), (9.0, 4.8)):
        g.poly(box(0.6, y - 1.6, long, 3.2), metal, Form.BEVEL, bevel=1)
    if look.has("clover", 0.4):
        for x, y in ((0.0, -14.0), (-5.4, -8.0), (5.4, -8.0)):
            g.blob(x, y, 4.6, 4.6, metal)
        g.blob(0, -9, 3.6, 3.6, look.tone(1, "stone", _JEWELS, Surface.GEM))
    else:
        g.blob(0, -9.4, 8.2, 8.2, metal)
        g.blob(0, -9.4, 4.6, 4.6, metal, lift=-1.4)
        g.cut(0, -9.4, 3.6, 3.6)
    g.path([(-2.6, -0.6, 1.3), (2.6, -0.6, 1.3)], metal, lift=0.4)


def _coin(g: Canvas, look: Look) -> None:
    metal = look.metal("coin", ("#edb93a",))
    g.blob(1.2, 1.0, 13, 14, metal, lift=-1.2)
    g.blob(-0.6, 0, 13, 14, metal, lift=0.2)
    g.blob(-0.6, 0, 10, 11, metal, lift=-0.9)
    g.blob(-0.4, 0.3, 9.6, 10.6, metal, lift=0.2, edge=False)
    mark = look.pick("mark", ("star", "bar", "crown"))
    if mark == "star":
        g.poly(star(-0.6, 0.4, 7, 3), metal, Form.BEVEL, bevel=1.6, lift=0.9)
    elif mark == "crown":
        crown_at(g, look, -0.6, 3.4, 0.72)
    else:
        g.poly(box(-2.8, -6, 4.6, 12.4), metal, Form.BEVEL, bevel=1.4, lift=0.9)
    g.path([(-8.6, -6.4, 0.9), (-5.4, -10, 0.9)], look.white, edge=False)


def _gem(g: Canvas, look: Look) -> None:
    ink = look.tone(0, "gem", _JEWELS, Surface.GEM)
    cut = look.pick("cut", ("brilliant", "emerald", "drop"))
    if cut == "emerald":
        outer = [(-7, -14), (7, -14), (12, -8), (12, 8), (7, 14), (-7, 14), (-12, 8), (-12, -8)]
        g.poly(outer, ink, Form.BEVEL, bevel=5.0)
        g.poly([(x * 0.5, y * 0.55) for x, y in outer], ink, lift=0.8, edge=False)
        g.poly([(-6, -7.6), (1, -7.6), (-6, 3)], ink, lift=1.8, edge=False)
    elif cut == "drop":
        g.poly([(0, -16), (8.6, -3), (9.4, 6), (5, 13), (-5, 13), (-9.4, 6), (-8.6, -3)], ink, Form.BEVEL, bevel=5)
        g.poly([(0, -9), (4.6, 0), (3, 7), (-3, 7), (-4.6, 0)], ink, lift=0.9, edge=False)
        g.poly([(0, -9), (-4.6, 0), (-3, 7), (-1, 0)], ink, lift=1.9, edge=False)
    else:
        g.poly([(-8.6, -10), (8.6, -10), (15, -2.6), (0, 14.6), (-15, -2.6)], ink)
        facets = (
            ((-8.6, -10), (-15, -2.6), (-6, -2.6), 1.0),
            ((-8.6, -10), (0, -10), (-6, -2.6), 2.0),
            ((0, -10), (6, -2.6), (-6, -2.6), 1.2),
            ((0, -10), (8.6, -10), (6, -2.6), 0.4),
            ((8.6, -10), (15, -2.6), (6, -2.6), -0.8),
            ((-15, -2.6), (-6, -2.6), (0, 14.6), 0.4),
            ((-6, -2.6), (6, -2.6), (0, 14.6), -0.6),
            ((6, -2.6), (15, -2.6), (0, 14.6), -1.6),
        )
        for one, two, three, lift in facets:
            g.poly([one, two, three], ink, lift=lift, edge=False)
    g.path([(-7.6, -8, 0.7), (-3.6, -8.4, 0.7)], look.white, edge=False)
    g.poly(star(9, -11, 4.4, 1.1, 4), look.white, edge=False)


def _ring(g: Canvas, look: Look) -> None:
    metal = look.metal("ring", ("#e9b23a", "#c8d0de"))
    g.path([(x, y, 2.3) for x, y in arc(0, 4, 9.6, 0, 360, 20)], metal)
    g.poly([(-5, -5), (5, -5), (4, -8.4), (-4, -8.4)], metal, Form.BEVEL, bevel=1)
    stone = look.tone(0 if look.reading.colors and not look.reading.materials else 1, "stone", _JEWELS, Surface.GEM)
    g.poly([(-4.4, -16), (4.4, -16), (7.6, -12), (4, -6.6), (-4, -6.6), (-7.6, -12)], stone, Form.BEVEL, bevel=3)
    g.poly([(-3, -13.6), (2, -13.6), (-1, -10)], stone, lift=1.8, edge=False)
    g.poly(star(8.6, -16, 3.6, 0.9, 4), look.white, edge=False)


def _amulet(g: Canvas, look: Look) -> None:
    metal = look.metal("chain", ("#e9b23a", "#c8d0de"))
    chain = [(-11, -14), (-10, -6), (-6, 0), (0, 3), (6, 0), (10, -6), (11, -14)]
    for x, y in rounded(chain, 3)[:19]:
        g.blob(x, y, 1.3, 1.3, metal)
    g.blob(0, 8, 7.6, 7.6, metal)
    g.blob(0, 8, 4.8, 4.8, look.tone(0, "stone", _JEWELS, Surface.GEM), lift=0.3)
    g.dot(-1.4, 6.4, 1.5, 1.5, look.white)


def _heart(g: Canvas, look: Look) -> None:
    ink = look.tone(0, "heart", ("#e0364c",), Surface.GLOSS)
    half = [(0, 14), (-7.4, 7.4), (-12.6, 1), (-14, -5.4), (-11, -11), (-5.6, -12.4), (-1.4, -9.6), (0, -6.8)]
    g.poly([*half, *[(-x, y) for x, y in reversed(half[1:-1])]], ink, Form.DOME, lift=0.2)
    g.poly(rounded([(-10.8, -4), (-9, -8.6), (-5.6, -9.4), (-5.4, -7), (-8, -3)], 3), look.white, edge=False)
    g.dot(-9.6, -0.6, 1.6, 1.6, look.white)


def _star_item(g: Canvas, look: Look) -> None:
    ink = look.tone(0, "star", ("#f4c838",), Surface.GLOSS)
    g.poly(star(0, 1, 16, 7.4), ink, Form.BEVEL, bevel=4.6, lift=0.2)
    for side in (-1, 1):
        g.dot(side * 3, 0.6, 1.7, 3.4, look.dark)


def _scroll(g: Canvas, look: Look) -> None:
    paper = look.ink("#ecd9ac", Surface.SOFT)
    mark = look.tone(0, "ink", ("#a8423c", "#4a5a9a", "#6a4a34"), Surface.FLAT)
    g.poly(box(-10, -11, 20, 22), paper, Form.BARREL, lift=0.1)
    for y, long in ((-6.4, 14.0), (-3.0, 11.0), (0.4, 13.0), (3.8, 8.0)):
        g.dot(-0.6 - (14 - long) / 2, y, long, 1.1, look.ink("#9a7c50", Surface.FLAT))
    g.blob(4.6, 5.4, 2.9, 2.9, mark)
    for y in (-13.0, 13.0):
        g.path([(-12, y, 3.2), (12, y, 3.2)], paper, lift=0.2)
        for x in (-13.4, 13.4):
            g.path([(x - 0.8, y, 2.0), (x + 0.8, y, 2.0)], look.wood)


def _book(g: Canvas, look: Look) -> None:
    cover = look.tone(0, "cover", ("#8a3440", "#34508a", "#3f7a4c", "#5c3f8a", "#7a5230"))
    g.poly([(-10, -14), (10.6, -14), (12.4, -12), (12.4, 13.6), (-9, 13.6), (-12, 11)], cover, lift=-1.4)
    g.poly(box(-9, 8.4, 20.4, 4), look.ink("#f0e6cc", Surface.SOFT), lift=0.4)
    g.path([(-8, 10.4, 0.35), (11, 10.4, 0.35)], look.ink("#b8a888", Surface.FLAT), edge=False)
    g.poly(box(-11.6, -14.4, 23, 24), cover, Form.BEVEL, bevel=1.6)
    g.poly(box(-11.6, -14.4, 4.2, 24), cover, Form.BARREL, lift=-0.6, edge=False)
    for x, y in ((9.0, -12.0), (9.0, 7.4), (-5.4, -12.0), (-5.4, 7.4)):
        g.blob(x, y, 2.0, 2.0, look.gold, edge=False)
    mark = look.pick("mark", ("eye", "star", "gem"))
    if mark == "star":
        g.poly(star(2, -2.4, 6, 2.6), look.gold, Form.BEVEL, bevel=1.4, edge=False)
    elif mark == "eye":
        g.blob(2, -2.4, 5.8, 3.6, look.gold)
        g.blob(2, -2.4, 2.5, 2.5, look.dark, edge=False)
    else:
        g.poly(
            [(2, -8.6), (6.4, -2.4), (2, 3.8), (-2.4, -2.4)],
            look.tone(1, "gem", _JEWELS, Surface.GEM),
            Form.BEVEL,
            bevel=2.4,
        )


def _bomb(g: Canvas, look: Look) -> None:
    iron = look.tone(0, "shell", ("#3c4050", "#4a4450"), Surface.GLOSS)
    g.blob(0, 3.6, 11.6, 11.6, iron)
    g.poly(rounded([(-7.6, 1), (-5, -4.2), (-2.6, -4.8), (-5, 0.6)], 3), iron, lift=2.6, edge=False)
    g.poly([(-3.4, -10.4), (3.4, -10.4), (4, -6.6), (-4, -6.6)], look.ink("#7c8498", Surface.METAL), Form.BARREL)
    g.path([(0, -10, 0.9), (2, -13.4, 0.9), (6, -14, 0.8)], look.ink("#c8a878"))
    g.poly(star(8, -14.6, 5.4, 2.2, 6), look.ink("#f5a83c", Surface.FLAT))
    g.poly(star(8, -14.6, 2.8, 1.3, 6), look.ink("#fbe98a", Surface.FLAT), edge=False)


def _orb(g: Canvas, look: Look) -> None:
    ink = look.tone(0, "orb", ("#8a5ae0", "#4ab8e8", "#e05a8a", "#5ad08a"), Surface.GEM)
    g.poly([(-9, 15), (-6.6, 8), (6.6, 8), (9, 15)], look.gold, Form.BARREL)
    g.blob(0, -1.6, 12, 12, ink)
    g.path([(-5, 3, 1.5), (0, 0, 2.0), (5, 2, 1.3)], ink, lift=1.4, edge=False, on=ink)
    g.poly(rounded([(-8, -4), (-5.4, -9), (-3, -9.6), (-5.4, -4)], 3), look.white, edge=False)
    g.poly(star(4.6, -4.6, 3.2, 0.9, 4), look.white, edge=False)


def _bag(g: Canvas, look: Look) -> None:
    ink = look.tone(0, "bag", ("#9a6a3c", "#7a5230", "#6a5a7a"))
    g.poly(
        rounded([(-4.4, -8), (4.4, -8), (11, 1), (12.4, 9), (8, 14), (-8, 14), (-12.4, 9), (-11, 1)], 4),
        ink,
        Form.DOME,
        lift=0.1,
    )
    g.poly(
        rounded([(-4, -8), (-8, -15), (-2.6, -13), (0, -16), (3, -13), (8, -15), (4, -8)], 3), ink, Form.DOME, lift=0.2
    )
    g.path([(-5, -8, 1.5), (5, -8, 1.5)], look.gold)
    g.blob(0, 4.6, 4.8, 4.8, look.gold)
    g.dot(0, 4.6, 1.6, 5.4, look.gold, 1.6)


def _feather(g: Canvas, look: Look) -> None:
    ink = look.tone(0, "feather", ("#e8eef4", "#e05a4a", "#5a9ae0", "#6ac08a"), Surface.SOFT)
    vane = rounded([(-6, 10), (-8.4, 2), (-5, -7), (2, -14), (9.6, -16.6), (9, -8), (5, 0), (0, 7)], 4)
    g.poly(vane, ink, Form.DOME, lift=0.2)
    for x, y in ((-5.6, 5.0), (-3.0, -1.0), (4.6, -4.0)):
        g.path([(x, y, 0.5), (x + 2.4, y + 1.4, 0.5)], ink, lift=-1.6, edge=False, on=ink)
    g.path([(-9, 16, 0.7), (-4, 7, 0.7), (7.6, -13.6, 0.4)], ink, lift=-1.2, edge=False)


def _skull(g: Canvas, look: Look) -> None:
    bone = look.tone(0, "bone", ("#ece2c8",), Surface.SKIN)
    g.poly(rounded([(-7, 6), (7, 6), (6, 14), (-6, 14)], 2), bone, Form.DOME, lift=-0.2)
    g.poly(
        rounded([(-13, -2), (-10, -11), (0, -14.6), (10, -11), (13, -2), (10, 7), (0, 8.6), (-10, 7)], 4),
        bone,
        Form.DOME,
        lift=0.2,
    )
    for side in (-1, 1):
        g.blob(side * 5.2, 0.4, 3.9, 4.2, look.dark, edge=False)
    g.poly([(-1.8, 7), (0, 3.4), (1.8, 7)], look.dark, edge=False)
    for x in (-3.4, 0.0, 3.4):
        g.dot(x, 12, 0.9, 3.4, bone, 0)


def _bone(g: Canvas, look: Look) -> None:
    ink = look.tone(0, "bone", ("#ece2c8",), Surface.SKIN)
    for x, y in ((-3.4, -13.0), (3.4, -13.0), (-3.4, 13.0), (3.4, 13.0)):
        g.blob(x, y, 4, 4, ink)
    g.path([(0, -11, 3.2), (0, 0, 2.6), (0, 11, 3.2)], ink, edge=False)


def _leaf(g: Canvas, look: Look) -> None:
    ink = look.tone(0, "leaf", ("#5cb048", "#7ab83c"), Surface.SKIN)
    g.poly(
        rounded([(0, 12), (-9, 6), (-11, -3), (-6, -12), (1, -17), (7, -11), (10.6, -3), (8, 7)], 4),
        ink,
        Form.DOME,
        lift=0.2,
    )
    g.path([(-1, 17, 1.0), (0, 8, 0.8), (0.6, -12, 0.4)], ink, lift=-1.5, edge=False)
    for y in (-6.0, 0.0, 6.0):
        for side in (-1, 1):
            g.path([(0.2, y, 0.5), (side * 6, y - 4, 0.4)], ink, lift=-1.2, edge=False, on=ink)


def _flame(g: Canvas, look: Look) -> None:
    flame_at(g, look, 0, 12, 2.1)


def _lightning(g: Canvas, look: Look) -> None:
    ink = look.tone(0, "bolt", ("#f6d83c",), Surface.GLOSS)
    g.poly([(3, -17), (-9, 2), (-1.6, 2), (-4.6, 17), (9.6, -4.4), (2, -4.4), (8, -17)], ink, Form.BEVEL, bevel=2)


def _drop(g: Canvas, look: Look) -> None:
    ink = look.tone(0, "drop", ("#3f9ae8",), Surface.GEM)
    g.poly([*arc(0, 4, 10.6, -25, 205, 16), (-4, -8), (0, -17), (4, -8)], ink, Form.DOME, lift=0.2)
    g.path([(-6, 4, 1.3), (-4.6, 9, 1.0)], look.white, edge=False)


def _candle(g: Canvas, look: Look) -> None:
    wax = look.tone(0, "wax", ("#f0e4c8", "#d85a5a"), Surface.SOFT)
    g.poly(box(-5, -6, 10, 19), wax, Form.BARREL, lift=0.2)
    g.path([(-4, -5, 1.4), (-4.4, 1, 1.3)], wax, lift=0.9, edge=False)
    g.path([(3.6, -5, 1.3), (3.6, -1, 1.2)], wax, lift=-0.4, edge=False)
    g.blob(0, 14, 11, 2.8, look.gold)
    flame_at(g, look, 0, -8, 0.72)


def _log(g: Canvas, look: Look) -> None:
    bark = look.ink("#7d5230")
    core = look.ink("#dcb478", Surface.SOFT)
    for x, y in ((0.0, -7.0), (-7.0, 5.0), (7.0, 5.0)):
        g.path([(x + 5, y - 2.6, 5.4), (x - 2, y, 5.6)], bark, lift=-0.2)
        g.blob(x - 2, y, 5.0, 5.2, core)
        g.blob(x - 2, y, 2.9, 3.1, core, lift=-1.0, edge=False)
        g.blob(x - 2, y, 1.8, 1.9, core, lift=0.2, edge=False)


def _ore(g: Canvas, look: Look) -> None:
    rock = look.ink("#7c7a84")
    vein = look.metal("vein", ("#e9b23a", "#e08a4c", "#74d4f2"))
    g.poly(
        [(-13, 8), (-11, -4), (-4, -11), (5, -12), (12, -4), (13.6, 7), (7, 12.6), (-7, 12.6)],
        rock,
        Form.BEVEL,
        bevel=4,
    )
    for x, y, r in ((-5.0, -2.0, 4.0), (4.6, -5.0, 3.0), (3.0, 5.0, 4.2), (-7.0, 7.0, 2.4)):
        g.poly(
            [(x - r, y), (x, y - r), (x + r, y - r * 0.2), (x + r * 0.4, y + r * 0.8)],
            vein,
            Form.BEVEL,
            bevel=1.6,
            lift=0.3,
        )


GOODS: Final[Mapping[str, Callable[[Canvas, Look], None]]] = {
    "potion": _potion,
    "key": _key,
    "coin": _coin,
    "gem": _gem,
    "ring": _ring,
    "amulet": _amulet,
    "heart": _heart,
    "star": _star_item,
    "scroll": _scroll,
    "book": _book,
    "bomb": _bomb,
    "orb": _orb,
    "bag": _bag,
    "feather": _feather,
    "skull": _skull,
    "bone": _bone,
    "leaf": _leaf,
    "flame": _flame,
    "lightning": _lightning,
    "drop": _drop,
    "candle": _candle,
    "log": _log,
    "ore": _ore,
}
