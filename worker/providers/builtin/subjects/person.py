"""The rig of people: two legs, a body, two arms, a head; it stands on y = 0 and faces right, about 42 units tall."""

import math
from contextlib import AbstractContextManager
from typing import Final

from worker.providers.builtin.canvas import Canvas, Form, Point, box, rounded
from worker.providers.builtin.ink import Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import Pose
from worker.providers.builtin.subjects.dress import Dress, dress_of
from worker.providers.builtin.subjects.heads import draw_back_hair, draw_head
from worker.providers.builtin.subjects.torsos import draw_torso
from worker.providers.builtin.subjects.weapons import WEAPONS, crescent, shield

_HIP: Final = 9.0
_ARM: Final = 8.2
_LYING: Final = -80.0
#: How wide a body is from its side.
_SIDEWAYS: Final = 0.8
_LARGE_HEAD: Final = 1.3


def draw_person(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw somebody in a pose."""
    dress = dress_of(look)
    wide, tall = dress.outfit.wide, dress.outfit.tall
    fall = pose.fall
    with g.moved(
        pose.push + 17 * fall,
        -pose.lift - 7.5 * fall,
        turn=_LYING * fall,
        wide=1 + pose.squash * 0.45,
        tall=1 - pose.squash * 0.45,
    ):
        hip = _HIP * (0.8 + 0.2 * tall) + pose.bob
        if pose.from_behind:
            with g.moved(0, -hip, turn=pose.lean * 0.6):
                _other_arm(g, look, dress, pose)
                _main_arm(g, look, dress, pose)
        else:
            with g.moved(0, -hip, turn=pose.lean * 0.4, tall=tall):
                _behind(g, look, dress, pose)
        if not dress.outfit.robe:
            _leg(g, dress, pose, -1, hip)
            _leg(g, dress, pose, 1, hip)
        else:
            _feet(g, dress, pose)
        with g.moved(0, -hip, turn=pose.lean * 0.6):
            with g.moved(wide=wide * (_SIDEWAYS if pose.sideways else 1.0), tall=tall):
                draw_torso(g, look, dress, pose, hip / tall)
            if pose.from_behind:
                with g.moved(tall=tall):
                    _behind(g, look, dress, pose)
            with _head_place(g, look, pose, tall):
                draw_head(g, look, dress, pose)
            if not pose.from_behind:
                _other_arm(g, look, dress, pose)
                _main_arm(g, look, dress, pose)


def _head_place(g: Canvas, look: Look, pose: Pose, tall: float) -> AbstractContextManager[None]:
    """Move to the head, which is larger in pictures of few pixels: a face needs them."""
    size = _LARGE_HEAD if look.tiny else 1.0
    y = -20.3 * tall + 1.2 * (1 - tall) - 8 * (size - 1)
    return g.moved(pose.lean * 0.06, y, turn=pose.lean * 0.5, wide=size, tall=size)


def draw_bust(g: Canvas, look: Look, pose: Pose) -> None:
    """Draw somebody's head and shoulders, the hands empty."""
    dress = dress_of(look)
    wide, tall = dress.outfit.wide, dress.outfit.tall
    with g.moved(0, -_HIP):
        _behind(g, look, dress, pose)
        with g.moved(wide=wide):
            draw_torso(g, look, dress, pose, _HIP)
        for side in (-1, 1):
            shoulder = (side * 6.5 * wide, -9.0)
            _arm(g, dress, shoulder, side * 14.0, lift=0.2 if side < 0 else -0.2)
            _pauldron(g, dress, shoulder[0], shoulder[1] - 0.6)
        with g.moved(0, -20.3 + 1.2 * (1 - tall)):
            draw_head(g, look, dress, pose)


def _behind(g: Canvas, look: Look, dress: Dress, pose: Pose) -> None:
    """Draw what hangs behind the body: wings, cape, long hair."""
    extras = dress.outfit.extras
    if "wings" in extras or "bat-wings" in extras:
        _wings(g, look, pose, bat="bat-wings" in extras)
    if "tail" in extras:
        sway = pose.sway * 2
        g.path([(-2, -1, 1.4), (-9, 2, 1.2), (-13, -3 + sway, 1.0), (-12, -8 + sway, 0.8)], dress.skin)
        g.poly([(-14.4, -7.5 + sway), (-12, -12.5 + sway), (-9.4, -7.5 + sway)], dress.skin)
    if "pack" in extras:
        g.poly(box(-9.5, -12, 5, 11), look.ink("#9aa0ae", Surface.METAL), Form.BEVEL)
    if dress.cape:
        sway = pose.sway * 2.2 - abs(pose.stride) * 2.0
        hem = [(-10.5 + sway, 6.0), (-5 + sway, 7.4), (1 + sway * 0.6, 6.2), (6.5, 5.0)]
        g.poly(
            [(-6.0, -11.5), *hem, (6.2, -11.5)],
            dress.cape,
            Form.BARREL,
            lift=-0.5,
        )
    if pose.from_behind:
        return
    with g.moved(0, -20.3):
        draw_back_hair(g, dress, pose)


def _wings(g: Canvas, look: Look, pose: Pose, *, bat: bool) -> None:
    ink = look.part("wings", Surface.SOFT) or look.ink("#7a2f44" if bat else "#f0f0f4", Surface.SOFT)
    for side in (-1, 1):
        with g.moved(side * 4, -9, turn=side * (-10 - 14 * pose.flap), wide=side):
            if bat:
                shape = [(0, 0), (8, -10), (16, -8), (15, -1), (11, -2.6), (9, 3), (5.6, 0.4), (2, 5)]
                g.poly(shape, ink, lift=-0.3)
                g.path([(0, 0, 0.9), (8, -10, 0.8), (16, -8, 0.5)], ink, lift=0.6)
            else:
                for index, (x, y) in enumerate(((15.0, -9.0), (14.0, -4.0), (11.5, 0.5), (8.0, 4.0))):
                    g.path([(1, -1, 1.2), (x * 0.6, y * 0.9 - 2, 2.6), (x, y, 1.2)], ink, lift=0.3 - 0.3 * index)


def _foot(pose: Pose, side: int) -> Point:
    """Return how far a foot is forward and how high, in the walk's cycle."""
    angle = 2 * math.pi * (pose.step + (0.0 if side > 0 else 0.5))
    if pose.towards:
        return 0.0, pose.stride * 4.2 * max(0.0, -math.sin(angle))
    return pose.stride * 4.6 * math.cos(angle), pose.stride * 3.0 * max(0.0, -math.sin(angle))


def _leg(g: Canvas, dress: Dress, pose: Pose, side: int, hip: float) -> None:
    """Draw a leg from the hip to its foot; the far one is darker."""
    wide = dress.outfit.wide
    forward, high = _foot(pose, side)
    stand = side * (3.4 - 0.7 * min(pose.stride, 1)) * wide * (0.5 if pose.sideways else 1.0)
    x, y = stand + forward, -2.0 - high
    bony = dress.outfit.torso == "ribs"
    trousers = dress.skin if bony else dress.trim if dress.outfit.torso not in ("plate", "spacesuit") else dress.metal
    if dress.outfit.torso == "spacesuit":
        trousers = dress.cloth
    trousers = dress.trousers or trousers
    lift = -0.7 if side < 0 else 0.0
    thick = (1.1 if bony else 2.7) * (0.75 + 0.25 * wide)
    knee = (side * 2.7 * wide + forward * 0.62 + 0.5, (-hip + y) / 2)
    g.path(
        [(side * 2.7 * wide, -hip + 0.5, thick + 0.2), (*knee, thick), (x - 0.2, y, thick * 0.92)], trousers, lift=lift
    )
    boots = dress.boots
    if bony:
        g.path([(x - 0.6, y + 0.8, 1.2), (x + 2.6, y + 1.0, 1.0)], boots, lift=lift)
        return
    g.path([(x - 0.2, y - 1.8, 2.7), (x, y - 0.2, 2.6)], boots, lift=lift)
    g.poly(
        rounded(
            [(x - 3.0, y - 1.4), (x + 1.2, y - 1.4), (x + 4.3, y + 0.4), (x + 4.2, y + 2.0), (x - 3.0, y + 2.0)], 3
        ),
        boots,
        Form.DOME,
        lift=lift,
    )


def _feet(g: Canvas, dress: Dress, pose: Pose) -> None:
    """Draw the tips of the feet under a robe."""
    for side in (-1, 1):
        forward, high = _foot(pose, side)
        x, y = side * 3.4 + forward * 0.8, -1.5 - high * 0.5
        g.blob(x + 0.8, y, 3.4, 1.9, dress.boots, lift=-0.4 if side < 0 else 0.0)


def _arm(g: Canvas, dress: Dress, shoulder: Point, angle: float, *, lift: float) -> Point:
    """Draw an arm that hangs at an angle from straight down, forwards above zero; returns where the hand is."""
    sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))
    x, y = shoulder
    hand = (x + sine * _ARM, y + cosine * _ARM)
    wrist = (x + sine * _ARM * 0.74, y + cosine * _ARM * 0.74)
    torso = dress.outfit.torso
    bare = torso in ("harness", "ribs")
    sleeve = dress.skin if bare else dress.metal if torso == "plate" else dress.cloth
    bony = torso == "ribs"
    thick = 1.0 if bony else 2.5
    flare = thick + (1.0 if dress.outfit.robe else 0.0)
    g.path([(x, y, thick), (*wrist, flare)], sleeve, lift=lift)
    glove = dress.boots if torso in ("plate", "gi", "spacesuit", "coat") else dress.skin
    g.blob(hand[0], hand[1], 1.7 if bony else 2.4, 1.7 if bony else 2.4, glove, lift=lift)
    return hand


def _pauldron(g: Canvas, dress: Dress, x: float, y: float) -> None:
    if dress.outfit.pauldrons:
        ink = dress.metal if dress.outfit.torso == "plate" else dress.boots
        g.blob(x, y, 3.9, 3.4, ink, lift=0.2)


def _apart(pose: Pose) -> float:
    """Return how far apart the shoulders are seen."""
    return 0.55 if pose.sideways else 1.0


def _swing(pose: Pose) -> float:
    """Return how much of a walking arm's swing is seen: little when it swings towards us."""
    return 0.3 if pose.towards and pose.stride and not pose.smear else 1.0


def _other_arm(g: Canvas, look: Look, dress: Dress, pose: Pose) -> None:
    """Draw the arm away from the weapon, with a shield if there is one."""
    wide, tall = dress.outfit.wide, dress.outfit.tall
    shoulder = (-6.6 * wide * _apart(pose), -9.0 * tall)
    rest = 70.0 if "reach" in dress.outfit.extras else -16.0
    hand = _arm(g, dress, shoulder, rest + pose.other_arm * _swing(pose), lift=-0.5)
    _pauldron(g, dress, shoulder[0], shoulder[1] - 0.6)
    if dress.shielded:
        with g.moved(hand[0] - 0.6, hand[1] - 0.2, turn=-4 + pose.other_arm * 0.2, wide=0.66, tall=0.66):
            shield(g, look.about("shield"))
    if pose.glow > 0.1:
        _spark(g, look, hand, pose.glow)


def _main_arm(g: Canvas, look: Look, dress: Dress, pose: Pose) -> None:
    """Draw the arm with what it holds, and the trail of its swing."""
    wide, tall = dress.outfit.wide, dress.outfit.tall
    shoulder = (6.4 * wide * _apart(pose), -9.0 * tall)
    angle = (70.0 if "reach" in dress.outfit.extras else 26.0) + pose.arm * _swing(pose)
    held = WEAPONS.get(dress.held)
    aiming = dress.held in ("bow", "gun")
    if aiming:
        angle = 26.0 + 58.0 * pose.aim + (0.0 if pose.aim else pose.arm)
    if pose.smear > 1 and not aiming:
        crescent(g, shoulder[0], shoulder[1], 21 if held else 13, 55 - pose.smear, pose.smear, look)
    sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))
    hand = (shoulder[0] + sine * _ARM, shoulder[1] + cosine * _ARM)
    if held:
        turn = (90.0 - 64.0 * (1 - pose.aim) if dress.held == "gun" else 0.0) if aiming else 14.0 + pose.wrist
        size = 0.82 if dress.held != "dagger" else 0.95
        # A bow is held by its middle: lifted, else its lower limb would reach into the ground.
        raised = 3.0 * (1 - pose.aim) if dress.held == "bow" else 0.0
        with g.moved(hand[0] + (1.0 if aiming else 0), hand[1] - raised, turn=turn, wide=size, tall=size):
            held(g, look.about("weapon"))
    if aiming and pose.shot > 0:
        _shot(g, look, dress.held, (hand[0] + 4 + 9 * pose.shot, hand[1]))
    _arm(g, dress, shoulder, angle, lift=0.2)
    _pauldron(g, dress, shoulder[0], shoulder[1] - 0.6)
    if pose.glow > 0.1:
        _spark(g, look, hand, pose.glow)


def _spark(g: Canvas, look: Look, at: Point, power: float) -> None:
    """Draw magic about a hand."""
    glow = look.ink(look.color(0, "magic", ("#6ac8f8", "#b87cf0", "#f8b850")), Surface.FLAT)
    x, y = at
    g.blob(x + 1, y - 1, 3.6 * power, 3.6 * power, glow, lift=1)
    g.blob(x + 1, y - 1, 2.0 * power, 2.0 * power, look.white, edge=False)
    for dx, dy in ((5, -4), (-3, -6), (4, 3)):
        g.dot(x + dx * power, y + dy * power, 1.2, 1.2, glow, 5)


def _shot(g: Canvas, look: Look, held: str, at: Point) -> None:
    """Draw what flies from a bow or a gun."""
    x, y = at
    if held == "gun":
        glow = look.tone(0, "energy", ("#4ce0f0", "#f06a3c", "#7cf05c", "#e85cd8"), Surface.GEM)
        g.path([(x, y, 1.6), (x + 5, y, 1.6)], glow, lift=0.8)
        return
    g.path([(x - 6, y, 0.6), (x + 5, y, 0.6)], look.wood)
    g.poly([(x + 4, y - 2), (x + 8, y), (x + 4, y + 2)], look.metal("blade"), lift=0.6)
