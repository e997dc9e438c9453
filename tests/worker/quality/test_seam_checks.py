"""Seams are found where a picture wraps and where tiles meet; texture, outlines and patterns are none."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from domain.kinds import AssetType
from tests.helpers.verdicts import failed, noise, opaque, picture, verdicts
from worker.artifacts import Picture, Verdict
from worker.imaging.indexed import Pixels

Values = NDArray[np.float64]


def wrapping(values: Values) -> dict[str, Verdict]:
    height, width = values.shape[:2]
    array = picture(opaque(values))
    return verdicts(array, asset_type=AssetType.BACKGROUND, width=width, height=height, seamless=True)


def floor() -> Values:
    """A slab with a dark joint along its left and upper edge."""
    values = 120 + 0.1 * (noise(64, 1, 5, wraps=True) - 128)
    values[:, 0:4] = values[0:4] = 30
    return values


def bricks() -> Values:
    values = np.full((64, 64, 3), 130.0)
    for top in range(0, 64, 16):
        values[top] = 40
        values[top : top + 16, top % 32 // 2 :: 32] = 40
    return values


def chequered() -> Values:
    square = np.arange(64) // 32
    return np.repeat(((square[:, None] + square[None]) % 2)[..., None] * 100.0 + 60, 3, axis=2)


def wave() -> Values:
    x, y = np.meshgrid(np.arange(64) / 64, np.arange(64) / 64)
    level = 120 + 60 * np.sin(2 * np.pi * 3 * x) * np.cos(2 * np.pi * 2 * y)
    return np.stack([level, level * 0.8, level * 0.5], axis=-1)


@pytest.mark.parametrize("make", [floor, bricks, chequered, wave])
@settings(max_examples=8, deadline=None)
@given(across=st.integers(0, 63), down=st.integers(0, 63))
def test_where_a_wrapping_picture_is_cut_does_not_matter(make: Callable[[], Values], across: int, down: int) -> None:
    found = wrapping(np.roll(make(), (down, across), (0, 1)))
    assert failed(found) == set()
    assert "without a seam" in found["seam"].reason


@pytest.mark.parametrize("side", [64, 128, 320])
@pytest.mark.parametrize("grain", [1, 2, 6])
def test_a_texture_that_was_blurred_round_its_edges_wraps_and_a_cut_out_one_does_not(side: int, grain: int) -> None:
    assert wrapping(noise(side, grain, 1, wraps=True))["seam"].passed
    found = wrapping(noise(side, grain, 1, wraps=False))["seam"]
    assert not found.passed
    assert "nothing nearby explains" in found.reason


def test_a_gradient_does_not_wrap_and_the_reason_says_where() -> None:
    gradient = np.linspace(10, 240, 64)[None, :, None] * np.ones((64, 1, 3))
    found = wrapping(gradient)
    assert failed(found) == {"seam"}
    assert "left and right" in found["seam"].reason
    assert "top and bottom" in wrapping(gradient.swapaxes(0, 1))["seam"].reason


def test_a_strong_line_elsewhere_does_not_excuse_a_seam() -> None:
    trunk = noise(256, 6, 2, wraps=False)
    trunk[:, 100:110] = 20
    assert not wrapping(trunk)["seam"].passed


def test_light_that_falls_off_is_found_behind_fine_texture() -> None:
    texture = 128 + (noise(256, 1, 3, wraps=True) - 128) * 0.6
    assert wrapping(texture)["seam"].passed
    assert not wrapping(texture + np.linspace(-20, 20, 256)[None, :, None])["seam"].passed


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from((16, 32, 64)))
def test_no_seam_larger_than_the_largest_step_inside_passes(seed: int, side: int) -> None:
    rng = np.random.default_rng(seed)
    values = noise(side, 1, seed, wraps=bool(rng.integers(0, 2)))
    values += np.linspace(0, rng.uniform(0, 200), side)[None, :, None]
    array = opaque(values)[..., :3].astype(np.float64)
    inside = np.abs(array[:, 1:] - array[:, :-1]).mean(axis=(0, 2)).max()
    seam = np.abs(array[:, -1] - array[:, 0]).mean()
    if seam > 1.6 * inside:
        assert not wrapping(array)["seam"].passed


def test_only_what_was_asked_to_wrap_is_checked() -> None:
    cut = opaque(noise(64, 4, 1, wraps=False))
    assert "seam" not in verdicts(picture(cut), asset_type=AssetType.BACKGROUND, width=64, height=64)


Change = Callable[[int, Pixels], None]


def corner_tiles(change: Change | None = None) -> tuple[list[Picture], list[dict[str, object]]]:
    """The sixteen tiles of a two-terrain corner set, 16 x 16, grass with tufts and water, divided by an outline."""
    steps = (np.arange(16) + 0.5) / 16
    texture = noise(16, 1, 4, wraps=True) * 0.15
    pictures, described = [], []
    for index in range(16):
        corners = [index >> place & 1 for place in range(4)]
        top = corners[0] * (1 - steps) + corners[1] * steps
        bottom = corners[2] * (1 - steps) + corners[3] * steps
        level = (top[None] * (1 - steps[:, None]) + bottom[None] * steps[:, None])[..., None]
        colors = np.where(level > 0.5, (60, 110, 190), (70, 150, 70)) + texture
        tile = opaque(np.where(np.abs(level - 0.5) < 0.06, 30.0, colors))
        if change is not None:
            change(index, tile)
        pictures.append(picture(tile, f"tile {index}", None, index))
        described.append({"index": index, "corners": corners})
    return pictures, described


def edges(change: Change | None = None) -> Verdict:
    pictures, described = corner_tiles(change)
    found = verdicts(*pictures, asset_type=AssetType.TILESET, tile_size=16, details={"tiles": described})
    assert failed(found) <= {"tile_edges"}
    return found["tile_edges"]


def test_tiles_join_where_their_corners_agree() -> None:
    assert edges().passed


def stray_line(index: int, tile: Pixels) -> None:
    if index == 5:
        tile[:, -1] = 255


def other_shade(index: int, tile: Pixels) -> None:
    if index == 0:
        tile[..., :3] = np.clip(tile[..., :3].astype(int) + 60, 0, 255)


def upside_down(index: int, tile: Pixels) -> None:
    if index in (3, 12):
        tile[...] = tile[::-1].copy()


@pytest.mark.parametrize(("change", "culprits"), [(stray_line, {5}), (other_shade, {0}), (upside_down, {3, 12})])
def test_one_tile_that_does_not_join_is_found(change: Change, culprits: set[int]) -> None:
    verdict = edges(change)
    assert not verdict.passed
    assert "does not join" in verdict.reason
    assert len(culprits) > 1 or f"Tile {min(culprits)} " in verdict.reason


def test_a_speck_at_an_edge_is_no_seam() -> None:
    def speck(index: int, tile: Pixels) -> None:
        if index == 0:
            tile[7, -1, :3] = (200, 210, 90)

    assert edges(speck).passed


def test_names_of_terrains_serve_as_corners_too() -> None:
    pictures, described = corner_tiles()
    named = [
        {**tile, "corners": ["water" if corner else "grass" for corner in tile["corners"]]}  # type: ignore[attr-defined]
        for tile in described
    ]
    found = verdicts(*pictures, asset_type=AssetType.TILESET, tile_size=16, details={"tiles": named})
    assert found["tile_edges"].passed


def test_without_corners_at_least_one_tile_has_to_fill_an_area() -> None:
    good = [opaque(noise(32, 2, seed, wraps=seed == 3)) for seed in range(4)]
    pictures = [picture(tile, f"{index}", None, index) for index, tile in enumerate(good)]
    found = verdicts(*pictures, asset_type=AssetType.TILESET, tile_size=32, seamless=True)
    assert found["tile_edges"].passed
    found = verdicts(*pictures[:3], asset_type=AssetType.TILESET, tile_size=32, seamless=True)
    assert failed(found) == {"tile_edges"}
    assert "tile_edges" not in verdicts(*pictures[:3], asset_type=AssetType.TILESET, tile_size=32)
