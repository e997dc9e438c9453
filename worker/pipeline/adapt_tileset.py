"""From single tiles to a tileset image with its sidecars."""

from collections.abc import Mapping

from domain.kinds import AtlasFormat
from worker.artifacts import OutputFile
from worker.exporters.canvas import draw_page
from worker.exporters.godot import tile_set
from worker.exporters.naming import Names
from worker.exporters.packing import Grid, Rect, Rules, largest_side, round_up, too_small
from worker.exporters.sheet import Frame, Page, Sheet, Sidecar, Terrains, Tileset
from worker.exporters.tiled import tiled
from worker.imaging.encode import FILE_KINDS
from worker.imaging.pixels import decode_rgba
from worker.pipeline.adapt_job import AdaptJob, atlas_files, limit_colors
from worker.pipeline.adapt_sheet import write_sidecars

_CORNERS = 4


def adapt_tileset(job: AdaptJob, names: Names) -> tuple[OutputFile, ...]:
    """Return the image and the sidecars of every format asked for.

    The margin is `extrude`, the spacing twice that and `padding`. Raises `SheetTooSmall` when the image would be larger
    than maxSheetSize: ids of tiles count through one image, so a tileset has one page.
    """
    pictures = sorted(job.pictures, key=lambda picture: picture.index)
    tiles = [decode_rgba(picture.data) for picture in pictures]
    size = job.params.tile_size or tiles[0].shape[0]
    grid, (width, height) = _grid(job, len(tiles), size)
    gaps = job.rules.padding > 0 or job.rules.power_of_two or grid.columns * grid.rows > len(tiles)
    tiles = limit_colors(job, tiles, keep_transparent=gaps)
    image = names.take(names.stem, FILE_KINDS[job.sheet_format].extension)
    frames = tuple(
        Frame(
            f"tile_{index}",
            0,
            Rect(
                grid.margin + index % grid.columns * (size + grid.spacing),
                grid.margin + index // grid.columns * (size + grid.spacing),
                size,
                size,
            ),
            (size, size),
            index=index,
        )
        for index in range(len(tiles))
    )
    sheet = Sheet(names.stem, (Page(image, width, height),), frames, (), job.pivot, job.task_id, job.app)
    tileset = Tileset(sheet, size, grid, read_terrains(job.details, len(tiles)))
    places = [(frame.rect, tile) for frame, tile in zip(frames, tiles, strict=True)]
    pixels = draw_page(width, height, places, job.rules.extrude)
    written = [
        (atlas_format, sidecar)
        for atlas_format in job.params.atlas_formats
        for sidecar in _sidecars(tileset, atlas_format)
    ]
    metadata = _metadata(job, tileset)
    return (job.image(image, "tileset", pixels, job.sheet_format, metadata), *atlas_files(written))


def read_terrains(details: Mapping[str, object], count: int) -> Terrains | None:
    """Read what a provider says of its tiles' corners, or return None when it says nothing usable.

    `terrains` is a list of names; `tiles` a list of {index, corners: [top left, top right, bottom left, bottom right]}
    with numbers of terrains, and maybe `edges`: [top, right, bottom, left]. Whatever is out of range is passed over.
    """
    names, tiles = details.get("terrains"), details.get("tiles")
    if not isinstance(names, list | tuple) or not isinstance(tiles, list | tuple) or not names:
        return None
    corners: dict[int, tuple[int, int, int, int]] = {}
    edges: dict[int, tuple[int, int, int, int]] = {}
    for tile in tiles:
        if not isinstance(tile, Mapping):
            continue
        index, found = tile.get("index"), tile.get("corners")
        if not isinstance(index, int) or not 0 <= index < count or not isinstance(found, list | tuple):
            continue
        if len(found) == _CORNERS:
            top_left, top_right, bottom_left, bottom_right = (_terrain(corner, len(names)) for corner in found)
            corners[index] = (top_left, top_right, bottom_left, bottom_right)
            sides = tile.get("edges")
            if isinstance(sides, list | tuple) and len(sides) == _CORNERS:
                top, right, bottom, left = (_terrain(side, len(names)) for side in sides)
                edges[index] = (top, right, bottom, left)
    return Terrains(tuple(str(name) for name in names), corners, edges) if corners else None


def _terrain(value: object, count: int) -> int:
    return value if isinstance(value, int) and 0 <= value < count else -1


def _sidecars(tileset: Tileset, atlas_format: AtlasFormat) -> tuple[Sidecar, ...]:
    match atlas_format:
        case AtlasFormat.TILED:
            return tiled(tileset)
        case AtlasFormat.GODOT:
            return tile_set(tileset)
        case AtlasFormat.JSON_HASH | AtlasFormat.JSON_ARRAY | AtlasFormat.ASEPRITE | AtlasFormat.UNITY:
            return write_sidecars(tileset.sheet, atlas_format)


def _grid(job: AdaptJob, count: int, size: int) -> tuple[Grid, tuple[int, int]]:
    """Return the grid and the image's (width, height).

    As many columns as the task's width holds. Powers of two leave room that Tiled, which counts tiles by the image's
    size, would take for further columns: so the tiles flow into all of it.
    """
    rules = job.rules
    if not rules.power_of_two:
        columns = max(1, min(count, job.params.width // size))
        grid = Grid(columns, -(-count // columns), rules.extrude, 2 * rules.extrude + rules.padding)
        sides = _side(grid.columns, size, rules), _side(grid.rows, size, rules)
        if max(sides) > largest_side(rules):
            raise too_small(*sides, rules)
        return grid, sides
    powers = [1 << bits for bits in range(largest_side(rules).bit_length())]
    options = [
        (width * height, max(width, height), -width, height)
        for width in powers
        for height in powers
        if _held(width, size, rules) * _held(height, size, rules) >= count
    ]
    if not options:
        side = _side(round(count**0.5), size, rules)
        raise too_small(round_up(side, rules), round_up(side, rules), rules)
    _, _, negative_width, height = min(options)
    width = -negative_width
    grid = Grid(_held(width, size, rules), _held(height, size, rules), rules.extrude, 2 * rules.extrude + rules.padding)
    return grid, (width, height)


def _side(tiles: int, size: int, rules: Rules) -> int:
    return 2 * rules.extrude + tiles * size + (tiles - 1) * (2 * rules.extrude + rules.padding)


def _held(side: int, size: int, rules: Rules) -> int:
    """Return how many tiles a side holds, by Tiled's formula."""
    spacing = 2 * rules.extrude + rules.padding
    return max(0, (side - rules.extrude + spacing) // (size + spacing))


def _metadata(job: AdaptJob, tileset: Tileset) -> dict[str, object]:
    grid = tileset.grid
    metadata: dict[str, object] = {
        "size": {"width": tileset.page.width, "height": tileset.page.height},
        "tileSize": tileset.tile_size,
        "columns": grid.columns,
        "rows": grid.rows,
        "tileCount": len(tileset.sheet.frames),
        "margin": grid.margin,
        "spacing": grid.spacing,
        "padding": job.rules.padding,
        "extrude": job.rules.extrude,
        "pivot": {"x": job.pivot[0], "y": job.pivot[1]},
    }
    if tileset.terrains:
        metadata["wang"] = {
            "type": "mixed" if tileset.terrains.edges else "corner",
            "terrains": list(tileset.terrains.names),
            "tiles": [
                {
                    "index": index,
                    "corners": list(corners),
                    **({"edges": list(tileset.terrains.edges[index])} if index in tileset.terrains.edges else {}),
                }
                for index, corners in sorted(tileset.terrains.corners.items())
            ],
        }
    return metadata
