"""Textures that repeat, judged by the measure that the quality supervisor uses."""

import itertools

import numpy as np
import pytest

from worker.imaging.indexed import Pixels
from worker.imaging.texture import corner_tiles, ground, repeating
from worker.quality.seams import edges_of, unexplained, wrap_of


def meadow(seed: int, width: int, height: int, color: tuple[int, int, int]) -> Pixels:
    """Blades and patches that do not repeat, brighter to the right as models like to paint."""
    random = np.random.default_rng(seed)
    coarse = random.normal(0, 18, (height // 16 + 1, width // 16 + 1)).repeat(16, 0).repeat(16, 1)[:height, :width]
    shade = coarse + random.normal(0, 12, (height, width)) + np.linspace(-25, 25, width)
    picture = np.full((height, width, 4), 255, dtype=np.uint8)
    picture[..., :3] = np.clip(np.array(color) + shade[..., None], 0, 255)
    return picture


@pytest.mark.parametrize(("width", "height"), [(64, 64), (640, 360), (100, 300)])
def test_a_texture_wraps_in_both_directions(width: int, height: int) -> None:
    picture = meadow(1, 1024, 1024, (70, 140, 60))
    made = repeating(picture, width, height)
    assert made.shape == (height, width, 4)
    wrap = wrap_of(made)
    assert max(wrap.across.unexplained, wrap.down.unexplained) < 0.015


def test_the_painted_texture_does_not_wrap_by_itself() -> None:
    assert wrap_of(meadow(1, 640, 640, (70, 140, 60))).across.unexplained > 0.015


@pytest.mark.parametrize("size", [8, 16, 32, 64, 256])
def test_tiles_with_equal_corners_join(size: int) -> None:
    low = ground(meadow(1, 512, 1024, (60, 90, 190)), size)
    high = ground(meadow(2, 512, 1024, (70, 140, 60)), size)
    corners = list(itertools.product((0, 1), repeat=4))
    tiles = corner_tiles(low, high, corners)
    edges = [edges_of(tile) for tile in tiles]
    for (left, own), (right, other) in itertools.product(zip(edges, corners, strict=True), repeat=2):
        if (own[1], own[3]) == (other[0], other[2]):
            step = unexplained(left.across, right.across)
            assert step is not None
            assert step < 0.03
        if (own[2], own[3]) == (other[0], other[1]):
            step = unexplained(left.down, right.down)
            assert step is not None
            assert step < 0.03


def test_a_tile_shows_texture_and_each_ground_where_its_corners_are() -> None:
    low = ground(meadow(1, 512, 1024, (60, 90, 190)), 32)
    high = ground(meadow(2, 512, 1024, (70, 140, 60)), 32)
    assert low[..., :3].std() > 5
    [tile] = corner_tiles(low, high, [(1, 0, 0, 0)])
    assert np.array_equal(tile[0, 0], high[0, 0])
    assert np.array_equal(tile[31, 31], low[31, 31])
    share = np.mean((tile == high).all(axis=-1))
    assert 0.1 < share < 0.4
