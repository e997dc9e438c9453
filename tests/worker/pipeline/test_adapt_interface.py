"""Parts of interfaces, told to engines so that they stretch."""

import io
import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from domain.kinds import AssetType, AtlasFormat
from domain.params import ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import OutputFile, Picture, Provenance
from worker.imaging.pixels import decode_rgba, encode_png
from worker.pipeline.adapt import AdaptJob, adapt

with warnings.catch_warnings():  # it uses a name that its own parser library has renamed
    warnings.simplefilter("ignore")
    import godot_parser

pytestmark = pytest.mark.filterwarnings("ignore:.*argument is deprecated")
FORMATS = tuple(item for item in AtlasFormat if item is not AtlasFormat.TILED)
BORDERS = {"left": 5, "top": 6, "right": 7, "bottom": 8}


def panel() -> np.ndarray:
    random = np.random.default_rng(3)
    picture = random.integers(0, 255, (48, 96, 4), dtype=np.uint8)
    picture[..., 3] = 255
    picture[:, 5:89] = picture[:, 5:6]
    picture[6:40] = picture[6:7]
    return picture


def files_of(details: dict[str, object] | None = None, **params: object) -> dict[str, OutputFile]:
    request = ParamsRequest(width=96, height=48, **{"atlas_formats": FORMATS, **params})  # type: ignore[arg-type]
    resolved = resolve_params(AssetType.UI, request)
    made = Provenance("p", "m", 7, "panel", "", 1, 0)
    pictures = (Picture(encode_png(panel()), 96, 48),)
    job = AdaptJob("task", "木 panel", AssetType.UI, resolved, Style(), pictures, made, details or {})
    return {file.name: file for file in adapt(job)}


def only(files: dict[str, OutputFile], ending: str) -> str:
    [file] = [file for name, file in files.items() if name.endswith(ending)]
    return file.data.decode()


def test_borders_are_found_and_those_of_a_provider_believed_if_they_can_be() -> None:
    assert next(iter(files_of().values())).metadata["nineSlice"] == BORDERS
    said = {"left": 10, "top": 10, "right": 10, "bottom": 10}
    assert next(iter(files_of({"nineSlice": said}).values())).metadata["nineSlice"] == said
    impossible = {**said, "left": 90}
    assert next(iter(files_of({"nineSlice": impossible}).values())).metadata["nineSlice"] == BORDERS
    dithered = files_of(palette_size=4, dither=8)
    assert next(iter(dithered.values())).metadata["nineSlice"] == BORDERS


@pytest.mark.parametrize("ending", ["panel.json", ".array.json"])
def test_json_tells_pixi_and_phaser(ending: str) -> None:
    frames: Any = json.loads(only(files_of(), ending))["frames"]
    entry = frames[0] if isinstance(frames, list) else frames["panel"]
    assert entry["borders"] == BORDERS
    assert entry["scale9Borders"] == {"x": 5, "y": 6, "w": 84, "h": 34}
    assert entry["frame"] == {"x": 0, "y": 0, "w": 96, "h": 48}


def test_aseprite_has_a_slice_with_a_center() -> None:
    slices = json.loads(only(files_of(), ".aseprite.json"))["meta"]["slices"]
    [key] = slices[1]["keys"]
    assert key["center"] == {"x": 5, "y": 6, "w": 84, "h": 34}
    assert key["bounds"] == {"x": 0, "y": 0, "w": 96, "h": 48}


def test_unity_reads_left_bottom_right_top() -> None:
    importer = yaml.safe_load(only(files_of(), ".png.meta"))["TextureImporter"]
    assert importer["spriteBorder"] == {"x": 5, "y": 8, "z": 7, "w": 6}
    [sprite] = importer["spriteSheet"]["sprites"]
    assert sprite["border"] == {"x": 5, "y": 8, "z": 7, "w": 6}


def test_godot_has_a_style_box(tmp_path: Path) -> None:
    path = tmp_path / "panel.tres"
    path.write_text(only(files_of(), ".tres"))
    parsed = godot_parser.parse(path.read_text())
    assert 'type="StyleBoxTexture"' in path.read_text()
    resource = parsed.get_sections("resource")[0]
    assert {side: resource[f"texture_margin_{side}"] for side in BORDERS} == BORDERS
    [image] = parsed.get_ext_resources()
    assert image.path == "panel.png"


def test_the_archive_says_how_and_pictures_are_delivered_as_they_are() -> None:
    files = files_of()
    [archive] = [file for file in files.values() if file.role == "archive"]
    with zipfile.ZipFile(io.BytesIO(archive.data)) as opened:
        readme = opened.read("README.txt").decode()
        assert np.array_equal(decode_rgba(opened.read("panel.png")), panel())
    assert "Images: panel.png" in readme
    assert "NineSliceSprite({ texture: sheet.textures['panel'], width: 300, height: 120 })" in readme
    assert set(files_of(atlas_formats=())) == {"panel.png"}
