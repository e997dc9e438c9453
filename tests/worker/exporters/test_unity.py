import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from unityparser import UnityDocument

from domain.kinds import AtlasFormat
from domain.params import Animation
from worker.exporters.unity import yaml_string
from worker.pipeline.adapt import AdaptJob, adapt

FORMATS = (AtlasFormat.UNITY,)


def sprites(meta: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(meta["TextureImporter"]["spriteSheet"]["sprites"])


@pytest.mark.parametrize("trim", [False, True])
def test_every_sprite_counted_from_the_bottom_is_its_frame(
    sheet_job: Callable[..., Any], restored: Callable[..., Any], tmp_path: Path, *, trim: bool
) -> None:
    job, frames = sheet_job((Animation('走"/', 5), Animation("b", 3)), atlas_formats=FORMATS, trim=trim, extrude=1)
    files = {file.name: file.data for file in adapt(job)}
    (name,) = (name for name in files if name.endswith(".meta"))
    path = tmp_path / name
    path.write_bytes(files[name])
    meta = UnityDocument.load_yaml(str(path)).entry
    by_yaml = sprites(yaml.safe_load(files[name]))
    # unityparser reads every scalar as text.
    assert [{key: str(side) for key, side in sprite["rect"].items()} for sprite in by_yaml] == [
        dict(sprite["rect"]) for sprite in sprites(meta)
    ]
    page = np.asarray(Image.open(io.BytesIO(files[name.removesuffix(".meta")])).convert("RGBA"))
    found = {sprite["name"]: sprite for sprite in sprites(meta)}
    assert len(found) == len(frames)
    for (animation, index), source in frames.items():
        sprite = found[f"{animation}_{index}"]
        x, y, width, height = (int(sprite["rect"][key]) for key in ("x", "y", "width", "height"))
        top = page.shape[0] - y - height
        # The middle of the untrimmed frame, counted from the rect's bottom left in shares of it.
        left = round(16 - float(sprite["pivot"]["x"]) * width)
        above = round(12 - (1 - float(sprite["pivot"]["y"])) * height)
        assert np.array_equal(restored(page, (x, top, width, height), (left, above), (32, 24)), source)


def test_ids_are_stable_between_exports_and_differ_between_tasks(sheet_job: Callable[..., Any]) -> None:
    job, _ = sheet_job((Animation("a", 3),), atlas_formats=FORMATS)

    def ids(of: AdaptJob) -> tuple[str, list[int], list[str]]:
        (data,) = (file.data for file in adapt(of) if file.name.endswith(".meta"))
        meta = yaml.safe_load(data)
        importer = meta["TextureImporter"]
        numbers = [sprite["internalID"] for sprite in sprites(meta)]
        assert importer["spriteSheet"]["nameFileIdTable"] == {f"a_{i}": number for i, number in enumerate(numbers)}
        assert all(0 < number < 2**63 for number in numbers)
        return str(meta["guid"]), numbers, [str(sprite["spriteID"]) for sprite in sprites(meta)]

    guid, numbers, sprite_ids = ids(job)
    assert re.fullmatch("[0-9a-f]{32}", guid)
    assert len(set(numbers)) == len(set(sprite_ids)) == 3
    assert ids(job) == (guid, numbers, sprite_ids)
    other = type(job)(**{name: getattr(job, name) for name in job.__slots__} | {"task_id": "task-9"})
    assert ids(other)[0] != guid


def test_textures_are_imported_for_pixel_art_and_never_scaled_down(sheet_job: Callable[..., Any]) -> None:
    job, _ = sheet_job((Animation("a", 3),), atlas_formats=FORMATS)
    (data,) = (file.data for file in adapt(job) if file.name.endswith(".meta"))
    importer = yaml.safe_load(data)["TextureImporter"]
    assert (importer["textureType"], importer["spriteMode"], importer["nPOTScale"]) == (8, 2, 0)
    assert importer["textureSettings"]["filterMode"] == 0
    assert importer["mipmaps"]["enableMipMap"] == 0
    assert importer["platformSettings"][0]["textureCompression"] == 0
    assert all(sprite["alignment"] == 9 for sprite in sprites(yaml.safe_load(data)))


def test_plain_names_are_bare_for_simple_readers(sheet_job: Callable[..., Any]) -> None:
    job, _ = sheet_job((Animation("walk", 1), Animation("yes", 1), Animation("1", 1)), atlas_formats=FORMATS)
    (data,) = (file.data for file in adapt(job) if file.name.endswith(".meta"))
    assert b"      name: walk_0\n" in data
    assert [sprite["name"] for sprite in sprites(yaml.safe_load(data))] == ["walk_0", "yes_0", "1_0"]


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_yaml_strings_come_back_unchanged(text: str) -> None:
    assert yaml.safe_load(yaml_string(text)) == text
