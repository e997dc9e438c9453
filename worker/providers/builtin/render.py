"""The built-in generator: a pure function from a request to pictures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from domain.kinds import AssetType
from domain.params import BLOB
from worker.artifacts import GenerationRequest, GenerationResult, Picture
from worker.providers.builtin.chance import Chance
from worker.providers.builtin.color import Bytes, Palette, to_hex
from worker.providers.builtin.finish import MANNERS, Manner, centered
from worker.providers.builtin.ink import InkBook
from worker.providers.builtin.lexicon.subjects import Family
from worker.providers.builtin.look import TINTS, Look
from worker.providers.builtin.pose import REST, motion_of, poses, view_of
from worker.providers.builtin.reading import Reading, read
from worker.providers.builtin.restyle import restyle
from worker.providers.builtin.scenes.landscape import render_landscape
from worker.providers.builtin.scenes.panel import render_panel
from worker.providers.builtin.scenes.pattern import render_pattern
from worker.providers.builtin.scenes.portrait import backdrop, render_portrait
from worker.providers.builtin.scenes.slot import slot
from worker.providers.builtin.scenes.tiles import render_tiles
from worker.providers.builtin.stage import encode, extent_of, finished, fit, grid_for, painted, render_poses
from worker.providers.builtin.subjects.catalog import drawing_for, stands

NAME: Final = "builtin"
MODEL: Final = "procedural-1"
#: Colours listed in the details of a result, the most frequent ones.
_MOST_COLORS: Final = 64
#: Pictures of whole bodies, and the side in pixels up to which they are simplified.
_WHOLE: Final = frozenset({AssetType.SPRITE, AssetType.ICON, AssetType.SPRITESHEET})
_TINY_SIDE: Final = 24


@dataclass(frozen=True, slots=True)
class _Drawn:
    """One picture in pixels, with its place in the result."""

    pixels: Bytes
    name: str = "image"
    animation: str | None = None
    index: int = 0


_Details = dict[str, object]


def render(request: GenerationRequest) -> GenerationResult:
    """Make the pictures of one request.

    The same (subject, style, params, seed) give the same bytes. Runs in a process pool: pure, picklable, no state.
    Raises `ValueError` for VIDEO, which is not a still picture, and for a source picture that cannot be read.
    """
    reading = read(request.subject, request.style, request.negative_prompt)
    allowed = request.style.palette or reading.tones
    palette = Palette(allowed) if allowed else None
    look = Look(
        reading, InkBook(palette, TINTS[reading.mood]), Chance(reading.text, request.seed), tiny=_is_tiny(request)
    )
    manner = MANNERS[reading.art]
    details: _Details = {}
    if request.source_image is not None:
        drawn = _restyled(request, request.source_image, manner, palette)
    else:
        drawn = _drawn(request, look, manner, details)
    details.update(_details(reading, request.asset_type))
    details["palette"] = _colors_of(drawn)
    pictures = tuple(
        Picture(encode(item.pixels), item.pixels.shape[1], item.pixels.shape[0], item.name, item.animation, item.index)
        for item in drawn
    )
    return GenerationResult(pictures, NAME, MODEL, request.seed, None, details)


def _is_tiny(request: GenerationRequest) -> bool:
    return request.asset_type in _WHOLE and max(request.params.width, request.params.height) <= _TINY_SIDE


def _drawn(request: GenerationRequest, look: Look, manner: Manner, details: _Details) -> list[_Drawn]:
    """Draw what the asset type asks for."""
    size = (request.params.width, request.params.height)
    match request.asset_type:
        case AssetType.SPRITE | AssetType.ICON:
            return [_Drawn(_subject(request, look, manner))]
        case AssetType.SPRITESHEET:
            return _sheet(request, look, manner, details)
        case AssetType.TILESET:
            return _tileset(request, look, manner, details)
        case AssetType.BACKGROUND:
            paint = render_pattern if request.params.seamless else render_landscape
            picture, details["place"] = paint(look, size, manner)
            return [_Drawn(picture)]
        case AssetType.PORTRAIT:
            return [_Drawn(render_portrait(look, size, manner, transparent=request.params.transparent))]
        case AssetType.UI:
            return [_Drawn(_interface(request, look, manner, details))]
        case AssetType.VIDEO:
            raise ValueError("A VIDEO is not a still picture.")


def _subject(request: GenerationRequest, look: Look, manner: Manner) -> Bytes:
    """Return a sprite or an icon: the subject alone, as large as fits, on nothing or before a ground."""
    params, reading = request.params, look.reading
    icon = request.asset_type is AssetType.ICON
    size = (params.width, params.height)
    drawing = drawing_for(reading)
    if params.transparent:
        grounded = stands(reading) and not icon
        return render_poses(drawing, look, [REST], size, manner, grounded=grounded, margin=0.02 if icon else 0.03)[0]
    grid = grid_for(*size, manner, cover=True)
    placing = fit(extent_of(drawing, look, [REST]), grid, grounded=False, margin=0.14 if icon else 0.09)
    canvas = painted(drawing, look, REST, grid, placing, manner)
    if icon:
        slot(canvas, look)
    else:
        backdrop(canvas, look, manner, grid)
    return centered(finished(canvas, look, grid, manner), *size)


def _sheet(request: GenerationRequest, look: Look, manner: Manner, details: _Details) -> list[_Drawn]:
    """Return one picture a frame of every animation, all at one scale and on one ground line."""
    params = request.params
    details["animations"] = {
        item.name: {"motion": motion_of(item.name), "view": view_of(item.name)} for item in params.animations
    }
    moves = [
        (item.name, index, pose)
        for item in params.animations
        for index, pose in enumerate(poses(item.name, item.frames, loop=item.loop))
    ]
    size = (params.width, params.height)
    drawing = drawing_for(look.reading)
    pictures = render_poses(drawing, look, [pose for _, _, pose in moves], size, manner, grounded=True, margin=0.02)
    if not params.transparent:
        pictures = [_on_ground(picture, look) for picture in pictures]
    return [
        _Drawn(picture, f"{name}/{index}", name, index)
        for (name, index, _), picture in zip(moves, pictures, strict=True)
    ]


def _on_ground(picture: Bytes, look: Look) -> Bytes:
    """Lay one plain colour, the same in every frame, behind a picture."""
    ink = look.ink("#8a94a4")
    color = look.book.table()[ink.row, 3].astype(np.float32)
    alpha = picture[..., 3:].astype(np.float32) / 255
    rgb = np.rint(picture[..., :3] * alpha + color * (1 - alpha)).astype(np.uint8)
    if look.book.palette is not None:
        rgb = look.book.palette.nearest(rgb)
    return np.dstack((rgb, np.full(rgb.shape[:2], 255, dtype=np.uint8)))


def _tileset(request: GenerationRequest, look: Look, manner: Manner, details: _Details) -> list[_Drawn]:
    side = request.params.tile_size or request.params.width // 4
    tiles, terrains = render_tiles(look, side, manner, blob=request.params.tile_count == BLOB)
    details["terrains"] = list(terrains)
    details["tiles"] = [
        {"index": index, "corners": list(tile.corners), **({"edges": list(tile.edges)} if tile.edges else {})}
        for index, tile in enumerate(tiles)
    ]
    return [_Drawn(tile.picture, f"tile/{index}", None, index) for index, tile in enumerate(tiles)]


def _interface(request: GenerationRequest, look: Look, manner: Manner, details: _Details) -> Bytes:
    params = request.params
    frame = render_panel(look, (params.width, params.height), manner, transparent=params.transparent)
    details["nineSlice"] = dict(zip(("left", "top", "right", "bottom"), frame.slices, strict=True))
    details["part"] = frame.part
    details["material"] = frame.material
    return frame.picture


def _restyled(request: GenerationRequest, source: bytes, manner: Manner, palette: Palette | None) -> list[_Drawn]:
    """Return the source picture in the style; a sheet shows it standing still, a tileset cuts it into its tiles."""
    params = request.params
    picture = restyle(source, (params.width, params.height), manner, palette, transparent=params.transparent)
    if request.asset_type is AssetType.SPRITESHEET:
        return [
            _Drawn(picture, f"{item.name}/{index}", item.name, index)
            for item in params.animations
            for index in range(item.frames)
        ]
    if request.asset_type is AssetType.TILESET:
        side = params.tile_size or params.width // 4
        corners = [(y, x) for y in range(0, params.height, side) for x in range(0, params.width, side)]
        tiles = [np.ascontiguousarray(picture[y : y + side, x : x + side]) for y, x in corners]
        return [_Drawn(tile, f"tile/{index}", None, index) for index, tile in enumerate(tiles)]
    return [_Drawn(picture)]


def _details(reading: Reading, asset_type: AssetType) -> _Details:
    """Return what is said of the request: what was understood of it."""
    match asset_type:
        case AssetType.BACKGROUND:
            recognised = bool(reading.places) or reading.recognised
        case AssetType.TILESET:
            recognised = bool(reading.terrains)
        case AssetType.UI:
            recognised = reading.part is not None or reading.frame is not None
        case _:
            recognised = reading.family is not Family.EMBLEM
    return {
        "procedural": True,
        "subject": reading.kind,
        "family": reading.family.value,
        "recognised": recognised,
        "artStyle": reading.art,
        "mood": reading.mood,
    }


def _colors_of(drawn: Sequence[_Drawn]) -> list[str]:
    """Return the colours seen in the pictures, the most frequent first."""
    pixels = np.concatenate([item.pixels.reshape(-1, 4) for item in drawn])
    seen = pixels[pixels[:, 3] > 0].astype(np.uint32)
    values, counts = np.unique(seen[:, 0] << 16 | seen[:, 1] << 8 | seen[:, 2], return_counts=True)
    order = np.lexsort((values, -counts))[:_MOST_COLORS]
    return [to_hex((int(value) >> 16, int(value) >> 8 & 255, int(value) & 255)) for value in values[order]]
