import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.imaging.indexed import count_colors, describe_colors, index_colors


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), colors=st.integers(1, 400))
def test_indexing_loses_nothing_and_counting_agrees_with_a_plain_set(seed: int, colors: int) -> None:
    random = np.random.default_rng(seed)
    palette = random.integers(0, 256, (colors, 4)).astype(np.uint8)
    palette[random.random(colors) < 0.5, 3] = 255
    palette[random.random(colors) < 0.1, 3] = 0
    array = palette[random.integers(0, colors, (25, 21))]
    clean = array.copy()
    clean[clean[..., 3] == 0] = 0
    different = {tuple(color) for color in clean.reshape(-1, 4).tolist()}
    assert count_colors(array) == len(different)
    indexed = index_colors(array)
    if indexed is not None:
        assert np.array_equal(indexed.palette[indexed.pixels], clean)
        assert len(indexed.palette) == len(different)
    else:
        assert len({tuple(color) for color in array.reshape(-1, 4).tolist()}) > 256


def test_the_palette_lists_each_visible_color_once() -> None:
    array = np.array([[[255, 0, 0, 255], [255, 0, 0, 128], [0, 1, 2, 255], [9, 9, 9, 0]]], dtype=np.uint8)
    assert describe_colors(array) == {"colorCount": 4, "palette": ["#000102", "#ff0000"]}


def test_a_picture_of_many_colors_has_a_count_and_no_palette() -> None:
    array = np.zeros((20, 20, 4), dtype=np.uint8)
    array[..., 0], array[..., 1], array[..., 3] = np.arange(20)[:, None], np.arange(20), 255
    assert describe_colors(array) == {"colorCount": 400}
