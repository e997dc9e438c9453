"""From what a service painted to the pictures of the port. Runs in a process of the picture pool."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from domain.kinds import AssetType
from domain.params import Params
from worker.artifacts import Picture
from worker.imaging.cutout import cut_out
from worker.imaging.fit import contain, cover, hard_edged, opaque
from worker.imaging.indexed import Pixels
from worker.imaging.pixels import decode_rgba, encode_png
from worker.imaging.sheet_cut import align_frames, cut_grid
from worker.imaging.texture import corner_tiles, ground, repeating
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
    if job.asset_type is AssetType.SPRITESHEET:
        return Finished(tuple(_frames(job, painted)), {})
    picture = _single(job, painted[0])
    return Finished((_encoded(picture, "image"),), {})


def _single(job: FinishJob, pixels: Pixels) -> Pixels:
    width, height = job.params.width, job.params.height
    if job.params.transparent:
        return _edged(job, contain(cut_out(pixels, job.key), width, height))
    solid = opaque(pixels)
    return repeating(solid, width, height) if job.params.seamless else cover(solid, width, height)


def _frames(job: FinishJob, painted: list[Pixels]) -> list[Picture]:
    """Return every frame; the pictures of one animation are aligned together."""
    cells: dict[str, list[Pixels]] = {}
    for pixels, grid in zip(painted, job.grids, strict=True):
        if grid is not None:
            whole = cut_out(pixels, job.key) if job.params.transparent else pixels
            cells.setdefault(grid.animation, []).extend(cut_grid(whole, grid.columns, grid.rows, grid.count))
    if len(cells) == 1 and len(job.params.animations) > 1:  # all animations in one picture
        [every] = cells.values()
        counts = [(animation.name, animation.frames) for animation in job.params.animations]
        cells = {
            name: every[start : start + count] for (name, count), start in zip(counts, _starts(counts), strict=True)
        }
    made = []
    for name, parts in cells.items():
        for index, frame in enumerate(_aligned(job, name, parts)):
            made.append(_encoded(frame, f"{name}_{index}", name, index))
    return made


def _starts(counts: list[tuple[str, int]]) -> list[int]:
    return [sum(count for _, count in counts[:place]) for place in range(len(counts))]


def _aligned(job: FinishJob, name: str, cells: list[Pixels]) -> list[Pixels]:
    width, height = job.params.width, job.params.height
    if not job.params.transparent:
        return [cover(opaque(cell), width, height) for cell in cells]
    return [_edged(job, frame) for frame in align_frames(cells, width, height, leaping=may_leap(name))]


def _tileset(job: FinishJob, pixels: Pixels) -> Finished:
    side = job.params.tile_size or job.params.width
    solid = opaque(pixels)
    middle = solid.shape[1] // 2
    low, high = (ground(half, side) for half in (solid[:, :middle], solid[:, middle:]))
    corners = wang_corners()
    pictures = tuple(
        _encoded(tile, f"tile_{index}", index=index) for index, tile in enumerate(corner_tiles(low, high, corners))
    )
    tiles = [{"index": index, "corners": list(found)} for index, found in enumerate(corners)]
    return Finished(pictures, {"terrains": ["lower", "higher"], "tiles": tiles})


def _edged(job: FinishJob, pixels: Pixels) -> Pixels:
    style = job.art_style.lower()
    return hard_edged(pixels) if any(word in style for word in _PIXEL_WORDS) else pixels


def _encoded(pixels: Pixels, name: str, animation: str | None = None, index: int = 0) -> Picture:
    height, width = pixels.shape[:2]
    return Picture(encode_png(pixels), width, height, name, animation, index)
