"""What stands for a subject that is not understood: a creature or an emblem grown from its words, always symmetric."""

import math

from worker.providers.builtin.canvas import Canvas, Form, Point, rounded, star
from worker.providers.builtin.ink import Ink, Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import Pose
from worker.providers.builtin.subjects.faces import blush, eyes, smile
from worker.providers.builtin.subjects.hats import crown

_BODIES = ("#5a9ad8", "#d86a5a", "#6ab868", "#a872d0", "#e0a040", "#48b0a8", "#d878a8")


def monster(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a little monster whose horns, ears, arms, belly and eyes the words and the seed decide."""
    body = look.tone(0, "body", _BODIES, Surface.SKIN)
    accent = look.tone(1, "accent", ("#f0e0b8", "#f4c04c", "#e8e4f4", "#c8f0d0"), Surface.SKIN)
    horn = look.ink("#f0e6cc")
    wide = look.between("wide", 9.5, 13.5)
    high = look.between("high", 20, 27)
    with g.moved(pose.push, -pose.lift, wide=1 + pose.squash * 0.6, tall=1 - pose.squash * 0.6 - 0.25 * pose.fall):
        _feet(g, body, pose)
        with g.moved(0, -2 - pose.bob, turn=pose.lean * 0.6):
            _arms(g, body, pose, wide, high)
            _top(g, look, body, horn, pose, wide, high)
            shoulder = look.between("shoulder", 0.72, 1.0) * wide
            g.poly(
                rounded(
                    [
                        (-wide, -3),
                        (-wide * 1.06, -high * 0.4),
                        (-shoulder, -high * 0.85),
                        (0, -high),
                        (shoulder, -high * 0.85),
                        (wide * 1.06, -high * 0.4),
                        (wide, -3),
                        (0, 0),
                    ],
                    4,
                ),
                body,
                Form.DOME,
                lift=0.1,
            )
            if look.has("belly", 0.6):
                g.blob(1, -high * 0.27, wide * 0.62, high * 0.22, accent, edge=False, on=body)
            if look.has("spots", 0.4):
                for side in (-1, 1):
                    g.blob(side * wide * 0.7, -high * 0.72, 1.7, 1.5, body, lift=-1.2, edge=False, on=body)
            _face(g, look, pose, body, high)
    if pose.smear > 20:
        for y in (-4.0, 0.0, 4.0):
            g.path(
                [
                    (wide + 6, -high * 0.5 + y, 0.5),
                    (wide + 11, -high * 0.5 + y + 2, 1.0),
                    (wide + 14, -high * 0.5 + y + 6, 0.4),
                ],
                look.white,
                edge=False,
            )


def _feet(g: Canvas, body: Ink, pose: Pose) -> None:
    for side in (-1, 1):
        angle = 2 * math.pi * pose.step + (0 if side > 0 else math.pi)
        x = side * 5.4 + math.cos(angle) * 3.4 * pose.stride
        up = max(0.0, -math.sin(angle)) * 2.4 * pose.stride
        g.blob(x + 0.6, -1.9 - up, 3.9, 2.2, body, lift=-0.7 if side < 0 else -0.2)


def _arms(g: Canvas, body: Ink, pose: Pose, wide: float, high: float) -> None:
    for side in (-1, 1):
        raise_ = (pose.arm if side > 0 else pose.other_arm) * 0.09
        x, y = side * wide, -high * 0.5
        g.path([(x * 0.9, y, 2.6), (x + side * 4.4, y + 4 - raise_, 2.4)], body, lift=-0.4 if side < 0 else 0.1)


def _top(g: Canvas, look: Look, body: Ink, horn: Ink, pose: Pose, wide: float, high: float) -> None:
    kind = look.pick("top", ("horns", "ears", "antennae", "fin", "tuft"))
    for side in (-1, 1):
        x, y = side * wide * 0.55, -high * 0.88
        match kind:
            case "horns":
                g.path([(x, y, 2.4), (x + side * 3.4, y - 4.4, 1.9), (x + side * 2.6, y - 9, 0.7)], horn)
            case "ears":
                g.poly([(x - side * 2.4, y + 1), (x + side * 4, y - 9), (x + side * 4.8, y + 3)], body, Form.DOME)
            case "antennae":
                g.path([(x * 0.7, y, 0.9), (x + pose.sway, y - 8, 0.8)], body)
                g.blob(x + pose.sway, y - 9, 2.2, 2.2, horn)
            case _:
                continue
    if kind == "fin":
        g.poly([(-3, -high + 2), (0, -high - 8), (3, -high + 2)], body, Form.DOME, lift=-0.4)
    elif kind == "tuft":
        for dx in (-3.4, 0, 3.4):
            g.path([(dx * 0.4, -high + 1, 1.6), (dx + pose.sway, -high - 6 + abs(dx) * 0.5, 0.7)], body, lift=0.3)


def _face(g: Canvas, look: Look, pose: Pose, body: Ink, high: float) -> None:
    y = -high * 0.62
    if look.has("cyclops", 0.28) and not pose.pain and not pose.blink:
        g.blob(1.4, y, 5.2, 5.2, look.white, lift=0)
        g.blob(2.2, y, 2.6, 2.8, look.dark, edge=False)
        g.dot(1.2, y - 1.4, 1.4, 1.4, look.white)
    else:
        eyes(g, look, pose, 1.4, y, 4.2, 1.15)
    smile(g, look, pose, 1.4, y + 6.2, 1.1)
    if look.has("fangs", 0.5):
        for side in (-1, 1):
            g.dot(1.4 + side * 1.6, y + 7.2, 1.0, 1.6, look.white)
    blush(g, look, 1.4, y + 4.2, 7.4, body)
    if look.reading.crowned:
        crown(g, look, 0, -high + 1, 0.8)


def emblem(g: Canvas, look: Look) -> None:
    """Draw a heraldic device: a shield, disc or diamond with a symmetric figure grown cell by cell from the words."""
    field = look.tone(0, "body", _BODIES, Surface.SKIN)
    rim = look.metal("rim", ("#e9b23a", "#c8d0de"))
    mark = look.tone(1, "mark", ("#f4ecd8", "#f4d878", "#d8f0f4"), Surface.SKIN)
    shapes: dict[str, list[Point]] = {
        "shield": rounded([(-13, -14), (0, -16), (13, -14), (13, 0), (8, 9), (0, 15.4), (-8, 9), (-13, 0)], 3),
        "disc": star(0, 0, 15.4, 15.0, 12),
        "diamond": [(0, -17), (15, 0), (0, 17), (-15, 0)],
        "hexagon": [(-8, -14), (8, -14), (16, 0), (8, 14), (-8, 14), (-16, 0)],
    }
    outer = shapes[look.pick("shape", tuple(shapes))]
    g.poly(outer, rim, Form.BEVEL, bevel=2.2)
    g.poly([(x * 0.8, y * 0.8) for x, y in outer], field, Form.DOME)
    cell = 2.5
    for row in range(7):
        for column in range(4):
            reach = abs(row - 3) + column
            if look.has(f"cell{row}{column}", 0.62) and reach < 6:
                for side in (-1, 1):
                    x, y = side * column * cell, (row - 3) * cell
                    g.dot(x, y, cell, cell, mark, 4 - row * 0.34, on=field)
