"""Godot 4 resources in text form: SpriteFrames for sheets, TileSet for tilesets.

Written for 4.0 and later: `loop` is true or false and forth-and-back is spelled out as frames. The image is named by a
path relative to the resource, so both belong in one folder. Trimmed frames get a `margin`, from `atlas_texture.cpp`.
"""

from worker.exporters.sheet import Clip, Frame, Sheet, Sidecar, Tileset

_MEDIA_TYPE = "text/plain; charset=utf-8"
_CORNERS = ("top_left_corner", "top_right_corner", "bottom_left_corner", "bottom_right_corner")
_SIDES = ("top_side", "right_side", "bottom_side", "left_side")
#: TileSet.TERRAIN_MODE_MATCH_CORNERS_AND_SIDES and TERRAIN_MODE_MATCH_CORNERS.
_MATCH_BOTH, _MATCH_CORNERS = 0, 1


def sprite_frames(sheet: Sheet) -> tuple[Sidecar, ...]:
    """Return a SpriteFrames resource for AnimatedSprite2D, for all pages.

    The pivot, which Godot keeps at the node and not in the resource, is added as the resource's metadata "pivot".
    """
    head = [f'[gd_resource type="SpriteFrames" load_steps={len(sheet.pages) + len(sheet.frames) + 1} format=3]', ""]
    for number, page in enumerate(sheet.pages):
        head.append(f'[ext_resource type="Texture2D" path={string(page.image)} id="{_page_id(number)}"]')
    head.append("")
    for position, frame in enumerate(sheet.frames):
        head += [*_atlas_texture(position, frame), ""]
    clips = sorted(sheet.clips, key=lambda clip: clip.name)
    body = ["[resource]", f"animations = [{', '.join(_animation(clip) for clip in clips)}]"]
    body.append(f"metadata/pivot = Vector2({sheet.pivot[0]}, {sheet.pivot[1]})")
    return (_sidecar(sheet, [*head, *body]),)


def style_box(sheet: Sheet) -> tuple[Sidecar, ...]:
    """Return a StyleBoxTexture, for themes, panels and buttons, of the sheet's only picture."""
    frame = sheet.frames[0]
    lines = [
        '[gd_resource type="StyleBoxTexture" load_steps=2 format=3]',
        "",
        f'[ext_resource type="Texture2D" path={string(sheet.pages[0].image)} id="{_page_id(0)}"]',
        "",
        "[resource]",
        f'texture = ExtResource("{_page_id(0)}")',
    ]
    if frame.slices:
        lines += [f"texture_margin_{side} = {float(pixels)}" for side, pixels in frame.slices.to_json().items()]
    return (_sidecar(sheet, lines),)


def tile_set(tileset: Tileset) -> tuple[Sidecar, ...]:
    """Return a TileSet resource with one atlas source and, when the terrains are known, a corner terrain set."""
    grid, size = tileset.grid, tileset.tile_size
    lines = [
        '[gd_resource type="TileSet" load_steps=3 format=3]',
        "",
        f'[ext_resource type="Texture2D" path={string(tileset.page.image)} id="{_page_id(0)}"]',
        "",
        '[sub_resource type="TileSetAtlasSource" id="TileSetAtlasSource_0"]',
        f'texture = ExtResource("{_page_id(0)}")',
        f"margins = Vector2i({grid.margin}, {grid.margin})",
        f"separation = Vector2i({grid.spacing}, {grid.spacing})",
        f"texture_region_size = Vector2i({size}, {size})",
    ]
    for index in range(len(tileset.sheet.frames)):
        cell = f"{index % grid.columns}:{index // grid.columns}/0"
        lines += [f"{cell} = 0", *_peering(tileset, index, cell)]
    lines += ["", "[resource]", f"tile_size = Vector2i({size}, {size})"]
    if tileset.terrains:
        lines.append(f"terrain_set_0/mode = {_MATCH_BOTH if tileset.terrains.edges else _MATCH_CORNERS}")
        for number, name in enumerate(tileset.terrains.names):
            red, green, blue = tileset.terrains.color(number)
            lines.append(f"terrain_set_0/terrain_{number}/name = {string(name)}")
            lines.append(
                f"terrain_set_0/terrain_{number}/color = Color({red / 255:.4f}, {green / 255:.4f}, {blue / 255:.4f}, 1)"
            )
    lines.append('sources/0 = SubResource("TileSetAtlasSource_0")')
    return (_sidecar(tileset.sheet, lines),)


def string(value: str) -> str:
    """Return a string literal of Godot's text format."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _page_id(number: int) -> str:
    return f"{number + 1}_page"


def _sidecar(sheet: Sheet, lines: list[str]) -> Sidecar:
    images = tuple(page.image for page in sheet.pages)
    return Sidecar(f"{sheet.stem}.tres", _MEDIA_TYPE, ("\n".join(lines) + "\n").encode(), images)


def _atlas_texture(position: int, frame: Frame) -> list[str]:
    rect = frame.rect
    lines = [
        f'[sub_resource type="AtlasTexture" id="AtlasTexture_{position}"]',
        f'atlas = ExtResource("{_page_id(frame.page)}")',
        f"region = Rect2({rect.x}, {rect.y}, {rect.width}, {rect.height})",
    ]
    if frame.trimmed:
        (left, top), (width, height) = frame.offset, frame.source_size
        lines.append(f"margin = Rect2({left}, {top}, {width - rect.width}, {height - rect.height})")
    # Keeps the neighbour's colour out when the texture is filtered.
    return [*lines, "filter_clip = true"]


def _animation(clip: Clip) -> str:
    frames = ", ".join(
        f'{{\n"duration": 1.0,\n"texture": SubResource("AtlasTexture_{position}")\n}}' for position in clip.playback
    )
    loop = "true" if clip.loop else "false"
    return f'{{\n"frames": [{frames}],\n"loop": {loop},\n"name": &{string(clip.name)},\n"speed": {float(clip.fps)}\n}}'


def _peering(tileset: Tileset, index: int, cell: str) -> list[str]:
    corners = tileset.terrains.corners.get(index) if tileset.terrains else None
    known = [corner for corner in corners or () if corner >= 0]
    if not corners or not known:
        return []
    edges = tileset.terrains.edges.get(index) if tileset.terrains else None
    # The terrain listed first lies beneath: a tile of transition belongs to it, as where the other was not painted. A
    # tile with edges is a cell of the higher terrain among its neighbours, unless it is the plain lower one.
    terrain = _middle(tileset, index) if edges else min(known)
    bits = [*zip(_CORNERS, corners, strict=True), *zip(_SIDES, edges or (-1,) * 4, strict=True)]
    return [
        f"{cell}/terrain_set = 0",
        f"{cell}/terrain = {terrain}",
        *(f"{cell}/terrains_peering_bit/{name} = {bit}" for name, bit in bits if bit >= 0),
    ]


def _middle(tileset: Tileset, index: int) -> int:
    """Return the terrain of a blob tile: the last of the tiles without any higher neighbour is the lower ground."""
    terrains = tileset.terrains
    if terrains is None:
        return 0
    around = {*terrains.corners[index], *terrains.edges[index]}
    last = max(terrains.edges)
    return 0 if index == last and around == {0} else len(terrains.names) - 1
