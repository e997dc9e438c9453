"""Soft creatures: slime, ghost, mushroom, eye, octopus, mimic, plant, golem."""

import math

from worker.providers.builtin.canvas import Canvas, Form, arc, box, rounded
from worker.providers.builtin.ink import Ink, Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import Pose
from worker.providers.builtin.subjects.faces import blush, eyes, smile
from worker.providers.builtin.subjects.hats import crown

_SLIMES = ("#5fc24c", "#4aa8e8", "#e86a8c", "#a868e0", "#f0a03c", "#3cc8b4")


def slime(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a drop of jelly that squashes, stretches and hops."""
    body = look.tone(0, "body", _SLIMES, Surface.GLOSS)
    hop = abs(math.sin(math.pi * (pose.step * 2))) * 5 * min(pose.stride, 1.4)
    squash = pose.squash * 0.95 + 0.42 * pose.fall
    wide, tall = 1 + squash, 1 / (1 + squash * 0.9)
    with g.moved(pose.push * 1.3, -pose.lift - hop, wide=wide, tall=tall):
        tip = look.between("tip", -2.5, 2.5) + pose.sway * 1.5 + pose.lean * 0.15
        high = look.between("high", 22, 26)
        shape = [
            (-15.4, -3),
            (-13.6, -11),
            (-8.4, -18),
            (-2.6 + tip * 0.5, -high + 2.4),
            (tip, -high),
            (3 + tip * 0.5, -high + 2.8),
            (8.8, -17.4),
            (14, -10.6),
            (15.6, -3),
            (12.8, -0.2),
            (0, 0),
            (-12.6, -0.2),
        ]
        g.poly(rounded(shape, 4), body, Form.DOME, lift=0.1)
        g.poly(
            rounded([(-13, -3.4), (0, -1.6), (13, -3.4), (11.4, -0.8), (0, -0.4), (-11.4, -0.8)], 3),
            body,
            lift=-1.1,
            edge=False,
            on=body,
        )
        g.poly(
            rounded([(-8.6, -15.6), (-4.4, -19.4), (-3.2, -18.2), (-7.2, -13.6)], 3),
            body,
            lift=2.2,
            edge=False,
            on=body,
        )
        g.dot(-9.6, -11.2, 1.5, 1.5, body, 5)
        g.blob(8.6, -5.2, 1.7, 1.5, body, lift=0.9, edge=False)
        g.blob(5.2, -3.4, 1.0, 0.9, body, lift=0.9, edge=False)
        if look.has("core", 0.3):
            g.blob(-5, -5.6, 2.2, 1.9, body, lift=-1.0, edge=False)
        eyes(g, look, pose, 1.6, -9.6, 4.6, 1.15)
        smile(g, look, pose, 1.6, -5.4)
        blush(g, look, 1.6, -6.4, 8.0, body)
        if look.reading.crowned:
            crown(g, look, tip * 0.4, -high + 3.0, 0.95)
    if pose.smear > 20:
        for index in range(3):
            g.blob(17 + index * 3.4 + pose.push, -7 - index * 2.5, 1.9 - index * 0.4, 1.7 - index * 0.4, body)


def ghost(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a sheet with a waving hem that floats."""
    cloth = look.tone(0, "body", ("#eef2fa", "#d8e4f8", "#e8dcf4", "#c8f0e4"), Surface.SOFT)
    float_ = 3.2 + pose.bob * 1.4 + pose.lift
    with g.moved(
        pose.push, -float_, turn=pose.lean, wide=1 + pose.squash * 0.5, tall=1 - pose.squash * 0.5 - 0.2 * pose.fall
    ):
        hem = []
        for index in range(9):
            x = 13.2 - index * 3.3
            wave = math.sin(index * math.pi + pose.sway * 1.2) * 2.0 + math.sin(index * 1.3 + pose.sway * 2.4) * 0.9
            hem.append((x - pose.sway * 1.2, -1.6 + wave))
        top = arc(0, -21, 12.6, 180, 360, 12, tall=1.1)
        g.poly([*top, (13.4, -8), *hem, (-13.4, -8)], cloth, Form.DOME, lift=0.6)
        for x in (-6.6, 0.2, 6.6):
            g.poly(
                [(x, -11), (x + 1.7 - pose.sway, -1), (x - 1.4 - pose.sway, -1)], cloth, lift=-1.1, edge=False, on=cloth
            )
        reach = pose.arm * 0.12
        for side in (-1, 1):
            g.path(
                [
                    (side * 11, -14, 2.6),
                    (side * 15.2, -13.4 - reach + side * pose.sway, 2.1),
                    (side * 16.8, -15.4 - reach, 1.3),
                ],
                cloth,
                lift=0.2,
            )
        dark = look.dark
        if pose.blink or pose.pain:
            eyes(g, look, pose, 1.8, -21, 4.4, 1.2)
        else:
            for side in (-1, 1):
                g.blob(1.8 + side * 4.4, -21, 2.3, 3.2, dark, edge=False)
                g.dot(1.2 + side * 4.4, -22.6, 1.3, 1.5, look.white)
        g.blob(2.0, -14.6, 1.9, 1.3 + 2.2 * pose.shout, dark, edge=False)
        blush(g, look, 1.8, -16.6, 8.6, cloth)
        if look.reading.crowned:
            crown(g, look, 0, -33, 0.9)


def mushroom(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a walking toadstool with spots."""
    cap = look.tone(0, "cap", ("#d8403c", "#b058c8", "#e08a34", "#4a8ad0", "#5aa84c"), Surface.GLOSS)
    stem = look.ink("#f0e2c6", Surface.SKIN)
    angle = 2 * math.pi * pose.step
    with g.moved(pose.push, -pose.lift, wide=1 + pose.squash * 0.6, tall=1 - pose.squash * 0.6 - 0.25 * pose.fall):
        for side in (-1, 1):
            swing = side * math.cos(angle) * 3.2 * pose.stride
            up = max(0.0, -side * math.sin(angle)) * 2.2 * pose.stride
            g.blob(side * 4.2 + swing, -1.9 - up, 3.6, 2.2, look.leather, lift=-0.5 if side < 0 else 0)
        with g.moved(0, -2.4 - pose.bob, turn=pose.lean * 0.7 - 30 * pose.fall):
            g.poly(
                rounded([(-6.6, -12), (6.6, -12), (7.8, -3), (5.4, 0.4), (-5.4, 0.4), (-7.8, -3)], 3),
                stem,
                Form.DOME,
                lift=0.2,
            )
            for side in (-1, 1):
                g.path([(side * 7, -6, 1.6), (side * 10.4, -4 - side * pose.arm * 0.05, 1.7)], stem)
            sway = pose.sway * 0.8
            g.poly(
                rounded(
                    [
                        (-15.6, -10.6),
                        (-14 + sway, -17),
                        (-8 + sway, -23),
                        (sway, -25.4),
                        (8 + sway, -23),
                        (14 + sway, -17),
                        (15.6, -10.6),
                        (8, -8.8),
                        (0, -8.2),
                        (-8, -8.8),
                    ],
                    4,
                ),
                cap,
                Form.DOME,
                lift=0.1,
            )
            g.poly(
                rounded([(-13.8, -10.2), (0, -11.4), (13.8, -10.2), (8, -8.8), (0, -8.4), (-8, -8.8)], 3),
                cap,
                lift=-1.8,
                edge=False,
                on=cap,
            )
            spot = look.ink("#f8f0e0", Surface.SOFT)
            for x, y, rx, ry in (
                (-8.6, -15.6, 2.8, 2.4),
                (-0.6, -20.4, 3.5, 2.6),
                (8.4, -16.4, 3.0, 2.6),
                (3, -13.4, 1.5, 1.2),
                (-13, -12, 1.3, 1.2),
            ):
                g.blob(x + sway, y, rx, ry, spot, lift=0.3, edge=False, on=cap)
            eyes(g, look, pose, 1.2, -4.6, 3.0, 0.95)
            smile(g, look, pose, 1.2, -1.4, 0.7)
            blush(g, look, 1.2, -2.2, 5.2, stem)


def eye(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a floating eyeball with stalks."""
    skin = look.tone(0, "skin", ("#b0486a", "#7a5ac0", "#4c8a5c", "#c07040"), Surface.SKIN)
    iris = look.tone(1, "iris", ("#e8b03c", "#58c8e0", "#7cd858", "#e05a5a"), Surface.GEM)
    with g.moved(pose.push, -5 - pose.bob * 1.3 - pose.lift + 3 * pose.fall, turn=pose.lean):
        for index, (x, y) in enumerate(((-11.0, -27.0), (-5.0, -32.0), (2.0, -34.0), (9.0, -31.0), (14.0, -25.0))):
            wave = math.sin(index * 1.7 + pose.sway * 3) * 1.4
            g.path([(x * 0.5, -20, 1.9), (x * 0.85 + wave, y * 0.9, 1.5), (x + wave, y, 1.2)], skin, lift=-0.2)
            g.blob(x + wave, y, 2.5, 2.4, look.white, lift=0)
            g.dot(x + wave + 0.6, y, 1.3, 1.5, look.dark)
        for index, x in enumerate((-7, -1, 5)):
            g.path(
                [(x, -4, 2.0), (x + pose.sway * 2, 1 + index % 2, 1.4), (x - 1 + pose.sway * 3, 4, 0.7)],
                skin,
                lift=-0.3,
            )
        g.blob(0, -14, 14, 13, skin)
        lid = 1.0 if pose.pain else 4.2 if pose.blink else 9.4 - 2 * pose.fall
        g.blob(2, -14.6, 10.4, lid, look.ink("#f4eee6", Surface.SOFT), lift=0.5)
        if lid > 5:
            g.blob(3.6, -14.6, 5.8, min(5.8, lid), iris)
            g.blob(4.0, -14.6, 2.6, min(4.0, lid), look.dark, edge=False)
            g.dot(1.4, -17.4, 2, 2, look.white)
        mouth = look.ink("#5a1e38", Surface.FLAT)
        g.poly(
            rounded([(-5, -4.4), (2, -3.4), (9, -5), (6, -2.6 + 2 * pose.shout), (-2, -2.2 + 2 * pose.shout)], 3),
            mouth,
            edge=False,
        )
        for x in (-2.4, 1.0, 4.6):
            g.poly([(x - 1, -4), (x + 1, -4), (x, -1.8)], look.white, edge=False)


def octopus(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a round head on waving arms."""
    skin = look.tone(0, "skin", ("#e06a5c", "#a85ac8", "#e08ab0", "#4a9ac8"), Surface.GLOSS)
    with g.moved(
        pose.push,
        -pose.lift - pose.bob * 0.5,
        wide=1 + pose.squash * 0.6,
        tall=1 - pose.squash * 0.6 - 0.25 * pose.fall,
    ):
        for index in range(6):
            side = -1 if index < 3 else 1
            far = (14, 10, 5)[index % 3] if side < 0 else (5, 10, 14)[index % 3]
            wave = math.sin(index * 1.4 + 2 * math.pi * pose.step + pose.sway * 2) * (1.2 + 2 * pose.stride)
            g.path(
                [
                    (side * far * 0.4, -9, 3.0),
                    (side * far * 0.85, -4 - wave * 0.4, 2.5),
                    (side * far, -1.6, 2.0),
                    (side * (far + 2.6), -2.6 - abs(wave), 1.2),
                ],
                skin,
                lift=-0.3 if far > 6 else 0,
            )
        g.poly(
            rounded([(-9, -8), (-12.4, -16), (-10, -25), (0, -29.4), (10, -25), (12.4, -16), (9, -8), (0, -6)], 4),
            skin,
            Form.DOME,
            lift=0.2,
        )
        for x, y, r in ((-6.0, -24.0, 1.5), (-2.4, -26.4, 1.0), (-8.4, -20.4, 0.9)):
            g.blob(x, y, r, r, skin, lift=1.2, edge=False)
        eyes(g, look, pose, 2, -14.6, 4.6, 1.2)
        smile(g, look, pose, 2, -10)
        blush(g, look, 2, -11, 7.6, skin)


def mimic(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a chest that bites."""
    wood = look.tone(0, "wood", ("#9a6238", "#8a5244", "#74603c"))
    gape = 12 + 16 * max(pose.shout, 0) + 5 * pose.bob
    hop = abs(math.sin(2 * math.pi * pose.step)) * 4 * pose.stride
    with g.moved(
        pose.push, -pose.lift - hop, wide=1 + pose.squash * 0.5, tall=1 - pose.squash * 0.5 - 0.25 * pose.fall
    ):
        with g.moved(-13, -13, turn=-gape):
            g.poly([*arc(13, -1, 13.6, 180, 360, 12, tall=0.82), (26.6, 1), (-0.6, 1)], wood, Form.DOME, lift=0.3)
            for x in (1.6, 22.0):
                g.poly(box(x, -10, 3, 10.6), look.gold, Form.BARREL, edge=False, on=wood)
            for x in range(2, 26, 5):
                g.poly([(x, 0.6), (x + 4, 0.6), (x + 2, 5)], look.white)
            if not pose.pain:
                for x in (9.0, 17.0):
                    g.blob(x, -4, 2.8, 2.4, look.ink("#f8e060", Surface.FLAT), lift=0.4)
                    g.dot(x + 0.8, -3.8, 1.3, 2.4, look.dark)
        g.poly(
            [(-13, -13), (13.4, -14 - gape * 0.3), (13, -9), (-13, -9)], look.ink("#5a1e38", Surface.FLAT), edge=False
        )
        g.poly(box(-13.6, -12, 27.2, 12), wood, Form.BEVEL, bevel=1.6)
        g.poly(box(-13.6, -6.6, 27.2, 1), wood, lift=-1.4, edge=False)
        for x in (-12.0, 9.0):
            g.poly(box(x, -12, 3, 12), look.gold, Form.BARREL, edge=False)
        for x in range(-11, 12, 5):
            g.poly([(x, -11.4), (x + 4, -11.4), (x + 2, -16)], look.white)
        tongue = look.ink("#e0506c", Surface.GLOSS)
        g.path([(2, -12, 2.8), (8, -9, 2.7), (11, -4 + pose.sway, 2.5)], tongue)
        g.poly(box(-2.4, -9, 4.8, 4.6), look.gold, Form.BEVEL, bevel=1.2)


def plant(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a flower with teeth."""
    petal = look.tone(0, "petal", ("#d8405c", "#a850c8", "#e8783c"), Surface.GLOSS)
    green = look.ink("#4c9a3c")
    with g.moved(pose.push * 0.6, 0, wide=1 + pose.squash * 0.4, tall=1 - pose.squash * 0.4 - 0.25 * pose.fall):
        for side in (-1, 1):
            tip = -5 - pose.sway * side * 1.5
            g.poly(
                rounded([(0, -1), (side * 7, -6.6), (side * 15, tip), (side * 8, -0.4)], 3), green, Form.DOME, lift=-0.3
            )
        sway = pose.sway * 2.4 + pose.lean * 0.3
        g.path([(0, -0.6, 2.3), (-3 - sway * 0.3, -9, 2.0), (sway, -17, 2.2)], green, lift=0.2)
        gape = 0.6 + pose.shout
        with g.moved(sway, -22 - pose.bob, turn=pose.lean):
            g.blob(0.6, 0, 10.4, 9.6, look.ink("#5a1e38", Surface.FLAT))
            for sign in (-1, 1):
                with g.moved(-8, 0, turn=sign * 15 * gape):
                    shape = [*arc(8, 0, 11.6, 180, 180 - sign * 180, 12, tall=0.92), (14, sign * -0.6)]
                    g.poly(shape, petal, Form.DOME, lift=0.2 if sign < 0 else -0.3)
                    for tooth in range(2, 19, 4):
                        edge = sign * 0.8
                        g.poly([(tooth - 1.5, edge), (tooth + 1.5, edge), (tooth, -sign * 2.8)], look.white)
            for x, y, r in ((-2.0, -8.6, 1.7), (5.0, -8.8, 1.3), (1.0, -5.4, 1.2)):
                g.blob(x, y - 2 * gape, r, r, look.ink("#f8e8e0", Surface.FLAT), edge=False, on=petal)


def golem(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a giant of stones."""
    color = look.reading.material_color() or look.color(0, "stone", ("#8c8f96", "#8a7f70", "#77828c"))
    stone = look.ink(color)
    glow = look.ink(
        look.color(1 if look.reading.colors else 0, "glow", ("#58d8f0", "#f0a03c", "#8cf06c")), Surface.FLAT
    )
    angle = 2 * math.pi * pose.step
    with g.moved(pose.push, -pose.lift, wide=1 + pose.squash * 0.3, tall=1 - pose.squash * 0.3 - 0.26 * pose.fall):
        for side in (-1, 1):
            swing, up = side * math.cos(angle) * 3 * pose.stride, max(0.0, -side * math.sin(angle)) * 2.4 * pose.stride
            g.poly(
                [
                    (side * 6 - 4 + swing, -10),
                    (side * 6 + 4 + swing * 0.6, -10),
                    (side * 6 + 5.4 + swing, -up),
                    (side * 6 - 5.4 + swing, -up),
                ],
                stone,
                Form.BEVEL,
                bevel=1.8,
                lift=-0.4 if side < 0 else 0,
            )
        with g.moved(0, -9 - pose.bob, turn=pose.lean * 0.5):
            _golem_arm(g, stone, glow, -1, -pose.other_arm * 0.8)
            g.poly(
                [(-8, 1), (-12.4, -9), (-10.6, -19), (0, -21.6), (10.6, -19), (12.4, -9), (8, 1)],
                stone,
                Form.BEVEL,
                bevel=3.2,
            )
            g.poly([(-2.6, -9), (0, -13), (2.6, -9), (0, -5)], glow, lift=0.8)
            for points in (
                [(-8, -14), (-5, -11), (-6, -7)],
                [(7, -15), (4.4, -12), (6.6, -8)],
                [(-3, -2), (0, -3), (4, -1)],
            ):
                g.path([(x, y, 0.4) for x, y in points], stone, lift=-2, edge=False)
            g.poly(
                [(-6.6, -18), (-7.4, -26), (-3, -30), (5, -30), (8.6, -25.4), (7.4, -18)],
                stone,
                Form.BEVEL,
                bevel=2.2,
                lift=0.2,
            )
            g.poly(box(-3.4, -25.2, 10.6, 3.6), look.dark)
            for x in (-1.2, 4.4):
                g.dot(x, -23.4, 2.4, 1.0 if pose.blink or pose.pain else 2.2, glow, 5)
            moss = look.ink("#6a9a48", Surface.SOFT)
            for x, y, r in ((-9.0, -19.4, 2.6), (-5.8, -20.6, 2.2), (5.0, -30.0, 2.0)):
                g.blob(x, y, r, r * 0.6, moss, lift=0.3, edge=False)
            _golem_arm(g, stone, glow, 1, pose.arm * 0.8)


def _golem_arm(g: Canvas, stone: Ink, glow: Ink, side: int, angle: float) -> None:
    with g.moved(side * 12.4, -16, turn=-angle if side > 0 else angle):
        g.poly([(-4, -3), (4, -3), (3.4, 6), (-3.4, 6)], stone, Form.BEVEL, bevel=1.6, lift=-0.3 if side < 0 else 0.1)
        g.poly([(-5, 6), (5, 6), (5.8, 15), (-5.8, 15)], stone, Form.BEVEL, bevel=2, lift=-0.3 if side < 0 else 0.1)
        g.dot(0, 6, 4.4, 1.2, glow, 4)
