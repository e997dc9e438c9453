"""Lines around sprites, and colours mixed by a pattern."""

import numpy as np
import pytest

from worker.imaging.color import oklab
from worker.imaging.indexed import Pixels, count_colors
from worker.imaging.outline import outline_color, outlined
from worker.imaging.quantize import quantize, quantize_together

BLACK = (0, 0, 0)


def dot(alpha: int = 255) -> Pixels:
    picture = np.zeros((9, 9, 4), dtype=np.uint8)
    picture[4, 4] = (200, 100, 50, alpha)
    return picture


@pytest.mark.parametrize("width", [1, 2, 3])
def test_four_neighbours_make_a_diamond_and_eight_a_square(width: int) -> None:
    rows, columns = np.indices((9, 9)) - 4
    for corners, apart in ((False, abs(rows) + abs(columns)), (True, np.maximum(abs(rows), abs(columns)))):
        line = outlined(dot(), width, (1, 2, 3), corners=corners)
        ring = (apart > 0) & (apart <= width)
        assert (line[ring] == (1, 2, 3, 255)).all()
        assert (line[4, 4] == (200, 100, 50, 255)).all()
        assert not line[apart > width].any()


def test_soft_pixels_lie_over_the_line_and_what_is_inside_is_left_alone() -> None:
    picture = dot(200)
    picture[4, 5] = (255, 255, 255, 51)
    line = outlined(picture, 1, BLACK)
    assert line[4, 4].tolist() == [200, 100, 50, 200]
    assert line[4, 5].tolist() == [51, 51, 51, 255]
    assert line[4, 3].tolist() == [0, 0, 0, 255]


@pytest.mark.parametrize("value", [0, 255])
def test_there_is_no_line_around_nothing_or_everything(value: int) -> None:
    picture = np.full((5, 7, 4), value, dtype=np.uint8)
    assert np.array_equal(outlined(picture, 3, BLACK, corners=True), picture)


def test_the_color_is_the_palettes_darkest_or_the_pictures_own_darkened() -> None:
    assert outline_color([dot()], ["#ffffff", "#10204080", "#808080", "#00000000"]) == (0x10, 0x20, 0x40)
    assert outline_color([dot()], []) == (60, 30, 15)
    assert outline_color([np.zeros_like(dot())], []) == BLACK


def ramp() -> Pixels:
    picture = np.full((32, 64, 4), 255, dtype=np.uint8)
    picture[..., :3] = np.linspace(0, 255, 64).astype(np.uint8)[None, :, None]
    return picture


@pytest.mark.parametrize("side", [2, 4, 8])
def test_a_pattern_brings_a_gradient_nearer_to_its_mean(side: int) -> None:
    palette = ["#000000", "#555555", "#aaaaaa", "#ffffff"]
    plain, mixed = quantize(ramp(), 4, palette), quantize(ramp(), 4, palette, dither=side)

    def away(result: Pixels) -> float:
        means = [oklab(part[..., :3])[..., 0].reshape(4, 8, 8, 8).mean(axis=(1, 3)) for part in (result, ramp())]
        return float(np.abs(means[0] - means[1]).mean())

    assert away(mixed) < 0.75 * away(plain)
    assert count_colors(mixed) <= 4


def test_patterns_of_different_sides_differ_and_repeat_by_their_side() -> None:
    flat = np.full((16, 16, 4), 255, dtype=np.uint8)
    flat[..., :3] = 118
    results = [quantize(flat, 2, ["#000000", "#ffffff"], dither=side) for side in (2, 4, 8)]
    for side, result in zip((2, 4, 8), results, strict=True):
        assert np.array_equal(result, np.tile(result[:side, :side], (16 // side, 16 // side, 1)))


def test_colors_of_the_palette_stay_flat() -> None:
    flat = np.full((16, 16, 4), 255, dtype=np.uint8)
    flat[..., :3] = (0x55, 0x55, 0x55)
    assert np.array_equal(quantize(flat, 4, ["#505050", "#555555", "#5a5a5a"], dither=8), flat)


def test_every_picture_is_dithered_from_its_own_corner() -> None:
    first, second = ramp()[:, :37], ramp()[:, 20:50]
    palette = ["#000000", "#ffffff"]
    together = quantize_together([first, second], 2, palette, dither=8)
    assert np.array_equal(together[0], quantize(first, 2, palette, dither=8))
    assert np.array_equal(together[1], quantize(second, 2, palette, dither=8))


def test_room_for_transparency_is_kept_when_asked() -> None:
    random = np.random.default_rng(1)
    picture = np.full((20, 20, 4), 255, dtype=np.uint8)
    picture[..., :3] = random.integers(0, 255, (20, 20, 3))
    assert count_colors(quantize_together([picture], 8, keep_transparent=True)[0]) <= 7
