"""Bodies of people, from the hip (y = 0) to the shoulders (y = -11), and what covers them."""

from collections.abc import Callable, Mapping
from typing import Final

from worker.providers.builtin.canvas import Canvas, Form, box, rounded
from worker.providers.builtin.ink import Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import Pose
from worker.providers.builtin.subjects.dress import Dress

_BODY = [(-6.4, -11), (6.4, -11), (7.0, -8), (5.4, -3), (6.0, 1.6), (-6.0, 1.6), (-5.4, -3), (-7.0, -8)]


def draw_torso(g: Canvas, look: Look, dress: Dress, pose: Pose, hip: float) -> None:
    """Draw the body; `hip` is how high above the ground its origin is."""
    torso = dress.outfit.torso
    if torso == "ribs":
        _ribs(g, look, dress)
        return
    if dress.outfit.robe:
        _robe(g, dress, pose, hip)
    else:
        base = dress.metal if torso == "plate" else dress.skin if torso == "harness" else dress.cloth
        g.poly(rounded(_BODY, 3), base, Form.DOME, lift=0.1)
    if pose.from_behind:
        _belt(g, look)
    else:
        _DETAILS.get(torso, _tunic)(g, look, dress)
    if "scarf" in dress.outfit.extras:
        sway = pose.sway * 2
        g.path([(-4, -10.5, 1.6), (-10, -9.5 + sway * 0.4, 1.5), (-14.5, -11 + sway, 1.1)], dress.trim)
        g.path([(-5.4, -11, 2.0), (0, -10, 2.2), (5.4, -11, 2.0)], dress.trim)


def _robe(g: Canvas, dress: Dress, pose: Pose, hip: float) -> None:
    sway = pose.sway * 1.0
    hem = hip - 0.6
    full = 10.6 if dress.outfit.torso == "dress" else 8.8
    shape = [
        (-6.0, -11),
        (6.0, -11),
        (6.2, -7),
        (5.2, -3),
        (full - 1.2, hem - 4),
        (full + sway, hem),
        (0, hem + 0.5),
        (-full + sway, hem),
        (1.2 - full, hem - 4),
        (-5.2, -3),
        (-6.2, -7),
    ]
    g.poly(shape, dress.cloth, Form.BARREL, lift=0.1)
    for x, top in ((-3.6, 0.0), (3.2, 1.0)):
        g.poly(
            [(x, top), (x * 1.5 + 0.7 + sway, hem - 1), (x * 1.5 - 0.7 + sway, hem - 1)],
            dress.cloth,
            lift=-1.0,
            edge=False,
            on=dress.cloth,
        )
    g.poly(
        [(-full + sway, hem - 2), (full + sway, hem - 2), (full + sway, hem + 0.5), (-full + sway, hem + 0.5)],
        dress.trim,
        Form.BARREL,
        edge=False,
        on=dress.cloth,
    )


def _plate(g: Canvas, look: Look, dress: Dress) -> None:
    """Draw a cuirass over a tabard."""
    g.poly(
        [(-3.2, -11), (3.2, -11), (3.8, -4), (0, -1.6), (-3.8, -4)],
        dress.cloth,
        Form.DOME,
        edge=False,
        lift=0.1,
    )
    g.dot(0, -6.6, 3.4, 1.2, look.gold, 4)
    g.dot(0, -6.4, 1.2, 4.2, look.gold, 4)
    g.poly(
        [(-5.8, -0.6), (5.8, -0.6), (6.4, 3.8), (2.4, 5), (0, 3.4), (-2.4, 5), (-6.4, 3.8)],
        dress.cloth,
        Form.BARREL,
    )
    _belt(g, look)


def _stole(g: Canvas, look: Look, dress: Dress) -> None:
    """Draw the middle of a robe."""
    g.poly([(-1.7, -10), (1.7, -10), (2.3, 7.6), (-2.3, 7.6)], dress.trim, Form.BARREL, edge=False, on=dress.cloth)
    g.path([(-5.2, -11, 1.4), (0, -9.2, 1.4), (5.2, -11, 1.4)], dress.trim)
    _belt(g, look)


def _bodice(g: Canvas, look: Look, dress: Dress) -> None:
    """Draw a neckline and a sash."""
    g.poly([(-3.4, -11), (3.4, -11), (0, -7)], dress.skin, edge=False)
    g.path([(-5.4, -2.4, 1.0), (5.4, -2.4, 1.0)], dress.trim)
    g.dot(0, -2.4, 2.2, 2.2, look.gold, 4)


def _ermine(g: Canvas, look: Look, dress: Dress) -> None:
    """Draw royal fur."""
    g.poly([(-2.4, -11), (2.4, -11), (3, 1.6), (-3, 1.6)], dress.trim, Form.BARREL, edge=False)
    g.path([(-6.4, -10.6, 2.0), (0, -9.0, 2.2), (6.4, -10.6, 2.0)], look.white, lift=0)
    for x in (-4.0, 0.0, 4.0):
        g.dot(x, -9.6, 0.9, 1.4, look.dark)
    _belt(g, look)


def _open_front(g: Canvas, look: Look, dress: Dress) -> None:
    """Draw an open vest or coat."""
    for side in (-1, 1):
        g.poly(
            [
                (side * 1.6, -11),
                (side * 5.8, -11),
                (side * 6.2, -7),
                (side * 5, -3),
                (side * 5.4, 3.4),
                (side * 2.0, 3.4),
            ],
            dress.cloth,
            Form.BARREL,
            lift=-0.1,
        )
    inner = look.ink("#e6dcc8") if dress.outfit.torso == "coat" else dress.trim
    g.poly([(-1.8, -11), (1.8, -11), (2, 1), (-2, 1)], inner, Form.BARREL, edge=False)
    g.path([(-5, -9.6, 0.7), (4.6, -1.4, 0.7)], look.leather, edge=False)
    _belt(g, look)


def _crossed(g: Canvas, _look: Look, dress: Dress) -> None:
    """Draw crossed hems and a sash."""
    g.path([(-4.4, -11, 0.9), (1.8, -4, 0.9)], dress.trim, edge=False)
    g.path([(4.4, -11, 0.9), (-0.4, -6.4, 0.9)], dress.trim, edge=False)
    g.path([(-5.4, -0.6, 1.3), (5.4, -0.6, 1.3)], dress.trim)


def _straps(g: Canvas, look: Look, dress: Dress) -> None:
    """Draw straps over bare skin, and a kilt."""
    g.path([(-5.6, -10.6, 1.0), (4.8, -1.6, 1.0)], look.leather)
    g.dot(-0.8, -6.6, 2.6, 2.6, look.gold, 4)
    g.poly([(-6, -0.8), (6, -0.8), (7, 4.6), (3, 3.4), (0, 5.4), (-3, 3.4), (-7, 4.6)], dress.cloth, Form.BARREL)
    _belt(g, look)


def _rags(g: Canvas, _look: Look, dress: Dress) -> None:
    """Draw torn cloth."""
    g.poly([(-6, 0), (-5, 4), (-3, 1.6), (-1, 4.4), (1.4, 1.8), (3.6, 4.2), (6, 0)], dress.cloth, lift=-0.4)
    g.poly([(1, -9), (4.4, -8), (3.6, -4), (1.4, -5)], dress.skin, edge=False)
    g.dot(-3, -5, 2.4, 1.2, dress.cloth, 1.6)


def _shirt(g: Canvas, look: Look, dress: Dress) -> None:
    """Draw a shirt front with a tie."""
    g.poly([(-2.6, -11), (2.6, -11), (0, -2)], look.white, edge=False)
    g.poly([(-1.4, -9.4), (1.4, -9.4), (0.9, -4), (0, -2.6), (-0.9, -4)], dress.trim, edge=False)


def _apron(g: Canvas, look: Look, dress: Dress) -> None:
    """Draw an apron."""
    g.poly([(-3.6, -8), (3.6, -8), (4.4, 4), (-4.4, 4)], dress.trim, Form.BARREL, lift=0.6)
    _belt(g, look)


def _console(g: Canvas, look: Look, dress: Dress) -> None:
    """Draw a space suit's chest."""
    g.poly(box(-3.6, -8, 7.2, 5), dress.trim, Form.BEVEL, bevel=1)
    g.dot(-1.4, -5.6, 1.4, 1.4, look.red, 4)
    g.dot(1.2, -5.6, 1.4, 1.4, look.gold, 5)
    g.path([(-5.4, 0, 1.2), (5.4, 0, 1.2)], dress.trim)


def _tunic(g: Canvas, look: Look, dress: Dress) -> None:
    """Draw a plain tunic."""
    g.poly([(-2.2, -11), (2.2, -11), (0, -7.4)], dress.skin, edge=False)
    g.poly([(-6, -0.8), (6, -0.8), (6.6, 3.6), (-6.6, 3.6)], dress.cloth, Form.BARREL)
    _belt(g, look)


def _belt(g: Canvas, look: Look) -> None:
    g.path([(-5.4, -0.4, 1.2), (5.4, -0.4, 1.2)], look.leather)
    g.dot(0.6, -0.4, 2.4, 2.2, look.gold, 4)


def _ribs(g: Canvas, look: Look, dress: Dress) -> None:
    bone = dress.skin
    back = look.ink("#3a3444", Surface.FLAT)
    g.poly(rounded([(-4.8, -10), (4.8, -10), (4.4, -3.5), (-4.4, -3.5)], 3), back, lift=-1, edge=False)
    g.path([(0, 1, 1.0), (0, -10, 1.1)], bone)
    for y, reach in ((-9.6, 5.4), (-7.0, 5.2), (-4.4, 4.2)):
        g.path(
            [
                (-reach, y + 0.9, 0.7),
                (-reach * 0.7, y - 0.3, 0.8),
                (0, y, 0.8),
                (reach * 0.7, y - 0.3, 0.8),
                (reach, y + 0.9, 0.7),
            ],
            bone,
            edge=False,
        )
    g.path([(-3.6, 0.2, 1.3), (0, 1.0, 1.3), (3.6, 0.2, 1.3)], bone)


_DETAILS: Final[Mapping[str, Callable[[Canvas, Look, Dress], None]]] = {
    "plate": _plate,
    "robe": _stole,
    "dress": _bodice,
    "royal": _ermine,
    "vest": _open_front,
    "coat": _open_front,
    "gi": _crossed,
    "harness": _straps,
    "rags": _rags,
    "suit": _shirt,
    "apron": _apron,
    "spacesuit": _console,
}
