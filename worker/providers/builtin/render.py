"""The built-in generator: a pure function from a request to pictures."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from domain.kinds import AssetType
from worker.artifacts import GenerationRequest, GenerationResult, Picture
from worker.providers.builtin.chance import Chance
from worker.providers.builtin.color import Bytes, Palette, to_hex
from worker.providers.builtin.finish import MANNERS, Manner, centered
from worker.providers.builtin.ink import InkBook
from worker.providers.builtin.lexicon.subjects import Family
from worker.providers.builtin.look import TINTS, Look
from worker.providers.builtin.pose import REST, poses
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
#: Colours listed in the details of a result.
_MOST_COLORS: Final = 64


def render(request: GenerationRequest) -> GenerationResult:
    """Make the pictures of one request.

    The same (subject, style, params, seed) give the same bytes. Runs in a process pool: pure, picklable, no state.
    Raises `ValueError` for VIDEO, which is not a still picture.
    """
    reading = read(request.subject, request.style)
    palette = Palette(request.style.palette) if request.style.palette else None
    look = Look(reading, InkBook(palette, TINTS[reading.mood]), Chance(reading.text, request.seed))
    manner = MANNERS[reading.art]
    details: dict[str, object] = {}
    if request.source_image is not None:
        pictures = _restyled(request, request.source_image, manner, palette)
        details.update(_details(reading, request, look))
        return GenerationResult(pictures, NAME, MODEL, request.seed, None, details)
    match request.asset_type:
        case AssetType.SPRITE | AssetType.ICON:
            pictures = (_still(_subject(request, look, manner)),)
        case AssetType.SPRITESHEET:
            pictures = _sheet(request, look, manner)
        case AssetType.TILESET:
            pictures = _tileset(request, look, manner, details)
        case AssetType.BACKGROUND:
            size = (request.params.width, request.params.height)
            paint = render_pattern if request.params.seamless else render_landscape
            picture, details["place"] = paint(look, size, manner)
            pictures = (_still(picture),)
        case AssetType.PORTRAIT:
            size = (request.params.width, request.params.height)
            pictures = (_still(render_portrait(look, size, manner, transparent=request.params.transparent)),)
        case AssetType.UI:
            pictures = _interface(request, look, manner, details)
        case AssetType.VIDEO:
            raise ValueError("The built-in generator makes no videos.")
    details.update(_details(reading, request, look))
    return GenerationResult(pictures, NAME, MODEL, request.seed, None, details)


def _still(picture: Bytes) -> Picture:
    height, width = picture.shape[:2]
    return Picture(encode(picture), width, height)


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


def _sheet(request: GenerationRequest, look: Look, manner: Manner) -> tuple[Picture, ...]:
    """Return one picture a frame of every animation, all at one scale and on one ground line."""
    params = request.params
    size = (params.width, params.height)
    moves = [(item, pose) for item in params.animations for pose in poses(item.name, item.frames, loop=item.loop)]
    drawing = drawing_for(look.reading)
    pictures = render_poses(drawing, look, [pose for _, pose in moves], size, manner, grounded=True, margin=0.02)
    if not params.transparent:
        pictures = [_on_ground(picture, look, manner) for picture in pictures]
    result: list[Picture] = []
    for (animation, _), picture in zip(moves, pictures, strict=True):
        index = sum(1 for before in result if before.animation == animation.name)
        result.append(Picture(encode(picture), *size, f"{animation.name}/{index}", animation.name, index))
    return tuple(result)


def _on_ground(picture: Bytes, look: Look, manner: Manner) -> Bytes:
    """Lay one plain colour, the same in every frame, behind a picture."""
    del manner
    ink = look.ink("#8a94a4")
    color = look.book.table()[ink.row, 3].astype(np.float32)
    alpha = picture[..., 3:].astype(np.float32) / 255
    rgb = np.rint(picture[..., :3] * alpha + color * (1 - alpha)).astype(np.uint8)
    if look.book.palette is not None:
        rgb = look.book.palette.nearest(rgb)
    return np.dstack((rgb, np.full(rgb.shape[:2], 255, dtype=np.uint8)))


def _tileset(request: GenerationRequest, look: Look, manner: Manner, details: dict[str, object]) -> tuple[Picture, ...]:
    side = request.params.tile_size or request.params.width // 4
    tiles, terrains = render_tiles(look, side, manner)
    details["terrains"] = list(terrains)
    details["tiles"] = [{"index": index, "corners": list(tile.corners)} for index, tile in enumerate(tiles)]
    return tuple(
        Picture(encode(tile.picture), side, side, f"tile/{index}", None, index) for index, tile in enumerate(tiles)
    )


def _interface(
    request: GenerationRequest, look: Look, manner: Manner, details: dict[str, object]
) -> tuple[Picture, ...]:
    params = request.params
    frame = render_panel(look, (params.width, params.height), manner, transparent=params.transparent)
    details["nineSlice"] = dict(zip(("left", "top", "right", "bottom"), frame.slices, strict=True))
    details["part"] = frame.part
    details["material"] = frame.material
    return (_still(frame.picture),)


def _details(reading: Reading, request: GenerationRequest, look: Look) -> Mapping[str, object]:
    """Return what is said of the picture: what was understood, and the colours of the subject's inks."""
    match request.asset_type:
        case AssetType.BACKGROUND:
            recognised = bool(reading.places) or reading.recognised
        case AssetType.TILESET:
            recognised = bool(reading.terrains)
        case AssetType.UI:
            recognised = reading.part is not None or reading.frame is not None
        case _:
            recognised = reading.family is not Family.EMBLEM
    colors = list(dict.fromkeys(to_hex(rgb) for row in look.book.table()[1:] for rgb in row[:6]))
    return {
        "procedural": True,
        "subject": reading.kind,
        "family": reading.family.value,
        "recognised": recognised,
        "artStyle": reading.art,
        "mood": reading.mood,
        "palette": colors[:_MOST_COLORS],
    }


def _restyled(
    request: GenerationRequest, source: bytes, manner: Manner, palette: Palette | None
) -> tuple[Picture, ...]:
    """Return the source picture in the style; a sheet shows it standing still, a tileset cuts it into its tiles."""
    params = request.params
    size = (params.width, params.height)
    picture = restyle(source, size, manner, palette, transparent=params.transparent)
    if request.asset_type is AssetType.SPRITESHEET:
        data = encode(picture)
        return tuple(
            Picture(data, *size, f"{item.name}/{index}", item.name, index)
            for item in params.animations
            for index in range(item.frames)
        )
    if request.asset_type is AssetType.TILESET:
        side = params.tile_size or params.width // 4
        tiles = [
            picture[y : y + side, x : x + side] for y in range(0, 4 * side, side) for x in range(0, 4 * side, side)
        ]
        return tuple(
            Picture(encode(tile), side, side, f"tile/{index}", None, index) for index, tile in enumerate(tiles)
        )
    return (_still(picture),)
