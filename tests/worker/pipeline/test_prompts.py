"""Prompts in three parts, seeds, and the one branch."""

from hypothesis import given
from hypothesis import strategies as st

from domain.kinds import AssetType
from domain.params import Animation, ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import Verdict
from worker.pipeline.prompts import MAX_CORRECTIONS, build_prompt
from worker.pipeline.retry import failed_checks, may_regenerate, round_seed, variation_seed

STYLE = Style("16-bit pixel art", ("#ff0000", "#00ff00"), "side view", "gloomy", "blur")


def test_a_prompt_has_the_style_the_words_and_the_needs_of_the_type() -> None:
    params = resolve_params(AssetType.SPRITE, ParamsRequest(negative_prompt="hat", palette_size=8))
    built = build_prompt(STYLE, "一只猫 🐈 مرحبا", AssetType.SPRITE, params)
    assert built.style == "Style: 16-bit pixel art, side view, gloomy mood, only these colors: #ff0000 #00ff00."
    assert built.subject == "Subject: 一只猫 🐈 مرحبا"
    assert "64 x 64 pixels" in built.technical
    assert "Transparent background" in built.technical
    assert "At most 8 colors" in built.technical
    assert built.text == f"{built.style}\n{built.subject}\n{built.technical}"
    assert built.negative.startswith("blur, hat, text")
    assert "background" in built.negative.split(", ")


def test_an_empty_style_leaves_no_empty_part() -> None:
    params = resolve_params(AssetType.BACKGROUND, ParamsRequest(seamless=True))
    built = build_prompt(Style(), "a forest", AssetType.BACKGROUND, params)
    assert built.text.startswith("Subject: a forest\n")
    assert "Wraps without a seam" in built.technical
    assert "background" not in built.negative.split(", ")


def test_every_type_says_what_it_needs() -> None:
    for asset_type in AssetType:
        built = build_prompt(Style(), "x", asset_type, resolve_params(asset_type, ParamsRequest()))
        assert built.technical.startswith("Requirements: ")
    sheet = resolve_params(AssetType.SPRITESHEET, ParamsRequest(animations=(Animation("跑", 3, loop=False),)))
    assert "'跑': 3 frames, played once" in build_prompt(Style(), "x", AssetType.SPRITESHEET, sheet).technical
    tiles = resolve_params(AssetType.TILESET, ParamsRequest(tile_size=16))
    assert "Tiles of 16 x 16" in build_prompt(Style(), "x", AssetType.TILESET, tiles).technical
    video = resolve_params(AssetType.VIDEO, ParamsRequest(duration_seconds=2))
    assert "2 seconds" in build_prompt(Style(), "x", AssetType.VIDEO, video).technical


def test_what_failed_before_is_asked_for_and_only_the_latest_of_it() -> None:
    params = resolve_params(AssetType.SPRITE, ParamsRequest())
    reasons = [f"Fault {number}." for number in range(10)]
    built = build_prompt(Style(), "x", AssetType.SPRITE, params, [*reasons, "Fault 9."])
    assert "Fault 9." in built.technical
    assert built.technical.count("Fault") == MAX_CORRECTIONS
    assert "Fault 3." not in built.technical


@given(st.integers(0, 2**31 - 1), st.integers(0, 7), st.integers(0, 3))
def test_seeds_stay_in_range_and_differ(seed: int, variation: int, number: int) -> None:
    assert 0 <= variation_seed(seed, variation) < 2**31
    assert len({variation_seed(seed, n) for n in range(8)}) == 8
    assert round_seed(seed, 0) == seed
    assert 0 <= round_seed(seed, number) < 2**31
    assert round_seed(seed, number) == round_seed(seed, number)
    assert len({round_seed(seed, n) for n in range(4)}) == 4


def test_the_branch_goes_back_only_for_a_failure_and_while_rounds_are_left() -> None:
    good, bad = Verdict("a", 1, 0.5, ""), Verdict("b", 0.4, 0.5, "")
    assert failed_checks([good, bad]) == [bad]
    assert [may_regenerate(1, number, 3) for number in range(4)] == [True, True, True, False]
    assert not may_regenerate(0, 0, 3)
    assert not may_regenerate(1, 0, 0)
