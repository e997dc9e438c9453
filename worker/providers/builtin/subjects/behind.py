"""Heads of people seen from behind: hair, hood or helmet, and no face."""

from worker.providers.builtin.canvas import Canvas, Form, arc, rounded
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import Pose
from worker.providers.builtin.subjects.dress import COVERING, Dress
from worker.providers.builtin.subjects.hats import draw_hat, draw_hat_behind

_METAL: frozenset[str] = frozenset({"helm", "great-helm", "open-helm"})
_SKULL = [(-9, -1), (-7.6, -7), (0, -9), (7.6, -7), (9, -1), (8.2, 4.6), (4.4, 8), (-4.4, 8), (-8.2, 4.6)]
_HAIR = [*arc(0, -1, 10.2, 180, 360, 12, tall=0.98), (9.6, 4), (6, 8.4), (2, 7.2), (-2, 8.6), (-6, 7.4), (-9.6, 4)]
_LONG_HAIR = [
    *arc(0, -1, 10.4, 180, 360, 12),
    (10.6, 8),
    (8, 15),
    (3, 13.6),
    (0, 15.4),
    (-4, 13.8),
    (-8, 15),
    (-10.6, 8),
]
_COVER = [*arc(0, -1, 10.8, 180, 360, 12), (10.4, 5), (6, 9.4), (-6, 9.4), (-10.4, 5)]


def draw_head_behind(g: Canvas, look: Look, dress: Dress, pose: Pose) -> None:
    """Draw the back of a head with everything on it."""
    draw_hat_behind(g, look, dress)
    _ears(g, dress)
    g.poly(rounded(_SKULL, 3), dress.skin, Form.DOME, lift=0.1)
    if dress.hat in COVERING or dress.hat in _METAL:
        ink = dress.hat_metal if dress.hat in _METAL else dress.hat_cloth
        g.poly(rounded(_COVER, 3), ink, Form.DOME, lift=0.2)
        g.path([(0, -11, 0.7), (0, 7, 0.6)], ink, lift=-0.8, edge=False)
        if dress.hat in _METAL:
            g.path([(0, -10.6, 1.8), (-3, -13, 2.4), (-5 - pose.sway, -8, 2.2), (-4, -2, 1.0)], dress.cloth, lift=0.3)
        elif dress.hat == "ninja":
            g.path([(-9.8, -4.2, 1.5), (9.8, -4.2, 1.5)], dress.trim)
            g.path([(0, -4, 1.3), (-3 + pose.sway, 3, 1.0)], dress.trim)
        return
    if dress.hairdo not in ("bald", "none"):
        shape = _LONG_HAIR if dress.hairdo == "long" else _HAIR
        g.poly(rounded(shape, 2), dress.hair, Form.DOME, lift=0.2)
        if dress.hairdo == "pony":
            g.path([(0, -4, 2.6), (1 + pose.sway, 4, 2.8), (0.5 + pose.sway * 2, 12, 1.2)], dress.hair, lift=0.5)
        for x in (-4.6, 0.6, 5.0):
            g.path([(x, -6, 0.4), (x * 1.2, 5, 0.4)], dress.hair, lift=-1.0, edge=False, on=dress.hair)
    draw_hat(g, look, dress)


def _ears(g: Canvas, dress: Dress) -> None:
    reach = {"elf": (13.4, -5.4), "goblin": (16.4, -5.6), "small": (11.6, -3.6)}.get(dress.outfit.ears)
    for side in (-1, 1):
        if reach:
            g.poly([(side * 7.6, -2), (side * reach[0], reach[1]), (side * 7.6, 3.4)], dress.skin, Form.DOME)
        elif dress.outfit.eyes != "skull" and dress.hat not in COVERING:
            g.blob(side * 8.8, 1.6, 1.8, 2.2, dress.skin)
