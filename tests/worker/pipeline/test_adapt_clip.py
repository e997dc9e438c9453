import io
import json
import pickle
import zipfile
from typing import Any

import numpy as np
import pytest
from PIL import Image

from domain.kinds import AssetType, AtlasFormat, ImageFormat
from domain.params import ParamsRequest, resolve_params
from domain.styles import Style
from tests.helpers.clips import clip, foreign, packets, tags
from worker.artifacts import OutputFile, Provenance
from worker.imaging.pixels import decode_rgba
from worker.pipeline.adapt import AdaptJob, adapt
from worker.video.errors import UnreadableClip
from worker.video.read import read_frames

PROVENANCE = Provenance("stub-provider", "model-9", 7, "a green slime 史莱姆", "blurry", 1, 0)


def job(data: bytes | None = None, variations: int = 1, **params: Any) -> AdaptJob:
    wanted = ParamsRequest(**{"width": 96, "height": 64, "duration_seconds": 1.0, **params})
    return AdaptJob(
        "task-1",
        "green slime",
        AssetType.VIDEO,
        resolve_params(AssetType.VIDEO, wanted),
        Style(),
        (),
        PROVENANCE,
        variations=variations,
        clip=clip() if data is None else data,
    )


def by_role(files: tuple[OutputFile, ...], role: str) -> list[OutputFile]:
    return [file for file in files if file.role == role]


def test_the_clip_comes_first_then_poster_and_previews() -> None:
    files = adapt(job())
    assert [(file.name, file.role, file.media_type) for file in files] == [
        ("green-slime.mp4", "video", "video/mp4"),
        ("green-slime-poster.png", "poster", "image/png"),
        ("green-slime-preview.gif", "preview", "image/gif"),
        ("green-slime-preview.webp", "preview", "image/webp"),
    ]
    assert (files[0].width, files[0].height) == (96, 64)
    assert files[0].metadata == {
        "durationSeconds": 1.0,
        "fps": 24.0,
        "frameCount": 24,
        "codec": "h264",
        "pixelFormat": "yuv420p",
        "hasSound": False,
    }


@pytest.mark.parametrize("data", [clip(), foreign(sound=True)])
def test_the_pictures_of_the_clip_are_kept_as_they_came(data: bytes) -> None:
    (video, *_) = adapt(job(data))
    assert packets(video.data) == packets(data)


def test_the_poster_is_a_frame_of_the_clip() -> None:
    (poster,) = by_role(adapt(job()), "poster")
    middle = list(read_frames(clip()))[12]
    assert np.array_equal(decode_rgba(poster.data)[..., :3], middle)


def test_previews_play_at_the_speed_of_the_clip() -> None:
    for preview in by_role(adapt(job()), "preview"):
        image: Any = Image.open(io.BytesIO(preview.data))
        durations = []
        for number in range(image.n_frames):
            image.seek(number)
            image.load()
            durations.append(image.info["duration"])
        assert image.n_frames == preview.metadata["frameCount"] == 12
        assert durations == preview.metadata["durationsMs"]
        assert abs(sum(durations) - 1000) <= 10
        assert image.size == (96, 64)
        assert image.info.get("loop") == 0


def test_previews_of_large_clips_are_small() -> None:
    files = adapt(job(clip(4, (1280, 64)), width=1280))
    assert {(preview.width, preview.height) for preview in by_role(files, "preview")} == {(320, 16)}


def test_long_clips_have_short_previews() -> None:
    files = adapt(job(clip(250, (64, 64), fps=10), width=64, duration_seconds=10.0))
    for preview in by_role(files, "preview"):
        durations: Any = preview.metadata["durationsMs"]
        assert len(durations) <= 120
        assert abs(sum(durations) - 25_000) <= 600


def test_provenance_is_in_every_file_unless_it_is_switched_off() -> None:
    for file in adapt(job()):
        assert "green slime" in str(tags(file.data)) if file.role == "video" else b"green slime" in file.data
    for file in adapt(job(foreign(), embed_metadata=False)):
        for trace in (b"green slime", b"stub-provider", b"onder", b"secret key", b"somebody"):
            assert trace not in file.data
        if file.role == "video":
            assert tags(file.data) == {}


def test_frames_become_a_sheet_when_an_atlas_is_asked_for() -> None:
    files = adapt(job(atlas_formats=(AtlasFormat.JSON_HASH, AtlasFormat.GODOT), padding=1, format=ImageFormat.WEBP))
    (page,) = by_role(files, "spritesheet")
    assert page.media_type == "image/png"
    frames: Any = page.metadata["frames"]
    sheet, originals = decode_rgba(page.data), list(read_frames(clip()))
    assert len(frames) == len(originals) == 24
    for frame, original in zip(frames, originals, strict=True):
        rect = frame["rect"]
        cut = sheet[rect["y"] : rect["y"] + rect["height"], rect["x"] : rect["x"] + rect["width"]]
        assert np.array_equal(cut[..., :3], original)
    first, second = by_role(files, "atlas")
    atlas = json.loads(first.data)
    assert atlas["meta"]["image"] == page.name
    assert list(atlas["animations"]) == ["clip"]
    assert b"SpriteFrames" in second.data
    with zipfile.ZipFile(io.BytesIO(files[-1].data)) as archive:
        assert {file.name for file in files[:-1] if file.role != "thumbnail"} < set(archive.namelist())


def test_a_sheet_of_a_long_clip_holds_evenly_chosen_frames() -> None:
    files = adapt(job(clip(150, (64, 64)), width=64, atlas_formats=(AtlasFormat.JSON_HASH,)))
    (page,) = by_role(files, "spritesheet")
    frames: Any = page.metadata["frames"]
    animations: Any = page.metadata["animations"]
    assert len(frames) == 50
    assert animations[0]["fps"] == 8


def test_the_same_job_gives_the_same_bytes_and_crosses_processes() -> None:
    wanted = job(atlas_formats=(AtlasFormat.JSON_ARRAY,))
    assert adapt(wanted) == adapt(pickle.loads(pickle.dumps(wanted)))  # noqa: S301 (our own)


def test_variations_are_told_apart() -> None:
    files = adapt(job(variations=2))
    assert files[0].name == "green-slime-1.mp4"
    assert files[0].metadata["variation"] == 1


def test_what_is_no_clip_is_an_error() -> None:
    with pytest.raises(UnreadableClip):
        adapt(job(b"not a clip"))


def test_a_clip_and_its_poster_share_a_thumbnail() -> None:
    files = adapt(job(clip(12, (320, 180))))
    (small,) = by_role(files, "thumbnail")
    assert (small.width, small.height) == (256, 144)
    assert small.metadata == {"of": ["green-slime.mp4", "green-slime-poster.png"]}
