import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

from domain.kinds import AtlasFormat
from domain.params import Animation
from worker.exporters.godot import string
from worker.pipeline.adapt import AdaptJob, adapt

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it calls pyparsing by names that have since been renamed
    import godot_parser

pytestmark = pytest.mark.filterwarnings("ignore:.*argument is deprecated")


def load(job: AdaptJob) -> tuple[str, Any, dict[str, np.ndarray]]:
    """The resource's text, what the parser makes of it (which knows no &"name"), and the images."""
    files = {file.name: file for file in adapt(job)}
    (text,) = (file.data.decode() for name, file in files.items() if name.endswith(".tres"))
    images = {
        name: np.asarray(Image.open(io.BytesIO(file.data)).convert("RGBA"))
        for name, file in files.items()
        if file.role in ("spritesheet", "tileset")
    }
    return text, godot_parser.parse(text.replace('"name": &"', '"name": "')), images


@pytest.mark.parametrize("trim", [False, True])
@pytest.mark.parametrize("limit", [4096, 70])
def test_every_texture_is_its_frame_pixel_for_pixel(
    sheet_job: Callable[..., Any], restored: Callable[..., Any], *, trim: bool, limit: int
) -> None:
    animations = (Animation("walk", 5, 12), Animation("idle", 3, 6, loop=False))
    job, frames = sheet_job(
        animations, atlas_formats=(AtlasFormat.GODOT,), trim=trim, extrude=1, max_sheet_size=limit, pivot_y=1.0
    )
    _, scene, images = load(job)
    (resource,) = scene.find_all("resource")
    externals = {section.header["id"]: section.header["path"] for section in scene.find_all("ext_resource")}
    assert (len(externals) > 1) is (limit == 70 and not trim)
    subs = {section.header["id"]: section.properties for section in scene.find_all("sub_resource")}
    seen = 0
    for animation in resource["animations"]:
        for index, shown in enumerate(animation["frames"]):
            texture = subs[shown["texture"].args[0]]
            x, y, width, height = (int(number) for number in texture["region"].args)
            left, top, more_width, more_height = (
                [int(number) for number in texture["margin"].args] if "margin" in texture else (0, 0, 0, 0)
            )
            assert texture["filter_clip"] is True
            page = images[externals[texture["atlas"].args[0]]]
            size = (width + more_width, height + more_height)
            source = frames[(animation["name"], index)]
            assert np.array_equal(restored(page, (x, y, width, height), (left, top), size), source)
            seen += 1
    assert seen == len(frames)
    assert resource["metadata/pivot"].args == [0.5, 1.0]


def test_animations_are_sorted_complete_and_named_by_string_names(sheet_job: Callable[..., Any]) -> None:
    name = 'a "quoted"\\ 👩‍🚀'
    job, _ = sheet_job(
        (Animation("z", 3, 12, ping_pong=True), Animation(name, 2, 5, loop=False)), atlas_formats=(AtlasFormat.GODOT,)
    )
    text, scene, _ = load(job)
    (resource,) = scene.find_all("resource")
    first, second = resource["animations"]
    assert (first["name"], first["speed"], first["loop"]) == (name, 5.0, False)
    assert (second["name"], second["speed"], second["loop"]) == ("z", 12.0, True)
    ids = [frame["texture"].args[0] for frame in second["frames"]]
    assert ids == ["AtlasTexture_0", "AtlasTexture_1", "AtlasTexture_2", "AtlasTexture_1"]
    assert all(frame["duration"] == 1.0 for frame in first["frames"] + second["frames"])
    assert f'"name": &{string(name)}' in text
    assert text.count('"name": &"') == 2


def test_sub_resources_come_before_the_resource_that_uses_them(sheet_job: Callable[..., Any]) -> None:
    job, _ = sheet_job((Animation("walk", 3),), atlas_formats=(AtlasFormat.GODOT,))
    text, _, _ = load(job)
    assert text.startswith('[gd_resource type="SpriteFrames" load_steps=5 format=3]')
    assert text.rindex("[sub_resource") < text.index("[resource]")
    assert text.index("[ext_resource") < text.index("[sub_resource")


def test_a_tile_set_cuts_the_same_tiles_and_knows_their_terrains(tileset_job: Callable[..., Any]) -> None:
    details = {
        "terrains": ["grass", "水"],
        "tiles": [{"index": 0, "corners": [0, 0, 0, 0]}, {"index": 5, "corners": [0, 1, 1, 1]}],
    }
    job, tiles = tileset_job(16, details, atlas_formats=(AtlasFormat.GODOT,), extrude=1, padding=1)
    text, scene, images = load(job)
    (source,) = scene.find_all("sub_resource")
    margin, separation, size = (
        int(source.properties[key].args[0]) for key in ("margins", "separation", "texture_region_size")
    )
    (image,) = images.values()
    step = size + separation
    for index, tile in enumerate(tiles):
        column, row = index % 4, index // 4
        assert source.properties[f"{column}:{row}/0"] == 0
        x, y = margin + column * step, margin + row * step
        assert np.array_equal(image[y : y + size, x : x + size], tile)
    assert source.properties["1:1/0/terrain"] == 0
    assert source.properties["1:1/0/terrains_peering_bit/top_left_corner"] == 0
    assert source.properties["1:1/0/terrains_peering_bit/bottom_right_corner"] == 1
    assert "2:2/0/terrain_set" not in source.properties
    (resource,) = scene.find_all("resource")
    assert resource["terrain_set_0/mode"] == 1
    assert resource["terrain_set_0/terrain_1/name"] == "水"
    assert text.startswith('[gd_resource type="TileSet"')
