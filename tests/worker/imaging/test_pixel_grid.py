"""Paintings of pixel art give back the pixels they were painted from; other pictures are left alone."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFilter

from worker.imaging.fit import contain_whole, cover_whole
from worker.imaging.indexed import Pixels
from worker.imaging.pixel_grid import find_grid, resample

GROUND = (255, 0, 255)


def sprite(seed: int, side: int = 24) -> Pixels:
    """A figure of eight plain colours, symmetrical as figures are, before a plain ground."""
    random = np.random.default_rng(seed)
    colors = random.choice(np.arange(0, 256, 40), (8, 3))
    half = random.integers(0, 8, (side - 8, side // 2 - 3))
    figure = colors[np.concatenate((half, half[:, ::-1]), axis=1)]
    picture = np.full((side, side, 4), (*GROUND, 255), dtype=np.uint8)
    picture[4 : side - 4, 3 : side - 3, :3] = figure
    return picture


def painted(
    picture: Pixels,
    size: tuple[float, float],
    start: tuple[float, float] = (0.0, 0.0),
    *,
    blur: float = 0,
    noise: float = 0,
    quality: int | None = None,
) -> Pixels:
    """The picture as a model paints it: each pixel a block of a size, off the grid, blurred, noisy, as a JPEG."""
    height, width = picture.shape[:2]
    columns = ((np.arange(round(width * size[0] + start[0])) + 0.5 - start[0]) / size[0]).clip(0, width - 1)
    rows = ((np.arange(round(height * size[1] + start[1])) + 0.5 - start[1]) / size[1]).clip(0, height - 1)
    image = Image.fromarray(picture[np.ix_(rows.astype(int), columns.astype(int))][..., :3])
    if blur:
        image = image.filter(ImageFilter.GaussianBlur(blur))
    values = np.asarray(image) + np.random.default_rng(5).normal(0, noise, (image.height, image.width, 3))
    image = Image.fromarray(values.clip(0, 255).astype(np.uint8))
    if quality:
        file = io.BytesIO()
        image.save(file, "JPEG", quality=quality, subsampling=0)
        image = Image.open(file)
    return np.array(image.convert("RGBA"))


def likeness(found: Pixels, wanted: Pixels, within: int) -> float:
    """Share of pixels that come back; a first or last block that was cut may be there in addition."""
    height, width = wanted.shape[:2]
    shares = [0.0]
    for top in range(found.shape[0] - height + 1):
        for left in range(found.shape[1] - width + 1):
            apart = np.abs(found[top : top + height, left : left + width].astype(int) - wanted).max(axis=2)
            shares.append(float((apart <= within).mean()))
    return max(shares)


@settings(max_examples=12, deadline=None)
@given(
    size=st.floats(3, 24),
    across=st.floats(0, 0.999),
    down=st.floats(0, 0.999),
    seed=st.integers(0, 1000),
)
def test_a_clean_painting_gives_its_pixels_back_exactly(size: float, across: float, down: float, seed: int) -> None:
    picture = sprite(seed)
    large = painted(picture, (size, size), (across * size, down * size))
    grid = find_grid(large)
    assert grid is not None
    assert grid.across.pitch == pytest.approx(size, rel=0.02)
    assert grid.down.pitch == pytest.approx(size, rel=0.02)
    assert likeness(resample(large, grid), picture, 0) >= 0.99


@settings(max_examples=12, deadline=None)
@given(
    size=st.floats(4, 24),
    start=st.tuples(st.floats(0, 0.999), st.floats(0, 0.999)),
    blur=st.floats(0, 0.14),
    noise=st.floats(0, 6),
    quality=st.integers(85, 100),
    seed=st.integers(0, 1000),
)
def test_a_blurred_and_noisy_painting_does_so_as_far_as_can_be_seen(
    size: float, start: tuple[float, float], blur: float, noise: float, quality: int, seed: int
) -> None:
    picture = sprite(seed)
    off = (start[0] * size, start[1] * size)
    large = painted(picture, (size, size), off, blur=blur * size, noise=noise, quality=quality)
    grid = find_grid(large)
    assert grid is not None
    assert grid.across.pitch == pytest.approx(size, rel=0.02)
    assert likeness(resample(large, grid), picture, 32) >= 0.99


@pytest.mark.parametrize(("size", "blur", "noise", "seed"), [(11, 0.125, 6, 0), (22.3, 0.044, 5.3, 259)])
def test_large_blocks_are_found_under_blur_and_noise(size: float, blur: float, noise: float, seed: int) -> None:
    picture = sprite(seed)
    large = painted(picture, (size, size), (0, 0), blur=blur * size, noise=noise, quality=92)
    grid = find_grid(large)
    assert grid is not None
    assert (grid.across.pitch, grid.down.pitch) == pytest.approx((size, size), rel=0.02)
    assert likeness(resample(large, grid), picture, 32) >= 0.99


def test_a_panel_of_few_lines_has_its_grid() -> None:
    """A flat button has hardly an edge inside, and its few lines fit periods around the true one nearly as well."""
    panel = np.zeros((35, 71, 4), dtype=np.uint8)
    panel[:] = (255, 0, 255, 255)
    for inset, color in ((4, (20, 20, 30)), (5, (200, 205, 215)), (6, (120, 122, 130))):
        panel[inset:-inset, inset:-inset] = (*color, 255)
    panel[8:18, 9:-9] = (160, 165, 175, 255)
    panel[-6:-4, 5:-5] = (55, 55, 65, 255)
    for step in (1, 2, 3):  # round corners
        panel[3 + step, 3 : 8 - step] = panel[3 + step, step - 8 : -3] = (255, 0, 255, 255)
        panel[-4 - step, 3 : 8 - step] = panel[-4 - step, step - 8 : -3] = (255, 0, 255, 255)
    large = painted(panel, (14.4, 14.4), (3, 5), blur=1.3, noise=2.5, quality=88)
    grid = find_grid(large)
    assert grid is not None
    assert (grid.across.pitch, grid.down.pitch) == pytest.approx((14.4, 14.4), rel=0.005)
    assert likeness(resample(large, grid), panel, 40) >= 0.99


def test_pixels_that_are_not_square_are_measured_for_each_axis() -> None:
    picture = sprite(3, side=40)
    large = painted(picture, (13.7, 9.25), (5, 3))
    grid = find_grid(large)
    assert grid is not None
    assert (grid.across.pitch, grid.down.pitch) == pytest.approx((13.7, 9.25), rel=0.01)
    assert likeness(resample(large, grid), picture, 0) >= 0.99


def test_alpha_is_sampled_like_colors() -> None:
    picture = sprite(4)
    large = painted(picture, (11.4, 11.4), (3, 8))
    grid = find_grid(large)
    assert grid is not None
    large[(large[..., :3] == GROUND).all(axis=2)] = 0
    small = resample(large, grid)
    wanted = picture.copy()
    wanted[(picture[..., :3] == GROUND).all(axis=2)] = 0
    assert likeness(small, wanted, 0) >= 0.99


def smooth(seed: int) -> Image.Image:
    random = np.random.default_rng(seed)
    small = Image.fromarray((random.random((11, 13, 3)) * 255).astype(np.uint8))
    return small.resize((420, 400), Image.Resampling.BICUBIC)


def shapes(seed: int) -> Image.Image:
    random = np.random.default_rng(seed)
    image = Image.new("RGB", (400, 400))
    draw = ImageDraw.Draw(image)
    for _ in range(60):
        left, top, wide, high = (int(value) for value in random.integers(5, 300, 4))
        color = tuple(int(value) for value in random.integers(0, 255, 3))
        draw.ellipse((left, top, left + wide // 3, top + high // 3), fill=color)
        draw.rectangle((top, left, top + high, left + wide), outline=color)
    return image


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("paint", [smooth, shapes])
@pytest.mark.parametrize("quality", [None, 50])
def test_paintings_without_pixels_are_refused(paint: object, seed: int, quality: int | None) -> None:
    image: Image.Image = paint(seed)  # type: ignore[operator]
    if quality:
        file = io.BytesIO()
        image.save(file, "JPEG", quality=quality)
        image = Image.open(file)
    assert find_grid(np.array(image.convert("RGBA"))) is None


@pytest.mark.parametrize("shape", [(1, 1), (1, 400), (3, 3), (64, 64), (300, 2)])
@pytest.mark.parametrize("value", [0, 255])
def test_plain_and_tiny_pictures_have_no_grid(shape: tuple[int, int], value: int) -> None:
    assert find_grid(np.full((*shape, 4), value, dtype=np.uint8)) is None


def test_noise_and_pictures_whose_pixels_are_single_have_no_grid() -> None:
    random = np.random.default_rng(1)
    assert find_grid(random.integers(0, 256, (150, 150, 4), dtype=np.uint8)) is None
    assert find_grid(sprite(1, side=64)) is None


def test_whole_pixels_stay_squares_in_the_size_asked_for() -> None:
    picture = sprite(2)
    picture[(picture[..., :3] == GROUND).all(axis=2)] = 0
    placed = contain_whole(picture, 64, 50)
    assert placed.shape == (50, 64, 4)
    left, top = (64 - 3 * 18) // 2, (50 - 3 * 16) // 2
    assert np.array_equal(placed[top : top + 48 : 3, left : left + 54 : 3], picture[4:20, 3:21])
    assert contain_whole(picture, 10, 9).shape == (9, 10, 4)
    assert not contain_whole(np.zeros_like(picture), 20, 20).any()


@pytest.mark.parametrize(("width", "height"), [(48, 48), (46, 40), (35, 24), (10, 12)])
def test_whole_pixels_fill_the_size_asked_for(width: int, height: int) -> None:
    picture = sprite(2)
    filled = cover_whole(picture, width, height)
    assert filled.shape == (height, width, 4)
    if width >= 24:
        assert {tuple(color) for color in filled.reshape(-1, 4).tolist()} <= {
            tuple(color) for color in picture.reshape(-1, 4).tolist()
        }
