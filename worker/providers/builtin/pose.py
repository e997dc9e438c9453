"""Poses of a small rig, and the animations that are made of them."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True, slots=True)
class Pose:
    """How a body is held in one moment. Lengths in units of the drawing, angles in degrees; all zero: at rest."""

    #: The body's height over its rest, legs still on the ground.
    bob: float = 0.0
    #: Above zero wider and lower, below zero narrower and higher; the area is kept.
    squash: float = 0.0
    #: Turn of the upper body, forwards (right) above zero.
    lean: float = 0.0
    #: Where the legs are in their cycle, in turns, and how far they swing (0: standing).
    step: float = 0.0
    stride: float = 0.0
    #: Swing of the arms from their rest; above zero forwards and up.
    arm: float = 0.0
    other_arm: float = 0.0
    #: Turn of what is held, on top of the arm's.
    wrist: float = 0.0
    #: Height of the feet over the ground.
    lift: float = 0.0
    #: How far the whole body is moved forwards.
    push: float = 0.0
    blink: bool = False
    #: The mouth, 0 closed to 1 wide open.
    shout: float = 0.0
    #: Wings: -1 down to 1 up.
    flap: float = 0.0
    #: Tails, capes, antennae: -1 to 1.
    sway: float = 0.0
    #: A trail of the weapon, in degrees swept; 0: none.
    smear: float = 0.0
    #: 0 to 1: how far a bow or gun is raised, and how far its shot has flown.
    aim: float = 0.0
    shot: float = 0.0
    #: 0 standing to 1 lying on the ground.
    fall: float = 0.0
    #: 0 to 1: magic about the hands.
    glow: float = 0.0
    #: Hurt: eyes shut tight, colours lit.
    pain: bool = False
    #: From where the body is seen: "front", "back", "left" or "right" as it faces; "": as it looks best.
    view: str = ""

    @property
    def from_behind(self) -> bool:
        """Tell whether the face is turned away."""
        return self.view == "back"

    @property
    def sideways(self) -> bool:
        """Tell whether the body is seen from its side."""
        return self.view in ("left", "right")

    @property
    def towards(self) -> bool:
        """Tell whether the body walks to or from us rather than across."""
        return self.view in ("front", "back")


REST: Final = Pose()
_TURN: Final = 2 * math.pi


def _ease(t: float) -> float:
    """Start and stop softly; 0 to 1."""
    t = min(max(t, 0.0), 1.0)
    return t * t * (3 - 2 * t)


def _through(t: float, *keys: tuple[float, float]) -> float:
    """Return the value at t of a curve through (time, value) keys."""
    before = keys[0]
    for key in keys[1:]:
        if t <= key[0]:
            span = key[0] - before[0]
            return before[1] + (key[1] - before[1]) * _ease((t - before[0]) / span if span else 1.0)
        before = key
    return before[1]


def _idle(t: float) -> Pose:
    breath = math.sin(_TURN * t)
    return Pose(
        bob=-0.45 + 0.75 * breath,
        squash=-0.045 * breath,
        arm=5 * math.sin(_TURN * t - 0.7),
        other_arm=-4 * math.sin(_TURN * t - 0.9),
        sway=math.sin(_TURN * t - 0.8) * 0.5,
        flap=math.sin(_TURN * t),
        blink=0.62 < t < 0.88,
    )


def _walk(t: float, speed: float = 1.0) -> Pose:
    swing = math.sin(_TURN * t)
    return Pose(
        bob=1.1 * speed * abs(math.cos(_TURN * t)) - 0.6,
        squash=0.10 * speed * math.cos(2 * _TURN * t),
        lean=3 + 7 * (speed - 1),
        step=t,
        stride=speed,
        arm=-26 * speed * swing,
        other_arm=30 * speed * swing,
        flap=math.sin(_TURN * t),
        sway=math.sin(_TURN * t - 1.0),
    )


def _run(t: float) -> Pose:
    return _walk(t, 1.5)


def _attack(t: float) -> Pose:
    return Pose(
        arm=_through(t, (0, 0), (0.32, 118), (0.42, 122), (0.60, 22), (0.76, 14), (1, 0)),
        wrist=_through(t, (0, 0), (0.32, -112), (0.42, -116), (0.60, 52), (0.76, 44), (1, 0)),
        other_arm=_through(t, (0, 0), (0.4, 30), (0.6, -36), (1, 0)),
        lean=_through(t, (0, 0), (0.4, -9), (0.6, 12), (0.78, 9), (1, 0)),
        push=_through(t, (0, 0), (0.4, -1.5), (0.6, 3.5), (0.78, 3), (1, 0)),
        squash=_through(t, (0, 0), (0.38, 0.16), (0.6, -0.14), (1, 0)),
        bob=_through(t, (0, 0), (0.4, -1.0), (0.6, 0.6), (1, 0)),
        step=_through(t, (0, 0), (0.4, 0), (0.6, 0.25), (1, 0.25)),
        stride=_through(t, (0, 0), (0.42, 0.1), (0.6, 0.8), (0.78, 0.7), (1, 0)),
        shout=_through(t, (0, 0), (0.4, 0.2), (0.6, 1), (1, 0)),
        flap=_through(t, (0, 0), (0.4, 1), (0.6, -1), (1, 0)),
        smear=_through(t, (0, 0), (0.46, 0), (0.6, 112), (0.7, 50), (0.76, 0), (1, 0)),
        aim=_through(t, (0, 0), (0.3, 1), (0.8, 1), (1, 0)),
        shot=_through(t, (0, 0), (0.46, 0), (0.6, 0.5), (0.8, 1), (0.86, 0), (1, 0)),
        sway=_through(t, (0, 0), (0.4, 0.6), (0.6, -1), (1, 0)),
    )


def _jump(t: float) -> Pose:
    lift = _through(t, (0, 0), (0.18, 0), (0.5, 7), (0.82, 0), (1, 0))
    return Pose(
        lift=lift,
        squash=_through(t, (0, 0), (0.15, 0.18), (0.3, -0.14), (0.5, 0), (0.7, -0.1), (0.86, 0.2), (1, 0)),
        bob=_through(t, (0, 0), (0.15, -2), (0.3, 0.8), (0.86, -2), (1, 0)),
        stride=0.45 if lift > 1 else 0.0,
        step=0.2,
        arm=_through(t, (0, 0), (0.15, -25), (0.45, 48), (0.8, 20), (1, 0)),
        other_arm=_through(t, (0, 0), (0.15, -25), (0.45, 70), (0.8, 30), (1, 0)),
        flap=_through(t, (0, 0), (0.2, 1), (0.4, -1), (0.6, 1), (0.8, -1), (1, 0)),
        sway=_through(t, (0, 0), (0.4, -1), (0.8, 1), (1, 0)),
    )


def _hurt(t: float) -> Pose:
    hit = _through(t, (0, 0.9), (0.15, 1), (0.5, 0.7), (1, 0))
    return Pose(
        lean=-14 * hit,
        push=-3.5 * hit,
        squash=0.12 * hit,
        arm=34 * hit,
        other_arm=48 * hit,
        shout=hit * 0.8,
        pain=hit > 0.35,
        flap=hit,
        sway=-hit,
        stride=0.4 * hit,
        step=0.5,
    )


def _death(t: float) -> Pose:
    fall = _through(t, (0, 0), (0.2, 0.08), (0.75, 1), (1, 1))
    return Pose(
        fall=fall,
        squash=0.28 * fall,
        lean=-8 * min(fall * 3, 1),
        arm=50 * fall,
        other_arm=60 * fall,
        shout=0.5 * (1 - fall),
        pain=True,
        flap=-fall,
        sway=fall,
    )


def _cast(t: float) -> Pose:
    power = _through(t, (0, 0), (0.35, 1), (0.7, 1), (1, 0))
    return Pose(
        arm=62 * power,
        other_arm=78 * power,
        wrist=-50 * power,
        bob=0.8 * power + 0.3 * math.sin(_TURN * 2 * t),
        squash=-0.08 * power + 0.03 * math.sin(_TURN * 2 * t),
        glow=power,
        shout=0.6 * power,
        flap=math.sin(_TURN * t),
        sway=math.sin(_TURN * t),
    )


_MOTIONS: Final[Mapping[str, Callable[[float], Pose]]] = {
    "idle": _idle,
    "walk": _walk,
    "run": _run,
    "attack": _attack,
    "jump": _jump,
    "hurt": _hurt,
    "death": _death,
    "cast": _cast,
}
#: Names by which people ask for a motion; the first that is part of the animation's name counts.
NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "death": ("death", "die", "dead", "dying", "defeat", "死", "倒下", "阵亡"),
    "hurt": ("hurt", "hit", "damage", "pain", "stun", "knock", "受伤", "受击", "挨打"),
    "cast": ("cast", "spell", "magic", "summon", "charge", "heal", "施法", "魔法", "咒", "法术"),
    "attack": (
        "attack",
        "slash",
        "swing",
        "strike",
        "stab",
        "shoot",
        "punch",
        "bite",
        "fire",
        "throw",
        "攻击",
        "砍",
        "射",
        "打",
    ),
    "jump": ("jump", "leap", "hop", "fall", "跳"),
    "run": ("run", "sprint", "dash", "roll", "跑", "冲刺"),
    "walk": ("walk", "move", "step", "fly", "swim", "float", "crawl", "走", "移动", "行走", "飞", "游"),
    "idle": ("idle", "stand", "breath", "wait", "rest", "待机", "站", "呼吸", "空闲"),
}


def motion_of(name: str) -> str:
    """Return which motion an animation's name asks for; what is unknown stands and breathes."""
    folded = name.casefold()
    for motion, words in NAMES.items():
        if any(word in folded for word in words):
            return motion
    return "idle"


#: What in an animation's name tells where the body faces; sides count before up and down.
_VIEWS: Final[Mapping[str, tuple[str, str]]] = {
    "left": ("left|west", "左|西"),
    "right": ("right|east", "右|东"),
    "front": ("down|front|south|forwards?", "下|正面|前"),
    "back": ("up|back|north|backwards?|away", "上|背|后"),
}
#: These go down or up without turning.
_NO_VIEW: Final = re.compile(
    r"(get|stand|jump|sit|lie|lay|fall|knock|go|power|level|pick|charge)(ing|s|ed)?[ _-]*(up|down|back)"
    r"|倒下|坐下|躺下|蹲下|跳上|起"
)


def view_of(name: str) -> str:
    """Return where the body faces by an animation's name: "front", "back", "left", "right", or "" if it is not said."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold()
    if _NO_VIEW.search(spaced):
        return ""
    motions = "|".join(word for words in NAMES.values() for word in words if word.isascii())
    for view, (english, chinese) in _VIEWS.items():
        if re.search(rf"(?:(?<![a-z])|(?:{motions}))(?:{english})(?![a-z])|{chinese}", spaced):
            return view
    return ""


def poses(name: str, frames: int, *, loop: bool) -> list[Pose]:
    """Return one pose a frame; a looping animation leads from its last frame into its first."""
    motion, view = _MOTIONS[motion_of(name)], view_of(name)
    span = frames if loop or motion_of(name) in ("idle", "walk", "run") else max(frames - 1, 1)
    return [replace(motion(index / span), view=view) for index in range(frames)]
