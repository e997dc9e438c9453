"""Winged creatures: bat, birds, dragon, bee."""

import math

from worker.providers.builtin.canvas import Canvas, Form, rounded
from worker.providers.builtin.ink import Ink, Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import Pose
from worker.providers.builtin.subjects.faces import blush, eyes, smile
from worker.providers.builtin.subjects.hats import crown


def _membrane(g: Canvas, ink: Ink, bone: Ink, size: float, lift: float) -> None:
    """Draw a bat's wing that grows to the right from the origin."""
    shape = [(0, 2), (3, -6), (10, -12), (20, -9), (22, 0), (17.6, -2.4), (15.6, 3.4), (11.4, 0.6), (8, 5.4), (5, 3)]
    g.poly([(x * size, y * size) for x, y in shape], ink, Form.DOME, lift=lift)
    for tip in ((22, 0), (15.6, 3.4), (8, 5.4)):
        g.path(
            [(10 * size, -12 * size, 0.7), (tip[0] * size, tip[1] * size, 0.3)],
            bone,
            lift=lift - 0.3,
            edge=False,
            on=ink,
        )
    g.path([(0, 1, 1.3), (10 * size, -12 * size, 1.1), (20 * size, -9 * size, 0.7)], bone, lift=lift + 0.2, edge=False)


def bat(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a round furry bat, wings beating."""
    fur = look.tone(0, "fur", ("#5c4a7c", "#6a4450", "#44506c", "#4a4048"), Surface.SKIN)
    wing = look.part("wings", Surface.SKIN) or look.tone(
        1, "wing", ("#8a5a8c", "#9c5a5c", "#6a7a9c", "#7a5a6c"), Surface.SKIN
    )
    with g.moved(pose.push, -8 - pose.bob * 1.2 - pose.lift - pose.sway * 1.6 + 3 * pose.fall, turn=pose.lean * 0.6):
        for side in (-1, 1):
            with g.moved(side * 5.6, -9, wide=side * (1 - 0.12 * abs(pose.flap)), turn=side * -26 * pose.flap):
                _membrane(g, wing, fur, 0.95, -0.3 if side > 0 else 0.1)
        for side in (-1, 1):
            g.path([(side * 3, 0, 1.0), (side * 3.6, 2.6, 0.9)], fur, lift=-0.6)
            g.poly([(side * 2.2, -15), (side * 6.6, -21.4), (side * 7.6, -12)], fur, Form.DOME, lift=0.2)
            g.poly([(side * 3.6, -14.6), (side * 6.0, -18.6), (side * 6.6, -13.4)], wing, edge=False, lift=0.3)
        g.blob(0, -8.4, 8.2, 8.6, fur, lift=0.2)
        g.blob(0.6, -4, 4.4, 3.6, fur, lift=1.0, edge=False, on=fur)
        eyes(g, look, pose, 1.4, -9.8, 3.2, 1.05)
        smile(g, look, pose, 1.4, -6.0, 0.9)
        for x in (0.0, 2.8):
            g.dot(x, -4.8, 0.9, 1.6, look.white)


def bird(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a bird, small and round; kinds are told by colours, beaks and crests."""
    kind = look.reading.kind
    defaults = {
        "chicken": ("#f4efe6", "#b8683c"),
        "owl": ("#9a6f48", "#7c6a60"),
        "penguin": ("#3a4560", "#343a4c"),
    }.get(kind, ("#e0503c", "#4a90d8", "#f0c040", "#5aa858"))
    body = look.tone(0, "body", defaults, Surface.SKIN)
    pale = look.ink("#f6eedd", Surface.SKIN)
    beak = look.ink("#f0a030", Surface.GLOSS)
    fly = pose.stride > 0 and kind in ("bird", "owl")
    up = 4.0 * min(pose.stride, 1) if fly else 0.0
    with g.moved(
        pose.push,
        -pose.lift - up - (pose.flap * -1.0 if fly else 0),
        wide=1 + pose.squash * 0.5,
        tall=1 - pose.squash * 0.5 - 0.2 * pose.fall,
    ):
        _bird_legs(g, beak, pose, fly=fly)
        with g.moved(0, -4 - pose.bob, turn=pose.lean + 30 * pose.fall):
            tail = [(-8, -4), (-16, -9 + pose.sway), (-15, -4.4 + pose.sway), (-16, -1 + pose.sway), (-8, 0)]
            g.poly(tail, body, Form.DOME, lift=-0.5)
            head = _bird_body(g, body, pale, upright=kind in ("penguin", "owl"))
            _bird_head(g, look, kind, beak, pale, pose, head)
            flap = -10 + pose.flap * 34 if fly or abs(pose.flap) > 1.01 else pose.arm * 0.4
            with g.moved(-3, -7, turn=flap if fly else -flap):
                g.poly(
                    rounded([(3, -3), (-3, -3.6), (-11, 0.6), (-7, 3.4), (0, 4), (3.6, 1)], 3),
                    body,
                    Form.DOME,
                    lift=-0.6,
                )
                g.path([(-8.6, 1.4, 0.5), (-1, 1.6, 0.5)], body, lift=-1.9, edge=False)
        if look.reading.crowned:
            crown(g, look, 3, -24, 0.7)


def _bird_legs(g: Canvas, beak: Ink, pose: Pose, *, fly: bool) -> None:
    angle = 2 * math.pi * pose.step
    for side in (-1, 1):
        swing = 0.0 if fly else side * math.cos(angle) * 3 * pose.stride
        lift = 0.0 if fly else max(0.0, -side * math.sin(angle)) * 2 * pose.stride
        g.path([(side * 2.8, -5, 0.9), (side * 2.8 + swing, -1 - lift, 0.8)], beak, lift=-0.6)
        g.path([(side * 2.8 + swing - 1, -0.8 - lift, 0.7), (side * 2.8 + swing + 2.6, -0.8 - lift, 0.8)], beak)


def _bird_body(g: Canvas, body: Ink, pale: Ink, *, upright: bool) -> float:
    """Draw the body; returns the height of the head."""
    if upright:
        g.poly(
            rounded([(-9, -2), (-9.6, -12), (-7, -21), (0.6, -24), (8, -21), (10, -12), (9, -2), (0, 1.4)], 4),
            body,
            Form.DOME,
            lift=0.1,
        )
        g.poly(
            rounded([(-4.4, -1), (-5, -10), (1.6, -15), (7.6, -10), (7, -1), (1.6, 0.8)], 4),
            pale,
            Form.DOME,
            edge=False,
            lift=0.1,
        )
        return -16.6
    g.poly(
        rounded(
            [
                (-9.6, -4),
                (-6, -9.6),
                (-2, -15),
                (2, -19),
                (8, -18.6),
                (10.4, -13),
                (8.6, -4),
                (3, 1),
                (-5, 0.6),
            ],
            4,
        ),
        body,
        Form.DOME,
        lift=0.15,
    )
    g.poly(
        rounded([(0, 0), (1, -6), (6.6, -8), (8.6, -4.4), (5, 0.2)], 3),
        pale,
        Form.DOME,
        edge=False,
        on=body,
    )
    return -13.6


def _bird_head(g: Canvas, look: Look, kind: str, beak: Ink, pale: Ink, pose: Pose, y: float) -> None:
    gape = 1.6 * pose.shout
    if kind == "chicken":
        for x, top in ((0.6, -6.6), (3.8, -7.8), (6.8, -6.4)):
            g.blob(x, y + top, 2.0, 2.4, look.red)
        g.blob(8.4, y + 4.4, 1.5, 2.2, look.red)
    if kind == "owl":
        for side in (-1, 1):
            g.poly(
                [(1 + side * 3, y - 5), (1 + side * 8, y - 10), (1 + side * 8, y - 3)],
                look.tone(0, "body", ("#9a6f48", "#7c6a60"), Surface.SKIN),
                lift=-0.2,
            )
            g.blob(1.4 + side * 4.0, y, 4.2, 4.2, pale, lift=0.2)
        eyes(g, look, pose, 1.4, y, 4.0, 1.1)
        g.poly([(0.2, y + 2), (2.6, y + 2), (1.4, y + 5)], beak, lift=0.3)
        return
    if kind == "penguin":
        g.blob(3.6, y + 0.6, 5.8, 4.4, pale, edge=False)
        eyes(g, look, pose, 3.0, y - 0.4, 3.0, 0.9)
        g.poly([(2.2, y + 1.6), (9.4, y + 3), (2.6, y + 4.4)], beak, Form.DOME)
        blush(g, look, 3, y + 3, 4.6, pale)
        return
    g.poly([(8.6, y - 1.6), (14.4, y + 1.2), (8.6, y + 1.8)], beak, lift=0.6)
    g.poly([(8.6, y + 1.4), (13, y + 1.8 + gape), (8.2, y + 3.6 + gape)], beak, lift=-0.6)
    if pose.pain or pose.blink:
        g.dot(5.4, y - 0.6, 2.8, 1, look.dark)
    else:
        g.dot(5.4, y - 0.8, 2.2, 3.4, look.dark)
        g.dot(5.0, y - 1.8, 1.1, 1.2, look.white)
    if kind == "bird" and look.has("crest", 0.5):
        g.path(
            [(2, y - 5, 1.4), (-1.4, y - 9, 1.1), (-4, y - 9.4, 0.5)],
            look.tone(1, "crest", ("#f0c040", "#e8e4dc", "#e0503c")),
        )


def dragon(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a small dragon that sits up on its hind legs, wings spread behind."""
    scale = look.tone(0, "scale", ("#c83c3c", "#4a9a4c", "#4a6ac8", "#7a4ab0", "#3a9a98"), Surface.SKIN)
    belly = look.tone(1, "belly", ("#f0d08a", "#f0e0b8", "#e8b878"), Surface.SKIN)
    wing = look.part("wings", Surface.SKIN) or look.tone(
        1, "wing", ("#e08a4c", "#e0b85c", "#c86a8c", "#8ac0d8"), Surface.SKIN
    )
    horn = look.ink("#f0e4c8")
    angle = 2 * math.pi * pose.step
    with g.moved(pose.push, -pose.lift, wide=1 + pose.squash * 0.4, tall=1 - pose.squash * 0.4 - 0.22 * pose.fall):
        sway = pose.sway * 2
        tail = [(-3, -5, 4.0), (-11, -2.6, 3.0), (-17, -4 + sway * 0.5, 2.1), (-20, -9 + sway, 1.2)]
        g.path(tail, scale, lift=-0.2)
        g.poly([(-22.6, -8.6 + sway), (-20.4, -15 + sway), (-17.4, -9 + sway)], wing)
        body = -pose.bob
        for side in (-1, 1):
            with g.moved(-3 + side * 2.6, -18 + body, wide=-1 if side < 0 else 0.8, turn=side * (-14 - 20 * pose.flap)):
                _membrane(g, wing, scale, 0.86, 0.1 if side < 0 else -0.7)
        for side in (-1, 1):
            swing = side * math.cos(angle) * 3 * pose.stride
            up = max(0.0, -side * math.sin(angle)) * 2.4 * pose.stride
            lift = -0.7 if side < 0 else 0.1
            g.path([(side * 4 + 0.6, -8 + body, 4.6), (side * 4.4 + swing, -2.6 - up, 2.6)], scale, lift=lift)
            g.blob(side * 4.6 + 1.4 + swing, -1.7 - up, 3.6, 1.8, scale, lift=lift)
            for toe in (0.6, 3.0):
                g.dot(side * 4.6 + 1.4 + swing + toe, -0.8 - up, 1.0, 1.2, horn, 4)
        with g.moved(0, body, turn=pose.lean * 0.5):
            g.poly(
                rounded(
                    [(-6.6, -5), (-6.4, -14), (-2.6, -22), (4.4, -22.6), (8.2, -15), (8, -6), (3, -2.4), (-3, -2.4)], 4
                ),
                scale,
                Form.DOME,
                lift=0.1,
            )
            g.poly(
                rounded([(0, -3), (-0.6, -12), (2.4, -20), (6.4, -17), (7.6, -8), (4, -2.8)], 4),
                belly,
                Form.DOME,
                edge=False,
                on=scale,
            )
            for y in (-6.0, -9.4, -12.8, -16.2):
                g.path([(0, y, 0.4), (7.2, y - 0.4, 0.4)], belly, lift=-1.4, edge=False, on=belly)
            g.path([(5.6, -15, 1.9), (9.4, -12.4 - pose.arm * 0.04, 1.6)], scale, lift=0.3)
            with g.moved(3.6, -27 + 3 * pose.fall, turn=pose.lean * 0.6 + 12 * pose.fall):
                _dragon_head(g, look, pose, scale, belly, horn)


def _dragon_head(g: Canvas, look: Look, pose: Pose, scale: Ink, belly: Ink, horn: Ink) -> None:
    gape = 3.0 * pose.shout
    for x, y in ((-7.0, 1.0), (-8.4, 5.0), (-8.0, 9.6)):
        g.poly([(x + 2, y - 1.6), (x - 2.4, y - 2.2), (x + 1.6, y + 2)], belly, lift=-0.3)
    g.path([(2, -5, 1.6), (-1, -10, 1.4), (-4.6, -12, 0.6)], horn, lift=-0.5)
    if gape > 0.7:
        g.poly(rounded([(0, 3), (11.6, 4 + gape), (10, 6 + gape), (1, 7 + gape * 0.5)], 3), scale, Form.DOME, lift=-0.4)
        g.poly(
            [(2, 2.6), (12, 3.4), (10.4, 4.6 + gape), (3, 4.6 + gape * 0.5)],
            look.ink("#7a2440", Surface.FLAT),
            edge=False,
        )
    g.poly(
        rounded(
            [(-7, 1), (-5.6, -5), (0, -7.4), (5, -5.6), (8, -2.6), (13, -1.4), (14, 2), (11, 4), (3, 4.6), (-4, 5.4)], 4
        ),
        scale,
        Form.DOME,
        lift=0.25,
    )
    g.path([(-1.4, -5, 1.8), (-4.6, -9.6, 1.5), (-8.6, -11, 0.6)], horn)
    g.dot(11.4, 0, 1.2, 1.0, scale, 0)
    g.path([(4, 3.2, 0.4), (12, 2.6, 0.4)], scale, lift=-2.6, edge=False)
    for x in (8.4, 11.0):
        g.poly([(x - 0.8, 3), (x + 0.8, 3), (x, 5)], look.white, edge=False)
    if pose.pain or pose.blink:
        g.dot(3.4, -1.4, 3.2, 1.0, look.dark)
    else:
        g.blob(3.4, -1.8, 2.5, 2.5, look.ink("#f8e47c", Surface.FLAT), lift=0.4)
        g.dot(4.0, -1.6, 1.2, 3.0, look.dark)
        g.path([(0.4, -4.8, 0.7), (5.6, -3.4, 0.7)], scale, lift=-2.4, edge=False)
    if pose.smear > 20 or pose.glow > 0.3:
        fire = ("#e8552a", "#f5a83c", "#fbe98a")
        for color, size in zip(fire, (1.0, 0.68, 0.36), strict=True):
            shape = [(12, 4), (16, 0.6), (21, 1.4), (24, -1), (23, 4), (25, 7), (20, 8.4), (15, 7)]
            g.poly(
                rounded([(12 + (x - 12) * size, 4 + (y - 4) * size) for x, y in shape], 3),
                look.ink(color, Surface.FLAT),
                edge=size > 0.9,
            )
    if look.reading.crowned:
        crown(g, look, 0, -6.4, 0.7)


def bee(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw a bee that hovers."""
    body = look.tone(0, "body", ("#f4c430", "#f0a830"), Surface.GLOSS)
    wing = look.ink("#d8ecf8", Surface.SOFT)
    with g.moved(pose.push, -7 - pose.bob * 1.2 - pose.lift + 5 * pose.fall, turn=pose.lean):
        for side, lift in ((-1, -0.5), (1, 0.5)):
            with g.moved(-1 + side * 1.5, -17, turn=side * 14 - 26 * pose.flap):
                g.poly(rounded([(0, 0), (-5, -7), (-3, -13), (2, -13), (4, -6)], 3), wing, Form.DOME, lift=lift)
        g.poly([(-11, -10), (-16, -8), (-11, -6.4)], look.dark)
        g.poly(
            rounded([(-12, -8), (-8, -15), (0, -17.4), (8, -15), (12, -8.6), (8, -2), (0, -0.4), (-8, -2)], 4),
            body,
            Form.DOME,
            lift=0.1,
        )
        stripe = look.ink("#3a2c34")
        for x in (-8.0, -2.4):
            g.poly(
                rounded([(x - 1.6, -18), (x + 1.6, -18), (x + 2.4, -9), (x + 1.6, 1), (x - 1.6, 1), (x - 0.8, -9)], 2),
                stripe,
                Form.BARREL,
                edge=False,
                on=body,
            )
        for side in (0, 4):
            g.path([(5 + side, -14.6, 0.5), (7.6 + side, -19 + pose.sway, 0.5)], look.dark, edge=False)
            g.blob(7.8 + side, -19.4 + pose.sway, 1.1, 1.1, look.dark)
        eyes(g, look, pose, 6, -9.4, 2.7, 1.0)
        smile(g, look, pose, 6.4, -5.6, 0.8)
