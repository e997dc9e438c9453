import io

import numpy as np
import pytest
from PIL import Image

from worker.imaging.indexed import Pixels
from worker.imaging.thumbnail import SIDE, needs_thumbnail, thumbnail


def noise(width: int, height: int) -> Pixels:
    return np.random.default_rng(7).integers(0, 256, (height, width, 4)).astype(np.uint8)


def shown(data: bytes) -> Pixels:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))


@pytest.mark.parametrize(
    ("width", "height", "small"),
    [
        (512, 512, (256, 256)),
        (1920, 1080, (256, 144)),
        (300, 4000, (19, 256)),
        (5000, 1, (256, 1)),
        (257, 256, (256, 255)),
    ],
)
def test_it_keeps_the_shape_and_no_side_is_longer_than_it_may_be(
    width: int, height: int, small: tuple[int, int]
) -> None:
    assert needs_thumbnail(width, height)
    data, *size = thumbnail(noise(width, height))
    assert tuple(size) == small
    assert shown(data).shape == (small[1], small[0], 4)


def test_a_small_picture_needs_none() -> None:
    assert not needs_thumbnail(SIDE, SIDE)
    assert not needs_thumbnail(1, 1)


def test_the_same_picture_gives_the_same_few_bytes() -> None:
    first, second = thumbnail(noise(2048, 2048))[0], thumbnail(noise(2048, 2048))[0]
    assert first == second
    assert len(first) < 60_000  # of noise, which is the worst there is


def test_what_is_transparent_lends_no_color() -> None:
    """A red disc on transparent green: no rim is greenish."""
    side = 1000
    rows, columns = np.mgrid[:side, :side] - side / 2
    picture = np.zeros((side, side, 4), dtype=np.uint8)
    picture[:] = (0, 255, 0, 0)
    picture[rows**2 + columns**2 < 400**2] = (255, 0, 0, 255)
    small = shown(thumbnail(picture)[0])
    seen = small[small[..., 3] > 100]
    assert len(seen) > 20_000
    assert (seen[:, 1] < 40).all()
    assert small[0, 0, 3] == 0


def test_an_opaque_picture_stays_opaque() -> None:
    picture = noise(400, 300)
    picture[..., 3] = 255
    data, *_ = thumbnail(picture)
    assert Image.open(io.BytesIO(data)).mode == "RGB"
