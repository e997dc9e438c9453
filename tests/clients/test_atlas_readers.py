"""Our atlases, read by the engines themselves: what each one cuts out is the frame that went in, pixel for pixel."""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from domain.kinds import AssetType, AtlasFormat
from domain.params import Animation, ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import OutputFile, Picture, Provenance
from worker.imaging.indexed import Pixels
from worker.imaging.pixels import decode_rgba, encode_png
from worker.pipeline.adapt import AdaptJob, adapt

pytestmark = pytest.mark.clients

SCRIPTS = Path(__file__).parent
FORMATS = (AtlasFormat.JSON_HASH, AtlasFormat.JSON_ARRAY, AtlasFormat.ASEPRITE, AtlasFormat.UNITY)
#: Names that have broken writers: quotes, separators, scripts, emoji of several parts.
ANIMATIONS = (
    Animation("walk", 3, fps=8, ping_pong=True),
    Animation('he said "run"/fast', 2, fps=12),
    Animation("攻击 👩‍🚀", 4, fps=20, loop=False),
)
SIDE = 40


def frame(seed: int) -> Pixels:
    """A patch of random colours, somewhere on a transparent square; some of it is translucent."""
    random = np.random.default_rng(seed)
    picture = np.zeros((SIDE, SIDE, 4), dtype=np.uint8)
    left, top = (int(number) for number in random.integers(0, 20, 2))
    width, height = (int(number) for number in random.integers(4, 20, 2))
    picture[top : top + height, left : left + width] = random.integers(1, 256, (height, width, 4))
    return picture


class Sheet:
    """A sheet on disk, and the frames that it was made of."""

    def __init__(self, folder: Path, **params: Any) -> None:
        wanted = {"width": SIDE, "height": SIDE, "animations": ANIMATIONS, "atlas_formats": FORMATS, **params}
        resolved = resolve_params(AssetType.SPRITESHEET, ParamsRequest(**wanted))
        names = [(animation.name, index) for animation in resolved.animations for index in range(animation.frames)]
        self.names = [f"{name}_{index}" for name, index in names]
        self.sources = [frame(seed) for seed in range(len(names))]
        pictures = tuple(
            Picture(encode_png(pixels), SIDE, SIDE, f"{name}/{index}", name, index)
            for pixels, (name, index) in zip(self.sources, names, strict=True)
        )
        job = AdaptJob(
            "task-1",
            "slime",
            AssetType.SPRITESHEET,
            resolved,
            Style(),
            pictures,
            Provenance("stub", "m", 1, "slime", "", 1, 0),
        )
        self.folder = folder
        self.files = adapt(job)
        for file in self.files:
            (folder / file.name).write_bytes(file.data)
        self.pages = [file for file in self.files if file.role == "spritesheet"]

    def atlases(self, atlas_format: AtlasFormat) -> list[OutputFile]:
        return [file for file in self.files if file.role == "atlas" and file.metadata["format"] == str(atlas_format)]

    def paths(self, atlas_format: AtlasFormat) -> list[str]:
        return [str(self.folder / file.name) for file in self.atlases(atlas_format)]

    def cut(self, page: int, read: dict[str, Any]) -> Pixels:
        """What an engine draws for a frame that it has read: the part of the page, laid into the whole picture."""
        left, top, width, height = read["rect"]
        wide, high = read["size"]
        assert not read["rotated"]
        whole = np.zeros((high, wide, 4), dtype=np.uint8)
        x, y = read["offset"]
        part = decode_rgba(self.pages[page].data)[top : top + height, left : left + width]
        whole[y : y + height, x : x + width] = part
        return whole


@pytest.fixture(params=["plain", "trimmed", "several pages"])
def sheet(request: pytest.FixtureRequest, tmp_path: Path) -> Sheet:
    match request.param:
        case "plain":
            return Sheet(tmp_path)
        case "trimmed":
            return Sheet(tmp_path, trim=True, extrude=2, padding=1, pivot_x=0.25, pivot_y=1.0)
        case _:
            return Sheet(tmp_path, trim=True, extrude=1, max_sheet_size=64)


def run(script: str, arguments: Sequence[str]) -> list[Any]:
    node = shutil.which("node", path=Path(sys.executable).parent)
    assert node is not None
    assert (SCRIPTS / "node_modules").is_dir(), "run make test-clients, which installs the readers"
    done = subprocess.run(
        [node, script, *arguments], cwd=SCRIPTS, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    reports: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return reports


def test_pixi_cuts_out_the_frames_that_went_in(sheet: Sheet) -> None:
    reports = run("atlas_pixi.mjs", sheet.paths(AtlasFormat.JSON_HASH))
    pages = {file.name: number for number, file in enumerate(sheet.pages)}
    found = {read["name"]: sheet.cut(pages[report["image"]], read) for report in reports for read in report["frames"]}
    assert sorted(found) == sorted(sheet.names)
    for name, source in zip(sheet.names, sheet.sources, strict=True):
        assert np.array_equal(found[name], source), name


def test_pixi_plays_what_was_asked_for(tmp_path: Path) -> None:
    [report] = run("atlas_pixi.mjs", Sheet(tmp_path, pivot_x=0.25, pivot_y=1.0).paths(AtlasFormat.JSON_HASH))
    assert report["animations"]["walk"] == ["walk_0", "walk_1", "walk_2", "walk_1"]
    assert list(report["animations"]) == [animation.name for animation in ANIMATIONS]
    assert all(None not in frames for frames in report["animations"].values())
    assert {tuple(read["pivot"]) for read in report["frames"]} == {(0.25, 1.0)}


def test_phaser_cuts_out_the_frames_that_went_in(sheet: Sheet) -> None:
    arrays = sheet.paths(AtlasFormat.JSON_ARRAY)
    kind = "array" if len(sheet.pages) == 1 else "multi"
    hashes = [part for path in sheet.paths(AtlasFormat.JSON_HASH) for part in ("hash", path)]
    whole, *single = run("atlas_phaser.mjs", [kind, *arrays, *hashes])
    assert len(arrays) == 1
    found = {read["name"]: sheet.cut(read["page"], read) for read in whole["frames"]}
    parts = {read["name"]: sheet.cut(page, read) for page, report in enumerate(single) for read in report["frames"]}
    assert sorted(found) == sorted(parts) == sorted(sheet.names)
    for name, source in zip(sheet.names, sheet.sources, strict=True):
        assert np.array_equal(found[name], source), name
        assert np.array_equal(parts[name], source), name


def test_phaser_makes_animations_of_an_aseprite_file(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path, trim=True, pivot_x=0.25, pivot_y=1.0)
    [report] = run("atlas_phaser.mjs", ["aseprite", *sheet.paths(AtlasFormat.ASEPRITE)])
    found = {read["name"]: sheet.cut(0, read) for read in report["frames"]}
    order = 0
    for animation in ANIMATIONS:
        made = report["animations"][animation.name]
        assert made["yoyo"] == animation.ping_pong
        assert len(made["frames"]) == animation.frames
        assert {round(duration) for duration in made["durations"]} == {round(1000 / animation.fps)}
        for name in made["frames"]:
            assert np.array_equal(found[name], sheet.sources[order])
            order += 1
    assert {tuple(read["pivot"]) for read in report["frames"]} == {(0.25, 1.0)}


def test_phaser_reads_unitys_file_from_the_bottom_up(sheet: Sheet) -> None:
    paths = sheet.paths(AtlasFormat.UNITY)
    assert len(paths) == len(sheet.pages)
    arguments = [
        part
        for page, path in zip(sheet.pages, paths, strict=True)
        for part in (f"unity:{page.width}x{page.height}", path)
    ]
    rects: dict[str, tuple[int, list[int]]] = {}
    for number, report in enumerate(run("atlas_phaser.mjs", arguments)):
        rects |= {read["name"]: (number, read["rect"]) for read in report["frames"]}
    written: Any = [item for page in sheet.pages for item in page.metadata["frames"]]  # type: ignore[attr-defined]
    assert len(rects) == len(written) == len(sheet.names)
    wanted = {(item["page"], *(item["rect"][key] for key in ("x", "y", "width", "height"))) for item in written}
    assert {(page, *rect) for page, rect in rects.values()} == wanted


def test_a_reader_that_was_told_wrong_places_is_noticed(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path, trim=True)
    path = Path(sheet.paths(AtlasFormat.JSON_HASH)[0])
    data = json.loads(path.read_text())
    first = next(iter(data["frames"].values()))
    first["spriteSourceSize"]["x"] += 1
    path.write_text(json.dumps(data))
    [report] = run("atlas_pixi.mjs", [str(path)])
    assert not np.array_equal(sheet.cut(0, report["frames"][0]), sheet.sources[0])


def test_both_engines_read_how_a_panel_stretches(tmp_path: Path) -> None:
    formats = (AtlasFormat.JSON_HASH, AtlasFormat.JSON_ARRAY)
    params = resolve_params(AssetType.UI, ParamsRequest(width=SIDE, height=SIDE, atlas_formats=formats))
    borders = {"left": 3, "top": 4, "right": 5, "bottom": 6}
    pictures = (Picture(encode_png(frame(1)), SIDE, SIDE),)
    made = Provenance("p", "m", 7, "panel", "", 1, 0)
    job = AdaptJob("task", "panel", AssetType.UI, params, Style(), pictures, made, {"nineSlice": borders})
    for file in adapt(job):
        (tmp_path / file.name).write_bytes(file.data)
    whole = str(tmp_path / "panel.json")
    [pixi] = run("atlas_pixi.mjs", [whole])
    assert [read["borders"] for read in pixi["frames"]] == [borders]
    for report in run("atlas_phaser.mjs", ["hash", whole, "array", str(tmp_path / "panel.array.json")]):
        [read] = report["frames"]
        assert read["middle"] == {"x": 3, "y": 4, "w": SIDE - 8, "h": SIDE - 10}
        assert read["rect"] == [0, 0, SIDE, SIDE]
