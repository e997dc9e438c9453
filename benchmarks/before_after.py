"""Draw a contact sheet per asset type: what a picture model paints, and what Wonder makes of it.

Usage: python benchmarks/before_after.py docs/images

What models paint is played by the built-in generator's pictures, painted over as models do it: large blocks off any
grid, blurred, noisy, on an uneven ground, figures that wander in their cells, and all of it through JPEG. From there on
it is the way of every provider of pictures: `plan_shots`, `finish`, `adapt`.
"""

import io
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from domain.kinds import AssetType, TaskKind
from domain.params import Animation, ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import GenerationRequest, OutputFile, Picture, Provenance
from worker.imaging.indexed import Pixels
from worker.imaging.pixels import decode_rgba
from worker.pipeline.adapt import AdaptJob, adapt
from worker.providers.builtin.render import render
from worker.providers.builtin.scenes.tiles import wang_corners
from worker.providers.pictures.finish import FinishJob, finish
from worker.providers.pictures.plan import key_color, plan_shots
from worker.providers.pictures.shot import Shot, Traits

Floats = NDArray[np.float64]
_SUBJECTS: Final[dict[AssetType, tuple[str, ...]]] = {
    AssetType.SPRITE: ("red knight", "wizard", "ghost", "fox"),
    AssetType.SPRITESHEET: ("skeleton", "robot"),
    AssetType.TILESET: ("grass and water", "lava"),
    AssetType.ICON: ("iron sword", "health potion", "ruby", "treasure chest"),
    AssetType.BACKGROUND: ("forest", "desert at sunset"),
    AssetType.PORTRAIT: ("pirate", "queen", "orc"),
    AssetType.UI: ("gold dialog", "stone button", "parchment inventory"),
}
_PARAMS: Final[dict[AssetType, dict[str, Any]]] = {
    AssetType.SPRITESHEET: {"animations": (Animation("walk", 8),), "width": 64, "height": 64},
    AssetType.BACKGROUND: {"width": 320, "height": 180},
}
_SHOWN: Final = 360
_GAP: Final = 16
_TITLE: Final = 34
_GROUND: Final = (38, 41, 52)
_CHECKER: Final = ((52, 56, 70), (58, 62, 77))
_TEXT: Final = (222, 224, 232)
_TRAITS: Final = Traits()
_SIDE: Final = 1024


def main(folder: Path) -> None:
    """Write a picture per asset type."""
    for asset_type, subjects in _SUBJECTS.items():
        rows = [_row(asset_type, subject, seed) for seed, subject in enumerate(subjects)]
        sheet = Image.new("RGB", (max(row.width for row in rows), _TITLE + sum(row.height for row in rows)), _GROUND)
        draw = ImageDraw.Draw(sheet)
        title = f"{asset_type}   left: as a picture model paints it    right: as Wonder delivers it"
        draw.text((_GAP, 8), title, fill=_TEXT, font=ImageFont.load_default(16))
        top = _TITLE
        for row in rows:
            sheet.paste(row, (0, top))
            top += row.height
        path = folder / f"before-after-{asset_type.lower()}.png"
        small = sheet.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        small.save(path, "PNG", optimize=True)
        print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


def _row(asset_type: AssetType, subject: str, seed: int) -> Image.Image:
    """Return one subject: what was painted, then what is delivered."""
    chance = np.random.default_rng(seed + 5)
    params = resolve_params(asset_type, ParamsRequest(**_PARAMS.get(asset_type, {})))
    style = Style(art_style="pixel art")
    request = GenerationRequest("t", asset_type, TaskKind.TEXT_TO_IMAGE, subject, subject, "", style, params, seed)
    shots = plan_shots(request, _TRAITS)
    drawn = [decode_rgba(picture.data) for picture in render(request).pictures]
    painted = [_painted(request, shot, drawn, chance) for shot in shots]
    job = FinishJob(
        asset_type,
        params,
        style.art_style,
        tuple(painted),
        tuple(shot.grid for shot in shots),
        key_color(request)[1],
    )
    made = finish(job)
    provenance = Provenance("example", "example", seed, subject, "", 1, 0)
    files = adapt(AdaptJob("t", subject, asset_type, params, style, made.pictures, provenance, made.details))
    before = Image.open(io.BytesIO(painted[0])).convert("RGB")
    before.thumbnail((2 * _SHOWN, _SHOWN), Image.Resampling.LANCZOS)
    return _beside([before, *_delivered(asset_type, files, made.pictures, made.details)])


def _painted(request: GenerationRequest, shot: Shot, drawn: Sequence[Pixels], chance: np.random.Generator) -> bytes:
    """Return what a model would send for a shot."""
    if request.asset_type is AssetType.TILESET:
        return _through_jpeg(_textures(drawn, wang_corners(), chance), chance)
    wide, high = _size(shot)
    key = key_color(request)[1]
    canvas = _uneven(wide, high, key, chance)
    columns, rows = (shot.grid.columns, shot.grid.rows) if shot.grid else (1, 1)
    share = 0.86 if shot.grid else 0.9 if request.params.transparent else 1.0
    for number, picture in enumerate(drawn):
        cell = number % columns * wide / columns, number // columns * high / rows, wide / columns, high / rows
        drift = chance.uniform(-0.03, 0.03, 2) * cell[2:] if shot.grid else np.zeros(2)
        _paint_into(canvas, picture, cell, share, drift)
    return _through_jpeg(canvas, chance)


def _size(shot: Shot) -> tuple[int, int]:
    scale = _SIDE / max(shot.width, shot.height)
    return round(shot.width * scale), round(shot.height * scale)


def _uneven(wide: int, high: int, key: tuple[int, int, int], chance: np.random.Generator) -> Pixels:
    """Return a plain ground as models paint it: not quite plain."""
    rows, columns = np.mgrid[:high, :wide]
    tilt = 9 * np.sin(columns / wide * 2 + chance.random()) + 7 * np.cos(rows / high * 3)
    ground: Pixels = np.clip(np.array(key)[None, None] * 0.97 + 4 + tilt[..., None], 0, 255).astype(np.uint8)
    return ground


def _paint_into(
    canvas: Pixels, picture: Pixels, cell: tuple[float, float, float, float], share: float, drift: Floats
) -> None:
    """Paint a picture's pixels as blocks into a share of a cell (left, top, width, height), beside its place."""
    left, top, wide, high = cell
    height, width = picture.shape[:2]
    pitch = min(wide / width, high / height) * share
    start_x = left + (wide - width * pitch) / 2 + drift[0]
    start_y = top + (high - height * pitch) / 2 + drift[1]
    first_x, first_y = max(0, math.ceil(start_x)), max(0, math.ceil(start_y))
    last_x = min(canvas.shape[1], math.floor(start_x + width * pitch))
    last_y = min(canvas.shape[0], math.floor(start_y + height * pitch))
    across = ((np.arange(first_x, last_x) + 0.5 - start_x) / pitch).clip(0, width - 1).astype(int)
    down = ((np.arange(first_y, last_y) + 0.5 - start_y) / pitch).clip(0, height - 1).astype(int)
    blocks = picture[np.ix_(down, across)]
    there = canvas[first_y:last_y, first_x:last_x]
    there[:] = np.where(blocks[..., 3:] > 127, blocks[..., :3], there)


def _textures(drawn: Sequence[Pixels], corners: Sequence[tuple[int, ...]], chance: np.random.Generator) -> Pixels:
    """Return the lower and the upper ground side by side, each of its plain tile with some of its pixels moved."""
    halves = []
    for plain in ((0, 0, 0, 0), (1, 1, 1, 1)):
        tile = drawn[corners.index(plain)]
        pitch = 512 / 48
        ground = np.tile(tile[..., :3], (2, 2, 1))[:48, :48]
        places = ((np.arange(512) + 0.5) / pitch).astype(int)
        halves.append(np.roll(ground, chance.integers(0, 48, 2), (0, 1))[np.ix_(places, places)])
    textures: Pixels = np.concatenate(halves, axis=1)
    return textures


def _through_jpeg(canvas: Pixels, chance: np.random.Generator) -> bytes:
    soft = Image.fromarray(canvas).filter(ImageFilter.GaussianBlur(1.3))
    noisy = np.asarray(soft).astype(np.float32) + chance.normal(0, 2.5, canvas.shape)
    file = io.BytesIO()
    Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(file, "JPEG", quality=88)
    return file.getvalue()


def _delivered(
    asset_type: AssetType, files: Sequence[OutputFile], pictures: Sequence[Picture], details: Mapping[str, Any]
) -> list[Image.Image]:
    if asset_type is AssetType.TILESET:
        return [_map(pictures, details)]
    return [_zoomed(Image.open(io.BytesIO(files[0].data)).convert("RGBA"))]


def _map(pictures: Sequence[Picture], details: Mapping[str, Any]) -> Image.Image:
    """Return a map of chance laid out of the tiles."""
    tiles = [Image.fromarray(decode_rgba(picture.data)) for picture in pictures]
    by_corners = {tuple(item["corners"]): tiles[item["index"]] for item in details["tiles"]}
    chance, side = np.random.default_rng(3), tiles[0].width
    corners = (chance.random((7, 12)) < 0.55).astype(int).tolist()
    board = Image.new("RGBA", (11 * side, 6 * side))
    for y in range(6):
        for x in range(11):
            key = (corners[y][x], corners[y][x + 1], corners[y + 1][x], corners[y + 1][x + 1])
            board.paste(by_corners[key], (x * side, y * side))
    return _zoomed(board)


def _zoomed(picture: Image.Image) -> Image.Image:
    """Return a picture enlarged by a whole number, on a checker."""
    by = max(1, min(_SHOWN // picture.height, 3 * _SHOWN // picture.width))
    large = picture.resize((picture.width * by, picture.height * by), Image.Resampling.NEAREST)
    rows, columns = np.mgrid[: large.height, : large.width] // 16
    checker = np.where(((rows + columns) % 2 == 0)[..., None], np.array(_CHECKER[0]), np.array(_CHECKER[1]))
    ground = Image.fromarray(checker.astype(np.uint8)).convert("RGBA")
    ground.alpha_composite(large)
    return ground.convert("RGB")


def _beside(pictures: Sequence[Image.Image]) -> Image.Image:
    row = Image.new(
        "RGB", (sum(p.width + _GAP for p in pictures) + _GAP, max(p.height for p in pictures) + _GAP), _GROUND
    )
    left = _GAP
    for picture in pictures:
        row.paste(picture, (left, 0))
        left += picture.width + _GAP
    return row


if __name__ == "__main__":
    main(Path(sys.argv[1]))
