from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.providers.builtin.chance import Chance
from worker.providers.builtin.color import (
    BASE_LEVEL,
    LEVELS,
    Palette,
    gradient,
    lch_of,
    mix,
    oklab_of,
    parse_hex,
    ramp_of,
    srgb_of,
)

colors = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


def lightness(color: str) -> float:
    return lch_of(color)[0]


@given(colors)
def test_a_ramp_goes_from_dark_to_light_through_its_colour(color: str) -> None:
    ramp = ramp_of(color)
    assert len(ramp) == LEVELS
    values = [lightness(step) for step in ramp[1:]]
    assert all(one <= two + 0.02 for one, two in pairwise(values))
    assert np.abs(np.array(parse_hex(ramp[3])) - np.array(parse_hex(color))).max() <= 6


@given(st.lists(colors, min_size=1, max_size=12, unique=True), colors)
def test_a_palettes_ramp_uses_only_its_colours_and_never_darkens(palette: list[str], color: str) -> None:
    ramp = Palette(palette).ramp(ramp_of(color))
    assert set(ramp) <= set(palette)
    values = [lightness(step) for step in ramp]
    assert values == sorted(values)


@given(st.lists(colors, min_size=1, max_size=12, unique=True), st.lists(colors, min_size=1, max_size=6))
def test_the_nearest_colour_of_a_palette_is_the_nearest_in_oklab(palette: list[str], wanted: list[str]) -> None:
    rgb = np.array([[parse_hex(color) for color in wanted]], dtype=np.uint8)
    found = Palette(palette).nearest(rgb)
    allowed = np.array([parse_hex(color) for color in palette])
    for source, result in zip(rgb[0], found[0], strict=True):
        distances = np.linalg.norm(oklab_of(allowed) - oklab_of(source), axis=1)
        assert np.linalg.norm(oklab_of(result) - oklab_of(source)) == pytest.approx(distances.min(), abs=1e-9)


@given(colors)
def test_colours_survive_oklab(color: str) -> None:
    rgb = np.array(parse_hex(color), dtype=np.uint8)
    assert (srgb_of(oklab_of(rgb)) == rgb).all()


def test_gradients_run_from_the_first_stop_to_the_last() -> None:
    steps = gradient(("#000000", "#ff0000", "#ffffff"), 5)
    assert (steps[0], steps[2], steps[4]) == ("#000000", "#ff0000", "#ffffff")
    assert mix("#000000", "#ffffff", 0.0) == "#000000"


def test_alpha_of_a_palette_entry_is_left_out() -> None:
    assert Palette(("#11223344",)).ramp(ramp_of("#ff0000")) == ["#112233"] * LEVELS


def test_choices_depend_on_names_and_not_on_their_order() -> None:
    one, two = Chance("text", 1), Chance("text", 1)
    first = (one.unit("a"), one.whole("b", 0, 99), one.pick("c", "xyz"))
    second = (two.pick("c", "xyz"), two.whole("b", 0, 99), two.unit("a"))
    assert first == second[::-1]
    assert Chance("text", 2).unit("a") != one.unit("a")
    assert (one.generator("g").random(3) == two.generator("g").random(3)).all()
    assert 0 <= Chance("\ud800").unit("x") < 1


@pytest.mark.parametrize(
    ("palette", "wanted", "shown"),
    [
        (("#000000", "#ffffff", "#20306a", "#7a7a7a", "#d03030"), "#3a68c8", "#20306a"),
        (("#101010", "#5a564f", "#c0b8a8", "#bcd4f8", "#7a7468"), "#3a68c8", "#bcd4f8"),
        (("#332244", "#886655", "#a08070", "#203868"), "#c8323a", "#886655"),
    ],
)
def test_a_palette_shows_a_colour_by_its_own_hue_first(palette: tuple[str, ...], wanted: str, shown: str) -> None:
    assert Palette(palette).ramp(ramp_of(wanted))[BASE_LEVEL] == shown
