"""Show before and after: painted pixel art and its pixels, outlines and dithering, and a map of the 47 tiles.

Usage: python benchmarks/pixel_sheet.py docs/images/pixel-work.png
"""

import io
import sys
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image, ImageFilter

from domain.kinds import AssetType, TaskKind
from domain.params import BLOB, ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import GenerationRequest
from worker.imaging.blob import Shape, blob_shapes
from worker.imaging.cutout import cut_out
from worker.imaging.fit import contain, contain_whole, hard_edged
from worker.imaging.indexed import Pixels
from worker.imaging.outline import outlined
from worker.imaging.pixel_grid import find_grid, resample
from worker.imaging.pixels import decode_rgba
from worker.imaging.quantize import quantize
from worker.providers.builtin.render import render

_KEY: Final = (0, 0, 255)
_GROUND: Final = (38, 41, 52, 255)
_BLOCK: Final = 13.7
_SIDE: Final = 256
_SUBJECTS: Final = ("red knight", "green slime", "wizard", "apple")


def main() -> None:
    """Write the picture to the path given."""
    rows = [_row(subject, seed) for seed, subject in enumerate(_SUBJECTS)]
    sheet = np.concatenate([*rows, _map("grass and water", rows[0].shape[1])])
    Image.fromarray(sheet).convert("RGB").save(Path(sys.argv[1]), "PNG", optimize=True)


def _generated(asset_type: AssetType, subject: str, seed: int, request: ParamsRequest) -> list[Pixels]:
    params, style = resolve_params(asset_type, request), Style(art_style="pixel art")
    wanted = GenerationRequest("t", asset_type, TaskKind.TEXT_TO_IMAGE, subject, subject, "", style, params, seed)
    return [decode_rgba(picture.data) for picture in render(wanted).pictures]


def _row(subject: str, seed: int) -> Pixels:
    """Return from left to right: as painted, reduced without a grid, reduced by its grid, outlined, in six colours."""
    [sprite] = _generated(AssetType.SPRITE, subject, seed, ParamsRequest(width=48, height=48))
    painting = _painted(sprite)
    cut = cut_out(painting, _KEY)
    blurred = hard_edged(contain(cut, 64, 64))
    grid = find_grid(painting)
    pixels = contain_whole(resample(cut, grid), 64, 64) if grid else blurred
    lined = outlined(pixels, 1, (255, 255, 255))
    few = quantize(lined, 7, dither=2)
    near = np.asarray(Image.fromarray(painting).resize((_SIDE, _SIDE), Image.Resampling.LANCZOS))
    return np.concatenate([near, *(_shown(picture) for picture in (blurred, pixels, lined, few))], axis=1)


def _painted(sprite: Pixels) -> Pixels:
    """Return a sprite as a model paints it: large blocks off any grid, blurred, as a JPEG."""
    side = round(len(sprite) * _BLOCK + 5)
    places = ((np.arange(side) + 0.5 - 5) / _BLOCK).clip(0, len(sprite) - 1).astype(int)
    large = sprite[np.ix_(places, places)]
    large = np.where(large[..., 3:] > 0, large, np.array((*_KEY, 255), dtype=np.uint8))
    file = io.BytesIO()
    soft = Image.fromarray(large).convert("RGB").filter(ImageFilter.GaussianBlur(1.8))
    soft.save(file, "JPEG", quality=85)
    return decode_rgba(file.getvalue())


def _shown(picture: Pixels) -> Pixels:
    large = picture.repeat(_SIDE // len(picture), axis=0).repeat(_SIDE // len(picture), axis=1)
    return np.where(large[..., 3:] > 0, large, np.array(_GROUND, dtype=np.uint8))


def _map(subject: str, width: int) -> Pixels:
    """Return a map of chance, laid out by the rules of the 47 tiles."""
    tiles = _generated(AssetType.TILESET, subject, 4, ParamsRequest(tile_size=32, tile_count=BLOB))
    shapes = blob_shapes()
    cells = np.random.default_rng(6).random((10, width // 32)) < 0.6
    chosen = [[tiles[shapes.index(_shape(cells, y, x))] for x in range(cells.shape[1])] for y in range(len(cells))]
    return np.concatenate([np.concatenate(row, axis=1) for row in chosen])


def _shape(cells: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], y: int, x: int) -> Shape:
    if not cells[y, x]:
        return blob_shapes()[-1]
    around = np.pad(cells, 1)[y : y + 3, x : x + 3].astype(int).tolist()
    (left_top, top, right_top), (left, _, right), (left_bottom, bottom, right_bottom) = around
    corners = left_top & top & left, right_top & top & right, left_bottom & bottom & left, right_bottom & bottom & right
    return Shape(corners, (top, right, bottom, left))


if __name__ == "__main__":
    main()
