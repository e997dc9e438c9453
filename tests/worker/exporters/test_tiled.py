import io
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytiled_parser
import pytmx
from PIL import Image

from domain.kinds import AtlasFormat
from worker.exporters.packing import Grid
from worker.exporters.sheet import Page, Sheet, Terrains, Tileset
from worker.exporters.tiled import tiled
from worker.imaging.blob import blob_shapes
from worker.pipeline.adapt import AdaptJob, adapt

MAP = """<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" tiledversion="1.10.2" orientation="orthogonal" renderorder="right-down" width="{columns}"
 height="{rows}" tilewidth="16" tileheight="16" infinite="0" nextlayerid="2" nextobjectid="1">
 <tileset firstgid="1" source="{source}"/>
 <layer id="1" name="all" width="{columns}" height="{rows}"><data encoding="csv">{gids}</data></layer>
</map>"""


def write(job: AdaptJob, folder: Path) -> tuple[Path, Path, dict[str, Any]]:
    """Write the files and a map that shows every tile once; returns the map, the tileset and the image's metadata."""
    files = adapt(job)
    for file in files:
        (folder / file.name).write_bytes(file.data)
    (tsx,) = (folder / file.name for file in files if file.name.endswith(".tsx"))
    metadata = dict(files[0].metadata)
    columns, rows = metadata["columns"], metadata["rows"]
    gids = ",".join(str(number + 1) for number in range(columns * rows))
    tmx = folder / "all.tmx"
    tmx.write_text(MAP.format(columns=columns, rows=rows, source=tsx.name, gids=gids), encoding="utf-8")
    return tmx, tsx, metadata


def cut(image: np.ndarray, tileset: pytiled_parser.Tileset, number: int) -> np.ndarray:
    """A tile as Tiled finds it: by the tileset's margin, spacing and columns."""
    x = tileset.margin + number % tileset.columns * (tileset.tile_width + tileset.spacing)
    y = tileset.margin + number // tileset.columns * (tileset.tile_height + tileset.spacing)
    return image[y : y + tileset.tile_height, x : x + tileset.tile_width]


@pytest.mark.parametrize(
    ("count", "columns", "extrude", "padding", "power_of_two"),
    [(24, 8, 1, 0, False), (16, 4, 0, 0, False), (16, 4, 2, 3, False), (10, 4, 1, 0, False), (16, 4, 1, 1, True)],
)
def test_two_readers_and_the_formula_of_tiled_find_every_tile(
    tileset_job: Callable[..., Any],
    tmp_path: Path,
    count: int,
    columns: int,
    extrude: int,
    padding: int,
    *,
    power_of_two: bool,
) -> None:
    job, tiles = tileset_job(
        count, extrude=extrude, padding=padding, power_of_two=power_of_two, atlas_formats=(AtlasFormat.TILED,)
    )
    object.__setattr__(job.params, "width", columns * 16)
    tmx, tsx, metadata = write(job, tmp_path)
    tileset = pytiled_parser.parse_map(tmx).tilesets[1]
    image = np.asarray(Image.open(tmp_path / tileset.image.name).convert("RGBA"))
    assert (tileset.margin, tileset.spacing) == (extrude, 2 * extrude + padding)
    assert (tileset.image_height, tileset.image_width) == image.shape[:2]
    for side, tiles_in_row in ((tileset.image_width, tileset.columns), (tileset.image_height, metadata["rows"])):
        assert (side - tileset.margin + tileset.spacing) // (16 + tileset.spacing) == tiles_in_row
        if not power_of_two:
            assert side == 2 * tileset.margin + tiles_in_row * 16 + (tiles_in_row - 1) * tileset.spacing
    assert tileset.tile_count == tileset.columns * metadata["rows"] >= count
    assert metadata["tileCount"] == count
    if not power_of_two:
        assert tileset.columns == columns

    by_pytmx = pytmx.TiledMap(str(tmx), image_loader=lambda name, key, **_: lambda rect, flags: rect)
    for number, tile in enumerate(tiles):
        assert np.array_equal(cut(image, tileset, number), tile)
        x, y, width, height = by_pytmx.get_tile_image(number % tileset.columns, number // tileset.columns, 0)
        assert np.array_equal(image[y : y + height, x : x + width], tile)
    assert tsx.exists()


def test_a_tile_is_ringed_by_its_own_edge(tileset_job: Callable[..., Any]) -> None:
    job, tiles = tileset_job(16, extrude=1)
    image = np.asarray(Image.open(io.BytesIO(adapt(job)[0].data)).convert("RGBA"))
    assert image.shape[:2] == (2 + 4 * 16 + 3 * 2, 2 + 4 * 16 + 3 * 2)
    for number, tile in enumerate(tiles):
        x, y = number % 4 * 18, number // 4 * 18
        assert np.array_equal(image[y : y + 18, x : x + 18], np.pad(tile, ((1, 1), (1, 1), (0, 0)), mode="edge"))


def test_corners_become_a_wang_set(tileset_job: Callable[..., Any], tmp_path: Path) -> None:
    details = {
        "terrains": ['Gr"ä<s', "水"],
        "tiles": [{"index": 3, "corners": [1, 1, 1, 1]}, {"index": 5, "corners": [0, 1, -1, 1]}],
    }
    job, _ = tileset_job(16, details)
    tmx, _, metadata = write(job, tmp_path)
    (wang,) = pytiled_parser.parse_map(tmx).tilesets[1].wang_sets
    assert wang.wang_type == "corner"
    assert [(color.name, color.tile, color.probability) for color in wang.wang_colors] == [
        ('Gr"ä<s', -1, 1),
        ("水", 3, 1),
    ]
    # Positions: top, top right, right, bottom right, bottom, bottom left, left, top left.
    assert {number: tile.wang_id for number, tile in wang.wang_tiles.items()} == {
        3: [0, 2, 0, 2, 0, 2, 0, 2],
        5: [0, 2, 0, 2, 0, 0, 0, 1],
    }
    assert metadata["wang"]["tiles"][1] == {"index": 5, "corners": [0, 1, -1, 1]}


def test_names_that_xml_cannot_hold_do_not_break_the_file() -> None:
    sheet = Sheet("x", (Page("x.png", 16, 16),), ())
    terrains = Terrains(("a\x01\x0bb\ufffe\n",), {0: (0, 0, 0, 0)})
    (sidecar,) = tiled(Tileset(sheet, 16, Grid(1, 1, 0, 0), terrains))
    root = ET.fromstring(sidecar.data)  # noqa: S314 (our own file)
    assert [color.get("name") for color in root.iter("wangcolor")] == ["ab\n"]


def test_corners_and_edges_become_a_mixed_wang_set(tileset_job: Callable[..., Any], tmp_path: Path) -> None:
    described = [
        {"index": index, "corners": list(shape.corners), "edges": list(shape.edges)}
        for index, shape in enumerate(blob_shapes())
    ]
    details = {"terrains": ["water", "grass"], "tiles": described}
    formats = (AtlasFormat.TILED, AtlasFormat.GODOT)
    job, tiles = tileset_job(48, details, tile_count=47, extrude=1, atlas_formats=formats)
    tmx, _, metadata = write(job, tmp_path)
    tileset = pytiled_parser.parse_map(tmx).tilesets[1]
    assert (tileset.columns, tileset.tile_count, metadata["wang"]["type"]) == (8, 48, "mixed")
    (wang,) = tileset.wang_sets
    assert wang.wang_type == "mixed"
    # A single cell has the surroundings of the plain ground and would be painted in its midst.
    assert list(wang.wang_tiles) == list(range(1, 48))
    assert len({tuple(tile.wang_id) for tile in wang.wang_tiles.values()}) == 47
    for index, tile in wang.wang_tiles.items():
        shape = blob_shapes()[index]
        assert tuple(tile.wang_id[0::2]) == tuple(edge + 1 for edge in shape.edges)
        assert [tile.wang_id[place] - 1 for place in (7, 1, 5, 3)] == list(shape.corners)
    assert [color.tile for color in wang.wang_colors] == [47, 46]
    image = np.asarray(Image.open(tmp_path / tileset.image.name).convert("RGBA"))
    by_pytmx = pytmx.TiledMap(str(tmx), image_loader=lambda name, key, **_: lambda rect, flags: rect)
    for number, picture in enumerate(tiles):
        assert np.array_equal(cut(image, tileset, number), picture)
        x, y, width, height = by_pytmx.get_tile_image(number % 8, number // 8, 0)
        assert np.array_equal(image[y : y + height, x : x + width], picture)
    (godot,) = (path.read_text() for path in tmp_path.glob("*.tres"))
    assert "terrain_set_0/mode = 0" in godot
    assert "6:5/0/terrains_peering_bit/top_side = 1" in godot
    assert ("6:5/0/terrain = 1" in godot, "7:5/0/terrain = 0" in godot, "0:0/0/terrain = 1" in godot) == (True,) * 3
