"""A friendly robot."""

import math

from worker.providers.builtin.canvas import Canvas, Form, box, rounded
from worker.providers.builtin.ink import Ink, Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import Pose


def robot(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a friendly robot with a screen for a face."""
    shell = look.metal("shell", ("#a8b4c4", "#c8ccd0", "#d8a048", "#6a9ac0"))
    joint = look.ink("#4a5060", Surface.METAL)
    glow = look.ink(
        look.color(1 if look.reading.colors else 0, "glow", ("#58e0f0", "#8cf06c", "#f0a03c")), Surface.FLAT
    )
    angle = 2 * math.pi * pose.step
    with g.moved(pose.push + 14 * pose.fall, -pose.lift - 7 * pose.fall, turn=-80 * pose.fall):
        for side in (-1, 1):
            swing, up = side * math.cos(angle) * 4 * pose.stride, max(0.0, -side * math.sin(angle)) * 2.6 * pose.stride
            g.path([(side * 3.6, -10 - pose.bob, 1.5), (side * 3.8 + swing, -3 - up, 1.4)], joint)
            g.poly(
                [
                    (side * 3.8 + swing - 3, -4 - up),
                    (side * 3.8 + swing + 2.4, -4 - up),
                    (side * 3.8 + swing + 4, -up),
                    (side * 3.8 + swing - 3.4, -up),
                ],
                shell,
                Form.BEVEL,
                bevel=1.2,
                lift=-0.5 if side < 0 else 0,
            )
        with g.moved(0, -9 - pose.bob, turn=pose.lean * 0.5, wide=1 + pose.squash * 0.3, tall=1 - pose.squash * 0.3):
            _robot_arm(g, shell, joint, -1, pose.other_arm - 10)
            g.poly([(-7, 1), (-8, -10), (8, -10), (7, 1)], shell, Form.BEVEL, bevel=1.8)
            g.poly(box(-3.6, -8, 7.2, 5), joint, Form.BEVEL, bevel=1)
            for x, ink in ((-1.8, glow), (0.4, look.red), (2.4, look.gold)):
                g.dot(x, -5.6, 1.3, 1.5, ink, 4)
            with g.moved(0, -10.4, turn=pose.lean * 0.6):
                _robot_head(g, look, pose, shell, joint, glow)
            _robot_arm(g, shell, joint, 1, pose.arm + 14)
    if pose.smear > 10:
        g.path([(14, -16, 0.8), (22, -18, 2.0), (30, -17, 1.0)], glow, lift=1)
    if pose.fall > 0.5:
        for index, (x, y) in enumerate(((-6.0, -20.0), (0.0, -27.0), (6.0, -33.0))):
            g.blob(x, y * (pose.fall - 0.1), 3.4 - index * 0.6, 3.2 - index * 0.6, look.ink("#8a909c", Surface.SOFT))


def _robot_head(g: Canvas, look: Look, pose: Pose, shell: Ink, joint: Ink, glow: Ink) -> None:
    antenna = look.pick("antenna", ("one", "two", "dish"))
    for x in (0.0,) if antenna != "two" else (-5.0, 5.0):
        g.path([(x, -14, 0.7), (x + pose.sway, -19, 0.7)], joint)
        g.blob(x + pose.sway, -20, 1.8, 1.8, glow, lift=0.8)
    for side in (-1, 1):
        g.poly(box(side * 9.4 - 1.5, -9.6, 3, 5), joint, Form.BARREL)
    head = (
        [(-9.6, -2), (-9.6, -12), (-7, -15), (7, -15), (9.6, -12), (9.6, -2), (7, 0), (-7, 0)]
        if look.has("square", 0.6)
        else rounded([(-9.8, -6), (-7, -13.4), (0, -15.6), (7, -13.4), (9.8, -6), (6, -0.4), (-6, -0.4)], 3)
    )
    g.poly(head, shell, Form.BEVEL if len(head) < 10 else Form.DOME, bevel=1.8, lift=0.2)
    g.poly(rounded([(-6, -10.6), (8, -10.6), (8.6, -3.6), (-6.4, -3.6)], 2), look.ink("#232838", Surface.FLAT))
    if pose.pain:
        for x in (-2.0, 4.6):
            g.path([(x - 1.4, -9, 0.5), (x + 1.4, -6, 0.5)], look.red, edge=False)
            g.path([(x + 1.4, -9, 0.5), (x - 1.4, -6, 0.5)], look.red, edge=False)
    else:
        for x in (-2.0, 4.6):
            g.dot(x, -7.4, 2.6, 1.0 if pose.blink else 3.2, glow, 4)
    g.dot(1.2, -4.6, 3.4, 0.8 + 1.4 * pose.shout, glow, 3)


def _robot_arm(g: Canvas, shell: Ink, joint: Ink, side: int, angle: float) -> None:
    sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))
    x, y = side * 9.0, -8.4
    hand = (x + sine * 8.4, y + cosine * 8.4)
    g.path([(x, y, 1.4), (*hand, 1.3)], joint, lift=-0.3)
    g.blob(x, y, 2.7, 2.7, shell)
    g.blob(*hand, 2.8, 2.8, shell, lift=0.2)
    for turn in (-30, 30):
        far = math.radians(angle + turn)
        g.path([(*hand, 1.0), (hand[0] + math.sin(far) * 4, hand[1] + math.cos(far) * 4, 0.8)], joint)
