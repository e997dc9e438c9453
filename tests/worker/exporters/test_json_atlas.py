import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

from domain.kinds import AtlasFormat, ImageFormat
from domain.params import Animation
from worker.pipeline.adapt import AdaptJob, adapt

WALK = Animation("walk", 5, 12)
AWKWARD = ('say "hi"', "a/b\\c", "👩‍🚀", "走る", "a", "a_1", "constructor")


def pixels(data: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))


def read(job: AdaptJob) -> tuple[dict[str, bytes], dict[str, Any]]:
    files = {file.name: file.data for file in adapt(job)}
    return files, {name: json.loads(data) for name, data in files.items() if name.endswith(".json")}


def check_entry(entry: dict[str, Any], page: np.ndarray, source: np.ndarray, restored: Callable[..., Any]) -> None:
    frame, part, size = entry["frame"], entry["spriteSourceSize"], entry["sourceSize"]
    assert (part["w"], part["h"]) == (frame["w"], frame["h"])
    assert (size["h"], size["w"]) == source.shape[:2]
    assert entry["rotated"] is False
    assert entry["trimmed"] is ((frame["w"], frame["h"]) != (size["w"], size["h"]))
    rect = (frame["x"], frame["y"], frame["w"], frame["h"])
    assert np.array_equal(restored(page, rect, (part["x"], part["y"]), (size["w"], size["h"])), source)


@pytest.mark.parametrize("trim", [False, True])
@pytest.mark.parametrize("form", [AtlasFormat.JSON_HASH, AtlasFormat.JSON_ARRAY])
def test_every_frame_is_found_pixel_for_pixel(
    sheet_job: Callable[..., Any], restored: Callable[..., Any], form: AtlasFormat, *, trim: bool
) -> None:
    job, frames = sheet_job((WALK, Animation("idle", 3)), atlas_formats=(form,), trim=trim, extrude=2, pivot_y=1.0)
    files, documents = read(job)
    (document,) = documents.values()
    page = pixels(files[document["meta"]["image"]])
    assert document["meta"]["size"] == {"w": page.shape[1], "h": page.shape[0]}
    assert document["meta"]["scale"] == "1"
    entries = document["frames"]
    if form is AtlasFormat.JSON_ARRAY:
        assert all(next(iter(entry)) == "filename" for entry in entries)
        entries = {entry["filename"]: entry for entry in entries}
    assert len(entries) == len(frames)
    assert any(entry["trimmed"] for entry in entries.values()) is trim
    for (name, index), source in frames.items():
        entry = entries[f"{name}_{index}"]
        check_entry(entry, page, source, restored)
        assert entry["pivot"] == entry["anchor"] == {"x": 0.5, "y": 1.0}


def test_frames_get_different_keys_whatever_their_animations_are_called(sheet_job: Callable[..., Any]) -> None:
    job, frames = sheet_job(
        tuple(Animation(name, 12) for name in AWKWARD),
        atlas_formats=(AtlasFormat.JSON_HASH, AtlasFormat.JSON_ARRAY, AtlasFormat.ASEPRITE),
    )
    pairs: list[list[str]] = []

    def keep(items: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in items]
        assert len(set(keys)) == len(keys)
        pairs.append(keys)
        return dict(items)

    for file in adapt(job):
        if file.name.endswith(".json"):
            document = json.loads(file.data, object_pairs_hook=keep)
            assert len(document["frames"]) == len(frames)
    assert pairs


def test_pixi_animations_name_frames_that_exist_and_spell_forth_and_back_out(sheet_job: Callable[..., Any]) -> None:
    job, _ = sheet_job(
        (Animation("bob", 3, ping_pong=True), Animation("die", 3, loop=False, ping_pong=True), Animation("one", 1))
    )
    _, documents = read(job)
    (document,) = documents.values()
    assert document["animations"] == {
        "bob": ["bob_0", "bob_1", "bob_2", "bob_1"],
        "die": ["die_0", "die_1", "die_2", "die_1", "die_0"],
        "one": ["one_0"],
    }
    assert {name for names in document["animations"].values() for name in names} == set(document["frames"])


def test_pages_name_each_other_and_lose_no_frame(sheet_job: Callable[..., Any], restored: Callable[..., Any]) -> None:
    job, frames = sheet_job(
        (Animation("walk", 6), Animation("idle", 3)),
        atlas_formats=(AtlasFormat.JSON_HASH, AtlasFormat.JSON_ARRAY),
        max_sheet_size=80,
        padding=1,
    )
    files, documents = read(job)
    hashes = {name: document for name, document in documents.items() if ".array" not in name}
    assert len(hashes) > 1
    entries: dict[str, Any] = {}
    for name, document in hashes.items():
        assert set(document["meta"]["related_multi_packs"]) == set(hashes) - {name}
        for key, entry in document["frames"].items():
            source = frames[("walk" if key.startswith("walk") else "idle", int(key.rsplit("_", 1)[1]))]
            check_entry(entry, pixels(files[document["meta"]["image"]]), source, restored)
        entries |= document["frames"]
        for names in document.get("animations", {}).values():
            assert set(names) <= set(document["frames"])
    assert len(entries) == len(frames)
    (array,) = (document for name, document in documents.items() if ".array" in name)
    assert [texture["image"] for texture in array["textures"]] == [hashes[name]["meta"]["image"] for name in hashes]
    assert sum(len(texture["frames"]) for texture in array["textures"]) == len(frames)


def test_the_sidecar_names_the_image_it_came_with(sheet_job: Callable[..., Any]) -> None:
    job, _ = sheet_job((WALK,), subject="龙 👩‍🚀", format=ImageFormat.WEBP)
    files, documents = read(job)
    (document,) = documents.values()
    assert document["meta"]["image"].endswith(".webp")
    assert Image.open(io.BytesIO(files[document["meta"]["image"]])).format == "WEBP"
