"""From the size that a model paints in to the size that was asked for."""

import numpy as np
import pytest

from worker.imaging.fit import contain, content_of, cover, hard_edged, opaque
from worker.imaging.indexed import Pixels


def blank(width: int, height: int) -> Pixels:
    return np.zeros((height, width, 4), dtype=np.uint8)


def subject(width: int, height: int, left: int, top: int, right: int, bottom: int) -> Pixels:
    picture = blank(width, height)
    picture[top:bottom, left:right] = (200, 40, 40, 255)
    return picture


@pytest.mark.parametrize(("width", "height"), [(64, 64), (320, 180), (33, 200), (2048, 16), (1, 1)])
def test_every_size_is_met_exactly(width: int, height: int) -> None:
    picture = subject(300, 200, 100, 50, 180, 190)
    assert cover(picture, width, height).shape == (height, width, 4)
    assert contain(picture, width, height).shape == (height, width, 4)


def test_filling_cuts_both_sides_alike() -> None:
    picture = blank(300, 100)
    picture[:, 100:200] = (0, 200, 0, 255)
    assert (cover(picture, 50, 50)[..., 3] == 255).all()


def test_a_subject_fills_its_frame_up_to_the_margin_and_keeps_its_proportions() -> None:
    box = content_of(contain(subject(1024, 1024, 500, 600, 700, 1000), 64, 64))
    assert box is not None
    left, top, right, bottom = box
    assert (top, bottom) == (4, 60)
    assert (right - left) / (bottom - top) == pytest.approx(0.5, abs=0.04)
    assert abs((left + right) / 2 - 32) <= 1


def test_nothing_stays_nothing() -> None:
    assert content_of(blank(10, 10)) is None
    assert not contain(blank(100, 100), 20, 30).any()


def test_hard_edges_have_no_translucent_pixel() -> None:
    picture = subject(4, 1, 0, 0, 4, 1)
    picture[0, :, 3] = (0, 127, 128, 255)
    assert hard_edged(picture)[0, :, 3].tolist() == [0, 0, 255, 255]
    assert not hard_edged(picture)[0, 1].any()


def test_what_was_transparent_becomes_white_and_opaque() -> None:
    picture = subject(3, 1, 0, 0, 3, 1)
    picture[0, :, 3] = (0, 128, 255)
    assert opaque(picture)[0].tolist() == [[255, 255, 255, 255], [227, 147, 147, 255], [200, 40, 40, 255]]
