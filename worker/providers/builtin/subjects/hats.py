"""Helmets, hats, hoods, horns; the middle of the head is at the origin."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from worker.providers.builtin.canvas import Canvas, Form, arc, box, rounded, star
from worker.providers.builtin.ink import Ink, Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.subjects.dress import Dress


def draw_hat_behind(g: Canvas, look: Look, dress: Dress) -> None:
    """Draw what of the hat is behind the head."""
    dress = _in_hat_inks(dress)
    match dress.hat:
        case "hood" | "deep-hood" | "veil":
            shape = [
                (-10.6, 7),
                (-11.4, -2),
                (-8, -9.4),
                (-1, -12.8),
                (6, -10.4),
                (10.4, -5),
                (10.4, 5),
                (7, 9.6),
                (-7, 9.8),
            ]
            g.poly(rounded(shape, 3), dress.cloth, Form.DOME, lift=-0.7)
        case "halo":
            g.path([(x, y, 0.9) for x, y in arc(0, -13.4, 6.6, 180, 360, 10, tall=0.32)], look.gold)
        case "horns":
            _horns(g, look.ink("#4a3a44"), -7)
        case _:
            pass


def draw_hat(g: Canvas, look: Look, dress: Dress) -> None:
    """Draw the hat over the head."""
    _HATS.get(dress.hat, _ornament)(g, look, _in_hat_inks(dress))
    if look.reading.crowned and dress.hat != "crown":
        crown(g, look, 0, -9.0, 1.0)


def _in_hat_inks(dress: Dress) -> Dress:
    return replace(dress, cloth=dress.hat_cloth, metal=dress.hat_metal)


def crown(g: Canvas, look: Look, x: float, y: float, size: float) -> None:
    """Draw a crown that sits on (x, y)."""
    shape = [(-7.4, 1.4), (-8.6, -6.4), (-4.4, -3), (0, -8.4), (4.4, -3), (8.6, -6.4), (7.4, 1.4)]
    g.poly([(x + px * size, y + py * size) for px, py in shape], look.gold, Form.BARREL, lift=0.3)
    for px, color in ((-4.6, "#3fa8e8"), (0, "#e0405a"), (4.6, "#3fa8e8")):
        g.dot(x + px * size, y - 0.6 * size, 1.7 * size, 1.7 * size, look.ink(color, Surface.GEM), 4)
    for px, py in ((-8.6, -6.8), (0, -8.8), (8.6, -6.8)):
        g.blob(x + px * size, y + py * size, 1.2 * size, 1.2 * size, look.gold, lift=0.8)


def _helm(g: Canvas, look: Look, dress: Dress) -> None:
    metal = dress.metal
    g.path([(-2, -9, 2.0), (-6, -12.6, 2.6), (-11, -9.6, 2.4), (-13, -4, 1.2)], dress.cloth, lift=0.3)
    if dress.hat == "great-helm":
        g.poly(
            [(-9.6, -7), (-6, -10.4), (6, -10.4), (9.8, -7), (9.6, 6), (5, 9.4), (-4.4, 9.4), (-9.4, 6)],
            metal,
            Form.DOME,
            lift=0.2,
        )
        g.poly(box(-6.4, -1.4, 15.4, 3), look.dark)
        g.poly(box(1.0, -10, 1.8, 18.6), look.gold, Form.BARREL, edge=False)
        for x in (-4.0, -1.4, 4.8, 7.2):
            g.dot(x, 5, 0.9, 0.9, look.dark)
    else:
        g.poly(
            rounded([(-9.8, 0), (-8.4, -7), (0, -10.6), (8.4, -7), (10, 0), (8.6, 6), (3, 9.4), (-4, 9), (-9, 6)], 3),
            metal,
            Form.DOME,
            lift=0.2,
        )
        g.poly([(-6.4, -2.6), (9.4, -2.6), (9.2, 2.6), (1.8, 4.6), (-6, 2.6)], look.dark)
        g.poly([(0.8, -9.8), (2.6, -9.8), (2.4, -2.4), (1.2, -2.4)], look.gold, Form.BARREL, edge=False)
        g.poly([(-7, 3), (1.8, 5.2), (9.2, 3), (8, 7), (2, 9.6), (-5.6, 7.4)], metal, Form.DOME, lift=-0.1)
        for x in (-2.6, 0.0, 4.2, 6.6):
            g.dot(x, 6.4, 0.8, 1.6, look.dark)
    glow = look.ink("#fff4c8", Surface.FLAT)
    for side in (-1, 1):
        g.dot(1.8 + side * 3.4, 0.2, 1.8, 1.8 if dress.hat == "great-helm" else 2.6, glow)


def _open_helm(g: Canvas, _look: Look, dress: Dress) -> None:
    top = arc(0, -1.2, 10.4, 180, 360, 12)
    g.poly(
        [*top, (10, 6), (7.6, 7), (7.6, -2.4), (1.8, -4.2), (-4.6, -2.6), (-5.2, 7), (-9.8, 6)],
        dress.metal,
        Form.DOME,
        lift=0.2,
    )
    g.path([(-7, -3.4, 1.1), (1.6, -5, 1.2), (8.6, -3.2, 1.1)], dress.metal, lift=0.8)
    g.path([(-1, -11, 1.5), (-7, -13.4, 2.2), (-12, -9, 1.2)], dress.cloth, lift=0.3)


def _kabuto(g: Canvas, look: Look, dress: Dress) -> None:
    g.poly(
        [*arc(0, -1.6, 10, 180, 360, 12), (12.4, 4), (8.4, 1.4), (6, -3.4), (-4, -3.4), (-8, 1.6), (-12.4, 5)],
        dress.cloth,
        Form.DOME,
    )
    g.path([(-4, -3.6, 0.9), (6.4, -3.6, 0.9)], look.gold)
    g.path([(1.4, -6, 1.2), (-3.4, -11, 1.1), (-4.4, -16, 0.6)], look.gold)
    g.path([(1.4, -6, 1.2), (6.2, -11, 1.1), (7.2, -16, 0.6)], look.gold)
    g.blob(1.4, -6.4, 1.8, 1.8, look.red)


def _horns(g: Canvas, ink: Ink, y: float) -> None:
    from_left = [(-6.4, y + 1, 2.0), (-10.2, y - 2.4, 1.8), (-11, y - 7, 0.8)]
    for side in (1, -1):
        g.path([(x * side, py, r) for x, py, r in from_left], ink)


def _viking(g: Canvas, look: Look, dress: Dress) -> None:
    horn = look.ink("#eadfc4")
    for side in (-1, 1):
        g.path([(side * 8, -5, 2.3), (side * 12.6, -7.4, 1.9), (side * 13.4, -12.8, 0.7)], horn)
    g.poly([*arc(0, -2.4, 9.8, 180, 360, 12), (9.6, -1.6), (-9.6, -1.6)], dress.metal, Form.DOME, lift=0.2)
    g.path([(-9, -2.4, 1.4), (1.6, -3.0, 1.4), (9, -2.4, 1.4)], look.gold)
    g.poly([(0.6, -3), (2.8, -3), (2.4, 2.4), (1.0, 2.4)], look.gold, Form.BARREL)


def _space_helm(g: Canvas, look: Look, dress: Dress) -> None:
    g.blob(0, -0.6, 11, 10.4, dress.cloth)
    glass = look.ink(look.color(1, "visor", ("#4aa0d8", "#e8a03c", "#52c0a8")), Surface.GEM)
    g.poly(
        rounded([(-6.4, -4.6), (2, -6.4), (9, -4.4), (9.6, 1.4), (7, 5.6), (1, 6.4), (-5.4, 4.8), (-7.4, 0)], 3),
        glass,
        Form.DOME,
        lift=-0.4,
    )
    g.poly([(-3.6, -4.4), (0.4, -5.2), (-4.4, 0.2), (-5, -2)], look.white, edge=False)
    g.dot(5, 3, 2, 1, glass, 5)


def _pointy(g: Canvas, look: Look, dress: Dress) -> None:
    lean = look.pick("hat-lean", (-6.5, -3.0, 4.0))
    cone = rounded(
        [(-8.6, -5), (-5.4, -12), (-1.8 + lean * 0.3, -18), (lean, -22.4), (lean + 1.6, -20.6), (3.4, -14), (8.8, -5)],
        3,
    )
    g.poly(cone, dress.cloth, Form.DOME, lift=0.1)
    g.path([(-7.6, -6.6, 1.5), (0, -7.4, 1.6), (7.6, -6.6, 1.5)], dress.trim)
    g.poly(
        rounded([(-14, -4.4), (-7, -6.2), (0, -5.4), (7, -6.2), (14, -4.4), (8, -1.6), (0, -2.4), (-8, -1.6)], 3),
        dress.cloth,
        Form.DOME,
        lift=0.2,
    )
    g.poly(star(0.6, -12.4, 2.6, 1.1), look.gold, lift=0.6, edge=False)


def _hood(g: Canvas, _look: Look, dress: Dress) -> None:
    outer = [(-10.6, 6), (-11.2, -2), (-8, -9.4), (-1, -12.8), (6, -10.6), (10.6, -5), (10.2, 4)]
    inner = [(8.4, 5), (8.4, -1.6), (5, -4.8), (0, -5.2), (-5, -3.4), (-6.8, 1), (-5.6, 7), (-8.4, 9)]
    g.poly([*outer, *inner], dress.cloth, Form.DOME, lift=0.2)


def _deep_hood(g: Canvas, look: Look, dress: Dress) -> None:
    g.poly(
        rounded([(-7, 6), (-7.6, -2), (-3, -6.4), (4, -6.4), (8.6, -2), (8, 6), (1.4, 8.6)], 3),
        look.dark,
        lift=-0.5,
        edge=False,
    )
    glow = look.ink(look.color(0, "glow", ("#7cf088", "#f05c5c", "#b070ff")), Surface.FLAT)
    for side in (-1, 1):
        g.blob(1.6 + side * 3.5, 1.0, 1.9, 1.6, glow, lift=0.8, edge=False)
        g.dot(1.6 + side * 3.5, 0.8, 1.2, 1.2, look.white)
    _hood(g, look, dress)


def _ninja(g: Canvas, look: Look, dress: Dress) -> None:
    top = arc(0, -0.6, 10, 180, 360, 12)
    g.poly([*top, (9.6, -2.2), (-6.4, -2.6), (-9.8, 0)], dress.cloth, Form.DOME, lift=0.2)
    g.poly(
        rounded([(-9.6, 0), (-6.2, 3.2), (1.8, 3.8), (9.2, 3.2), (8.4, 6), (4.4, 9), (-4.4, 9), (-8.8, 6)], 3),
        dress.cloth,
        Form.DOME,
    )
    g.poly([(-9.8, -6.0), (9.8, -6.0), (9.8, -2.6), (-9.8, -2.6)], dress.trim, Form.BARREL)
    g.poly(box(-1.6, -6.2, 6.8, 3.8), look.ink("#b8c0d0", Surface.METAL), Form.BEVEL, bevel=1)
    g.path([(-9, -4.4, 1.2), (-13.4, -3, 1.2), (-16, -5, 0.8)], dress.trim)


def _cloth_hat(g: Canvas, look: Look, dress: Dress) -> None:
    match dress.hat:
        case "tricorn":
            felt = look.part("hat") or look.ink("#3a3440")
            g.poly(
                rounded(
                    [
                        (-13.4, -7.6),
                        (-7, -6.6),
                        (-6, -12.8),
                        (1, -14.6),
                        (7, -12.4),
                        (8, -6.6),
                        (14, -8.4),
                        (10.6, -2.6),
                        (1, -4.6),
                        (-10, -2),
                    ],
                    3,
                ),
                felt,
                Form.DOME,
                lift=0.4,
            )
            g.path(
                [(-12.8, -6.4, 0.7), (-6, -4.4, 0.7), (1, -6, 0.7), (8, -4.6, 0.7), (13, -7, 0.7)],
                look.gold,
                edge=False,
            )
            g.blob(1, -9.6, 2.3, 2.1, look.white, lift=0, edge=False)
            for x in (0.2, 2.0):
                g.dot(x, -9.6, 0.8, 0.8, look.dark)
        case "bandana":
            g.poly(
                [*arc(0, -2.2, 9.9, 180, 360, 12), (9.6, -2), (1, -4), (-9.6, -1.4)], dress.cloth, Form.DOME, lift=0.2
            )
            g.path([(-9, -2.6, 1.5), (-13, -0.4, 1.4), (-14.4, 3, 0.8)], dress.cloth)
            for x, y in ((-4.0, -7.0), (2.0, -9.0), (5.6, -5.8)):
                g.dot(x, y, 1.2, 1.2, look.white)
        case "straw":
            straw = look.part("hat") or look.ink("#e0b860")
            g.poly([*arc(0, -5, 8, 180, 360, 10), (8, -4), (-8, -4)], straw, Form.DOME)
            g.path([(-7.4, -6, 1.2), (7.4, -6, 1.2)], look.red, lift=-0.4)
            g.blob(0, -3.8, 14, 2.6, straw)
        case _:
            g.poly(
                rounded([(-10.4, -2.4), (-8.6, -8.6), (0, -11.4), (8, -8), (14, -2.6), (4, -4), (-4, -2.6)], 3),
                dress.cloth,
                Form.DOME,
                lift=0.2,
            )
            g.path([(-4, -6, 0.8), (-9, -12, 1.5), (-13, -14.4, 0.6)], look.red, lift=0.6)


def _ornament(g: Canvas, look: Look, dress: Dress) -> None:
    match dress.hat:
        case "crown":
            crown(g, look, 0.4, -7.4, 0.98)
        case "circlet":
            g.path([(-9, -3.6, 0.8), (1.6, -4.4, 0.8), (9.4, -3.6, 0.8)], look.gold, edge=False)
            g.dot(1.6, -4.4, 2, 2.4, look.ink("#58d0c0", Surface.GEM), 4)
        case "mitre":
            g.poly([(-7.4, -5), (-8, -12), (0.6, -19), (8.6, -12), (8, -5)], dress.cloth, Form.DOME, lift=0.2)
            g.path([(-7.4, -5.6, 1.3), (8, -5.6, 1.3)], dress.trim)
            g.dot(0.6, -11.4, 1.5, 6.4, dress.trim, 4)
            g.dot(0.6, -12.4, 4.6, 1.5, dress.trim, 4)
        case "veil":
            _hood(g, look, dress)
            g.path([(-6, -4.2, 0.9), (0.4, -6.2, 0.9), (8, -3.8, 0.9)], dress.trim, edge=False)
        case "halo":
            g.path([(x, y, 1.0) for x, y in arc(0, -13.4, 6.6, 0, 180, 10, tall=0.32)], look.gold, lift=0.8)
        case "bow":
            for side in (-1, 1):
                g.poly([(-6, -8.4), (-6 + side * 5.6, -11.8), (-6 + side * 5.6, -5.6)], look.red, lift=0.3)
            g.blob(-6, -8.6, 1.6, 1.6, look.red)
        case _:
            pass


_HATS: Final[Mapping[str, Callable[[Canvas, Look, Dress], None]]] = {
    "helm": _helm,
    "great-helm": _helm,
    "open-helm": _open_helm,
    "kabuto": _kabuto,
    "viking": _viking,
    "space-helm": _space_helm,
    "pointy": _pointy,
    "hood": _hood,
    "deep-hood": _deep_hood,
    "ninja": _ninja,
    "tricorn": _cloth_hat,
    "bandana": _cloth_hat,
    "straw": _cloth_hat,
    "feather-cap": _cloth_hat,
}
