"""Tiled's external tileset (.tsx), with a corner or mixed wang set when the tiles' terrains are known.

Tiled derives columns and tile count from the image: columns = (width - margin + spacing) // (tile + spacing). The
image agrees with what is written here, so ids stay right whichever of both a reader believes.
"""

import re
from xml.sax.saxutils import quoteattr

from worker.exporters.sheet import Sidecar, Terrains, Tileset

#: What XML 1.0 cannot hold, even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def tiled(tileset: Tileset) -> tuple[Sidecar, ...]:
    """Return the tileset as Tiled 1.10 and later read it."""
    page, grid, size = tileset.page, tileset.grid, tileset.tile_size
    head = {
        "version": "1.10",
        "tiledversion": "1.10.2",
        "name": tileset.sheet.stem,
        "tilewidth": size,
        "tileheight": size,
        "spacing": grid.spacing,
        "margin": grid.margin,
        "tilecount": grid.columns * grid.rows,
        "columns": grid.columns,
    }
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<tileset{_attributes(head)}>",
        f" <image{_attributes({'source': page.image, 'width': page.width, 'height': page.height})}/>",
        *(_wang_set(tileset.terrains) if tileset.terrains else ()),
        "</tileset>",
    ]
    data = ("\n".join(lines) + "\n").encode()
    return (Sidecar(f"{tileset.sheet.stem}.tsx", "application/xml", data, (page.image,)),)


def _attributes(values: dict[str, object]) -> str:
    return "".join(f" {name}={quoteattr(_NOT_XML.sub('', str(value)))}" for name, value in values.items())


def _wang_set(terrains: Terrains) -> list[str]:
    kind = "mixed" if terrains.edges else "corner"
    around = {tile: _around(terrains, tile) for tile in sorted(terrains.corners)}
    if terrains.edges:
        # Of tiles that only their middles tell apart, which Tiled has no word for, the last: a single cell of the
        # higher ground would else be painted in the midst of the lower.
        around = {tile: ids for ids, tile in {ids: tile for tile, ids in around.items()}.items()}
    lines = [" <wangsets>", f'  <wangset name="Terrains" type="{kind}" tile="-1">']
    for number, name in enumerate(terrains.names):
        whole = [tile for tile, ids in around.items() if {*ids} - {-1} == {number} and -1 not in ids[1::2]]
        color = "#{:02x}{:02x}{:02x}".format(*terrains.color(number))
        values = {"name": name, "color": color, "tile": whole[0] if whole else -1, "probability": 1}
        lines.append(f"   <wangcolor{_attributes(values)}/>")
    for tile, ids in sorted(around.items()):
        # Colours count from 1, 0 is unset.
        lines.append(f'   <wangtile tileid="{tile}" wangid="{",".join(str(number + 1) for number in ids)}"/>')
    return [*lines, "  </wangset>", " </wangsets>"]


def _around(terrains: Terrains, tile: int) -> tuple[int, ...]:
    """Return terrains in Tiled's order: top, top right, right, bottom right, bottom, bottom left, left, top left."""
    top_left, top_right, bottom_left, bottom_right = terrains.corners[tile]
    top, right, bottom, left = terrains.edges.get(tile, (-1, -1, -1, -1))
    return top, top_right, right, bottom_right, bottom, bottom_left, left, top_left
