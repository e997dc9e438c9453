"""Frames that drift in size, place or colour are found; real motion is not."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.verdicts import GOOD, failed, picture, sheet, verdicts
from worker.imaging.indexed import Pixels
from worker.imaging.resize import resize
from worker.imaging.trim import visible_box
from worker.quality.animation_names import may_flash, may_leap, may_vanish

CHECKS = {"frame_size", "frame_position", "frame_palette", "frame_motion"}


def figure(
    *, width: float = 1.0, height: float = 1.0, right: int = 0, up: int = 0, side: int = 96, tall: int = 56
) -> Pixels:
    """The good figure, scaled, with its feet on one line above the bottom of a transparent frame."""
    box = visible_box(GOOD)
    assert box is not None
    cut = GOOD[box.top : box.bottom, box.left : box.right]
    scaled = resize(cut, max(round(tall * width), 1), max(round(tall * 0.95 * height), 1))
    frame = np.zeros((side, side, 4), np.uint8)
    bottom, left = side - 6 - up, (side - scaled.shape[1]) // 2 + right
    frame[bottom - scaled.shape[0] : bottom, left : left + scaled.shape[1]] = scaled
    return frame


def with_sword(frame: Pixels, degrees: float, *, trail: bool = False) -> Pixels:
    """A blade drawn from the figure's side at an angle, and behind it a trail of light."""
    result = frame.copy()
    y, x = np.mgrid[0 : frame.shape[0], 0 : frame.shape[1]]
    dx, dy = x - 62, 62 - y
    radius, angle = np.hypot(dx, dy), np.degrees(np.arctan2(dy, dx))
    if trail:
        result[(radius > 18) & (radius < 30) & (angle > degrees) & (angle < degrees + 60)] = (230, 240, 255, 200)
    along = dx * math.cos(math.radians(degrees)) + dy * math.sin(math.radians(degrees))
    across = np.abs(-dx * math.sin(math.radians(degrees)) + dy * math.cos(math.radians(degrees)))
    result[(along > 0) & (along < 30) & (across < 2)] = (200, 205, 215, 255)
    return result


WALK = [figure(up=step, width=1 - 0.02 * step, height=1 + 0.02 * step) for step in (0, 1, 2, 1, 0, 1, 2, 1)]
IDLE = [figure(height=height) for height in (1, 1.02, 1.04, 1.02)]
SLIME = [
    figure(width=width, height=1 / width, up=up) for width, up in ((1, 0), (1.25, 0), (0.85, 5), (0.9, 9), (1.2, 0))
]
JUMP = [
    figure(width=width, height=1 / width, up=up, tall=44)
    for width, up in ((1, 0), (1.2, 0), (0.9, 20), (1, 34), (0.9, 18), (1.2, 0))
]
ATTACK = [
    with_sword(figure(right=right), degrees, trail=trail)
    for right, degrees, trail in ((0, 80, False), (-4, 120, False), (10, 10, True), (10, -20, True), (4, 20, False))
]


@pytest.mark.parametrize(
    ("name", "frames"),
    [
        ("walk", WALK),
        ("idle", IDLE),
        ("slime hop", SLIME),
        ("jump", JUMP),
        ("attack", ATTACK),
        ("walk", WALK[:2]),
        ("crouch", [figure(), figure(width=1.2, height=0.8), figure(width=1.3, height=0.7)]),
    ],
)
def test_real_motion_passes(name: str, frames: Sequence[Pixels]) -> None:
    found = sheet(frames, name)
    assert set(found) >= CHECKS
    assert failed(found) == set()


def test_one_frame_is_no_animation_and_a_sprite_has_no_frames() -> None:
    assert not CHECKS & set(sheet([GOOD]))
    assert not CHECKS & set(verdicts(picture(GOOD)))


@pytest.mark.parametrize("scale", [0.5, 0.75, 1.3])
def test_a_frame_at_another_scale_is_found(scale: float) -> None:
    frames = [*WALK]
    frames[3] = figure(width=scale, height=scale)
    found = sheet(frames)
    assert failed(found) == {"frame_size"}
    assert "frame 3" in found["frame_size"].reason


def test_a_figure_that_grows_little_by_little_is_found() -> None:
    frames = [figure(width=scale, height=scale) for scale in np.linspace(1, 1.32, 8)]
    found = sheet(frames)
    assert failed(found) == {"frame_size"}
    assert "times as large" in found["frame_size"].reason


def test_an_empty_frame_is_found_and_a_dying_figure_may_vanish() -> None:
    frames = [figure(), figure(height=0.9), figure(height=0.5, width=0.9), np.zeros((96, 96, 4), np.uint8)]
    assert {"frame_size", "emptiness"} <= failed(sheet(frames))
    assert failed(sheet(frames, "death")) == set()
    assert {"emptiness", "frame_motion"} <= failed(sheet([frames[3]] * 3, "death")), "but there must be one at first"


@pytest.mark.parametrize(("right", "up"), [(18, 0), (-18, 0), (0, 18)])
def test_a_frame_in_another_place_is_found(right: int, up: int) -> None:
    frames = [figure(tall=44, up=step) for step in (0, 1, 0, 1)]
    frames[2] = figure(tall=44, right=right, up=up)
    found = sheet(frames)
    assert failed(found) == {"frame_position"}
    assert ("sideways" if right else "up and down") in found["frame_position"].reason
    assert failed(sheet(frames, "attack")) == set(), "a lunge is meant to be sudden"


def test_a_lunge_has_its_limits() -> None:
    frames = [figure(tall=24), figure(tall=24, right=33), figure(tall=24, right=-12)]
    assert failed(sheet(frames, "attack")) == {"frame_position"}


def test_a_figure_that_slides_little_by_little_is_found() -> None:
    frames = [figure(tall=40, right=right) for right in range(-12, 13, 3)]
    assert failed(sheet(frames)) == {"frame_position"}


def recolored(frame: Pixels, matrix: Sequence[Sequence[float]], add: float = 0) -> Pixels:
    result = frame.copy()
    result[..., :3] = np.clip(frame[..., :3] @ np.array(matrix).T + add, 0, 255)
    return result


SAME = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("matrix", "add"),
    [
        ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], 0),
        (SAME, 45),
        ([[0.3, 0.59, 0.11]] * 3, 0),
        ([[-1, 0, 0], [0, -1, 0], [0, 0, -1]], 255),
    ],
    ids=["other hue", "brighter", "grey", "negative"],
)
def test_a_recolored_frame_is_found_but_a_hurt_figure_may_flash(matrix: list[list[float]], add: float) -> None:
    colorful = [recolored(frame, [[1.3, 0, 0], [0, 0.9, 0], [0, 0, 0.4]]) for frame in WALK]
    frames = [*colorful]
    frames[5] = recolored(colorful[5], matrix, add)
    found = sheet(frames)
    assert failed(found) == {"frame_palette"}
    assert "frame 5" in found["frame_palette"].reason
    assert failed(sheet(frames, "hurt")) == set()
    assert failed(sheet(colorful)) == set()


def test_colors_that_fade_little_by_little_are_found() -> None:
    frames = [recolored(frame, SAME, add) for frame, add in zip(WALK, range(0, 64, 8), strict=True)]
    assert failed(sheet(frames)) == {"frame_palette"}


def test_frames_that_stand_still_are_found() -> None:
    found = sheet([GOOD] * 4)
    assert failed(found) == {"frame_motion"}
    assert "equal" in found["frame_motion"].reason


def test_noise_of_an_encoder_is_no_motion_and_a_blink_is_one() -> None:
    rng = np.random.default_rng(2)
    noisy = []
    for _ in range(4):
        frame = figure()
        seen = frame[..., 3] > 200
        frame[seen, :3] = np.clip(frame[seen, :3].astype(int) + rng.integers(-1, 2, (int(seen.sum()), 3)), 0, 255)
        noisy.append(frame)
    assert failed(sheet(noisy)) == {"frame_motion"}
    blink = figure()
    blink[60:63, 40:46] = (20, 16, 32, 255)
    assert failed(sheet([figure(), blink])) == set()


@settings(max_examples=8, deadline=None)
@given(st.permutations(range(8)), st.integers(-20, 20))
def test_neither_the_order_nor_the_place_of_all_frames_decides(order: list[int], right: int) -> None:
    found = sheet([np.roll(WALK[index], right, axis=1) for index in order])
    assert failed(found) == set()
    bad = [np.roll(figure(width=0.6, height=0.6) if index == 4 else WALK[index], right, axis=1) for index in order]
    assert failed(sheet(bad)) == {"frame_size"}


def test_names_are_read_word_by_word() -> None:
    assert may_vanish("deathFront")
    assert may_vanish("hero_die_02")
    assert may_vanish("角色死亡")
    assert not may_vanish("soldier")
    assert not may_vanish("walk")
    assert may_flash("Hit")
    assert may_flash("take-damage")
    assert may_flash("受伤")
    assert not may_flash("white walk")
    assert not may_flash("行走")
    assert may_leap("attack1")
    assert may_leap("JumpUp")
    assert may_leap("轻攻击")
    assert not may_leap("stroll")
    assert not may_leap("troll_idle")
