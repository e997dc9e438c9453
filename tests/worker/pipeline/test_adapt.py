import io
import pickle
import re
import zipfile
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from domain.kinds import AssetType, AtlasFormat, ImageFormat
from domain.params import Animation, ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import OutputFile, Picture, Provenance
from worker.exporters.packing import SheetTooSmall
from worker.imaging.pixels import UnreadablePicture, encode_png
from worker.pipeline.adapt import AdaptJob, adapt
from worker.video.errors import UnreadableClip

Pixels = NDArray[np.uint8]
PROVENANCE = Provenance("stub-provider", "model-9", 7, "a green slime 史莱姆", "blurry", 1, 0)
PLAIN = (AssetType.SPRITE, AssetType.ICON, AssetType.BACKGROUND, AssetType.PORTRAIT, AssetType.UI)


def rich(seed: int = 0, width: int = 48, height: int = 40) -> Pixels:
    """A picture of many colours with a soft alpha edge and a black shape that exists in alpha only."""
    random = np.random.default_rng(seed)
    picture = np.zeros((height, width, 4), dtype=np.uint8)
    picture[5:25, 5:40, :3] = random.integers(0, 256, (20, 35, 3))
    picture[5:25, 5:40, 3] = 255
    picture[25:28, 5:40] = (90, 120, 200, 0)
    picture[25:28, 5:40, 3] = np.linspace(0, 255, 35).astype(np.uint8)
    picture[30:38, 10:30] = (0, 0, 0, 255)
    return picture


def plain_job(picture: Pixels, asset_type: AssetType = AssetType.SPRITE, **params: Any) -> AdaptJob:
    resolved = resolve_params(asset_type, ParamsRequest(**params))
    pictures = (Picture(encode_png(picture), picture.shape[1], picture.shape[0]),)
    return AdaptJob("task-1", "green slime", asset_type, resolved, Style(), pictures, PROVENANCE)


def sheet_job(*animations: Animation, picture: Any = rich, **params: Any) -> AdaptJob:
    request = ParamsRequest(**{"width": 48, "height": 40, "animations": animations, **params})
    resolved = resolve_params(AssetType.SPRITESHEET, request)
    names = [(animation.name, index) for animation in animations for index in range(animation.frames)]
    pictures = tuple(
        Picture(encode_png(picture(seed)), 48, 40, f"{name}-{index}", name, index)
        for seed, (name, index) in enumerate(names)
    )
    return AdaptJob("task-1", "green slime", AssetType.SPRITESHEET, resolved, Style(), pictures, PROVENANCE)


def shown(data: bytes) -> Pixels:
    return np.array(Image.open(io.BytesIO(data)).convert("RGBA"))


def colors(picture: Pixels) -> set[tuple[int, ...]]:
    """Different RGBA values as a program counts them, transparent ones included as they are."""
    return {tuple(color) for color in np.unique(picture.reshape(-1, 4), axis=0).tolist()}


def by_role(files: tuple[OutputFile, ...], role: str) -> list[OutputFile]:
    return [file for file in files if file.role == role]


@pytest.mark.parametrize("asset_type", PLAIN)
def test_a_plain_asset_is_one_picture_with_its_pixels(asset_type: AssetType) -> None:
    (file,) = adapt(plain_job(rich(), asset_type, pivot_x=0.25))
    assert (file.name, file.role, file.media_type) == ("green-slime.png", "image", "image/png")
    assert (file.width, file.height) == (48, 40)
    assert np.array_equal(shown(file.data), rich())
    assert file.metadata["pivot"] == {"x": 0.25, "y": 0.5}
    assert "palette" not in file.metadata


@pytest.mark.parametrize(
    ("image_format", "extension", "media_type", "pillow"),
    [
        (ImageFormat.PNG, ".png", "image/png", "PNG"),
        (ImageFormat.WEBP, ".webp", "image/webp", "WEBP"),
        (ImageFormat.JPEG, ".jpg", "image/jpeg", "JPEG"),
        (ImageFormat.GIF, ".gif", "image/gif", "GIF"),
        (ImageFormat.APNG, ".apng", "image/apng", "PNG"),
    ],
)
def test_a_picture_comes_in_the_format_asked_for(
    image_format: ImageFormat, extension: str, media_type: str, pillow: str
) -> None:
    (file,) = adapt(plain_job(rich(), format=image_format))
    assert file.name == f"green-slime{extension}"
    assert file.media_type == media_type
    image = Image.open(io.BytesIO(file.data))
    assert image.format == pillow
    assert image.size == (48, 40)
    assert getattr(image, "n_frames", 1) == 1
    assert getattr(image, "is_animated", False) is False


def test_a_palette_size_bounds_the_colors_and_keeps_shapes() -> None:
    (file,) = adapt(plain_job(rich(), palette_size=16))
    picture = shown(file.data)
    assert len(colors(picture)) <= 16
    assert file.metadata["colorCount"] == len(colors(picture))
    assert (picture[30:38, 10:30, 3] > 0).all()
    assert (picture[:4, :, 3] == 0).all()
    visible = {f"#{r:02x}{g:02x}{b:02x}" for r, g, b, a in colors(picture) if a}
    assert set(file.metadata["palette"]) == visible  # type: ignore[call-overload]


def test_a_style_palette_leaves_its_colors_and_transparency_only() -> None:
    palette = ("#000000", "#ff0000", "#00ff00", "#f0f0f0")
    (file,) = adapt(replace(plain_job(rich()), style=Style(palette=palette)))
    visible = {f"#{r:02x}{g:02x}{b:02x}" for r, g, b, a in colors(shown(file.data)) if a}
    assert visible <= set(palette)
    assert visible == set(file.metadata["palette"])  # type: ignore[call-overload]


def test_a_sheet_of_limited_colors_counts_its_gaps() -> None:
    job = sheet_job(
        Animation("a", 5),
        palette_size=8,
        picture=lambda seed: np.maximum(rich(seed), np.array((0, 0, 0, 255), dtype=np.uint8)),
    )
    (sheet,) = by_role(adapt(job), "spritesheet")
    picture = shown(sheet.data)
    assert (picture[..., 3] == 0).any()
    assert len(colors(picture)) <= 8


def test_all_frames_share_one_palette() -> None:
    files = adapt(sheet_job(Animation("a", 4), palette_size=12))
    sheet = by_role(files, "spritesheet")[0]
    assert len(colors(shown(sheet.data))) <= 12
    image = Image.open(io.BytesIO(by_role(files, "preview")[0].data))
    used: set[tuple[int, ...]] = set()
    for number in range(image.n_frames):
        image.seek(number)
        used |= {color for color in colors(np.array(image.convert("RGBA"))) if color[3]}
    assert {color[:3] for color in used} <= {color[:3] for color in colors(shown(sheet.data)) if color[3]}


def test_nine_slice_borders_pass_into_the_metadata() -> None:
    borders = {"left": 8, "top": 8, "right": 8, "bottom": 8}
    (file,) = adapt(replace(plain_job(rich(), AssetType.UI), details={"nineSlice": borders}))
    assert file.metadata["nineSlice"] == borders


@pytest.mark.parametrize("image_format", list(ImageFormat))
def test_a_sheet_is_a_still_picture_and_its_previews_move(image_format: ImageFormat) -> None:
    files = adapt(sheet_job(Animation("walk", 3, 10), Animation("die", 2, 5, loop=False), format=image_format))
    (sheet,) = by_role(files, "spritesheet")
    expected = {ImageFormat.WEBP: "image/webp", ImageFormat.JPEG: "image/jpeg"}.get(image_format, "image/png")
    assert sheet.media_type == expected
    previews = by_role(files, "preview")
    assert [preview.metadata["name"] for preview in previews] == ["walk", "die"]
    moving = image_format if image_format in (ImageFormat.GIF, ImageFormat.APNG, ImageFormat.WEBP) else ImageFormat.GIF
    assert {preview.media_type for preview in previews} == {f"image/{moving.lower()}"}
    for preview, loops in zip(previews, (True, False), strict=True):
        image = Image.open(io.BytesIO(preview.data))
        assert image.n_frames == preview.metadata["frameCount"]
        assert image.info.get("loop", 1) == (0 if loops else 1)


def test_equal_neighbours_stay_frames_of_their_own_and_durations_are_kept() -> None:
    job = sheet_job(Animation("blink", 4, 10), picture=lambda seed: rich(min(seed, 1)))
    preview = by_role(adapt(job), "preview")[0]
    image = Image.open(io.BytesIO(preview.data))
    durations = []
    for number in range(image.n_frames):
        image.seek(number)
        durations.append(image.info["duration"])
    assert durations == [100] * 4
    sheet = by_role(adapt(job), "spritesheet")[0]
    assert sheet.metadata["frameCount"] == 4


def test_a_preview_tells_the_durations_that_its_file_holds() -> None:
    job = sheet_job(Animation("a", 4, 12, ping_pong=True))
    preview = by_role(adapt(job), "preview")[0]
    image = Image.open(io.BytesIO(preview.data))
    durations = []
    for number in range(image.n_frames):
        image.seek(number)
        durations.append(image.info["duration"])
    assert preview.metadata["durationsMs"] == durations
    assert abs(sum(durations) - 6 * 83) <= 5
    assert preview.metadata["frameCount"] == 6


def test_a_gif_lists_the_colors_it_holds() -> None:
    (file,) = adapt(plain_job(rich(), format=ImageFormat.GIF))
    assert file.metadata["colorCount"] == len(colors(shown(file.data)))
    assert (file.metadata["colorCount"], len(file.metadata["palette"])) > (200, 199)  # type: ignore[arg-type]


def test_ping_pong_is_one_two_three_two() -> None:
    job = sheet_job(Animation("bob", 3, 10, ping_pong=True), format=ImageFormat.APNG)
    preview = by_role(adapt(job), "preview")[0]
    image = Image.open(io.BytesIO(preview.data))
    seen = []
    for number in range(image.n_frames):
        image.seek(number)
        frame = np.array(image.convert("RGBA"))
        seen.append([np.array_equal(frame, rich(seed)) for seed in range(3)].index(True) + 1)
    assert seen == [1, 2, 3, 2]
    (clip,) = by_role(adapt(job), "spritesheet")[0].metadata["animations"]  # type: ignore[misc]
    assert clip["frames"] == ["bob_0", "bob_1", "bob_2"]
    assert clip["playback"] == ["bob_0", "bob_1", "bob_2", "bob_1"]


def test_sheet_metadata_tells_where_each_frame_is() -> None:
    files = adapt(sheet_job(Animation("a", 3, 8), Animation("b", 2, 60), trim=True, extrude=1, padding=3))
    (sheet,) = by_role(files, "spritesheet")
    metadata: Any = sheet.metadata
    assert (metadata["padding"], metadata["extrude"], metadata["frameCount"]) == (3, 1, 5)
    assert metadata["size"] == {"width": sheet.width, "height": sheet.height}
    page = shown(sheet.data)
    assert len(metadata["frames"]) == 5
    for seed, frame in enumerate(metadata["frames"]):
        rect, trim = frame["rect"], frame["trimRect"]
        inner = page[rect["y"] : rect["y"] + rect["height"], rect["x"] : rect["x"] + rect["width"]]
        source = rich(seed)[trim["y"] : trim["y"] + trim["height"], trim["x"] : trim["x"] + trim["width"]]
        assert np.array_equal(inner[inner[..., 3] > 0], source[source[..., 3] > 0])
        assert frame["trimmed"] is True
        assert frame["sourceSize"] == {"width": 48, "height": 40}
    assert [frame["durationMs"] for frame in metadata["frames"]] == [125, 125, 125, 17, 17]


def test_equal_untrimmed_frames_make_a_grid() -> None:
    (sheet,) = by_role(adapt(sheet_job(Animation("a", 6), extrude=1, padding=2)), "spritesheet")
    metadata: Any = sheet.metadata
    assert metadata["grid"] == {"columns": 3, "rows": 2, "margin": 1, "spacing": 4}
    assert (sheet.width, sheet.height) == (2 + 3 * 48 + 2 * 4, 2 + 2 * 40 + 4)


def test_pages_keep_the_limit_and_are_told_apart() -> None:
    job = sheet_job(Animation("a", 6), Animation("b", 6), max_sheet_size=128, power_of_two=True)
    pages = by_role(adapt(job), "spritesheet")
    assert [page.name for page in pages] == [f"green-slime-page{number + 1}.png" for number in range(len(pages))]
    assert len(pages) > 1
    for number, page in enumerate(pages):
        assert page.width in (64, 128)
        assert page.height in (64, 128)
        assert page.metadata["page"] == number
        assert page.metadata["frameCount"] == 12
    assert sum(len(page.metadata["frames"]) for page in pages) == 12  # type: ignore[arg-type]


def test_a_frame_larger_than_a_sheet_may_be_is_an_error_for_people() -> None:
    job = sheet_job(Animation("a", 1), extrude=16)
    # Past the check of the request, which refuses it before anything is made.
    too_small = replace(job, params=replace(job.params, max_sheet_size=64))
    with pytest.raises(SheetTooSmall, match="maxSheetSize"):
        adapt(too_small)


SUBJECTS = ("龙" * 200, "👩‍🚀👍🏽", "\u202e../\x00etc", "CON", "../../x y", "green slime")


@pytest.mark.parametrize("subject", SUBJECTS)
def test_names_are_safe_and_unique_within_the_task(subject: str) -> None:
    job = sheet_job(Animation("走る", 1), Animation("跑", 1), Animation("a b", 1), Animation("a-b", 1))
    names = [
        file.name
        for variation in range(3)
        for file in adapt(replace(job, subject=subject, variation=variation, variations=3))
    ]
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", name)
        assert len(name) <= 120


def test_variations_are_numbered() -> None:
    job = replace(plain_job(rich()), variation=1, variations=4)
    (file,) = adapt(job)
    assert file.name == "green-slime-2.png"
    assert file.metadata["variation"] == 2


def test_the_same_job_gives_the_same_bytes_also_after_a_journey_to_another_process() -> None:
    formats = tuple(item for item in AtlasFormat if item is not AtlasFormat.TILED)
    job = sheet_job(Animation("a", 3), Animation("b", 2), trim=True, atlas_formats=formats, palette_size=20)
    travelled = pickle.loads(pickle.dumps(job))  # noqa: S301 (our own bytes)
    assert adapt(travelled) == adapt(job)


def test_the_last_of_several_files_is_an_archive_of_the_others() -> None:
    *files, packed = adapt(sheet_job(Animation("a", 2)))
    assert (packed.role, packed.media_type) == ("archive", "application/zip")
    with zipfile.ZipFile(io.BytesIO(packed.data)) as content:
        assert content.namelist() == [*(file.name for file in files), "README.txt"]


@pytest.mark.parametrize("image_format", [ImageFormat.PNG, ImageFormat.WEBP, ImageFormat.GIF])
def test_provenance_is_in_every_picture_or_in_none(image_format: ImageFormat) -> None:
    traces = (b"stub-provider", b"model-9", "史莱姆".encode(), b"blurry")
    for embed in (True, False):
        files = adapt(sheet_job(Animation("a", 2), format=image_format, embed_metadata=embed))
        for file in files:
            if file.media_type.startswith("image/"):
                assert all((trace in file.data) is embed for trace in traces)
            elif not embed:
                assert not any(trace in file.data for trace in (*traces, b"Wonder"))


def test_previews_of_frames_that_differ_in_size_have_room_for_the_largest() -> None:
    job = sheet_job(Animation("a", 2))
    small = Picture(encode_png(rich(9)[:30, :20]), 20, 30, "a", "a", 1)
    preview = by_role(adapt(replace(job, pictures=(job.pictures[0], small))), "preview")[0]
    assert (preview.width, preview.height) == (48, 40)
    assert Image.open(io.BytesIO(preview.data)).n_frames == 2


def test_frames_of_no_animation_are_the_default_one() -> None:
    job = sheet_job(Animation("a", 2))
    job = replace(job, pictures=tuple(replace(picture, animation=None) for picture in job.pictures))
    files = adapt(job)
    assert [preview.metadata["name"] for preview in by_role(files, "preview")] == ["default"]


def test_what_cannot_be_adapted_is_an_error() -> None:
    job = plain_job(rich())
    with pytest.raises(UnreadablePicture):
        adapt(replace(job, pictures=(Picture(b"not a picture", 4, 4),)))
    with pytest.raises(ValueError, match="no picture"):
        adapt(replace(job, pictures=()))
    sheet = sheet_job(Animation("a", 1))
    with pytest.raises(ValueError, match="TILED"):
        adapt(replace(sheet, params=replace(sheet.params, atlas_formats=(AtlasFormat.TILED,))))
    with pytest.raises(UnreadableClip):
        adapt(replace(job, asset_type=AssetType.VIDEO))


def test_a_large_picture_has_a_thumbnail_that_tells_nothing_and_a_small_one_has_none() -> None:
    large, small = adapt(plain_job(rich(0, 400, 300), width=400, height=300))
    assert (large.name, small.name) == ("green-slime.png", "green-slime-thumbnail.webp")
    assert (small.role, small.media_type, small.width, small.height) == ("thumbnail", "image/webp", 256, 192)
    assert small.metadata == {"of": ["green-slime.png"]}
    assert b"slime" in large.data
    assert b"slime" not in small.data
    assert shown(small.data).shape == (192, 256, 4)
    assert [file.role for file in adapt(plain_job(rich()))] == ["image"]


def test_each_page_of_a_sheet_has_its_thumbnail_outside_the_archive() -> None:
    files = adapt(sheet_job(Animation("walk", 40, 12, loop=True), max_sheet_size=256 + 48))
    pages = [file for file in files if file.role == "spritesheet"]
    thumbnails = [file for file in files if file.role == "thumbnail"]
    assert thumbnails
    assert [file.metadata["of"] for file in thumbnails] == [
        [page.name] for page in pages if max(page.width or 0, page.height or 0) > 256
    ]
    assert files[-1].role == "archive"
    with zipfile.ZipFile(io.BytesIO(files[-1].data)) as archive:
        assert not [name for name in archive.namelist() if "thumbnail" in name]
