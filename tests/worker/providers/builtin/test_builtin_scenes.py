import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from worker.artifacts import GenerationRequest, GenerationResult
from worker.providers.builtin.lexicon.places import PARTS, PLACES, TERRAINS
from worker.providers.builtin.render import render
from worker.providers.builtin.scenes.tiles import wang_corners

Ask = Callable[..., GenerationRequest]
Decode = Callable[[GenerationResult], list[NDArray[np.uint8]]]
LEFT_TOP, RIGHT_TOP, LEFT_BOTTOM, RIGHT_BOTTOM = range(4)
#: Each side: the two corners on it, and its row of pixels.
SIDES: dict[str, tuple[tuple[int, int], Callable[[NDArray[np.uint8]], NDArray[np.uint8]]]] = {
    "left": ((LEFT_TOP, LEFT_BOTTOM), lambda tile: tile[:, 0]),
    "right": ((RIGHT_TOP, RIGHT_BOTTOM), lambda tile: tile[:, -1]),
    "top": ((LEFT_TOP, RIGHT_TOP), lambda tile: tile[0]),
    "bottom": ((LEFT_BOTTOM, RIGHT_BOTTOM), lambda tile: tile[-1]),
}


def steps(array: NDArray[np.uint8], axis: int) -> tuple[float, float]:
    """Return the step from the last line to the first, and the largest one inside."""
    value = array[..., :3].astype(np.int64)
    inner = np.abs(np.diff(value, axis=axis)).sum(axis=(1 - axis, 2)).max()
    wrap = np.abs(np.take(value, 0, axis) - np.take(value, -1, axis)).sum()
    return float(wrap), float(inner)


def tileset(ask: Ask, pixels: Decode, subject: str, **params: Any) -> list[tuple[tuple[int, ...], NDArray[np.uint8]]]:
    result = render(ask("TILESET", subject, **params))
    described: Any = result.details["tiles"]
    assert [item["index"] for item in described] == [picture.index for picture in result.pictures] == list(range(16))
    return [(tuple(item["corners"]), tile) for item, tile in zip(described, pixels(result), strict=True)]


def test_the_set_of_tiles_is_complete_and_lies_as_a_map_of_its_own() -> None:
    corners = wang_corners()
    assert set(corners) == set(itertools.product((0, 1), repeat=4))
    for index, tile in enumerate(corners):
        row, column = divmod(index, 4)
        right, below = corners[row * 4 + (column + 1) % 4], corners[(row + 1) % 4 * 4 + column]
        assert (tile[RIGHT_TOP], tile[RIGHT_BOTTOM]) == (right[LEFT_TOP], right[LEFT_BOTTOM])
        assert (tile[LEFT_BOTTOM], tile[RIGHT_BOTTOM]) == (below[LEFT_TOP], below[RIGHT_TOP])


@pytest.mark.parametrize("terrain", [row[0] for row in TERRAINS])
def test_edges_with_the_same_corners_are_the_same_pixels(ask: Ask, pixels: Decode, terrain: str) -> None:
    tiles = tileset(ask, pixels, terrain)
    assert len({tile.tobytes() for _, tile in tiles}) == 16
    for corner_pair, edge in SIDES.values():
        edges: dict[tuple[int, ...], set[bytes]] = {}
        for corners, tile in tiles:
            edges.setdefault(tuple(corners[index] for index in corner_pair), set()).add(edge(tile).tobytes())
        assert {key: len(found) for key, found in edges.items()} == dict.fromkeys(
            itertools.product((0, 1), repeat=2), 1
        )


@pytest.mark.parametrize("subject", ["grass and water", "熔岩", "desert", "snow and ice", "dungeon", "grass"])
def test_a_map_of_tiles_steps_no_more_at_borders_than_inside(ask: Ask, pixels: Decode, subject: str) -> None:
    for corners, tile in tileset(ask, pixels, subject):
        if len(set(corners)) == 1:
            for axis in (0, 1):
                wrap, inner = steps(tile, axis)
                assert wrap <= inner


@pytest.mark.parametrize("side", [8, 11, 16, 32, 48, 61, 96, 256])
def test_tiles_have_the_side_asked_for(ask: Ask, pixels: Decode, side: int) -> None:
    assert {tile.shape for _, tile in tileset(ask, pixels, "grass and water", tile_size=side)} == {(side, side, 4)}


@pytest.mark.parametrize(
    ("subject", "terrains"),
    [
        ("grass and water", ["water", "grass"]),
        ("草地和水", ["water", "grass"]),
        ("lava", ["lava", "stone"]),
        ("沙漠", ["water", "sand"]),
        ("dungeon", ["floor", "wall"]),
        ("snow ice", ["ice", "snow"]),
        ("dirt path", ["dirt", "grass"]),
        ("wood floor", ["wood", "stone"]),
    ],
)
def test_terrains_follow_from_the_words(ask: Ask, subject: str, terrains: list[str]) -> None:
    result = render(ask("TILESET", subject))
    assert result.details["terrains"] == terrains
    assert result.details["recognised"] is True


@pytest.mark.parametrize("place", [row[0] for row in PLACES])
def test_every_place_is_painted_rich_in_colours(ask: Ask, pixels: Decode, place: str) -> None:
    result = render(ask("BACKGROUND", place, width=160, height=90))
    assert result.details["place"] == place
    (array,) = pixels(result)
    assert len(np.unique(array.reshape(-1, 4), axis=0)) > 16
    assert (array[..., 3] == 255).all()


@pytest.mark.parametrize("place", [row[0] for row in PLACES])
@pytest.mark.parametrize("size", [(128, 96), (97, 131)])
def test_seamless_backgrounds_wrap_in_both_directions(
    ask: Ask, pixels: Decode, place: str, size: tuple[int, int]
) -> None:
    (array,) = pixels(render(ask("BACKGROUND", place, seamless=True, width=size[0], height=size[1])))
    for axis in (0, 1):
        wrap, inner = steps(array, axis)
        assert wrap <= inner
    assert len(np.unique(array.reshape(-1, 4), axis=0)) >= 3


@pytest.mark.parametrize("hour", ["night", "sunset", "dawn", "storm"])
def test_hours_change_the_light(ask: Ask, pixels: Decode, hour: str) -> None:
    (day,) = pixels(render(ask("BACKGROUND", "meadow", width=160, height=90)))
    (other,) = pixels(render(ask("BACKGROUND", f"meadow at {hour}", width=160, height=90)))
    assert np.abs(day[:30].astype(np.int64) - other[:30].astype(np.int64)).mean() > 8


@pytest.mark.parametrize("part", [row[0] for row in PARTS])
@pytest.mark.parametrize("size", [(192, 96), (64, 64), (101, 47)])
def test_interface_parts_stretch_by_nine_slices(ask: Ask, pixels: Decode, part: str, size: tuple[int, int]) -> None:
    result = render(ask("UI", f"wooden {part}", width=size[0], height=size[1]))
    assert result.details["part"] == part
    slices: Any = result.details["nineSlice"]
    assert set(slices) == {"left", "top", "right", "bottom"}
    assert all(value >= 1 for value in slices.values())
    assert slices["left"] + slices["right"] < size[0]
    assert slices["top"] + slices["bottom"] < size[1]
    (array,) = pixels(result)
    assert (array[..., 3] > 0).mean() > 0.1


@pytest.mark.parametrize("material", ["wood", "stone", "metal", "gold", "parchment", "sci-fi", "candy"])
def test_the_middle_of_a_frames_sides_repeats_so_that_it_stretches(ask: Ask, pixels: Decode, material: str) -> None:
    result = render(ask("UI", f"{material} panel"))
    slices: Any = result.details["nineSlice"]
    (array,) = pixels(result)
    top = array[: slices["top"] // 2, slices["left"] : -slices["right"]]
    assert (top == top[:, :1]).all()


@pytest.mark.parametrize("subject", ["knight", "elf", "兽人", "skeleton", "slime", "robot"])
def test_portraits_fill_their_frame(ask: Ask, pixels: Decode, subject: str) -> None:
    (array,) = pixels(render(ask("PORTRAIT", subject)))
    (alone,) = pixels(render(ask("PORTRAIT", subject, transparent=True)))
    assert (array[..., 3] == 255).all()
    assert (alone[..., 3] > 0).mean() > 0.25
    assert not alone[0, 0, 3]
