"""Generation parameters: what may be asked, and what an asset type makes of what was left out.

`resolve_params` is pure: the same request gives the same resolved parameters, which the task stores, shows and is
compared by when identical requests are recognised.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Final, TypedDict

from domain.errors import InvalidInput
from domain.kinds import AssetType, AtlasFormat, ImageFormat
from domain.styles import normalise_color
from domain.text import checked_text

MIN_SIDE: Final = 16
MAX_SIDE: Final = 2048
MAX_SEED: Final = 2**31 - 1
MAX_COUNT: Final = 8
MAX_ANIMATIONS: Final = 16
MAX_FRAMES: Final = 64
MAX_TOTAL_FRAMES: Final = 256
#: Pixels of all frames together: they are in memory at once, with their sheet, at about 50 bytes each.
MAX_FRAME_PIXELS: Final = 32 * 1024 * 1024
MAX_NEGATIVE_PROMPT: Final = 2000
MAX_ANIMATION_NAME: Final = 64
SHEET_SIDES: Final = (64, 8192)
TILE_SIDES: Final = (8, 256)
#: A clip's sides in pixels, area of a frame, length and frames per second: what a server makes in seconds, not minutes.
CLIP_SIDES: Final = (64, 1920)
MAX_CLIP_PIXELS: Final = 1280 * 720
CLIP_SECONDS: Final = (0.5, 10.0)
MAX_CLIP_FPS: Final = 30


@dataclass(frozen=True, slots=True)
class Animation:
    """One animation of a spritesheet; `fps` is frames per second."""

    name: str
    frames: int
    fps: int = 8
    loop: bool = True
    ping_pong: bool = False


@dataclass(frozen=True, slots=True)
class ParamsRequest:
    """`GenerationParams` as a client sends them; `None` means not given."""

    width: int | None = None
    height: int | None = None
    seed: int | None = None
    count: int | None = None
    negative_prompt: str | None = None
    transparent: bool | None = None
    format: ImageFormat | None = None
    palette_size: int | None = None
    animations: tuple[Animation, ...] | None = None
    atlas_formats: tuple[AtlasFormat, ...] | None = None
    padding: int | None = None
    extrude: int | None = None
    trim: bool | None = None
    power_of_two: bool | None = None
    max_sheet_size: int | None = None
    pivot_x: float | None = None
    pivot_y: float | None = None
    tile_size: int | None = None
    seamless: bool | None = None
    embed_metadata: bool | None = None
    duration_seconds: float | None = None
    fps: int | None = None
    outline: int | None = None
    outline_color: str | None = None
    outline_corners: bool | None = None
    dither: int | None = None
    tile_count: int | None = None


@dataclass(frozen=True, slots=True)
class Params:
    """Parameters with every default filled in; `None` where the asset type has no use for one.

    `width` and `height` are pixels of one picture: a frame of a SPRITESHEET, a tile times the grid for a TILESET,
    else the asset. `seed` is None only before a task fixes it.
    """

    width: int
    height: int
    seed: int | None = None
    count: int = 1
    negative_prompt: str = ""
    transparent: bool = False
    format: ImageFormat | None = ImageFormat.PNG
    palette_size: int | None = None
    animations: tuple[Animation, ...] = ()
    atlas_formats: tuple[AtlasFormat, ...] = ()
    padding: int | None = None
    extrude: int | None = None
    trim: bool | None = None
    power_of_two: bool | None = None
    max_sheet_size: int | None = None
    pivot_x: float | None = None
    pivot_y: float | None = None
    tile_size: int | None = None
    seamless: bool | None = None
    embed_metadata: bool = True
    duration_seconds: float | None = None
    fps: int | None = None
    #: Pixels of the line around what is visible; None or 0 for none.
    outline: int | None = None
    outline_color: str | None = None
    outline_corners: bool | None = None
    #: Side of the ordered pattern where colours are limited: 2, 4 or 8; None for none.
    dither: int | None = None
    tile_count: int | None = None


@dataclass(frozen=True, slots=True)
class _Defaults:
    """What an asset type starts from."""

    width: int
    height: int
    transparent: bool


_DEFAULTS: Final[Mapping[AssetType, _Defaults]] = {
    AssetType.SPRITE: _Defaults(64, 64, transparent=True),
    AssetType.SPRITESHEET: _Defaults(64, 64, transparent=True),
    AssetType.TILESET: _Defaults(128, 128, transparent=False),
    AssetType.ICON: _Defaults(64, 64, transparent=True),
    AssetType.BACKGROUND: _Defaults(640, 360, transparent=False),
    AssetType.PORTRAIT: _Defaults(128, 128, transparent=False),
    AssetType.UI: _Defaults(192, 96, transparent=True),
    AssetType.VIDEO: _Defaults(512, 288, transparent=False),
}
DEFAULT_ANIMATIONS: Final = (
    Animation("idle", frames=4, fps=6),
    Animation("walk", frames=8, fps=10),
    Animation("attack", frames=6, fps=12, loop=False),
)
DEFAULT_CLIP_SECONDS: Final = 3.0
DEFAULT_CLIP_FPS: Final = 24
DEFAULT_TILE_SIZE: Final = 32
#: Tiles that a TILESET may have, each number with its columns and rows: the 16 of corners, and the 47 of corners and
#: edges, with which the plain lower ground comes as the 48th.
BLOB: Final = 47
TILESETS: Final[Mapping[int, tuple[int, int]]] = {16: (4, 4), BLOB: (8, 6)}
DEFAULT_TILE_COUNT: Final = 16
MAX_OUTLINE: Final = 8
DITHERS: Final = (2, 4, 8)
_ROOT: Final = ("input", "params")


def resolve_params(asset_type: AssetType, request: ParamsRequest) -> Params:
    """Check a request's parameters and fill in the asset type's defaults.

    Raises `InvalidInput` with the path of the field at fault.
    """
    defaults = _DEFAULTS[asset_type]
    width = _within(request.width, MIN_SIDE, MAX_SIDE, "width", defaults.width)
    height = _within(request.height, MIN_SIDE, MAX_SIDE, "height", defaults.height)
    video = asset_type is AssetType.VIDEO
    if video:
        _check_clip(width, height)
    sheet = asset_type in (AssetType.SPRITESHEET, AssetType.TILESET) or (video and bool(request.atlas_formats))
    tile_size = _tile_size(asset_type, request)
    tile_count = _one_of(request.tile_count, tuple(TILESETS), "tileCount")
    columns, rows = TILESETS[tile_count or DEFAULT_TILE_COUNT]
    if tile_size is not None:
        width, height = tile_size * columns, tile_size * rows
    image_format = None if video else request.format or ImageFormat.PNG
    transparent = defaults.transparent if request.transparent is None else request.transparent
    if image_format is ImageFormat.JPEG:
        if request.transparent:
            raise _invalid("JPEG has no transparency: choose PNG or WEBP, or transparent: false.", "transparent")
        transparent = False
    _only_for(request, asset_type)
    animations = _animations(asset_type, request.animations)
    _check_frames(width, height, animations)
    padding = _within(request.padding, 0, 64, "padding", 0 if tile_size else 2)
    extrude = _within(request.extrude, 0, 16, "extrude", 0)
    max_sheet_size = _within(request.max_sheet_size, *SHEET_SIDES, "maxSheetSize", 4096)
    if sheet:
        least = max(width, height) + 2 * extrude
        if tile_size is not None:  # all tiles are on one page
            least = columns * (tile_size + 2 * extrude) + (columns - 1) * padding
        _check_fits(least, max_sheet_size, power_of_two=bool(request.power_of_two))
    return Params(
        width=width,
        height=height,
        seed=_optional(request.seed, 0, MAX_SEED, "seed"),
        count=_within(request.count, 1, MAX_COUNT, "count", 1),
        negative_prompt=checked_text(
            request.negative_prompt or "", maximum=MAX_NEGATIVE_PROMPT, path=(*_ROOT, "negativePrompt")
        ),
        transparent=transparent and not video,
        format=image_format,
        palette_size=None if video else _optional(request.palette_size, 2, 256, "paletteSize"),
        animations=animations,
        atlas_formats=_atlas_formats(asset_type, request.atlas_formats),
        padding=padding if sheet else None,
        extrude=extrude if sheet else None,
        trim=bool(request.trim) if asset_type is AssetType.SPRITESHEET else None,
        power_of_two=bool(request.power_of_two) if sheet else None,
        max_sheet_size=max_sheet_size if sheet else None,
        pivot_x=None if video else _fraction(request.pivot_x, "pivotX"),
        pivot_y=None if video else _fraction(request.pivot_y, "pivotY"),
        tile_size=tile_size,
        seamless=bool(request.seamless) if asset_type in (AssetType.BACKGROUND, AssetType.TILESET) else None,
        embed_metadata=True if request.embed_metadata is None else request.embed_metadata,
        duration_seconds=_seconds(request.duration_seconds) if video else None,
        fps=_within(request.fps, 1, MAX_CLIP_FPS, "fps", DEFAULT_CLIP_FPS) if video else None,
        **_line(request, transparent=transparent),
        dither=_one_of(request.dither, DITHERS, "dither"),
        tile_count=(tile_count or DEFAULT_TILE_COUNT) if tile_size is not None else None,
    )


class _Line(TypedDict):
    outline: int | None
    outline_color: str | None
    outline_corners: bool | None


def _line(request: ParamsRequest, *, transparent: bool) -> _Line:
    """Check the outline; all None where there is none."""
    width = _optional(request.outline, 0, MAX_OUTLINE, "outline")
    if not width:
        for value, name in ((request.outline_color, "outlineColor"), (request.outline_corners, "outlineCorners")):
            if value:
                raise _invalid(f"{name} says how an outline looks: give its width in pixels as outline.", name)
        return {"outline": None, "outline_color": None, "outline_corners": None}
    if not transparent:
        raise _invalid("An outline goes around what is cut out: it needs transparent: true.", "outline")
    color = request.outline_color
    path = (*_ROOT, "outlineColor")
    return {
        "outline": width,
        "outline_color": None if color is None else normalise_color(color, path)[:7],
        "outline_corners": bool(request.outline_corners),
    }


def _check_clip(width: int, height: int) -> None:
    """Refuse sizes that H.264 does not have, or that take too long."""
    low, high = CLIP_SIDES
    for name, side in (("width", width), ("height", height)):
        if not low <= side <= high:
            raise _invalid(f"{name} of a VIDEO must be {low} to {high}.", name)
        if side % 2:
            raise _invalid(f"{name} of a VIDEO must be even: its colors are stored for two by two pixels.", name)
    if width * height > MAX_CLIP_PIXELS:
        raise _invalid("A VIDEO has at most 1280 x 720 pixels, in whatever shape. Ask for a smaller one.", "width")


def _check_frames(width: int, height: int, animations: tuple[Animation, ...]) -> None:
    """Refuse more pixels than a picture process has memory for."""
    count = sum(animation.frames for animation in animations)
    if count * width * height > MAX_FRAME_PIXELS:
        most = MAX_FRAME_PIXELS // (width * height)
        raise _invalid(
            f"{count} frames of {width} x {height} are too many pixels; frames of this size may be {most}. "
            "Ask for fewer or smaller frames.",
            "animations",
        )


def _check_fits(least: int, max_sheet_size: int, *, power_of_two: bool) -> None:
    """Refuse now what could not be packed after the pictures have been made (and paid for)."""
    room = 1 << (max_sheet_size.bit_length() - 1) if power_of_two else max_sheet_size
    if least > room:
        raise _invalid(
            f"One page must hold at least {least} pixels a side, but may have {room}. "
            "Raise maxSheetSize, or ask for smaller frames or less extrude.",
            "maxSheetSize",
        )


_BELONGS: Final[Mapping[str, tuple[str, frozenset[AssetType]]]] = {
    "animations": ("animations", frozenset({AssetType.SPRITESHEET})),
    "atlas_formats": (
        "atlasFormats",
        frozenset({AssetType.SPRITESHEET, AssetType.TILESET, AssetType.UI, AssetType.VIDEO}),
    ),
    "outline": ("outline", frozenset({AssetType.SPRITE, AssetType.SPRITESHEET, AssetType.ICON, AssetType.UI})),
    "dither": ("dither", frozenset(AssetType) - {AssetType.VIDEO}),
    "tile_count": ("tileCount", frozenset({AssetType.TILESET})),
    "tile_size": ("tileSize", frozenset({AssetType.TILESET})),
    "seamless": ("seamless", frozenset({AssetType.BACKGROUND, AssetType.TILESET})),
    "duration_seconds": ("durationSeconds", frozenset({AssetType.VIDEO})),
}


def _only_for(request: ParamsRequest, asset_type: AssetType) -> None:
    """Refuse what the asset type has no use for, so that nobody waits for an effect that cannot come."""
    for name, (camel, types) in _BELONGS.items():
        if getattr(request, name) and asset_type not in types:
            where = ", ".join(sorted(types))
            raise _invalid(f"{camel} is for {where}, not for {asset_type}.", camel)


def _invalid(message: str, *names: str) -> InvalidInput:
    return InvalidInput(message, path=(*_ROOT, *names))


def _optional(value: int | None, low: int, high: int, name: str) -> int | None:
    if value is not None and not low <= value <= high:
        raise _invalid(f"{name} must be {low} to {high}.", name)
    return value


def _within(value: int | None, low: int, high: int, name: str, default: int) -> int:
    checked = _optional(value, low, high, name)
    return default if checked is None else checked


def _one_of(value: int | None, allowed: tuple[int, ...], name: str) -> int | None:
    if value is not None and value not in allowed:
        raise _invalid(f"{name} must be one of {', '.join(str(item) for item in allowed)}.", name)
    return value


def _fraction(value: float | None, name: str) -> float:
    if value is None:
        return 0.5
    if not 0 <= value <= 1:
        raise _invalid(f"{name} must be 0 to 1.", name)
    return float(value)


def _seconds(value: float | None) -> float:
    if value is None:
        return DEFAULT_CLIP_SECONDS
    low, high = CLIP_SECONDS
    if not low <= value <= high:
        raise _invalid(f"durationSeconds must be {low:g} to {high:g}.", "durationSeconds")
    return float(value)


def _tile_size(asset_type: AssetType, request: ParamsRequest) -> int | None:
    if asset_type is not AssetType.TILESET:
        return None
    if request.width is not None or request.height is not None:
        raise _invalid(
            "The size of a TILESET follows from tileSize; leave width and height out.",
            "width" if request.width is not None else "height",
        )
    return _within(request.tile_size, *TILE_SIDES, "tileSize", DEFAULT_TILE_SIZE)


def _animations(asset_type: AssetType, given: tuple[Animation, ...] | None) -> tuple[Animation, ...]:
    if asset_type is not AssetType.SPRITESHEET:
        return ()
    if not given:
        return DEFAULT_ANIMATIONS
    if len(given) > MAX_ANIMATIONS:
        raise _invalid(f"At most {MAX_ANIMATIONS} animations are allowed.", "animations")
    seen: set[str] = set()
    result = []
    for index, animation in enumerate(given):
        path = ("animations", str(index))
        name = checked_text(animation.name, minimum=1, maximum=MAX_ANIMATION_NAME, path=(*_ROOT, *path, "name"))
        if name in seen:
            raise _invalid(f"Two animations are called {name!r}; names must differ.", *path, "name")
        seen.add(name)
        if not 1 <= animation.frames <= MAX_FRAMES:
            raise _invalid(f"frames must be 1 to {MAX_FRAMES}.", *path, "frames")
        if not 1 <= animation.fps <= 60:  # noqa: PLR2004 (the range itself)
            raise _invalid("fps must be 1 to 60.", *path, "fps")
        result.append(Animation(name, animation.frames, animation.fps, animation.loop, animation.ping_pong))
    if sum(animation.frames for animation in result) > MAX_TOTAL_FRAMES:
        raise _invalid(f"A spritesheet holds at most {MAX_TOTAL_FRAMES} frames.", "animations")
    return tuple(result)


def _atlas_formats(asset_type: AssetType, given: tuple[AtlasFormat, ...] | None) -> tuple[AtlasFormat, ...]:
    if given:
        wanted = tuple(dict.fromkeys(given))
        if asset_type is not AssetType.TILESET and AtlasFormat.TILED in wanted:
            raise _invalid(f"TILED describes a TILESET, not a {asset_type}.", "atlasFormats")
        return wanted
    if asset_type is AssetType.SPRITESHEET:
        return (AtlasFormat.JSON_HASH,)
    if asset_type is AssetType.TILESET:
        return (AtlasFormat.TILED,)
    return ()


def params_to_json(params: Params) -> dict[str, object]:
    """Return the parameters as plain data for a JSON column and for comparing requests."""
    data = asdict(params)
    data["animations"] = [asdict(animation) for animation in params.animations]
    data["atlas_formats"] = [str(item) for item in params.atlas_formats]
    data["format"] = str(params.format) if params.format else None
    return data


_NAMES: Final = frozenset(item.name for item in fields(Params))


def params_from_json(data: Mapping[str, object]) -> Params:
    """Read what `params_to_json` wrote; names that this version does not know are passed over."""
    known = {name: value for name, value in data.items() if name in _NAMES}
    animations = known.get("animations")
    known["animations"] = tuple(Animation(**item) for item in animations) if isinstance(animations, list) else ()
    formats = known.get("atlas_formats")
    known["atlas_formats"] = tuple(AtlasFormat(item) for item in formats) if isinstance(formats, list) else ()
    known["format"] = ImageFormat(str(known["format"])) if known.get("format") else None
    return Params(**known)  # type: ignore[arg-type]
