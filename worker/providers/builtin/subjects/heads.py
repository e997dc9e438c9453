"""Heads of people: face, ears, hair, beard; the middle of the head is at the origin. Hats have a file of their own."""

from collections.abc import Mapping
from typing import Final

from worker.providers.builtin.canvas import Canvas, Form, Point, arc, rounded
from worker.providers.builtin.ink import Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import Pose
from worker.providers.builtin.subjects.behind import draw_head_behind
from worker.providers.builtin.subjects.dress import COVERING, Dress
from worker.providers.builtin.subjects.hats import draw_hat, draw_hat_behind

#: Where the face looks: the middle between the eyes is this far to the right.
_AHEAD = 1.6
_EYES_APART = 3.7
#: Pixels per unit from which a face has room for brows, a nose and irises.
_DETAILED = 1.75


def draw_back_hair(g: Canvas, dress: Dress, pose: Pose) -> None:
    """Draw the hair that falls behind the shoulders."""
    sway = pose.sway
    if dress.hat in COVERING:
        return
    if dress.hairdo == "long":
        g.poly(
            rounded(
                [(-9.6, -4), (-10.4 - sway, 6), (-8 - sway, 13.5), (0, 11), (7, 12), (9, 4), (9.2, -4), (0, -9)], 3
            ),
            dress.hair,
            Form.DOME,
            lift=-0.9,
        )
    elif dress.hairdo == "pony":
        g.path(
            [(-7, -5, 2.6), (-12 - sway, -3, 3.0), (-13.5 - sway * 2, 4, 2.4), (-12 - sway * 2, 9, 0.9)],
            dress.hair,
            lift=-0.3,
        )


def draw_head(g: Canvas, look: Look, dress: Dress, pose: Pose) -> None:
    """Draw the head with everything on it."""
    if pose.from_behind:
        draw_head_behind(g, look, dress, pose)
        return
    draw_hat_behind(g, look, dress)
    if dress.outfit.eyes == "skull":
        _skull(g, look, dress, pose)
        draw_hat(g, look, dress)
        return
    if dress.hat not in COVERING:
        _ears(g, dress, -1)
    g.poly(
        rounded(
            [(-9, -1), (-7.6, -7), (0, -9), (7.8, -7), (9.2, -1), (8.2, 4.6), (4.4, 8), (0, 8.6), (-4.4, 8), (-8, 4.6)],
            3,
        ),
        dress.skin,
        Form.DOME,
        lift=0.15,
    )
    if dress.hat not in COVERING:
        _ears(g, dress, 1)
    with g.moved(_turn(pose)):
        _eyes(g, look, dress, pose)
        _mouth(g, look, dress, pose)
    if dress.bearded:
        with g.moved(_turn(pose) * 0.4):
            _beard(g, dress)
    if dress.hat not in COVERING:
        _hair(g, dress)
    draw_hat(g, look, dress)


def _turn(pose: Pose) -> float:
    """Return how far the face is moved from where it is in a three-quarter view."""
    return -_AHEAD if pose.view == "front" else 2.2 if pose.sideways else 0.0


def _ears(g: Canvas, dress: Dress, side: int) -> None:
    match dress.outfit.ears:
        case "elf":
            g.poly([(side * 8, -1.4), (side * 13.4, -5.4), (side * 11.4, 1.6), (side * 8, 3.4)], dress.skin, Form.DOME)
        case "goblin":
            g.poly([(side * 7.6, -3), (side * 16.4, -5.6), (side * 13, 1), (side * 7.6, 4)], dress.skin, Form.DOME)
            g.poly(
                [(side * 8.8, -1.6), (side * 13.6, -3.6), (side * 11.6, 0.2), (side * 8.8, 1.8)],
                dress.skin,
                lift=-1.4,
                edge=False,
            )
        case "small":
            g.poly([(side * 8, -2), (side * 11.6, -3.6), (side * 10.4, 1.4), (side * 8, 2.6)], dress.skin, Form.DOME)
        case _:
            if side < 0:
                g.blob(-8.6, 1.6, 2.2, 2.6, dress.skin)


def _eyes(g: Canvas, look: Look, dress: Dress, pose: Pose) -> None:
    kind = dress.outfit.eyes
    for side in (-1, 1):
        x, y = _AHEAD + side * _EYES_APART, 0.8
        if kind == "patch" and side > 0:
            g.path([(-8, -3.4, 0.6), (x, -0.6, 0.6), (9, 1, 0.6)], look.dark, edge=False)
            g.poly(rounded([(x - 2.6, -1.6), (x + 2.6, -1.2), (x + 1.6, 3.4), (x - 1.8, 3)], 3), look.dark)
        elif pose.pain:
            g.path(
                [(x - side * 1.6, y - 1.2, 0.5), (x + side * 1.2, y + 0.4, 0.5), (x - side * 1.6, y + 1.9, 0.5)],
                look.dark,
                edge=False,
            )
        elif pose.blink:
            g.dot(x, y + 0.8, 2.8, 1.0, look.dark)
        else:
            _open_eye(g, look, dress, x, y, side)
    _brows(g, look, dress)


def _brows(g: Canvas, look: Look, dress: Dress) -> None:
    """Draw brows, and nose or blush where there is room."""
    kind = dress.outfit.eyes
    if g.scale >= _DETAILED and kind in ("dots", "lashes", "patch"):
        for side in (-1, 1):
            g.path(
                [(_AHEAD + side * 2.0, -2.7, 0.4), (_AHEAD + side * 5.2, -3.1, 0.3)], dress.hair, lift=-1.2, edge=False
            )
        g.path([(_AHEAD + 0.4, 1.6, 0.3), (_AHEAD + 1.0, 3.0, 0.45)], dress.skin, lift=-1.5, edge=False)
        g.dot(_AHEAD - 0.3, 2.6, 0.6, 0.6, dress.skin, 5)
    if kind == "brows":
        for side in (-1, 1):
            g.path(
                [(_AHEAD + side * 1.4, -1.8, 0.8), (_AHEAD + side * 6, -3.4, 0.8)], dress.skin, lift=-2.0, edge=False
            )
    elif kind not in ("glow", "skull") and look.reading.mood == "cute":
        blush = look.ink("#f08c94", Surface.FLAT)
        for side in (-1, 1):
            g.dot(_AHEAD + side * 6, 4, 2.2, 1.2, blush)


def _open_eye(g: Canvas, look: Look, dress: Dress, x: float, y: float, side: int) -> None:
    kind = dress.outfit.eyes
    if kind in ("yellow", "red", "glow"):
        tint = look.ink(
            {"yellow": "#f8dc4c", "red": "#e0343c", "glow": look.color(0, "glow", ("#7cf088", "#f05c5c", "#b070ff"))}[
                kind
            ],
            Surface.FLAT,
        )
        g.blob(x, y + 0.3, 2.3, 2.0, tint, lift=0.6, edge=kind != "glow")
        if kind != "glow":
            g.dot(x + 0.5, y + 0.3, 1.1, 2.4, look.dark)
        else:
            g.dot(x, y, 1.4, 1.4, look.white)
        return
    if kind == "uneven":
        size = 2.6 if side > 0 else 1.9
        g.blob(x, y, size, size, look.white, lift=0)
        g.dot(x + 0.5, y + 0.3, 1.2, 1.4, look.dark)
        return
    if g.scale >= _DETAILED:
        _large_eye(g, look, dress, x, y)
    else:
        g.dot(x, y + 0.3, 2.2, 3.6, look.dark)
        if dress.iris:
            g.dot(x, y + 0.9, 2.2, 2.0, dress.iris, 3)
        g.dot(x - 0.5, y - 0.8, 1.0, 1.2, look.white)
    if kind == "lashes":
        g.dot(x + side * 1.3, y - 1.4, 1.4, 0.9, look.dark)


def _large_eye(g: Canvas, look: Look, dress: Dress, x: float, y: float) -> None:
    """Draw an eye that is large enough for white, iris, pupil and lid."""
    iris = dress.iris or look.ink(
        look.pick("iris", ("#4a7ac0", "#5a9a5c", "#8a5a34", "#7a5ab0", "#3a8a8a")), Surface.FLAT
    )
    g.poly(
        rounded(
            [
                (x - 2.2, y - 1.4),
                (x, y - 2.3),
                (x + 2.2, y - 1.4),
                (x + 2.0, y + 1.6),
                (x, y + 2.4),
                (x - 2.0, y + 1.6),
            ],
            3,
        ),
        look.white,
        edge=False,
    )
    g.blob(x + 0.2, y + 0.2, 1.5, 1.9, iris, lift=0, edge=False)
    g.blob(x + 0.2, y - 0.1, 0.8, 1.0, look.dark, edge=False)
    g.path([(x - 2.4, y - 1.2, 0.4), (x, y - 2.5, 0.55), (x + 2.4, y - 1.3, 0.4)], look.dark, edge=False)
    g.dot(x - 0.5, y - 0.9, 0.8, 0.8, look.white)


def _mouth(g: Canvas, look: Look, dress: Dress, pose: Pose) -> None:
    extras = dress.outfit.extras
    if pose.shout > 0.25:
        g.blob(_AHEAD, 5.2, 1.5, 0.7 + 1.2 * pose.shout, look.ink("#7a2a38", Surface.FLAT), lift=-0.6, edge=False)
    else:
        g.dot(_AHEAD, 4.9, 2.6, 0.9, dress.skin, 1)
    if "tusks" in extras:
        g.path([(-2.4, 6.6, 1.7), (_AHEAD, 7.0, 1.9), (5.8, 6.6, 1.7)], dress.skin, lift=-0.3, edge=False)
        g.path([(-1.8, 5.4, 0.5), (_AHEAD, 5.1, 0.5), (5.0, 5.4, 0.5)], look.dark, edge=False)
        for side in (-1, 1):
            x = _AHEAD + side * 2.9
            g.poly([(x - 1.0, 6.6), (x + 1.0, 6.6), (x + side * 0.5, 3.9)], look.white, edge=False)
    if "fangs" in extras:
        for side in (-1, 1):
            g.dot(_AHEAD + side * 1.5, 6.0, 0.9, 1.6, look.white)


def _beard(g: Canvas, dress: Dress) -> None:
    g.poly(
        rounded(
            [
                (-8.4, 1.4),
                (-5.4, 3.8),
                (-1.8, 3.2),
                (_AHEAD, 4.2),
                (5, 3.2),
                (7.6, 3.8),
                (9, 1.4),
                (8, 7.6),
                (4, 12.6),
                (1, 14),
                (-3, 12.4),
                (-7.4, 7.6),
            ],
            3,
        ),
        dress.beard,
        Form.DOME,
        lift=0.2,
    )
    g.dot(_AHEAD, 5.6, 2.6, 0.9, dress.beard, 1)
    g.poly([(-2, 8), (-0.8, 12), (-2.8, 11)], dress.beard, lift=-1.1, edge=False, on=dress.beard)


def _hair(g: Canvas, dress: Dress) -> None:
    if dress.hairdo in ("bald", "none"):
        return
    points, lift = _HAIRDOS.get(dress.hairdo, _FRINGE)
    g.poly(points, dress.hair, Form.DOME, lift=lift)
    if dress.hairdo == "long":
        g.path([(-8.8, 0, 1.9), (-9.0, 9, 1.4)], dress.hair, lift=-0.1)
        g.path([(9.3, 0, 1.3), (9.2, 8, 1.0)], dress.hair, lift=-0.4)


def _skull(g: Canvas, look: Look, dress: Dress, pose: Pose) -> None:
    bone = dress.skin
    g.poly(rounded([(-5, 4), (6.6, 4), (6.2, 8.6), (-3.8, 8.6)], 3), bone, Form.DOME, lift=-0.3)
    g.poly(
        rounded([(-9, -1), (-7, -7.4), (0, -9.4), (7.6, -7.4), (9.4, -1), (8, 4), (1.4, 5.4), (-6.4, 4.4)], 3),
        bone,
        Form.DOME,
        lift=0.3,
    )
    glow = look.ink(look.color(0, "sockets", ("#f05a4a", "#58c8f0", "#7ce05c")), Surface.FLAT)
    for side in (-1, 1):
        x = _AHEAD + side * 3.8
        g.blob(x, 0.4, 2.7, 2.9, look.dark, edge=False)
        if not pose.blink:
            g.dot(x + 0.3, 0.6, 1.5, 1.5, glow, 4)
    g.poly([(_AHEAD - 1, 4.4), (_AHEAD, 2.4), (_AHEAD + 1, 4.4)], look.dark, edge=False)
    drop = 1.4 * pose.shout
    for x in (-2.2, -0.2, 1.8, 3.8):
        g.dot(x + 0.4, 6.8 + drop * 0.3, 0.7, 2.2, bone, 0)
    if drop > 0.4:
        g.dot(1.4, 6.8, 6, drop, look.dark)


_CROWN_OF_HEAD: Final = arc(0, -1, 10.2, 180, 360, 12, tall=0.98)
#: Outlines of hair, and how much lighter they are than the hair's own colour.
_FRINGE: Final[tuple[list[Point], float]] = (
    [
        *_CROWN_OF_HEAD,
        (9.8, 3.4),
        (8.4, -1.4),
        (6.2, -3.6),
        (3, -2.0),
        (0.4, -4.2),
        (-3.4, -1.6),
        (-5.4, -3),
        (-7.4, 0.6),
        (-8, 4.4),
        (-10, 3),
    ],
    0.3,
)
_HAIRDOS: Final[Mapping[str, tuple[list[Point], float]]] = {
    "spiky": (
        [
            (-10.4, 2),
            (-11.6, -4),
            (-8.6, -6),
            (-8.8, -11.4),
            (-4, -10),
            (-1.6, -13.6),
            (2.2, -10.6),
            (6.8, -12.4),
            (7.4, -8),
            (10.8, -6.6),
            (9.6, -1),
            (8, -3.6),
            (5.6, -1.6),
            (3, -4.8),
            (-0.6, -1.8),
            (-3.6, -4.6),
            (-6, -0.4),
        ],
        0.2,
    ),
    "mohawk": ([(-5, -7.4), (-7.6, -12), (-3, -12), (-2, -15.4), (1.6, -12.6), (5, -14), (5, -7.6)], 0.2),
    "slick": ([*_CROWN_OF_HEAD, (9.4, 1), (7.4, -4.4), (_AHEAD + 0.2, -1.6), (-4.4, -4.8), (-8.2, 1.2)], 0.4),
    "wild": (
        [
            (-10, 3),
            (-11.4, -3),
            (-9, -7),
            (-5, -10.6),
            (-2, -9),
            (1, -12),
            (4, -9.4),
            (8.4, -9),
            (10, -3),
            (8, -5),
            (6, -3.6),
            (3, -6),
            (0, -3.4),
            (-3, -6),
            (-5.6, -2),
            (-7.4, -3),
        ],
        0.0,
    ),
}
