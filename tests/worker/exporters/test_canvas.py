import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.exporters.canvas import content_box, draw_page
from worker.exporters.packing import Rect, Rules, pack


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 1000), extrude=st.integers(0, 4), padding=st.integers(0, 3))
def test_the_ring_repeats_the_edge_pixels_and_the_rect_is_the_picture(seed: int, extrude: int, padding: int) -> None:
    random = np.random.default_rng(seed)
    pictures = [
        random.integers(0, 256, (*random.integers(1, 9, 2), 4)).astype(np.uint8) for _ in range(random.integers(1, 6))
    ]
    layout = pack([(p.shape[1], p.shape[0]) for p in pictures], Rules(padding=padding, extrude=extrude))
    rects = [place.rect for place in layout.places]
    page = draw_page(*layout.pages[0], zip(rects, pictures, strict=True), extrude)
    for rect, picture in zip(rects, pictures, strict=True):
        rows = np.clip(np.arange(-extrude, rect.height + extrude), 0, rect.height - 1)
        columns = np.clip(np.arange(-extrude, rect.width + extrude), 0, rect.width - 1)
        around = page[
            rect.y - extrude : rect.bottom + extrude,
            rect.x - extrude : rect.right + extrude,
        ]
        assert np.array_equal(around, picture[rows][:, columns])


def test_a_ring_beyond_the_page_is_left_out() -> None:
    page = draw_page(4, 4, [(Rect(2, 2, 2, 2), np.full((2, 2, 4), 9, dtype=np.uint8))], 1)
    assert np.array_equal(page[1:, 1:], np.full((3, 3, 4), 9))
    assert not page[0].any()


def test_the_content_box_is_tight_and_an_empty_picture_keeps_one_pixel() -> None:
    picture = np.zeros((10, 12, 4), dtype=np.uint8)
    assert content_box(picture) == Rect(0, 0, 1, 1)
    picture[3:5, 4:9, 3] = 1
    assert content_box(picture) == Rect(4, 3, 5, 2)
