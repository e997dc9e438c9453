"""The same request gives the same files in every process, and no trace of where they come from when none is wanted."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from domain.kinds import AssetType, AtlasFormat, ImageFormat
from domain.params import Animation
from domain.styles import Style
from tests.helpers.requests import make_request
from worker.artifacts import OutputFile, Provenance
from worker.pipeline.adapt import AdaptJob, adapt
from worker.providers.builtin.render import render

STILL = [asset_type for asset_type in AssetType if asset_type is not AssetType.VIDEO]
ROOT = Path(__file__).parents[3]
PROMPT, NEGATIVE = "ZEBRA in words", "QUAGGA not wanted"


def files_of(asset_type: AssetType, image_format: ImageFormat, *, embed: bool) -> tuple[OutputFile, ...]:
    params: dict[str, object] = {"format": image_format, "embed_metadata": embed, "seed": 5}
    tiles = asset_type is AssetType.TILESET
    if asset_type in (AssetType.SPRITESHEET, AssetType.TILESET, AssetType.UI):
        params["atlas_formats"] = tuple(item for item in AtlasFormat if tiles or item is not AtlasFormat.TILED)
    params |= {"tile_size": 16, "tile_count": 47} if tiles else {"width": 40, "height": 40}
    if asset_type is AssetType.SPRITE and image_format is not ImageFormat.JPEG:
        params |= {"outline": 1, "palette_size": 8, "dither": 4}
    request = make_request(asset_type, "a knight", style=Style(art_style="pixel art"), **params)
    if asset_type is AssetType.SPRITESHEET:
        moves = (("走", 2), ("run", 2))
        request = make_request(asset_type, "a knight", animations=moves, **params)
        assert request.params.animations == (Animation("走", 2), Animation("run", 2))
    result = render(request)
    made = Provenance("builtin", "procedural-1", 5, PROMPT, NEGATIVE, 1, 0)
    job = AdaptJob("task", "a knight", asset_type, request.params, Style(), result.pictures, made, result.details)
    return adapt(job)


def digest() -> str:
    """Of all files of all types in PNG, and of sprites in every format."""
    together = hashlib.sha256()
    wanted = [(kind, ImageFormat.PNG) for kind in STILL] + [(AssetType.SPRITE, kind) for kind in ImageFormat]
    for asset_type, image_format in wanted:
        for file in files_of(asset_type, image_format, embed=True):
            together.update(file.name.encode() + b"\0" + file.data)
    return together.hexdigest()


def test_processes_with_other_hashes_write_the_same_bytes() -> None:
    script = "from tests.worker.pipeline.test_same_bytes import digest; print(digest())"
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "777")
    }
    assert found == {digest() + "\n"}


@pytest.mark.parametrize("image_format", ImageFormat)
@pytest.mark.parametrize("asset_type", STILL)
def test_no_file_tells_where_it_comes_from_when_that_is_not_wanted(
    asset_type: AssetType, image_format: ImageFormat
) -> None:
    words = [word.encode() for word in (PROMPT, NEGATIVE, "procedural-1", "builtin", "Wonder", "wonder")]
    for file in files_of(asset_type, image_format, embed=False):
        if file.role != "archive":  # it holds the same files, and a README of how to load them
            assert [word for word in words if word in file.data] == [], file.name
    told = files_of(asset_type, image_format, embed=True)[0]
    assert b"ZEBRA" in told.data
