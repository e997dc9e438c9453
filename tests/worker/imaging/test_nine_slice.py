"""How panels and buttons stretch, found out from the picture."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.imaging.indexed import Pixels
from worker.imaging.nine_slice import NineSlice, find_nine_slice, read_nine_slice


def panel(left: int, top: int, right: int, bottom: int, *, seed: int = 1, noise: int = 0) -> Pixels:
    """Corners and sides of chance, the sides the same along their length, a plain middle of 40 x 30."""
    random = np.random.default_rng(seed)
    width, height = left + 40 + right, top + 30 + bottom
    across, down = random.integers(0, 255, (height, 1, 4)), random.integers(0, 255, (1, width, 4))
    picture = random.integers(0, 255, (height, width, 4))
    picture[:, left : left + 40] = across
    picture[top : top + 30] = down
    picture[top : top + 30, left : left + 40] = (90, 80, 70, 255)
    picture = picture + random.integers(-noise, noise + 1, picture.shape)
    return picture.clip(0, 255).astype(np.uint8)


@settings(max_examples=40, deadline=None)
@given(st.tuples(*[st.integers(1, 20)] * 4), st.integers(0, 500))
def test_the_borders_of_a_panel_are_found(borders: tuple[int, int, int, int], seed: int) -> None:
    assert find_nine_slice(panel(*borders, seed=seed)) == NineSlice(*borders)


def test_a_little_noise_is_no_border() -> None:
    assert find_nine_slice(panel(6, 7, 8, 9, noise=1)) == NineSlice(6, 7, 8, 9)


def test_colors_under_transparency_do_not_count() -> None:
    picture = panel(5, 5, 5, 5)
    picture[10:20, 10:40, 3] = 0
    picture[:, 5:45, 3] = picture[:, 5:6, 3]
    picture[5:35, :, 3] = picture[5:6, :, 3]
    picture[5:35, 5:45, 3] = 0
    picture[5:35, 5:45, :3] = np.random.default_rng(3).integers(0, 255, (30, 40, 3))
    assert find_nine_slice(picture) == NineSlice(5, 5, 5, 5)


def test_what_cannot_be_stretched_has_no_borders() -> None:
    random = np.random.default_rng(4)
    assert find_nine_slice(random.integers(0, 255, (40, 60, 4), dtype=np.uint8)) is None
    assert find_nine_slice(np.full((40, 60, 4), 255, dtype=np.uint8)) is None
    assert find_nine_slice(np.zeros((1, 1, 4), dtype=np.uint8)) is None
    gradient = panel(6, 6, 6, 6)
    gradient[..., 0] = np.arange(gradient.shape[1]) * 4
    assert find_nine_slice(gradient) is None


@pytest.mark.parametrize(
    "said", [None, 4, {}, {"left": 1}, {"left": -1, "top": 0, "right": 0, "bottom": 0}, {"left": 20, "right": 20}]
)
def test_nonsense_of_a_provider_is_passed_over(said: object) -> None:
    assert read_nine_slice(said, 40, 40) is None
    whole = {"left": 20, "top": 1, "right": 20, "bottom": 1}
    assert read_nine_slice(whole, 40, 40) is None
    assert read_nine_slice(whole, 41, 40) == NineSlice(20, 1, 20, 1)
