import io
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from domain.params import Animation
from domain.styles import Style
from worker.artifacts import GenerationRequest, GenerationResult
from worker.providers.builtin.lexicon.subjects import ENTRIES
from worker.providers.builtin.pose import view_of
from worker.providers.builtin.render import render

Ask = Callable[..., GenerationRequest]
Decode = Callable[[GenerationResult], list[NDArray[np.uint8]]]
WALKS = tuple(Animation(f"walk_{way}", 2) for way in ("down", "up", "left", "right"))
USUAL = {entry.kind: entry.english[0] for entry in ENTRIES}


@pytest.mark.parametrize(
    ("name", "view"),
    [
        ("walk_down", "front"),
        ("idle front", "front"),
        ("walkSouth", "front"),
        ("向下走", "front"),
        ("正面", "front"),
        ("walk_up", "back"),
        ("walkup", "back"),
        ("run-north", "back"),
        ("背面行走", "back"),
        ("向上走", "back"),
        ("walk_left", "left"),
        ("west", "left"),
        ("向左走", "left"),
        ("runRight", "right"),
        ("walk_down_right", "right"),
        ("向右走", "right"),
        ("walk", ""),
        ("attack", ""),
        ("feast", ""),
        ("get up", ""),
        ("knockdown", ""),
        ("倒下", ""),
    ],
)
def test_names_of_animations_say_where_the_body_faces(name: str, view: str) -> None:
    assert view_of(name) == view


@pytest.mark.parametrize("subject", ["knight", "elf woman", "skeleton", "wizard", "ninja", "wolf", "slime"])
def test_the_four_directions_of_a_walk_are_four_pictures(ask: Ask, pixels: Decode, subject: str) -> None:
    frames = pixels(render(ask("SPRITESHEET", subject, animations=WALKS)))[::2]
    for index, one in enumerate(frames):
        for two in frames[index + 1 :]:
            assert (one != two).any(axis=2).mean() > 0.02
    front, _, left, right = (frame[..., 3] > 0 for frame in frames)
    assert (left[:, ::-1] == right).mean() > 0.9
    assert front.any()


def test_a_back_has_no_eyes(ask: Ask, pixels: Decode) -> None:
    front, back = pixels(render(ask("SPRITESHEET", "skeleton", animations=WALKS[:2])))[::2]
    rows, columns = np.nonzero(front[..., 3])
    top, tall, middle = int(rows.min()), int(np.ptp(rows)), int(columns.mean())
    face = (slice(top + tall // 8, top + tall * 3 // 10), slice(middle - tall // 8, middle + tall // 8))
    dark = [int((frame[face][..., :3].sum(axis=2) < 250).sum()) for frame in (front, back)]
    assert dark[1] == 0
    assert dark[0] > 4


def test_it_says_which_motion_each_name_became(ask: Ask) -> None:
    animations = (Animation("walk_up", 2), Animation("wibble", 2))
    assert render(ask("SPRITESHEET", "knight", animations=animations)).details["animations"] == {
        "walk_up": {"motion": "walk", "view": "back"},
        "wibble": {"motion": "idle", "view": ""},
    }


@pytest.mark.parametrize("kind", USUAL)
def test_no_two_of_four_seeds_draw_the_same(ask: Ask, kind: str) -> None:
    seen = {render(ask("SPRITE", USUAL[kind], seed=seed, width=48, height=48)).pictures[0].data for seed in range(4)}
    assert len(seen) == 4


def test_a_blue_button_is_blue_in_any_palette_that_has_blue(ask: Ask) -> None:
    palette = ("#101010", "#5a564f", "#c0b8a8", "#8a3030", "#284890")
    (picture,) = render(ask("UI", "蓝色的按钮", style=Style(palette=palette))).pictures
    seen = np.array(Image.open(io.BytesIO(picture.data)).convert("RGB")).reshape(-1, 3)
    values, counts = np.unique(seen, axis=0, return_counts=True)
    assert values[counts.argmax()].tolist() == [0x28, 0x48, 0x90]


def test_a_tiny_person_has_a_larger_head(ask: Ask, pixels: Decode) -> None:
    (tiny,) = pixels(render(ask("SPRITE", "girl", width=16, height=16)))
    (usual,) = pixels(render(ask("SPRITE", "girl", width=32, height=32)))
    rows = [np.flatnonzero((array[..., 3] > 0).any(axis=1)) for array in (tiny, usual)]
    widest = [
        int((array[..., 3] > 0).sum(axis=1).argmax() - lines[0]) / len(lines)
        for array, lines in zip((tiny, usual), rows, strict=True)
    ]
    assert widest[0] < 0.6
