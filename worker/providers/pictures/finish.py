"""From what a service painted to the pictures of the port. Runs in a process of the picture pool."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from domain.kinds import AssetType
from domain.params import BLOB, Params
from worker.artifacts import Picture
from worker.imaging.blob import blob_shapes
from worker.imaging.cutout import cut_out
from worker.imaging.fit import contain, contain_whole, cover, cover_whole, hard_edged, opaque
from worker.imaging.indexed import Pixels
from worker.imaging.pixel_grid import PixelGrid, find_grid, resample
from worker.imaging.pixels import decode_rgba, encode_png
from worker.imaging.sheet_cut import SheetCut, align_frames, cut_grid, measure_cut
from worker.imaging.texture import blob_tiles, corner_tiles, ground, repeating
from worker.providers.builtin.scenes.tiles import wang_corners
from worker.providers.pictures.shot import Color, Grid
from worker.quality.animation_names import may_leap

#: Words of an art style whose pixels have hard edges.
_PIXEL_WORDS: Final = ("pixel", "8-bit", "16-bit", "8bit", "16bit", "像素", "ドット")


@dataclass(frozen=True, slots=True)
class FinishJob:
    """Encoded pictures in the order of their shots, and what they are to become. Picklable."""

    asset_type: AssetType
    params: Params
    art_style: str
    painted: tuple[bytes, ...]
    grids: tuple[Grid | None, ...]
    #: The background that was asked for; None when none was.
    key: Color | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """Pictures as the port wants them, and what is to be said of them."""

    pictures: tuple[Picture, ...]
    details: Mapping[str, object]


def finish(job: FinishJob) -> Finished:
    """Take backgrounds away, cut, join and scale; raises `UnreadablePicture` for what is damaged."""
    painted = [decode_rgba(data) for data in job.painted]
    if job.asset_type is AssetType.TILESET:
        return _tileset(job, painted[0])
    grids = [find_grid(pixels) for pixels in painted] if _is_pixel_art(job) else []
    details = {"pixelGrid": _described(grids)} if grids else {}
    if job.asset_type is AssetType.SPRITESHEET:
        pictures, cuts = _frames(job, painted, grids or [None] * len(painted))
        return Finished(tuple(pictures), {**details, **({"sheetCut": _worst_cut(cuts)} if cuts else {})})
    picture = _single(job, painted[0], grids[0] if grids else None)
    return Finished((_encoded(picture, "image"),), details)


def _single(job: FinishJob, pixels: Pixels, grid: PixelGrid | None) -> Pixels:
    width, height = job.params.width, job.params.height
    if job.params.transparent:
        # The background goes first: at the blocks' middles, which are looked at, nothing of it is mixed in.
        cut = cut_out(pixels, job.key)
        # What an outline needs stays free, as far as there is something left then.
        room = min(job.params.outline or 0, (min(width, height) - 1) // 2)
        wide, high = width - 2 * room, height - 2 * room
        placed = contain_whole(resample(cut, grid), wide, high) if grid else contain(cut, wide, high)
        return _edged(job, np.pad(placed, ((room, room), (room, room), (0, 0))))
    solid = opaque(pixels)
    if job.params.seamless:
        return repeating(solid, width, height)
    return cover_whole(resample(solid, grid), width, height) if grid else cover(solid, width, height)


def _is_pixel_art(job: FinishJob) -> bool:
    style = job.art_style.lower()
    return any(word in style for word in _PIXEL_WORDS)


def _described(grids: list[PixelGrid | None]) -> dict[str, object]:
    """Return what metadata and the quality check say of the painting's blocks: of several paintings the worst."""
    found = [grid for grid in grids if grid is not None]
    if len(found) < len(grids):
        return {"found": False, "pictures": len(grids), "withGrid": len(found)}
    worst = min(found, key=lambda grid: grid.confidence)
    return {
        "found": True,
        "width": round(worst.across.pitch, 3),
        "height": round(worst.down.pitch, 3),
        "columns": worst.across.count,
        "rows": worst.down.count,
        "confidence": worst.confidence,
        "pictures": len(grids),
        "withGrid": len(found),
    }


def _frames(
    job: FinishJob, painted: list[Pixels], blocks: Sequence[PixelGrid | None]
) -> tuple[list[Picture], list[SheetCut]]:
    """Return every frame, and how figures could be cut; the pictures of one animation are aligned together."""
    cuts: list[SheetCut] = []
    cells: dict[str, list[Pixels]] = {}
    # Frames of one size of pixels, or none: a figure must not change its grain from one animation to the next.
    grained = all(block is not None for block in blocks)
    for pixels, grid, block in zip(painted, job.grids, blocks, strict=True):
        if grid is not None:
            whole = cut_out(pixels, job.key) if job.params.transparent else pixels
            if grained and block is not None:
                whole = resample(whole, block)
            parts = cut_grid(whole, grid.columns, grid.rows, grid.count)
            cells.setdefault(grid.animation, []).extend(parts)
            if job.params.transparent:
                cuts.append(measure_cut(parts, grid.columns))
    if len(cells) == 1 and len(job.params.animations) > 1:  # all animations in one picture
        [every] = cells.values()
        counts = [(animation.name, animation.frames) for animation in job.params.animations]
        cells = {
            name: every[start : start + count] for (name, count), start in zip(counts, _starts(counts), strict=True)
        }
    made = []
    for name, parts in cells.items():
        for index, frame in enumerate(_aligned(job, name, parts, grained=grained)):
            made.append(_encoded(frame, f"{name}_{index}", name, index))
    return made, cuts


def _worst_cut(cuts: Sequence[SheetCut]) -> dict[str, object]:
    """Return what metadata and the quality check say of how the sheets could be cut; each figure the worst."""
    return {
        "severed": max(cut.severed for cut in cuts),
        "driftAcross": max(cut.drift_across for cut in cuts),
        "driftDown": max(cut.drift_down for cut in cuts),
    }


def _starts(counts: list[tuple[str, int]]) -> list[int]:
    return [sum(count for _, count in counts[:place]) for place in range(len(counts))]


def _aligned(job: FinishJob, name: str, cells: list[Pixels], *, grained: bool) -> list[Pixels]:
    width, height = job.params.width, job.params.height
    if not job.params.transparent:
        fill = cover_whole if grained else cover
        return [fill(opaque(cell), width, height) for cell in cells]
    frames = align_frames(cells, width, height, leaping=may_leap(name), whole=grained)
    return [_edged(job, frame) for frame in frames]


def _tileset(job: FinishJob, pixels: Pixels) -> Finished:
    side = job.params.tile_size or job.params.width
    solid = opaque(pixels)
    middle = solid.shape[1] // 2
    low, high = (ground(half, side) for half in (solid[:, :middle], solid[:, middle:]))
    tiles: list[dict[str, object]]
    if job.params.tile_count == BLOB:
        shapes = blob_shapes()
        made = blob_tiles(low, high, shapes)
        tiles = [
            {"index": index, "corners": list(shape.corners), "edges": list(shape.edges)}
            for index, shape in enumerate(shapes)
        ]
    else:
        corners = wang_corners()
        made = corner_tiles(low, high, corners)
        tiles = [{"index": index, "corners": list(found)} for index, found in enumerate(corners)]
    pictures = tuple(_encoded(tile, f"tile_{index}", index=index) for index, tile in enumerate(made))
    return Finished(pictures, {"terrains": ["lower", "higher"], "tiles": tiles})


def _edged(job: FinishJob, pixels: Pixels) -> Pixels:
    return hard_edged(pixels) if _is_pixel_art(job) else pixels


def _encoded(pixels: Pixels, name: str, animation: str | None = None, index: int = 0) -> Picture:
    height, width = pixels.shape[:2]
    return Picture(encode_png(pixels), width, height, name, animation, index)
