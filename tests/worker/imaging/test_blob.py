"""The 47 tiles of corners and edges: a map laid out by their rules has no seams."""

import itertools

import numpy as np
import pytest

from domain.styles import Style
from tests.helpers.requests import failed_checks, make_request
from worker.imaging.blob import Shape, blob_shapes
from worker.imaging.texture import blob_tiles
from worker.providers.builtin.render import render

LOW, HIGH = (np.full((24, 24, 4), value, dtype=np.uint8) for value in (0, 255))


def test_there_are_47_shapes_and_the_plain_ground() -> None:
    shapes = blob_shapes()
    assert len(shapes) == len(set(shapes)) == 48
    assert [shape.middle for shape in shapes].count(0) == 1
    for shape in shapes:
        top, right, bottom, left = shape.edges
        for corner, beside in zip(shape.corners, (top & left, top & right, bottom & left, bottom & right), strict=True):
            assert corner <= beside


def shape_at(cells: np.ndarray, y: int, x: int) -> Shape:
    """The shape that a cell has by the rule: neighbours joined, corners only between two of them."""
    if not cells[y, x]:
        return blob_shapes()[-1]
    around = np.pad(cells, 1)[y : y + 3, x : x + 3].astype(int)
    top, right, bottom, left = around[0, 1], around[1, 2], around[2, 1], around[1, 0]
    corners = (around[0, 0] & top & left, around[0, 2] & top & right, around[2, 0] & bottom & left)
    last = around[2, 2] & bottom & right
    return Shape((*(int(corner) for corner in corners), int(last)), (int(top), int(right), int(bottom), int(left)))


@pytest.mark.parametrize("seed", range(3))
def test_a_map_of_chance_has_no_seam_in_any_pixel(seed: int) -> None:
    cells = np.random.default_rng(seed).random((20, 20)) < 0.6
    shapes = blob_shapes()
    tiles = blob_tiles(LOW, HIGH, shapes)
    chosen = {place: tiles[shapes.index(shape_at(cells, *place))] for place in itertools.product(range(20), range(20))}
    for (y, x), tile in chosen.items():
        if x < 19:
            assert np.array_equal(tile[:, -1], chosen[y, x + 1][:, 0])
        if y < 19:
            assert np.array_equal(tile[-1], chosen[y + 1, x][0])
        assert tile[12, 12, 0] == 255 * cells[y, x]


def test_two_grounds_meet_in_most_of_the_shapes() -> None:
    tiles = blob_tiles(LOW, HIGH, blob_shapes())
    assert sum(len(np.unique(tile)) == 2 for tile in tiles) == 46
    # A single cell fills a good part of its tile.
    assert tiles[0][..., 0].mean() > 0.15 * 255


@pytest.mark.parametrize("tile_size", [8, 16, 32, 48])
@pytest.mark.parametrize("prompt", ["grass and water", "dungeon floor and wall"])
def test_the_built_in_generator_draws_them_so_that_they_join(prompt: str, tile_size: int) -> None:
    request = make_request("TILESET", prompt, tile_size=tile_size, tile_count=47, style=Style(art_style="pixel art"))
    result = render(request)
    assert len(result.pictures) == 48
    assert failed_checks(request, result) == []
