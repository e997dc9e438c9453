"""What may be asked for, and what an asset type makes of what was left out."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import InvalidInput
from domain.kinds import AssetType, AtlasFormat, ImageFormat, TaskKind, task_kind
from domain.params import (
    MAX_FRAME_PIXELS,
    Animation,
    ParamsRequest,
    params_from_json,
    params_to_json,
    resolve_params,
)


def refused(asset_type: AssetType, **fields: object) -> tuple[str, ...]:
    """Return the path at which the request is refused."""
    with pytest.raises(InvalidInput) as caught:
        resolve_params(asset_type, ParamsRequest(**fields))  # type: ignore[arg-type]
    assert caught.value.path is not None
    assert caught.value.path[:2] == ("input", "params")
    return caught.value.path[2:]


@pytest.mark.parametrize("asset_type", list(AssetType))
def test_every_type_has_defaults_and_they_survive_the_json_column(asset_type: AssetType) -> None:
    params = resolve_params(asset_type, ParamsRequest())
    assert params.count == 1
    assert params.seed is None
    assert params.embed_metadata
    assert params_from_json(json.loads(json.dumps(params_to_json(params)))) == params


def test_what_a_type_has_no_use_for_is_null() -> None:
    sprite = resolve_params(AssetType.SPRITE, ParamsRequest())
    assert (sprite.padding, sprite.trim, sprite.tile_size, sprite.seamless, sprite.fps) == (None,) * 5
    video = resolve_params(AssetType.VIDEO, ParamsRequest())
    assert (video.format, video.pivot_x, video.palette_size, video.transparent) == (None, None, None, False)
    assert (video.width, video.height, video.duration_seconds, video.fps) == (512, 288, 3.0, 24)
    assert (video.atlas_formats, video.max_sheet_size) == ((), None)


def test_sheets_have_animations_and_an_atlas_unless_told() -> None:
    sheet = resolve_params(AssetType.SPRITESHEET, ParamsRequest())
    assert [animation.name for animation in sheet.animations] == ["idle", "walk", "attack"]
    assert sheet.atlas_formats == (AtlasFormat.JSON_HASH,)
    assert (sheet.padding, sheet.extrude, sheet.trim, sheet.power_of_two) == (2, 0, False, False)
    twice = resolve_params(
        AssetType.SPRITESHEET, ParamsRequest(atlas_formats=(AtlasFormat.GODOT, AtlasFormat.GODOT, AtlasFormat.UNITY))
    )
    assert twice.atlas_formats == (AtlasFormat.GODOT, AtlasFormat.UNITY)


def test_a_clip_becomes_a_sheet_as_well_when_an_atlas_is_asked_for() -> None:
    params = resolve_params(AssetType.VIDEO, ParamsRequest(atlas_formats=(AtlasFormat.JSON_HASH,), extrude=1))
    assert (params.padding, params.extrude, params.power_of_two, params.max_sheet_size) == (2, 1, False, 4096)


def test_a_sheet_has_no_more_pixels_than_memory_bears() -> None:
    frames = tuple(Animation(f"a{number}", 32) for number in range(4))
    fits = resolve_params(AssetType.SPRITESHEET, ParamsRequest(width=512, height=512, animations=frames))
    assert sum(animation.frames for animation in fits.animations) * 512 * 512 == MAX_FRAME_PIXELS
    with pytest.raises(InvalidInput, match="frames of this size may be 127") as caught:
        resolve_params(AssetType.SPRITESHEET, ParamsRequest(width=512, height=514, animations=frames))
    assert caught.value.path == ("input", "params", "animations")
    assert refused(AssetType.SPRITESHEET, width=2048, height=2048) == ("animations",)


def test_clips_may_have_any_shape_of_so_many_pixels() -> None:
    tall = resolve_params(AssetType.VIDEO, ParamsRequest(width=480, height=1920))
    assert (tall.width, tall.height) == (480, 1920)


def test_a_tileset_follows_from_its_tiles() -> None:
    tileset = resolve_params(AssetType.TILESET, ParamsRequest(tile_size=16))
    assert (tileset.width, tileset.height, tileset.tile_size) == (64, 64, 16)
    assert tileset.atlas_formats == (AtlasFormat.TILED,)
    assert refused(AssetType.TILESET, width=64) == ("width",)
    assert refused(AssetType.TILESET, height=64) == ("height",)


@pytest.mark.parametrize(
    ("asset_type", "fields", "path"),
    [
        (AssetType.SPRITE, {"width": 15}, "width"),
        (AssetType.SPRITE, {"height": 2049}, "height"),
        (AssetType.SPRITE, {"seed": -1}, "seed"),
        (AssetType.SPRITE, {"seed": 2**31}, "seed"),
        (AssetType.SPRITE, {"count": 0}, "count"),
        (AssetType.SPRITE, {"count": 9}, "count"),
        (AssetType.SPRITE, {"palette_size": 1}, "paletteSize"),
        (AssetType.SPRITE, {"palette_size": 257}, "paletteSize"),
        (AssetType.SPRITE, {"pivot_x": 1.01}, "pivotX"),
        (AssetType.SPRITE, {"pivot_y": -0.01}, "pivotY"),
        (AssetType.SPRITE, {"pivot_x": float("nan")}, "pivotX"),
        (AssetType.SPRITE, {"negative_prompt": "x" * 2001}, "negativePrompt"),
        (AssetType.SPRITE, {"animations": (Animation("a", 2),)}, "animations"),
        (AssetType.SPRITE, {"tile_size": 32}, "tileSize"),
        (AssetType.SPRITE, {"seamless": True}, "seamless"),
        (AssetType.SPRITE, {"atlas_formats": (AtlasFormat.GODOT,)}, "atlasFormats"),
        (AssetType.SPRITE, {"duration_seconds": 2.0}, "durationSeconds"),
        (AssetType.SPRITE, {"format": ImageFormat.JPEG, "transparent": True}, "transparent"),
        (AssetType.SPRITESHEET, {"atlas_formats": (AtlasFormat.TILED,)}, "atlasFormats"),
        (AssetType.SPRITESHEET, {"padding": 65}, "padding"),
        (AssetType.SPRITESHEET, {"extrude": 17}, "extrude"),
        (AssetType.SPRITESHEET, {"max_sheet_size": 63}, "maxSheetSize"),
        (AssetType.SPRITESHEET, {"width": 100, "max_sheet_size": 99}, "maxSheetSize"),
        (AssetType.SPRITESHEET, {"width": 100, "max_sheet_size": 127, "power_of_two": True}, "maxSheetSize"),
        (AssetType.SPRITESHEET, {"width": 128, "max_sheet_size": 128, "extrude": 1}, "maxSheetSize"),
        (AssetType.TILESET, {"tile_size": 32, "max_sheet_size": 127}, "maxSheetSize"),
        (AssetType.TILESET, {"tile_size": 7}, "tileSize"),
        (AssetType.VIDEO, {"duration_seconds": 0.4}, "durationSeconds"),
        (AssetType.VIDEO, {"duration_seconds": 10.1}, "durationSeconds"),
        (AssetType.VIDEO, {"duration_seconds": float("nan")}, "durationSeconds"),
        (AssetType.VIDEO, {"fps": 31}, "fps"),
        (AssetType.VIDEO, {"dither": 4}, "dither"),
        (AssetType.VIDEO, {"outline": 1}, "outline"),
        (AssetType.SPRITE, {"dither": 3}, "dither"),
        (AssetType.SPRITE, {"outline": 9}, "outline"),
        (AssetType.SPRITE, {"outline": 1, "transparent": False}, "outline"),
        (AssetType.SPRITE, {"outline": 1, "outline_color": "red"}, "outlineColor"),
        (AssetType.SPRITE, {"outline_color": "#ff0000"}, "outlineColor"),
        (AssetType.SPRITE, {"outline_corners": True}, "outlineCorners"),
        (AssetType.BACKGROUND, {"outline": 1}, "outline"),
        (AssetType.SPRITE, {"tile_count": 16}, "tileCount"),
        (AssetType.TILESET, {"tile_count": 48}, "tileCount"),
        (AssetType.TILESET, {"tile_count": 47, "tile_size": 32, "max_sheet_size": 255}, "maxSheetSize"),
        (AssetType.UI, {"atlas_formats": (AtlasFormat.TILED,)}, "atlasFormats"),
        (AssetType.VIDEO, {"width": 62}, "width"),
        (AssetType.VIDEO, {"height": 1922}, "height"),
        (AssetType.VIDEO, {"height": 287}, "height"),
        (AssetType.VIDEO, {"width": 1282, "height": 720}, "width"),
        (AssetType.VIDEO, {"atlas_formats": (AtlasFormat.TILED,)}, "atlasFormats"),
        (AssetType.VIDEO, {"atlas_formats": (AtlasFormat.GODOT,), "max_sheet_size": 511}, "maxSheetSize"),
    ],
)
def test_what_is_out_of_range_or_out_of_place_is_refused(
    asset_type: AssetType, fields: dict[str, object], path: str
) -> None:
    assert refused(asset_type, **fields) == (path,)


@pytest.mark.parametrize(
    ("animations", "path"),
    [
        ((Animation("", 2),), ("animations", "0", "name")),
        ((Animation("x" * 65, 2),), ("animations", "0", "name")),
        ((Animation("走", 2), Animation(" 走 ", 2)), ("animations", "1", "name")),
        ((Animation("a", 0),), ("animations", "0", "frames")),
        ((Animation("a", 65),), ("animations", "0", "frames")),
        ((Animation("a", 2, fps=0),), ("animations", "0", "fps")),
        (tuple(Animation(f"a{n}", 1) for n in range(17)), ("animations",)),
        (tuple(Animation(f"a{n}", 64) for n in range(5)), ("animations",)),
    ],
)
def test_animations_are_checked_one_by_one_and_together(
    animations: tuple[Animation, ...], path: tuple[str, ...]
) -> None:
    assert refused(AssetType.SPRITESHEET, animations=animations) == path


def test_jpeg_has_no_transparency_even_by_default() -> None:
    assert not resolve_params(AssetType.SPRITE, ParamsRequest(format=ImageFormat.JPEG)).transparent
    assert resolve_params(AssetType.SPRITE, ParamsRequest(format=ImageFormat.WEBP)).transparent


def sizes(asset_type: AssetType) -> st.SearchStrategy[tuple[AssetType, int, int]]:
    """Any size that a type may have, beside what its other parameters are when nothing is said of them."""
    match asset_type:
        case AssetType.VIDEO:
            side = st.integers(32, 480).map(lambda half: 2 * half)
        case AssetType.SPRITESHEET:
            side = st.integers(16, 1280)
        case _:
            side = st.integers(16, 2048)
    return st.tuples(st.just(asset_type), side, side)


@given(
    wanted=st.sampled_from([item for item in AssetType if item is not AssetType.TILESET]).flatmap(sizes),
    seed=st.none() | st.integers(0, 2**31 - 1),
    count=st.integers(1, 8),
    text=st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), max_size=50),
)
def test_what_is_asked_for_is_what_is_kept(
    wanted: tuple[AssetType, int, int], seed: int | None, count: int, text: str
) -> None:
    asset_type, width, height = wanted
    request = ParamsRequest(width=width, height=height, seed=seed, count=count, negative_prompt=text)
    params = resolve_params(asset_type, request)
    assert (params.width, params.height, params.seed, params.count) == (width, height, seed, count)
    assert params.negative_prompt == text.strip()
    fixed = replace(params, seed=1)
    assert params_from_json({**params_to_json(fixed), "of a later version": 1}) == fixed


def test_kinds_are_derived() -> None:
    assert task_kind(AssetType.SPRITE, has_source_image=False) is TaskKind.TEXT_TO_IMAGE
    assert task_kind(AssetType.ICON, has_source_image=True) is TaskKind.IMAGE_TO_IMAGE
    assert task_kind(AssetType.VIDEO, has_source_image=False) is TaskKind.TEXT_TO_VIDEO
    assert task_kind(AssetType.VIDEO, has_source_image=True) is TaskKind.IMAGE_TO_VIDEO


def test_outlines_patterns_and_tiles_are_resolved() -> None:
    plain = resolve_params(AssetType.SPRITE, ParamsRequest())
    assert (plain.outline, plain.outline_color, plain.outline_corners, plain.dither) == (None, None, None, None)
    request = ParamsRequest(outline=2, outline_color="#FF8800CC", dither=8, palette_size=4)
    lined = resolve_params(AssetType.SPRITE, request)
    assert (lined.outline, lined.outline_color, lined.outline_corners, lined.dither) == (2, "#ff8800", False, 8)
    assert resolve_params(AssetType.TILESET, ParamsRequest()).tile_count == 16
    blob = resolve_params(AssetType.TILESET, ParamsRequest(tile_count=47, tile_size=16))
    assert (blob.width, blob.height, blob.tile_count) == (128, 96, 47)
    stretched = resolve_params(AssetType.UI, ParamsRequest(atlas_formats=(AtlasFormat.GODOT,)))
    assert stretched.atlas_formats == (AtlasFormat.GODOT,)
