"""Winged, scaled and many-legged creatures: bat, bird, dragon, bee, fish, snake, spider, crab, frog, turtle, penguin, robot."""

import math

from worker.providers.builtin.canvas import Canvas, Form, arc, box, rounded
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
    """A round furry bat, wings beating."""
    fur = look.tone(0, "fur", ("#5c4a7c", "#6a4450", "#44506c", "#4a4048"), Surface.SKIN)
    wing = look.tone(1, "wing", ("#8a5a8c", "#9c5a5c", "#6a7a9c", "#7a5a6c"), Surface.SKIN)
    with g.moved(pose.push, -8 - pose.bob * 1.2 - pose.lift - pose.flap * -1.4 + 3 * pose.fall, turn=pose.lean * 0.6):
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
    """Birds: small and round, with kinds told by colours, beaks and crests."""
    kind = look.reading.kind
    defaults = {
        "chicken": ("#f4efe6", "#b8683c"), "owl": ("#9a6f48", "#7c6a60"), "penguin": ("#3a4560", "#343a4c"),
    }.get(kind, ("#e0503c", "#4a90d8", "#f0c040", "#5aa858"))  # fmt: skip
    body = look.tone(0, "body", defaults, Surface.SKIN)
    pale = look.ink("#f6eedd", Surface.SKIN)
    beak = look.ink("#f0a030", Surface.GLOSS)
    fly = pose.stride > 0 and kind in ("bird", "owl")
    up = 4.0 * min(pose.stride, 1) if fly else 0.0
    angle = 2 * math.pi * pose.step
    with g.moved(
        pose.push,
        -pose.lift - up - (pose.flap * -1.0 if fly else 0),
        wide=1 + pose.squash * 0.5,
        tall=1 - pose.squash * 0.5 - 0.2 * pose.fall,
    ):
        for side in (-1, 1):
            swing = 0.0 if fly else side * math.cos(angle) * 3 * pose.stride
            lift = 0.0 if fly else max(0.0, -side * math.sin(angle)) * 2 * pose.stride
            g.path([(side * 2.8, -5, 0.9), (side * 2.8 + swing, -1 - lift, 0.8)], beak, lift=-0.6)
            g.path([(side * 2.8 + swing - 1, -0.8 - lift, 0.7), (side * 2.8 + swing + 2.6, -0.8 - lift, 0.8)], beak)
        with g.moved(0, -4 - pose.bob, turn=pose.lean + 30 * pose.fall):
            tail = [(-8, -4), (-16, -9 + pose.sway), (-15, -4.4 + pose.sway), (-16, -1 + pose.sway), (-8, 0)]
            g.poly(tail, body, Form.DOME, lift=-0.5)
            if kind == "penguin" or kind == "owl":
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
                head = -16.6
            else:
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
                head = -13.6
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
    """A small dragon that sits up on its hind legs, wings spread behind."""
    scale = look.tone(0, "scale", ("#c83c3c", "#4a9a4c", "#4a6ac8", "#7a4ab0", "#3a9a98"), Surface.SKIN)
    belly = look.tone(1, "belly", ("#f0d08a", "#f0e0b8", "#e8b878"), Surface.SKIN)
    wing = look.tone(1, "wing", ("#e08a4c", "#e0b85c", "#c86a8c", "#8ac0d8"), Surface.SKIN)
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
            for y in (-6, -9.4, -12.8, -16.2):
                g.path([(0, y, 0.4), (7.2, y - 0.4, 0.4)], belly, lift=-1.4, edge=False, on=belly)
            g.path([(5.6, -15, 1.9), (9.4, -12.4 - pose.arm * 0.04, 1.6)], scale, lift=0.3)
            with g.moved(3.6, -27 + 3 * pose.fall, turn=pose.lean * 0.6 + 12 * pose.fall):
                _dragon_head(g, look, pose, scale, belly, horn)


def _dragon_head(g: Canvas, look: Look, pose: Pose, scale: Ink, belly: Ink, horn: Ink) -> None:
    gape = 3.0 * pose.shout
    for x, y in ((-7, 1), (-8.4, 5), (-8, 9.6)):
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
    for x in (8.4, 11):
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
    """A bee that hovers."""
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
        for x in (-8, -2.4):
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


def fish(g: Canvas, look: Look, pose: Pose) -> None:
    """A fish swimming to the right."""
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
    """A snake with its head raised over its coils."""
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
        for x, y, _ in ((-5.6, -13.4, 0), (-4.6, -18.4, 0), (-8, -7, 0), (0, -5.4, 0), (7, -6.6, 0)):
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
    """A fat spider with many eyes."""
    body = look.tone(0, "body", ("#4a4054", "#6a3a44", "#3f4a5c", "#5a5038"), Surface.GLOSS)
    mark = look.tone(1, "mark", ("#e04848", "#f0b83c", "#a0e05c"), Surface.FLAT)
    low = 1 - 0.5 * pose.fall
    with g.moved(pose.push, -pose.lift, wide=1 + pose.squash * 0.3, tall=1 - pose.squash * 0.3):
        high = -9 * low - pose.bob
        for side in (-1, 1):
            for index, (knee_x, foot_x) in enumerate(((8, 12), (11, 16.6), (12, 20), (10, 22.6))):
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
        for x, y in ((-6, -8.6), (-6, -5.4), (-6, -2.6)):
            g.poly(
                [(x - 2.2, high + y), (x, high + y - 1.6), (x + 2.2, high + y), (x, high + y + 1.6)],
                mark,
                edge=False,
                on=body,
            )
        g.blob(5.4, high - 1, 6.6, 5.8, body, lift=0.3)
        red = look.ink("#f05a4a", Surface.FLAT)
        for x, y, size in ((3.4, -2.6, 2.2), (8.2, -2.6, 2.2), (1.4, -4.4, 1.2), (5.8, -5, 1.2), (10, -4.2, 1.2)):
            if pose.pain or pose.blink:
                g.dot(x, high + y, size, 0.8, red, 1)
            else:
                g.dot(x, high + y, size, size, red, 4)
                if size > 2:
                    g.dot(x - 0.5, high + y - 0.5, 0.8, 0.8, look.white)
        for x in (4, 7.6):
            g.path([(x, high + 2.4, 0.9), (x + 0.4, high + 5.4 + pose.shout, 0.4)], look.white, edge=False)


def crab(g: Canvas, look: Look, pose: Pose) -> None:
    """A crab with raised claws."""
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
        for x, y in ((-6, -11.6), (-2.6, -13.4), (6.6, -11)):
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
    """A sitting frog."""
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
    """A turtle under a domed shell."""
    skin = look.ink("#8ab85c", Surface.SKIN)
    shell = look.tone(0, "shell", ("#7a5a34", "#3f7a5a", "#5a5a8a"), Surface.GLOSS)
    angle = 2 * math.pi * pose.step
    with g.moved(pose.push, -pose.lift, wide=1 + pose.squash * 0.4, tall=1 - pose.squash * 0.4 - 0.2 * pose.fall):
        for index, x in enumerate((-8, 6)):
            swing = math.cos(angle + index * math.pi) * 2.4 * pose.stride
            g.path([(x, -5, 2.8), (x + swing, -1.9, 2.4)], skin, lift=-0.3)
        g.poly([(-12, -4), (-17, -2.4 + pose.sway), (-11, -1.6)], skin)
        with g.moved(12.6 - 6 * pose.fall, -9 - pose.bob * 0.5, turn=pose.lean):
            g.path([(-4, 3, 2.8), (0, 0, 3)], skin)
            g.blob(2, -2, 5.4, 5, skin, lift=0.2)
            eyes(g, look, pose, 3.4, -3, 2.2, 0.8)
            smile(g, look, pose, 4, 0.6, 0.6)
        g.poly([*arc(-1, -5, 13.4, 180, 360, 14, tall=1.05), (11, -3.4), (-13, -3.4)], shell, Form.DOME, lift=0.2)
        for x, y, r in ((-1, -13, 3.8), (-8.6, -9, 2.8), (6.8, -9.4, 2.8)):
            g.poly(
                [(x + r * math.cos(k * math.pi / 3), y + r * math.sin(k * math.pi / 3)) for k in range(6)],
                shell,
                Form.BEVEL,
                bevel=1.4,
                lift=0.7,
                on=shell,
            )
        g.path([(-13.4, -4.4, 1.5), (11.6, -4.4, 1.5)], look.ink("#e8d49a"))


def robot(g: Canvas, look: Look, pose: Pose) -> None:
    """A friendly robot with a screen for a face."""
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
        for index, (x, y) in enumerate(((-6, -20), (0, -27), (6, -33))):
            g.blob(x, y * (pose.fall - 0.1), 3.4 - index * 0.6, 3.2 - index * 0.6, look.ink("#8a909c", Surface.SOFT))


def _robot_head(g: Canvas, look: Look, pose: Pose, shell: Ink, joint: Ink, glow: Ink) -> None:
    antenna = look.pick("antenna", ("one", "two", "dish"))
    for x in (0,) if antenna != "two" else (-5, 5):
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
        for x in (-2, 4.6):
            g.path([(x - 1.4, -9, 0.5), (x + 1.4, -6, 0.5)], look.red, edge=False)
            g.path([(x + 1.4, -9, 0.5), (x - 1.4, -6, 0.5)], look.red, edge=False)
    else:
        for x in (-2, 4.6):
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
