import io
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from domain.kinds import AssetType, AtlasFormat, ImageFormat
from domain.params import ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import Picture, Provenance
from worker.exporters.packing import SheetTooSmall
from worker.imaging.pixels import encode_png
from worker.pipeline.adapt import AdaptJob, adapt
from worker.pipeline.adapt_tileset import read_terrains

Pixels = NDArray[np.uint8]


def tiles(count: int = 16, size: int = 8) -> list[Pixels]:
    random = np.random.default_rng(3)
    made = random.integers(0, 256, (count, size, size, 4)).astype(np.uint8)
    made[..., 3] = 255
    return list(made)


def tileset_job(made: list[Pixels], details: Mapping[str, object] | None = None, **params: Any) -> AdaptJob:
    resolved = resolve_params(AssetType.TILESET, ParamsRequest(**{"tile_size": 8, **params}))
    pictures = tuple(Picture(encode_png(tile), 8, 8, "tile", None, index) for index, tile in enumerate(made))
    provenance = Provenance("stub", "model", 7, "grass", "", 1, 0)
    return AdaptJob("task", "grass", AssetType.TILESET, resolved, Style(), pictures, provenance, details or {})


@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(1, 20),
    extrude=st.integers(0, 3),
    padding=st.integers(0, 4),
    power_of_two=st.booleans(),
)
def test_tiles_are_where_the_metadata_says(count: int, extrude: int, padding: int, *, power_of_two: bool) -> None:
    made = tiles(count)
    file = adapt(tileset_job(made, extrude=extrude, padding=padding, power_of_two=power_of_two))[0]
    facts: Any = file.metadata
    image = np.asarray(Image.open(io.BytesIO(file.data)).convert("RGBA"))
    assert (facts["margin"], facts["spacing"], facts["tileSize"]) == (extrude, 2 * extrude + padding, 8)
    assert facts["tileCount"] == count
    step = 8 + facts["spacing"]
    for index, tile in enumerate(made):
        x = facts["margin"] + index % facts["columns"] * step
        y = facts["margin"] + index // facts["columns"] * step
        assert np.array_equal(image[y : y + 8, x : x + 8], tile)
    for side, number in ((file.width, facts["columns"]), (file.height, facts["rows"])):
        assert side is not None
        assert (side - facts["margin"] + facts["spacing"]) // step == number
        if power_of_two:
            assert side & (side - 1) == 0
        else:
            assert side == 2 * facts["margin"] + number * 8 + (number - 1) * facts["spacing"]


def test_every_format_is_written_for_tiles_and_finds_them() -> None:
    made = tiles()
    files = adapt(tileset_job(made, atlas_formats=tuple(AtlasFormat), extrude=1))
    assert [file.role for file in files] == ["tileset", *["atlas"] * 6, "archive"]
    assert [file.metadata["format"] for file in files[1:-1]] == [str(item) for item in AtlasFormat]
    image = np.asarray(Image.open(io.BytesIO(files[0].data)).convert("RGBA"))
    (document,) = (json.loads(file.data) for file in files if file.name == "grass.json")
    for index, tile in enumerate(made):
        rect = document["frames"][f"tile_{index}"]["frame"]
        assert np.array_equal(image[rect["y"] : rect["y"] + 8, rect["x"] : rect["x"] + 8], tile)


def test_gaps_cost_one_of_the_colors_and_a_full_image_none() -> None:
    for padding in (0, 2):
        file = adapt(tileset_job(tiles(), palette_size=6, padding=padding))[0]
        image = np.asarray(Image.open(io.BytesIO(file.data)).convert("RGBA"))
        assert len(np.unique(image.reshape(-1, 4), axis=0)) <= 6
        assert (image[..., 3] == 0).any() == (padding > 0)


def test_a_tileset_larger_than_allowed_is_an_error_for_people() -> None:
    for power_of_two in (False, True):
        job = tileset_job(tiles(), extrude=16, power_of_two=power_of_two)
        # Past the check of the request, which refuses it before anything is made.
        too_small = replace(job, params=replace(job.params, max_sheet_size=64))
        with pytest.raises(SheetTooSmall, match="maxSheetSize"):
            adapt(too_small)


def test_a_jpeg_tileset_is_opaque() -> None:
    file = adapt(tileset_job(tiles(), format=ImageFormat.JPEG))[0]
    assert (file.name, file.media_type) == ("grass.jpg", "image/jpeg")
    assert "palette" not in file.metadata


@pytest.mark.parametrize(
    "details",
    [
        {},
        {"terrains": ["a"]},
        {"terrains": [], "tiles": [{"index": 0, "corners": [0, 0, 0, 0]}]},
        {"terrains": "grass", "tiles": [{"index": 0, "corners": [0, 0, 0, 0]}]},
        {"terrains": ["a"], "tiles": ["x", {"index": 99, "corners": [0, 0, 0, 0]}, {"index": 0, "corners": [0, 0]}]},
    ],
)
def test_details_without_usable_corners_give_no_terrains(details: Mapping[str, object]) -> None:
    assert read_terrains(details, 16) is None
    assert "wang" not in adapt(tileset_job(tiles(), details))[0].metadata


def test_corners_of_unknown_terrains_are_unset() -> None:
    terrains = read_terrains({"terrains": ["a", "b"], "tiles": [{"index": 2, "corners": [0, 1, 7, "x"]}]}, 4)
    assert terrains is not None
    assert terrains.corners == {2: (0, 1, -1, -1)}
