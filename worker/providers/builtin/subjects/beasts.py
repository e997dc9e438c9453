"""Animals on four legs, from one rig with many shapes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from worker.providers.builtin.canvas import Bead, Canvas, Form, rounded
from worker.providers.builtin.color import lch_of
from worker.providers.builtin.ink import Ink, Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import Pose
from worker.providers.builtin.subjects.faces import eyes
from worker.providers.builtin.subjects.hats import crown


@dataclass(frozen=True, slots=True)
class Shape:
    """What tells one beast from another."""

    colors: tuple[str, ...]
    ears: str = "point"
    tail: str = "bush"
    snout: float = 1.0
    legs: float = 7.0
    body: float = 1.0
    head: float = 1.0
    belly: str = "#f4ead8"
    extras: frozenset[str] = frozenset()


SHAPES: Final[Mapping[str, Shape]] = {
    "wolf": Shape(("#7c8494", "#5c6474", "#8a7a6c"), snout=1.5, extras=frozenset({"fangs", "ruff"})),
    "dog": Shape(
        ("#c08a4c", "#8a5c38", "#e0c090", "#5c4a44"), ears="flop", tail="curl", snout=1.2, extras=frozenset({"collar"})
    ),
    "fox": Shape(("#e07a30", "#d86a3c"), snout=1.5, extras=frozenset({"socks", "ruff"})),
    "cat": Shape(
        ("#e09a48", "#6c6a78", "#3c3842", "#e8e0d4"),
        tail="long",
        snout=0.45,
        legs=6.4,
        extras=frozenset({"stripes", "whiskers"}),
    ),
    "lion": Shape(("#e0a848",), ears="round", tail="tuft", snout=0.8, extras=frozenset({"mane"})),
    "bear": Shape(
        ("#7c5436", "#4c4048", "#a87c50"), ears="round", tail="stub", snout=0.9, body=1.25, head=1.1, legs=6.0
    ),
    "pig": Shape(
        ("#f0a0a8", "#e88c98"), ears="flop", tail="pig", snout=0.5, legs=4.6, body=1.15, extras=frozenset({"pignose"})
    ),
    "cow": Shape(
        ("#f0ece4", "#8a5a3c"),
        ears="side",
        tail="tuft",
        snout=0.9,
        body=1.2,
        legs=7,
        extras=frozenset({"horns", "patches", "muzzle"}),
    ),
    "sheep": Shape(
        ("#f4f0e8",), ears="side", tail="stub", snout=0.6, body=1.1, legs=6, extras=frozenset({"wool"}), belly="#4a4048"
    ),
    "horse": Shape(
        ("#9a6238", "#5c4038", "#e8e0d8", "#c8985c"),
        tail="horse",
        snout=1.9,
        legs=11,
        body=1.1,
        extras=frozenset({"manehair", "muzzle"}),
    ),
    "rabbit": Shape(("#d8c0a0", "#f0ece8", "#a08878"), ears="rabbit", tail="puff", snout=0.3, legs=4.6, body=0.85),
    "rat": Shape(
        ("#8a8088", "#6c6068", "#b0a098"),
        ears="big-round",
        tail="rat",
        snout=1.5,
        legs=3.8,
        body=0.9,
        head=0.9,
        extras=frozenset({"whiskers"}),
    ),
}


def beast(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw the beast that the subject names, facing right."""
    shape = SHAPES[look.reading.kind]
    fur = look.tone(0, "fur", shape.colors, Surface.SKIN)
    pale = look.ink(shape.belly, Surface.SKIN)
    legs = shape.legs * (1 - 0.75 * pose.fall)
    with g.moved(pose.push, -pose.lift, wide=1 + pose.squash * 0.4, tall=1 - pose.squash * 0.4, turn=-pose.lift * 0.8):
        back = -legs - 5 - pose.bob
        _legs(g, shape, fur, pale, pose, legs, far=True)
        _tail(g, look, shape, fur, pale, pose, back)
        _body(g, look, shape, fur, pale, back)
        _legs(g, shape, fur, pale, pose, legs, far=False)
        nod = pose.lean * 0.6 + 16 * pose.fall
        with g.moved(
            9.6 * shape.body,
            back - 6.4 * shape.head + 8 * pose.fall + pose.bob * 0.3,
            turn=nod,
            wide=shape.head,
            tall=shape.head,
        ):
            _head(g, look, shape, fur, pale, pose)
    if pose.smear > 30:
        for y in (-3.4, 0.0, 3.4):
            g.path([(24, -14 + y, 0.5), (29, -11 + y, 1.1), (31, -6 + y, 0.4)], look.white, edge=False)


def _legs(g: Canvas, shape: Shape, fur: Ink, pale: Ink, pose: Pose, legs: float, *, far: bool) -> None:
    wide = 1.6 if shape.legs < 9 else 1.4
    for index, place in enumerate((-8.2, 6.4)):
        x = place * shape.body
        phase = (
            2
            * math.pi
            * (pose.step + (0.5 if far else 0.0) + (0.25 if index else 0.0) * (1 if pose.stride > 1.2 else 2))
        )
        swing = math.cos(phase) * 3.6 * pose.stride
        up = max(0.0, -math.sin(phase)) * 2.4 * pose.stride
        shift = 2.4 if far else 0.0
        splay = (4 if index else -4) * pose.fall
        foot = (x + shift + swing + splay, -1.6 - up)
        lift = -0.9 if far else 0.0
        g.path(
            [
                (x + shift, -legs - 2.5, wide * 2.0),
                (x + shift + swing * 0.3, -legs * 0.5 - up * 0.6, wide * 1.25),
                (*foot, wide * 1.1),
            ],
            fur,
            lift=lift,
        )
        paw = pale if "socks" in shape.extras else fur
        g.blob(foot[0] + 0.8, foot[1] + 0.1, wide * 1.6, 1.6, paw, lift=lift - (1.2 if paw is fur else 0), edge=False)


def _tail(g: Canvas, look: Look, shape: Shape, fur: Ink, pale: Ink, pose: Pose, back: float) -> None:
    sway = pose.sway * 2.2 - pose.arm * 0.02
    with g.moved(-12.4 * shape.body, back):
        match shape.tail:
            case "bush":
                brush = [(2, -2), (-5, -4 + sway), (-11, -9 + sway), (-9.4, -2 + sway), (-4, 3)]
                g.poly(rounded(brush, 4), fur, Form.DOME)
                tip = [(-8.6, -7 + sway), (-11, -9 + sway), (-9.8, -3 + sway), (-8, -3.6 + sway)]
                g.poly(tip, pale, edge=False, on=fur)
            case "tuft" | "horse":
                _hair_tail(g, look, fur, sway, horse=shape.tail == "horse")
            case "curl" | "long" | "rat" | "pig":
                _bare_tail(g, look, shape.tail, fur, sway)
            case _:
                g.blob(0, -2.6, 2.8, 2.6, pale if shape.tail == "puff" else fur, lift=0.4)


def _hair_tail(g: Canvas, look: Look, fur: Ink, sway: float, *, horse: bool) -> None:
    hair = look.ink("#5c3c28")
    if horse:
        strand = [(1, -2, 1.6), (-4, -2 + sway * 0.4, 2.5), (-5.6, 5 + sway * 0.3, 1.9), (-5, 10, 0.6)]
        g.path(strand, hair)
        return
    g.path([(0, -2, 1.0), (-5, -3 + sway, 0.9), (-7, 2 + sway, 0.9)], fur)
    g.blob(-7.4, 4 + sway, 1.9, 2.6, hair)


def _bare_tail(g: Canvas, look: Look, kind: str, fur: Ink, sway: float) -> None:
    curves: dict[str, list[Bead]] = {
        "curl": [(0, -3, 2.0), (-4, -7 + sway, 1.9), (-2.4, -11 + sway, 1.7), (0.6, -9.6 + sway, 1.1)],
        "pig": [(0.6, -2, 0.9), (-2.4, -4.4 + sway * 0.5, 0.9), (-0.8, -6.4, 0.8), (-3.4, -7, 0.7)],
        "long": [(0, 0, 1.6), (-5, -1 + sway * 0.4, 1.5), (-7.6, -7 + sway, 1.4), (-5.6, -12 + sway, 1.1)],
        "rat": [(0, 0, 0.96), (-5, -1 + sway * 0.4, 0.9), (-7.6, -7 + sway, 0.84), (-5.6, -12 + sway, 0.66)],
    }
    g.path(curves[kind], look.ink("#e0a0a0", Surface.SKIN) if kind == "rat" else fur)


def _body(g: Canvas, look: Look, shape: Shape, fur: Ink, pale: Ink, back: float) -> None:
    b = shape.body
    if "wool" in shape.extras:
        for x, y, r in (
            (-10.0, -1.0, 5.0),
            (-6.0, -5.0, 5.4),
            (0.0, -6.0, 5.6),
            (6.0, -5.0, 5.2),
            (9.0, -0.6, 4.8),
            (5.0, 3.0, 4.8),
            (-1.0, 3.6, 5.0),
            (-7.0, 3.0, 4.8),
        ):
            g.blob(x * b, back + y, r, r * 0.94, fur, lift=0.2, edge=False)
        g.blob(-1, back - 1, 9, 6, fur, lift=0.3, edge=False)
        return
    shape_points = [
        (-13 * b, -1),
        (-11.4 * b, -6.2),
        (-4, -7.0),
        (4, -6.2),
        (10.8 * b, -7.6),
        (12.4 * b, -1),
        (9.4 * b, 4.6),
        (0, 3.6),
        (-9 * b, 4.2),
    ]
    g.poly(rounded([(x, back + y) for x, y in shape_points], 4), fur, Form.DOME, lift=0.1)
    g.poly(
        rounded(
            [
                (-8 * b, back + 2.6),
                (0, back + 1.8),
                (10.6 * b, back + 0.4),
                (9 * b, back + 4.4),
                (0, back + 3.6),
                (-7 * b, back + 4.2),
            ],
            3,
        ),
        pale,
        Form.DOME,
        lift=-0.3,
        edge=False,
        on=fur,
    )
    if "stripes" in shape.extras and look.has("striped", 0.6):
        for x in (-8.0, -3.6, 0.8):
            g.path([(x, back - 7, 0.9), (x + 0.6, back - 2.4, 0.4)], fur, lift=-1.6, edge=False, on=fur)
    if "patches" in shape.extras:
        patch = look.ink("#3c3438")
        for x, y, rx, ry in ((-7.0, -3.0, 4.4, 3.4), (3.4, -4.6, 3.4, 2.6), (8.0, 2.0, 2.4, 2.2)):
            g.blob(x, back + y, rx, ry, patch, edge=False, on=fur)
    if "ruff" in shape.extras:
        g.poly(
            [(6, back - 7), (12.6, back - 6), (13, back + 2), (10.6, back + 1), (9.4, back + 4), (7.6, back + 1)],
            pale,
            Form.DOME,
            lift=-0.1,
            edge=False,
        )
    if "manehair" in shape.extras:
        hair = look.ink("#5c3c28")
        g.path([(6, back - 5, 3.0), (10, back - 12, 3.0)], fur)
        g.path([(4.4, back - 4, 1.9), (6.6, back - 10, 2.2), (9, back - 15, 1.6)], hair)


def _ears(g: Canvas, look: Look, shape: Shape, fur: Ink, pose: Pose, side: int) -> None:
    x, flick = (-3.6, pose.sway * 0.6) if side < 0 else (3.4, 0.0)
    lift = -0.4 if side > 0 else 0.1
    inner = look.ink("#e8a0a0", Surface.FLAT)
    match shape.ears:
        case "point":
            g.poly([(x - 3, -4), (x - 2 + flick, -12), (x + 3, -5.4)], fur, Form.DOME, lift=lift)
            g.poly([(x - 1.6, -5.4), (x - 1.4 + flick, -9.6), (x + 1.4, -5.8)], inner, lift=-0.4, edge=False)
        case "round" | "big-round":
            r = 3.0 if shape.ears == "round" else 4.2
            g.blob(x * 1.35, -6.8, r, r, fur, lift=lift)
            g.blob(x * 1.35 + 0.3, -6.4, r * 0.55, r * 0.55, inner, lift=-0.4, edge=False)
        case "rabbit":
            g.path(
                [(x * 0.7, -5, 2.0), (x * 0.9 + flick, -12, 2.3), (x * 0.9 - 1 + flick * 2, -18, 1.3)], fur, lift=lift
            )
            g.path(
                [(x * 0.75, -7, 0.8), (x * 0.9 + flick, -12, 1.0), (x * 0.9 - 0.8 + flick * 2, -16, 0.6)],
                inner,
                edge=False,
            )
        case "side":
            g.poly(
                rounded([(side * 5.6, -4), (side * 11, -5 + flick), (side * 10.4, -1.6), (side * 6, -0.6)], 3),
                fur,
                Form.DOME,
                lift=lift,
            )
        case _:
            g.poly(
                rounded([(x * 1.4 - 2, -6.4), (x * 1.4 + 2, -6.4), (x * 2.1 + flick, 1.6), (x * 1.7 - 1, 2.6)], 3),
                fur,
                Form.DOME,
                lift=lift - 0.9,
            )


def _head(g: Canvas, look: Look, shape: Shape, fur: Ink, pale: Ink, pose: Pose) -> None:
    if "mane" in shape.extras:
        mane = look.ink("#a85a28")
        g.poly(
            [
                (
                    11 * math.cos(a / 8 * math.pi) * (1.12 if a % 2 else 0.95),
                    0.6 + 11 * math.sin(a / 8 * math.pi) * (1.12 if a % 2 else 0.95),
                )
                for a in range(16)
            ],
            mane,
            Form.DOME,
        )
    _ears(g, look, shape, fur, pose, 1)
    if (
        "horns" in shape.extras
        or (look.reading.kind == "horse" and "unicorn" in look.reading.text)
        or "独角兽" in look.reading.text
    ):
        bone = look.ink("#f0e0b8")
        if "horns" in shape.extras:
            for side in (-1, 1):
                g.path([(side * 4, -6, 1.5), (side * 7, -8.4, 1.3), (side * 7, -12, 0.5)], bone)
        else:
            g.poly([(2, -6), (5, -5), (7.6, -15)], look.gold, Form.BEVEL, bevel=1)
    face = look.ink("#4a4048", Surface.SKIN) if "wool" in shape.extras else fur
    long = shape.snout
    g.poly(
        rounded([(-7.6, 0), (-5.6, -6), (1, -7.4), (6.4, -4.6), (7.4, 1), (4.6, 5.6), (-2, 6.6), (-6.4, 4.4)], 4),
        face,
        Form.DOME,
        lift=0.2,
    )
    if "wool" in shape.extras:
        for x, y in ((-4.0, -6.0), (0.0, -7.4), (4.0, -6.0)):
            g.blob(x, y, 3, 2.6, fur, lift=0.3, edge=False)
    _snout(g, look, shape, pale if "muzzle" not in shape.extras else look.ink("#e8b8a8", Surface.SKIN), pose, long)
    _ears(g, look, shape, face, pose, -1)
    dark = lch_of(look.color(0, "fur", shape.colors))[0] < 0.62 or "wool" in shape.extras
    eyes(g, look, pose, 2.0, -1.2, 3.1, 0.92, bright=dark)
    if "collar" in shape.extras:
        g.path([(-5.4, 5.6, 1.2), (0, 7.4, 1.2), (4.6, 6.4, 1.2)], look.red)
        g.blob(1, 8.6, 1.5, 1.5, look.gold)
    if look.reading.crowned:
        crown(g, look, 0.6, -6.8, 0.75)


def _snout(g: Canvas, look: Look, shape: Shape, pale: Ink, pose: Pose, long: float) -> None:
    tip = 3.4 + 3.6 * long
    drop = pose.shout * 2.4
    if drop > 0.5:
        g.poly([(1, 3.6), (tip, 3.4), (tip - 0.6, 4.6 + drop), (2, 5.4 + drop)], look.ink("#7a2440", Surface.FLAT))
    if "pignose" in shape.extras:
        g.blob(5, 2.2, 3.2, 2.6, look.ink("#e07c88", Surface.SKIN))
        for x in (4.2, 6.2):
            g.dot(x, 2.2, 0.9, 1.5, look.dark)
        return
    g.poly(
        rounded([(0.4, 1.0), (tip - 1, 0.4), (tip + 0.6, 2.2), (tip - 1, 4.4), (1.4, 5.6)], 3),
        pale,
        Form.DOME,
        lift=0.1,
        edge=False,
    )
    if "muzzle" in shape.extras:
        g.dot(tip - 1.4, 2.2, 1, 1, look.dark)
        return
    g.blob(tip - 0.2, 1.2, 1.5, 1.2, look.dark, edge=False)
    g.path([(tip - 0.4, 3.4, 0.4), (tip - 2.6, 4.2, 0.4)], look.dark, edge=False)
    if "fangs" in shape.extras:
        g.poly([(tip - 2.4, 3.8), (tip - 0.8, 3.6), (tip - 1.4, 5.6)], look.white, edge=False)
    if "whiskers" in shape.extras:
        for y in (2.4, 4.2):
            g.path([(5.6, y, 0.25), (10.4, y - 0.8 + (y - 3) * 0.8, 0.25)], look.white, edge=False)
