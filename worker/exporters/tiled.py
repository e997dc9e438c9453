"""Tiled's external tileset (.tsx), with a corner wang set when the tiles' terrains are known.

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
    lines = [" <wangsets>", '  <wangset name="Terrains" type="corner" tile="-1">']
    for number, name in enumerate(terrains.names):
        whole = [tile for tile, corners in sorted(terrains.corners.items()) if set(corners) == {number}]
        color = "#{:02x}{:02x}{:02x}".format(*terrains.color(number))
        values = {"name": name, "color": color, "tile": whole[0] if whole else -1, "probability": 1}
        lines.append(f"   <wangcolor{_attributes(values)}/>")
    for tile, (top_left, top_right, bottom_left, bottom_right) in sorted(terrains.corners.items()):
        # top, top right, right, bottom right, bottom, bottom left, left, top left; colours count from 1, 0 is unset.
        around = (-1, top_right, -1, bottom_right, -1, bottom_left, -1, top_left)
        wang_id = ",".join(str(corner + 1) for corner in around)
        lines.append(f'   <wangtile tileid="{tile}" wangid="{wang_id}"/>')
    return [*lines, "  </wangset>", " </wangsets>"]
