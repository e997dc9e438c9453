"""Weapons and tools. The grip is at the origin, the business end points up; lengths suit a person 42 units tall."""

from collections.abc import Callable, Mapping
from typing import Final

from worker.providers.builtin.canvas import Canvas, Form, arc, box, rounded
from worker.providers.builtin.ink import Surface
from worker.providers.builtin.look import Look

Drawing = Callable[[Canvas, Look], None]
_HANDLES: Final = ("#7d4e2e", "#5c3a52", "#3f4f7a", "#7a2f38")
_GEMS: Final = ("#e0405a", "#3fa8e8", "#54c86a", "#b060e0", "#f08a3c")


def sword(g: Canvas, look: Look) -> None:
    """Draw a straight or curved sword with guard and pommel."""
    blade = look.metal("blade", ("#b4bfd4", "#c3c9d6", "#a9b4c8"))
    wide = look.between("blade-wide", 2.1, 3.0)
    long = look.between("blade-long", 21, 24)
    grip = look.ink(look.pick("handle", _HANDLES))
    guard = look.ink(look.pick("guard", ("#e9b23a", "#c98a3c", "#8f98aa")), Surface.METAL)
    g.path([(0, 2.6, 1.3), (0, -1.5, 1.3)], grip)
    for y in (-0.6, 1.4):
        g.dot(0, y, 2.6, 0.8, grip, 2)
    shape = [(-wide, -3.5), (-wide, 5 - long), (0, -long - 1.5), (wide, 5 - long), (wide, -3.5)]
    g.poly(shape, blade, lift=0.9)
    g.poly([(0.25, -3.5), (0.25, -long - 0.5), (wide, 5 - long), (wide, -3.5)], blade, lift=-0.7, edge=False)
    g.poly(box(-0.5, 4 - long, 1.0, long - 8), blade, lift=-1.6, edge=False)
    g.dot(-wide + 0.6, 6 - long + 3, 0.9, 5, blade, 5)
    tip = look.pick("guard-shape", (0.0, -1.6, 1.6))
    g.path([(-5.2, -3 + tip, 1.2), (0, -2.8, 1.5), (5.2, -3 + tip, 1.2)], guard)
    g.blob(0, 3.6, 1.7, 1.7, guard)
    g.dot(0, -2.9, 1.6, 1.6, look.tone(1, "gem", _GEMS, Surface.GEM), 4)


def dagger(g: Canvas, look: Look) -> None:
    """Draw a short double-edged blade."""
    blade = look.metal("blade")
    grip = look.ink(look.pick("handle", _HANDLES))
    g.path([(0, 2, 1.2), (0, -1.5, 1.2)], grip)
    g.poly([(-2, -2.5), (-2.3, -8), (0, -14), (2.3, -8), (2, -2.5)], blade, lift=0.8)
    g.poly([(0.2, -2.5), (0.2, -13), (2.3, -8), (2, -2.5)], blade, lift=-0.8, edge=False)
    g.path([(-3.6, -2.4, 1.0), (3.6, -2.4, 1.0)], look.gold)
    g.blob(0, 2.8, 1.5, 1.5, look.gold)


def axe(g: Canvas, look: Look) -> None:
    """Draw a single or double axe on a wooden haft."""
    metal = look.metal("blade")
    g.path([(0, 5, 1.2), (0, -20, 1.3)], look.wood)
    sides = (1, -1) if look.has("double", 0.4) else (1,)
    for side in sides:
        blade = [(0.8, -20), (5, -22.5), (9, -23), (10.4, -16.5), (9, -10), (5, -11.5), (0.8, -14)]
        shape = [(x * side, y) for x, y in blade]
        g.poly(shape, metal, Form.FLAT, lift=0.1 if side > 0 else 0.4)
        edge = [(7.6, -22.6), (9, -23), (10.4, -16.5), (9, -10), (7.6, -10.4), (8.6, -16.5)]
        g.poly([(x * side, y) for x, y in edge], metal, lift=1.8, edge=False)
        g.poly(
            [(x * side, y) for x, y in [(0.8, -14), (5, -11.5), (6.5, -11), (6.8, -13), (0.8, -16)]],
            metal,
            lift=-1.0,
            edge=False,
        )
    g.blob(0, -17, 2.2, 3.4, look.ink("#7b6a5c", Surface.METAL))
    for y in (-1.0, 1.5, 4.0):
        g.dot(0, y, 2.8, 1, look.leather, 2)


def hammer(g: Canvas, look: Look) -> None:
    """Draw a war hammer."""
    metal = look.metal("head", ("#8d96a8", "#7c8496", "#a49a8c"))
    g.path([(0, 5, 1.3), (0, -14, 1.3)], look.wood)
    g.poly(box(-8, -22, 16, 9.5), metal, Form.BEVEL, bevel=2.2)
    for x in (-6.3, 4.3):
        g.poly(box(x, -22, 2, 9.5), look.gold, Form.BARREL, edge=False)
    g.blob(0, -17.3, 2.0, 2.0, look.tone(1, "gem", _GEMS, Surface.GEM))
    g.path([(0, 5, 1.7), (0, 6, 1.7)], look.gold)


def pickaxe(g: Canvas, look: Look) -> None:
    """Draw a miner's pick."""
    metal = look.metal("head")
    g.path([(0, 6, 1.3), (0, -19, 1.3)], look.wood)
    g.path([(-11.5, -12, 0.7), (-6, -17.6, 1.9), (0, -19.4, 2.3), (6, -17.6, 1.9), (11.5, -12, 0.7)], metal)
    g.poly(box(-2, -21.2, 4, 4.4), look.leather, Form.BEVEL, bevel=1)


def spear(g: Canvas, look: Look) -> None:
    """Draw a long spear with a tassel."""
    blade = look.metal("blade")
    g.path([(0, 11, 1.0), (0, -19, 1.1)], look.wood)
    g.poly([(-1.4, -18), (-3, -22), (0, -30), (3, -22), (1.4, -18)], blade, lift=0.9)
    g.poly([(0.2, -18), (0.2, -29), (3, -22), (1.4, -18)], blade, lift=-0.8, edge=False)
    cloth = look.tone(0, "tassel", ("#c8323a", "#3a68c8", "#e0a030"))
    g.poly([(-1.6, -18.5), (1.6, -18.5), (2.6, -13.5), (0, -15), (-2.6, -13.5)], cloth, Form.BARREL)


def bow(g: Canvas, look: Look) -> None:
    """Draw a drawn bow with an arrow laid on."""
    wood = look.ink(look.reading.material_color() or look.pick("bow", ("#9a6538", "#7a4a3a", "#6a7a3a")))
    string = look.ink("#e8e2d4", Surface.FLAT)
    g.path([(0.5, -12.5, 0.4), (0.5, 12.5, 0.4)], string, edge=False)
    limbs = [
        (0.5, -13.5, 0.9),
        (4.6, -9.5, 1.3),
        (6.4, -4, 1.6),
        (5.4, 0, 1.9),
        (6.4, 4, 1.6),
        (4.6, 9.5, 1.3),
        (0.5, 13.5, 0.9),
    ]
    g.path(limbs, wood)
    g.path([(5.4, -2, 2.0), (5.4, 2, 2.0)], look.leather)
    for y in (-10.0, 10.0):
        g.dot(4.3, y, 2.2, 1.2, look.gold, 4)


def arrow(g: Canvas, look: Look) -> None:
    """Draw an arrow."""
    fletch = look.tone(0, "fletching", ("#e04848", "#4888e0", "#f0f0e8"))
    g.path([(0, 12, 0.8), (0, -12, 0.8)], look.wood)
    g.poly([(-2.8, -11), (0, -18), (2.8, -11), (0, -12.4)], look.metal("blade"), Form.BEVEL, bevel=1.4)
    for side in (-1, 1):
        g.poly([(side * 0.6, 6), (side * 3.4, 8.6), (side * 3.4, 15), (side * 0.6, 12.4)], fletch, lift=-side * 0.6)


def staff(g: Canvas, look: Look) -> None:
    """Draw a gnarled staff that holds a glowing stone."""
    wood = look.ink(look.reading.material_color() or look.pick("staff", ("#8f5e36", "#6b4a5c", "#5e4a34")))
    gem = look.tone(0, "gem", _GEMS, Surface.GEM)
    g.path([(0.6, 8.6, 1.1), (-0.3, 2, 1.2), (0.2, -13, 1.4)], wood)
    g.path([(0.2, -13, 1.4), (-4, -16, 1.3), (-4.4, -21, 1.1), (-2, -24, 0.7)], wood)
    g.path([(0.2, -13, 1.4), (4, -16, 1.3), (4.4, -21, 1.1), (2.2, -23.6, 0.7)], wood)
    g.blob(0, -19.4, 3.6, 3.9, gem, lift=0.6)
    g.dot(-1.2, -21, 1.3, 1.5, look.white)
    for y in (-11.0, -9.4):
        g.dot(0.1, y, 3.4, 0.9, look.gold, 4)


def wand(g: Canvas, look: Look) -> None:
    """Draw a short wand with a star or a gem."""
    gem = look.tone(0, "gem", _GEMS, Surface.GEM)
    g.path([(0, 4, 1.2), (0, -9, 0.9)], look.ink(look.pick("wand", ("#5c3a52", "#8f5e36", "#3a3448"))))
    g.path([(0, 4.4, 1.5), (0, 2.6, 1.5)], look.gold)
    g.path([(0, -8, 1.5), (0, -9, 1.5)], look.gold)
    g.blob(0, -12.6, 3.3, 3.3, gem, lift=0.7)
    g.dot(-1.1, -13.8, 1.2, 1.2, look.white)


def gun(g: Canvas, look: Look) -> None:
    """Draw a blaster, pointing right when it is turned upright."""
    body = look.metal("gun", ("#6e7890", "#8a8f9c", "#5e6a70"))
    glow = look.tone(0, "energy", ("#4ce0f0", "#f06a3c", "#7cf05c", "#e85cd8"), Surface.GEM)
    g.poly([(-2.2, 1), (2.6, 1), (3.4, -2), (-2.6, -2)], look.leather, Form.BEVEL, bevel=1)
    g.poly([(2, 4.4), (6.2, 4.4), (3.6, -2.5), (-0.6, -2.5)], look.leather, Form.BARREL)
    g.poly([(-4.2, -2), (3.6, 1.0), (3.6, -8), (2.2, -15), (-2.6, -15), (-4.2, -10)], body, Form.BEVEL, bevel=1.6)
    g.poly(box(-1.7, -20.5, 3, 6), body, Form.BARREL)
    g.poly(box(-2.3, -22, 4.2, 2.2), look.dark, Form.FLAT)
    g.poly(box(-1.6, -11.5, 2.4, 6), glow, Form.BARREL, lift=0.5)
    g.dot(-1.0, -10, 0.8, 2.4, look.white)


def shield(g: Canvas, look: Look) -> None:
    """Draw a heater or round shield with a device on it; its middle is at the origin."""
    field = look.tone(0, "field", ("#3a5fb0", "#b8343c", "#3c8a54", "#7a4aa0"))
    rim = look.metal("rim", ("#b8c0d0", "#e0b040"))
    mark = look.ink(look.pick("mark", ("#f0e6d0", "#f0c84c")), Surface.METAL)
    if look.has("round", 0.35):
        g.blob(0, 0, 9.6, 9.6, rim)
        g.blob(0, 0, 7.4, 7.4, field)
        g.poly([(-1.1, -7.2), (1.1, -7.2), (1.1, 7.2), (-1.1, 7.2)], mark, Form.BARREL, edge=False, on=field)
        g.poly([(-7.2, -1.1), (7.2, -1.1), (7.2, 1.1), (-7.2, 1.1)], mark, Form.FLAT, edge=False, on=field)
        g.blob(0, 0, 2.6, 2.6, rim)
        return
    outer = [
        (-8.6, -9.5),
        (-4, -8.6),
        (0, -10.4),
        (4, -8.6),
        (8.6, -9.5),
        (8.4, 0.5),
        (5.2, 7),
        (0, 11),
        (-5.2, 7),
        (-8.4, 0.5),
    ]
    inner = [(x * 0.76, y * 0.78 + 0.1) for x, y in outer]
    g.poly(outer, rim, Form.BEVEL, bevel=1.8)
    g.poly(inner, field, Form.DOME)
    device = look.pick("device", ("cross", "chevron", "gem", "half"))
    if device == "cross":
        g.poly(box(-1.2, -7.4, 2.4, 14), mark, Form.BARREL, edge=False, on=field)
        g.poly(box(-6.6, -3.2, 13.2, 2.4), mark, edge=False, on=field)
    elif device == "chevron":
        g.poly(
            [(-6.6, 2.6), (0, -3.4), (6.6, 2.6), (6.6, -0.6), (0, -6.8), (-6.6, -0.6)],
            mark,
            lift=0.3,
            edge=False,
            on=field,
        )
    elif device == "half":
        g.poly(box(0, -9, 8, 19), mark, Form.FLAT, lift=-0.3, edge=False, on=field)
    g.poly([(0, -3.6), (2.8, 0), (0, 3.6), (-2.8, 0)], look.tone(1, "gem", _GEMS, Surface.GEM), Form.BEVEL, bevel=1.4)


def torch(g: Canvas, look: Look) -> None:
    """Draw a burning torch."""
    g.path([(0, 6, 1.2), (0, -9, 1.7)], look.wood)
    g.poly(box(-2.7, -11, 5.4, 4), look.leather, Form.BARREL)
    flame(g, look, 0, -11.5, 1.0)


def flame(g: Canvas, look: Look, x: float, y: float, size: float) -> None:
    """Draw a flame that stands on (x, y), three tongues inside each other."""
    outer = look.ink(look.color(0, "fire", ("#e8552a",)), Surface.FLAT)
    inner = look.ink("#f5a83c", Surface.FLAT)
    core = look.ink("#fbe98a", Surface.FLAT)
    shapes = ((outer, 1.0, 0.0), (inner, 0.68, 0.35), (core, 0.38, 0.9))
    for ink, part, sink in shapes:
        s = size * part
        shape = rounded(
            [
                (-4.6, -3.6),
                (-3.4, -8.4),
                (-1.7, -6.6),
                (0.4, -13.5),
                (2.2, -8.2),
                (3.7, -9.8),
                (4.7, -3.8),
                (2.6, 0.6),
                (-2.6, 0.6),
            ],
            3,
        )
        g.poly([(x + px * s, y - sink * size + py * s) for px, py in shape], ink, lift=0.2, edge=ink is outer)


def lantern(g: Canvas, look: Look) -> None:
    """Draw a lit lantern hanging from its ring."""
    metal = look.metal("frame", ("#8a7040", "#6c7484"))
    glass = look.ink(look.color(0, "light", ("#f8d060",)), Surface.SOFT)
    ring = arc(0, -11.5, 3, -180, 0, 8)
    g.path([(px, py, 0.8) for px, py in ring], metal)
    g.poly([(-5, -7.5), (-2.2, -11.5), (2.2, -11.5), (5, -7.5)], metal, Form.BARREL)
    g.poly(box(-4.4, -7.5, 8.8, 11.5), glass, Form.DOME, lift=0.8)
    g.poly(rounded([(-1.6, 2), (-1.9, -1.4), (0, -5.4), (1.9, -1.4), (1.6, 2)], 3), look.white, edge=False)
    for px in (-4.4, 3.2):
        g.poly(box(px, -7.5, 1.2, 11.5), metal, edge=False)
    g.poly(box(-5.4, 4, 10.8, 2.8), metal, Form.BARREL)


def crescent(g: Canvas, x: float, y: float, radius: float, start: float, sweep: float, look: Look) -> None:
    """Draw the trail of a swung weapon: a sickle from thin to wide, slim enough not to outshine the figure."""
    outer = arc(x, y, radius, start, start + sweep, 12)
    inner = arc(x, y, radius * 0.80, start + sweep, start + sweep * 0.2, 12)
    g.poly([*outer, *inner], look.ink("#c4d2e4", Surface.FLAT), lift=0.2, edge=False)
    slim = arc(x, y, radius * 0.91, start + sweep, start + sweep * 0.5, 12)
    g.poly([*arc(x, y, radius * 0.985, start + sweep * 0.5, start + sweep, 12), *slim], look.white, edge=False)


WEAPONS: Final[Mapping[str, Drawing]] = {
    "sword": sword,
    "dagger": dagger,
    "axe": axe,
    "hammer": hammer,
    "pickaxe": pickaxe,
    "spear": spear,
    "bow": bow,
    "arrow": arrow,
    "staff": staff,
    "wand": wand,
    "gun": gun,
    "shield": shield,
    "torch": torch,
    "lantern": lantern,
}
