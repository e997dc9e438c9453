"""Creatures of water and ground: fish, snake, spider, crab, frog, turtle."""

import math

from worker.providers.builtin.canvas import Canvas, Form, arc, rounded
from worker.providers.builtin.ink import Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import Pose
from worker.providers.builtin.subjects.faces import blush, eyes, smile


def fish(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a fish swimming to the right."""
    body = look.tone(0, "body", ("#f08a34", "#4a9ad8", "#e0505c", "#8a6ad0"), Surface.GLOSS)
    fin = look.tone(1, "fin", ("#f4c04c", "#f0e4d0", "#6ac8d0"), Surface.SKIN)
    wag = pose.sway * 3 + math.sin(2 * math.pi * pose.step) * 3 * pose.stride
    with (
        g.moved(
            pose.push,
            -6 - pose.bob * 1.2 - pose.lift,
            turn=pose.lean * 0.6 - 160 * pose.fall,
            wide=1 + pose.squash * 0.4,
            tall=1 - pose.squash * 0.4,
        )
        if pose.fall < 0.02
        else g.moved(0, -6, wide=1, tall=1 - 0.2 * pose.fall)
    ):
        g.poly(
            rounded(
                [
                    (-9, -9),
                    (-15, -15 + wag),
                    (-18.4, -16 + wag),
                    (-16.4, -9 + wag * 0.6),
                    (-18.4, -1 + wag),
                    (-15, -2 + wag),
                    (-9, -7),
                ],
                3,
            ),
            fin,
            Form.DOME,
            lift=-0.1,
        )
        g.poly(rounded([(-5, -15), (-1, -20.6 - wag * 0.2), (6, -19), (8, -14)], 3), fin, Form.DOME)
        g.poly(
            rounded(
                [(-11, -8.4), (-5, -14.4), (3, -16.4), (10, -13.4), (14, -8), (10, -2.8), (3, -0.4), (-5, -2.4)], 4
            ),
            body,
            Form.DOME,
            lift=0.15,
        )
        g.poly(
            rounded([(-6, -4), (3, -3.4), (11.6, -6), (9, -2.6), (3, -0.6), (-4, -2.4)], 3),
            body,
            lift=1.3,
            edge=False,
            on=body,
        )
        for x in (-5.6, -1.6):
            g.path([(x, -12, 0.5), (x + 1.6, -8.4, 0.5), (x, -5, 0.5)], body, lift=-1.6, edge=False, on=body)
        with g.moved(2, -6, turn=16 + wag * 4):
            g.poly(rounded([(0, -2), (-6, 2), (-4.4, 4.4), (1.6, 2.4)], 3), fin, Form.DOME, lift=0.2)
        if pose.pain or pose.blink:
            g.dot(8, -9.6, 3, 1, look.dark)
        else:
            g.blob(8, -9.6, 2.7, 2.7, look.white, lift=0)
            g.dot(8.6, -9.4, 1.7, 2.4, look.dark)
        g.blob(13.2, -6.4, 1.0, 0.8 + 1.6 * pose.shout, look.dark, edge=False)


def snake(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a snake with its head raised over its coils."""
    skin = look.tone(0, "skin", ("#5aa848", "#c8963c", "#7a5ac0", "#c84c4c"), Surface.GLOSS)
    belly = look.ink("#f0e4b8", Surface.SKIN)
    wave = math.sin(2 * math.pi * pose.step) * 1.6 * pose.stride
    low = 1 - 0.55 * pose.fall
    with g.moved(pose.push, -pose.lift, wide=1 + pose.squash * 0.4, tall=1 - pose.squash * 0.4):
        g.path([(9 + wave, -2.6, 2.5), (15, -2.4, 1.9), (19 + wave, -4 + pose.sway, 0.9)], skin, lift=-0.5)
        g.path(
            [
                (-10 + wave, -3.6, 3.5),
                (-3, -2.8 - wave * 0.3, 3.6),
                (5, -2.8 + wave * 0.3, 3.5),
                (11 - wave, -3.8, 3.2),
            ],
            skin,
        )
        g.path([(-8 - wave, -7.8, 3.2), (0, -6.6, 3.4), (8 + wave, -7.8, 3.0)], skin, lift=0.1)
        lean = pose.lean * 0.4 + pose.sway
        neck = [
            (-5, -10 * low, 3.3),
            (-7 + lean * 0.3, -15 * low, 3.2),
            (-3 + lean * 0.6, -21 * low, 3.2),
            (2 + lean, -24 * low - pose.bob, 3.4),
        ]
        g.path(neck, skin, lift=0.2)
        for x, y, _ in ((-5.6, -13.4, 0.0), (-4.6, -18.4, 0.0), (-8.0, -7.0, 0.0), (0.0, -5.4, 0.0), (7.0, -6.6, 0.0)):
            g.poly([(x - 1.8, y), (x, y - 1.5), (x + 1.8, y), (x, y + 1.5)], skin, lift=-1.3, edge=False, on=skin)
        hx, hy = 4.4 + lean, -25 * low - pose.bob
        gape = 2.4 * pose.shout
        g.path(
            [(hx + 8, hy + 2, 0.5), (hx + 12, hy + 2.4 - pose.sway, 0.5), (hx + 14, hy + 1.2, 0.4)],
            look.red,
            edge=False,
        )
        if gape > 0.5:
            g.poly([(hx, hy + 1), (hx + 8.6, hy + 2 + gape), (hx, hy + 5)], belly, Form.DOME)
        g.poly(
            rounded(
                [
                    (hx - 6, hy),
                    (hx - 4, hy - 4.8),
                    (hx + 3, hy - 5),
                    (hx + 9, hy - 0.6),
                    (hx + 8, hy + 2.6),
                    (hx, hy + 4),
                    (hx - 5, hy + 3.4),
                ],
                4,
            ),
            skin,
            Form.DOME,
            lift=0.3,
        )
        eyes(g, look, pose, hx + 2.4, hy - 1.2, 2.3, 0.8)


def spider(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a fat spider with many eyes."""
    body = look.tone(0, "body", ("#4a4054", "#6a3a44", "#3f4a5c", "#5a5038"), Surface.GLOSS)
    mark = look.tone(1, "mark", ("#e04848", "#f0b83c", "#a0e05c"), Surface.FLAT)
    low = 1 - 0.5 * pose.fall
    with g.moved(pose.push, -pose.lift, wide=1 + pose.squash * 0.3, tall=1 - pose.squash * 0.3):
        high = -9 * low - pose.bob
        for side in (-1, 1):
            for index, (knee_x, foot_x) in enumerate(((8.0, 12.0), (11.0, 16.6), (12.0, 20.0), (10.0, 22.6))):
                phase = 2 * math.pi * pose.step + (index % 2) * math.pi + (math.pi if side < 0 else 0)
                swing = math.cos(phase) * 1.8 * pose.stride
                up = max(0.0, math.sin(phase)) * 2.4 * pose.stride
                knee_y = high - (5, 7.4, 7.0, 4.6)[index] * low
                raise_ = pose.arm * 0.06 if index == 0 and side > 0 else 0.0
                g.path(
                    [
                        (side * 3, high, 1.3),
                        (side * knee_x * 0.95, knee_y - raise_, 1.15),
                        (side * foot_x * 0.92 + swing, -0.7 - up - raise_, 0.6),
                    ],
                    body,
                    lift=-0.5 if side < 0 else 0.2,
                )
        g.blob(-6, high - 4.6, 9.2, 8.4, body, lift=0.1)
        for x, y in ((-6.0, -8.6), (-6.0, -5.4), (-6.0, -2.6)):
            g.poly(
                [(x - 2.2, high + y), (x, high + y - 1.6), (x + 2.2, high + y), (x, high + y + 1.6)],
                mark,
                edge=False,
                on=body,
            )
        g.blob(5.4, high - 1, 6.6, 5.8, body, lift=0.3)
        red = look.ink("#f05a4a", Surface.FLAT)
        for x, y, size in ((3.4, -2.6, 2.2), (8.2, -2.6, 2.2), (1.4, -4.4, 1.2), (5.8, -5.0, 1.2), (10.0, -4.2, 1.2)):
            if pose.pain or pose.blink:
                g.dot(x, high + y, size, 0.8, red, 1)
            else:
                g.dot(x, high + y, size, size, red, 4)
                if size > 2:
                    g.dot(x - 0.5, high + y - 0.5, 0.8, 0.8, look.white)
        for x in (4.0, 7.6):
            g.path([(x, high + 2.4, 0.9), (x + 0.4, high + 5.4 + pose.shout, 0.4)], look.white, edge=False)


def crab(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a crab with raised claws."""
    shell = look.tone(0, "shell", ("#e0563c", "#d87a34", "#4a8ac0"), Surface.GLOSS)
    low = 1 - 0.3 * pose.fall
    with g.moved(pose.push, -pose.lift, wide=1 + pose.squash * 0.3, tall=(1 - pose.squash * 0.3) * low):
        for side in (-1, 1):
            for index in range(3):
                phase = 2 * math.pi * pose.step + index * 2.1 + (math.pi if side < 0 else 0)
                up = max(0.0, math.sin(phase)) * 2 * pose.stride
                x = 8 + index * 2.6
                g.path(
                    [(side * 6, -7, 1.5), (side * x, -6 + index, 1.3), (side * (x + 2.4), -0.8 - up, 0.6)],
                    shell,
                    lift=-0.5,
                )
            reach = (pose.arm if side > 0 else pose.other_arm) * 0.08
            g.path([(side * 9, -11, 1.8), (side * 14.4, -14 - reach, 1.8)], shell)
            with g.moved(side * 15, -18 - reach, wide=side, turn=side * (-10 + pose.sway * 8)):
                g.poly(
                    rounded([(-3.4, 3), (-4.6, -3), (-1.4, -8), (0.4, -2), (3.8, -7), (5.4, -1), (3, 4)], 3),
                    shell,
                    Form.DOME,
                    lift=0.3,
                )
        g.poly(
            rounded([(-13, -8.4), (-9, -14.4), (0, -16), (9, -14.4), (13, -8.4), (8, -3.4), (0, -2.4), (-8, -3.4)], 4),
            shell,
            Form.DOME,
            lift=0.1,
        )
        for x, y in ((-6.0, -11.6), (-2.6, -13.4), (6.6, -11.0)):
            g.blob(x, y, 1.3, 1.0, shell, lift=1.4, edge=False)
        for side in (-1, 1):
            g.path([(1 + side * 4, -14, 1.1), (1 + side * 4.4, -18 - pose.bob, 1.1)], shell)
            g.blob(1 + side * 4.4, -19.4 - pose.bob, 2.5, 2.5, look.white, lift=0)
            if pose.blink or pose.pain:
                g.dot(1 + side * 4.4, -19.4 - pose.bob, 3.6, 1.2, look.dark)
            else:
                g.dot(1.6 + side * 4.4, -19.2 - pose.bob, 1.7, 2.2, look.dark)
        smile(g, look, pose, 1, -7.4, 1.1)


def frog(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a sitting frog."""
    skin = look.tone(0, "skin", ("#5cb048", "#8ab83c", "#4aa08a"), Surface.GLOSS)
    pale = look.ink("#e8f0b8", Surface.SKIN)
    hop = abs(math.sin(2 * math.pi * pose.step)) * 6 * min(pose.stride, 1.3)
    with g.moved(
        pose.push, -pose.lift - hop, wide=1 + pose.squash * 0.6, tall=1 - pose.squash * 0.6 - 0.25 * pose.fall
    ):
        for side in (-1, 1):
            g.blob(side * 10.6, -5, 5, 5, skin, lift=-0.5)
            g.blob(side * 12, -1.3, 4.6, 1.6, skin, lift=-0.2)
        g.poly(
            rounded(
                [(-12, -6), (-11, -14), (-6, -19), (1, -19.6), (8, -18), (12, -13), (12, -6), (7, -1), (-7, -1)], 4
            ),
            skin,
            Form.DOME,
            lift=0.1,
        )
        g.poly(rounded([(-7, -2), (-8, -7), (1, -9.6), (9, -7), (7.6, -2), (1, -0.8)], 4), pale, Form.DOME, edge=False)
        for side in (-1, 1):
            g.blob(side * 4.6, -1.4, 2.8, 1.5, skin, lift=0.3)
            x = 1 + side * 6
            g.blob(x, -20, 4, 4, skin, lift=0.2)
            if pose.blink or pose.pain:
                g.dot(x, -20, 4, 1.2, look.dark)
            else:
                g.blob(x + 0.4, -20, 2.7, 2.7, look.white, lift=0)
                g.dot(x + 0.8, -19.8, 1.8, 2.8, look.dark)
        g.path([(-6, -12.4, 0.5), (1, -10.6 + pose.shout, 0.5 + pose.shout), (8.4, -12.4, 0.5)], look.dark, edge=False)
        blush(g, look, 1, -13, 8.4, skin)


def turtle(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a turtle under a domed shell."""
    skin = look.ink("#8ab85c", Surface.SKIN)
    shell = look.tone(0, "shell", ("#7a5a34", "#3f7a5a", "#5a5a8a"), Surface.GLOSS)
    angle = 2 * math.pi * pose.step
    with g.moved(pose.push, -pose.lift, wide=1 + pose.squash * 0.4, tall=1 - pose.squash * 0.4 - 0.2 * pose.fall):
        for index, x in enumerate((-8.0, 6.0)):
            swing = math.cos(angle + index * math.pi) * 2.4 * pose.stride
            g.path([(x, -5, 2.8), (x + swing, -1.9, 2.4)], skin, lift=-0.3)
        g.poly([(-12, -4), (-17, -2.4 + pose.sway), (-11, -1.6)], skin)
        with g.moved(12.6 - 6 * pose.fall, -9 - pose.bob * 0.5, turn=pose.lean):
            g.path([(-4, 3, 2.8), (0, 0, 3)], skin)
            g.blob(2, -2, 5.4, 5, skin, lift=0.2)
            eyes(g, look, pose, 3.4, -3, 2.2, 0.8)
            smile(g, look, pose, 4, 0.6, 0.6)
        g.poly([*arc(-1, -5, 13.4, 180, 360, 14, tall=1.05), (11, -3.4), (-13, -3.4)], shell, Form.DOME, lift=0.2)
        for x, y, r in ((-1.0, -13.0, 3.8), (-8.6, -9.0, 2.8), (6.8, -9.4, 2.8)):
            g.poly(
                [(x + r * math.cos(k * math.pi / 3), y + r * math.sin(k * math.pi / 3)) for k in range(6)],
                shell,
                Form.BEVEL,
                bevel=1.4,
                lift=0.7,
                on=shell,
            )
        g.path([(-13.4, -4.4, 1.5), (11.6, -4.4, 1.5)], look.ink("#e8d49a"))
