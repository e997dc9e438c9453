"""All checks together: which apply, what good pictures get, and that nothing a provider sends is an exception."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.kinds import AssetType
from domain.params import Params, ParamsRequest, resolve_params
from domain.styles import Style
from tests.helpers.stub import sprite
from tests.helpers.verdicts import GOOD, failed, picture, verdicts
from worker.artifacts import Picture
from worker.quality.measure import QualitySubject, measure

EVERYTHING = AssetType.SPRITESHEET, AssetType.TILESET, AssetType.BACKGROUND, AssetType.UI, AssetType.PORTRAIT


def test_a_good_sprite_passes_everything() -> None:
    found = verdicts(picture(GOOD))
    assert list(found) == ["emptiness", "detail", "size", "transparency", "fringe", "contrast"]
    assert failed(found) == set()
    assert all(0 <= verdict.score <= 1 and verdict.reason for verdict in found.values())


def test_nothing_and_garbage_are_verdicts_and_no_exceptions() -> None:
    assert failed(verdicts()) == {"readable"}
    for data in (b"", b"not a picture", sprite(1)[:200], b"\x89PNG\r\n\x1a\n" + b"\x00" * 50):
        assert failed(verdicts(Picture(data, 64, 64))) == {"readable"}


def test_the_picture_that_cannot_be_read_is_named() -> None:
    found = verdicts(picture(GOOD, "走/0", "走", 0), Picture(b"broken", 64, 64, "走/1", "走", 1))
    assert failed(found) == {"readable"}
    assert "走/1" in found["readable"].reason


def test_subjects_and_verdicts_cross_into_other_processes() -> None:
    subject = QualitySubject(AssetType.SPRITE, resolve_params(AssetType.SPRITE, ParamsRequest()), Style(), ())
    assert pickle.loads(pickle.dumps(subject)) == subject  # noqa: S301 (our own bytes)
    assert pickle.loads(pickle.dumps(measure(subject))) == measure(subject)  # noqa: S301 (likewise)


def test_large_pictures_are_measured_alike() -> None:
    large = GOOD.repeat(32, axis=0).repeat(32, axis=1)
    params: Params = replace(resolve_params(AssetType.SPRITE, ParamsRequest()), width=2048, height=2048)
    found = measure(QualitySubject(AssetType.SPRITE, params, Style(), (picture(large),)))
    small = verdicts(picture(GOOD))
    assert all(verdict.passed for verdict in found)
    for verdict in found:
        assert verdict.score == pytest.approx(small[verdict.name].score, abs=0.1)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(EVERYTHING),
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=1, max_size=4),
    st.sampled_from(("noise", "empty", "flat")),
    st.integers(0, 100),
)
def test_whatever_size_the_pictures_have_every_verdict_is_within_bounds(
    asset_type: AssetType, sizes: list[tuple[int, int]], content: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    animation = "walk" if asset_type is AssetType.SPRITESHEET else None
    pictures = []
    for index, (height, width) in enumerate(sizes):
        array = rng.integers(0, 256, (height, width, 4)).astype(np.uint8)
        if content != "noise":
            array[...] = 0 if content == "empty" else (10, 120, 60, 255)
        pictures.append(picture(array, f"p{index}", animation, index))
    wrapping: dict[str, object] = {"seamless": asset_type in (AssetType.BACKGROUND, AssetType.TILESET)}
    tiles = {"tiles": [{"index": index, "corners": [0, 0, 0, 0]} for index in range(len(sizes))]}
    found = verdicts(
        *pictures, asset_type=asset_type, style=Style(palette=("#0a783c", "#ffffff00")), details=tiles, **wrapping
    )
    assert "size" in failed(found)
    for verdict in found.values():
        assert 0 <= verdict.score <= 1
        assert verdict.reason
    assert found == verdicts(
        *pictures, asset_type=asset_type, style=Style(palette=("#0a783c", "#ffffff00")), details=tiles, **wrapping
    )


@pytest.mark.parametrize(
    "tiles",
    [
        [3, None, "x"],
        {"a": 1},
        [{"index": "x", "corners": [1, 1, 1, 1]}],
        [{"corners": [1, 1, 1, 1]}],
        [{"index": 0, "corners": [1]}, {"index": 99, "corners": [0, 0, 0, 0]}],
        [{"index": 0, "corners": None}],
        [{"index": 0, "corners": [0, 1, 2, 3]}],
        [{"index": 0, "corners": [{}, [], 1.5, None]}],
    ],
)
def test_what_a_provider_says_of_its_tiles_may_be_nonsense(tiles: Any) -> None:
    rng = np.random.default_rng(1)
    pictures = [picture(rng.integers(0, 256, (32, 32, 4)).astype(np.uint8), f"{i}", None, i) for i in range(2)]
    found = verdicts(*pictures, asset_type=AssetType.TILESET, details={"tiles": tiles})
    assert "tile_edges" not in failed(found)
