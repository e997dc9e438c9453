from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from domain.params import Animation
from worker.artifacts import GenerationRequest, GenerationResult
from worker.providers.builtin.pose import motion_of, poses
from worker.providers.builtin.render import render

Ask = Callable[..., GenerationRequest]
Decode = Callable[[GenerationResult], list[NDArray[np.uint8]]]
Moving = Callable[[str], dict[str, list[NDArray[np.uint8]]]]
MOTIONS = ("idle", "walk", "run", "attack", "jump", "hurt", "death", "cast")
ACTORS = ("knight", "archer", "skeleton", "slime", "dragon", "bat", "wolf", "robot")
WALKERS = ("knight", "archer", "skeleton", "wolf", "dragon", "robot")
LOOPING = ("idle", "walk", "run")


def bounds(array: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    rows, columns = np.nonzero(array[..., 3])
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def frames_of(ask: Ask, pixels: Decode, subject: str, *animations: Animation) -> dict[str, list[NDArray[np.uint8]]]:
    result = render(ask("SPRITESHEET", subject, animations=animations))
    frames: dict[str, list[NDArray[np.uint8]]] = {}
    for picture, array in zip(result.pictures, pixels(result), strict=True):
        assert picture.animation is not None
        assert picture.name == f"{picture.animation}/{picture.index}"
        assert picture.index == len(frames.setdefault(picture.animation, []))
        frames[picture.animation].append(array)
    return frames


@pytest.fixture(scope="module")
def moving(ask: Ask, pixels: Decode) -> Moving:
    """Return every motion of a subject, six frames each, drawn once for all tests."""
    motions = [Animation(name, 6, loop=name in LOOPING) for name in MOTIONS]

    @cache
    def sheet(subject: str) -> dict[str, list[NDArray[np.uint8]]]:
        return frames_of(ask, pixels, subject, *motions)

    return sheet


def test_a_sheet_has_every_frame_asked_for_in_order(ask: Ask, pixels: Decode) -> None:
    wanted = (Animation("walk", 5), Animation("挥剑攻击", 3, loop=False), Animation("idle", 1))
    frames = frames_of(ask, pixels, "knight", *wanted)
    assert {name: len(items) for name, items in frames.items()} == {"walk": 5, "挥剑攻击": 3, "idle": 1}


@pytest.mark.parametrize("subject", ACTORS)
def test_every_motion_moves_and_keeps_size_place_and_colours(moving: Moving, subject: str) -> None:
    for name, frames in moving(subject).items():
        assert len({frame.tobytes() for frame in frames}) >= (3 if name in ("idle", "hurt", "death") else 4), name
        heights = [bounds(frame)[3] - bounds(frame)[1] for frame in frames]
        assert (max(heights) - min(heights)) / max(heights) <= 0.28, (name, heights)
        middles = [np.argwhere(frame[..., 3] > 0).mean(axis=0) for frame in frames]
        assert np.ptp(np.array(middles), axis=0).max() < 0.3 * frames[0].shape[0], name
        colors = [{tuple(c) for c in np.unique(frame.reshape(-1, 4), axis=0)} for frame in frames]
        kept = len(set.intersection(*colors)) / max(len(items) for items in colors)
        assert kept > 0.5, (name, kept)


@pytest.mark.parametrize("subject", WALKERS)
def test_feet_stay_on_one_ground_line(moving: Moving, subject: str) -> None:
    lines = {bounds(frame)[3] for name in LOOPING for frame in moving(subject)[name]}
    assert max(lines) - min(lines) <= 1


@pytest.mark.parametrize("subject", ACTORS)
def test_a_loop_leads_from_its_last_frame_into_its_first(moving: Moving, subject: str) -> None:
    frames = moving(subject)["walk"]
    steps = [int((one != two).any(axis=2).sum()) for one, two in zip(frames, [*frames[1:], frames[0]], strict=True)]
    assert 0 < steps[-1] <= 1.3 * max(steps[:-1])


@pytest.mark.parametrize("subject", [*ACTORS, "sword", "coin", "unheard-of thing"])
def test_no_frame_is_cut_off_at_its_border(moving: Moving, subject: str) -> None:
    for frames in moving(subject).values():
        for frame in frames:
            left, top, right, bottom = bounds(frame)
            assert min(left, top, frame.shape[1] - right, frame.shape[0] - bottom) >= 1


@pytest.mark.parametrize(
    ("name", "motion"),
    [
        ("walk", "walk"),
        ("Walking left", "walk"),
        ("行走", "walk"),
        ("run_fast", "run"),
        ("跑步", "run"),
        ("slash", "attack"),
        ("攻击", "attack"),
        ("die", "death"),
        ("死亡", "death"),
        ("受伤", "hurt"),
        ("jump", "jump"),
        ("跳跃", "jump"),
        ("施法", "cast"),
        ("待机", "idle"),
        ("wibble", "idle"),
    ],
)
def test_names_of_animations_are_understood(name: str, motion: str) -> None:
    assert motion_of(name) == motion


def test_an_unknown_animation_still_moves(ask: Ask, pixels: Decode) -> None:
    frames = frames_of(ask, pixels, "knight", Animation("victory dance", 6))["victory dance"]
    assert len({frame.tobytes() for frame in frames}) >= 3


def test_a_motion_that_does_not_loop_reaches_its_end() -> None:
    assert poses("death", 5, loop=False)[-1].fall == pytest.approx(1.0)
    assert poses("attack", 6, loop=False)[-1].arm == pytest.approx(0.0)
    assert len(poses("hurt", 1, loop=False)) == 1
