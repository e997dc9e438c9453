"""The code in an archive's README is run as it stands there, in PixiJS and Phaser."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from domain.kinds import AssetType, AtlasFormat, TaskKind
from domain.params import Animation, ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import GenerationRequest, Provenance
from worker.pipeline.adapt import AdaptJob, adapt
from worker.providers.builtin.render import render

pytestmark = pytest.mark.clients

FORMATS = (AtlasFormat.JSON_HASH, AtlasFormat.JSON_ARRAY, AtlasFormat.ASEPRITE)
ODD = "it's \\ 跑"
ANIMATIONS = (Animation("walk", 3, fps=8, ping_pong=True), Animation(ODD, 2, fps=12, loop=False))


def run(folder: Path, asset_type: AssetType, **params: Any) -> dict[str, Any]:
    """Make an asset, unpack its archive, and return what the code of its README did."""
    resolved, style = resolve_params(asset_type, ParamsRequest(atlas_formats=FORMATS, **params)), Style()
    words = "gold dialog"
    request = GenerationRequest("t", asset_type, TaskKind.TEXT_TO_IMAGE, words, words, "", style, resolved, 3)
    made = render(request)
    provenance = Provenance("builtin", "m", 3, "", "", 1, 0)
    job = AdaptJob("t", words, asset_type, resolved, style, made.pictures, provenance, made.details)
    packed = folder / "packed.zip"
    packed.write_bytes(adapt(job)[-1].data)
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(folder)
    node = shutil.which("node") or str(Path(sys.executable).parent / "node")
    script = Path(__file__).parent / "readme_code.mjs"
    done = subprocess.run([node, str(script), str(folder)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


def test_animations_play(tmp_path: Path) -> None:
    found = run(tmp_path, AssetType.SPRITESHEET, animations=ANIMATIONS, width=32, height=32)
    there_and_back = ["walk_0", "walk_1", "walk_2", "walk_1"]
    [animations] = found["pixi"]
    assert [one["frames"] for one in animations] == [there_and_back, [f"{ODD}_0", f"{ODD}_1"]]
    assert [round(one["speed"] * 60) for one in animations] == [8, 12]
    hashed, listed, aseprite = found["phaser"]
    for piece in (hashed, listed):
        assert [(one["key"], one["repeat"]) for one in piece["animations"]] == [("walk", -1), (ODD, 0)]
        assert piece["animations"][0]["frames"] == there_and_back
        assert piece["playing"] == "walk"
    assert {one["key"] for one in aseprite["animations"]} == {"walk", ODD}
    assert aseprite["playing"] == "walk"


def test_a_part_of_an_interface_is_stretched(tmp_path: Path) -> None:
    found = run(tmp_path, AssetType.UI)
    assert [[one["frames"], one["width"]] for one in found["pixi"][0]] == [[["gold-dialog"], 300]]
    assert {piece["width"] for piece in found["phaser"] if "Aseprite" not in piece["heading"]} == {300}


def test_a_tile_is_shown(tmp_path: Path) -> None:
    found = run(tmp_path, AssetType.TILESET)
    assert [one["frames"] for one in found["pixi"][0]] == [["tile_0"]]
    assert {piece["frame"] for piece in found["phaser"] if "Aseprite" not in piece["heading"]} == {"tile_0"}
