"""One ZIP with all files of an asset and a README that says how to load them."""

import io
import zipfile
from collections.abc import Iterable, Sequence
from typing import Final

from domain.kinds import AtlasFormat

#: The earliest date that ZIP can hold. No real one, so that the same files give the same archive.
_DATE: Final = (1980, 1, 1, 0, 0, 0)
_MODE: Final = 0o644 << 16
_UNIX: Final = 3
#: Pictures are compressed already.
_STORED: Final = (".png", ".webp", ".jpg", ".gif", ".apng", ".mp4")

_HOW_TO: Final = {
    AtlasFormat.JSON_HASH: (
        "PixiJS 8, Phaser 3 and others (JSON hash): {files}",
        "  PixiJS: const sheet = await Assets.load('{first}');",
        "          new AnimatedSprite(sheet.animations['name'])",
        "  Phaser: this.load.atlas('key', '{image}', '{first}')",
        "          this.anims.create({{ key: 'name', frameRate: 8, repeat: -1, frames:",
        "            this.anims.generateFrameNames('key', {{ prefix: 'name_', start: 0, end: 3 }}) }})",
        "  Pixel art: PixiJS: TextureStyle.defaultOptions.scaleMode = 'nearest' before loading;",
        "          Phaser: pixelArt: true in the game's configuration.",
        "  Part of an interface: new NineSliceSprite({{ texture: sheet.textures['name'], width, height }}) in PixiJS,",
        "          this.add.nineslice(x, y, 'key', 'name', width, height) in Phaser; the borders are in the file.",
        "  Several pages: PixiJS loads the others with the first. An animation that fills more than one page is",
        "  missing from `animations`; its frames are in the pages.",
    ),
    AtlasFormat.JSON_ARRAY: (
        "Phaser 3 (JSON array): {files}",
        "  One page:      this.load.atlas('key', '{image}', '{first}')",
        "  Several pages: this.load.multiatlas('key', '{first}')",
    ),
    AtlasFormat.ASEPRITE: (
        "Phaser 3 and importers of Aseprite's JSON: {files}",
        "  this.load.aseprite('key', '{image}', '{first}')",
        "  this.anims.createFromAseprite('key')",
        "  sprite.play({{ key: 'animation', repeat: -1 }})   // Phaser plays once unless told",
        "  Several pages: load each under a key of its own.",
    ),
    AtlasFormat.GODOT: (
        "Godot 4: {files}",
        "  Copy it with its image into one folder of the project.",
        '  Sheet:   set it as Sprite Frames of an AnimatedSprite2D. The pivot is in its metadata "pivot".',
        "  Tileset: set it as Tile Set of a TileMapLayer; corner terrains are ready to paint with.",
        "  Part of an interface: it is a StyleBoxTexture; set it as a style of a Panel, Button or theme.",
        "  For pixel art set the texture filter to Nearest.",
    ),
    AtlasFormat.TILED: (
        "Tiled 1.10 and later: {files}",
        "  Keep it beside its image; in a map choose Map > Add External Tileset. Corner terrains are a wang set.",
    ),
    AtlasFormat.UNITY: (
        "Unity: {files}",
        "  Copy the image and its .meta together into Assets, before Unity imports the image by itself.",
        "  The sprites appear below the texture, cut and with their pivots. Unity reads PNG and JPEG, not WebP.",
        "  Part of an interface: its borders are set; choose Sliced as the Image Type.",
    ),
}


def readme(
    title: str, images: Sequence[str], atlases: Sequence[tuple[AtlasFormat, str]], previews: Sequence[str]
) -> str:
    """Return the text for people: which files there are and how each engine loads them."""
    lines = [title, "=" * len(title), "", f"Images: {', '.join(images)}"]
    if previews:
        lines.append(f"Previews, to look at: {', '.join(previews)}")
    for atlas_format in dict.fromkeys(atlas_format for atlas_format, _ in atlases):
        files = [name for kind, name in atlases if kind is atlas_format]
        lines.append("")
        lines += [
            line.format(files=", ".join(files), first=files[0], image=images[0]) for line in _HOW_TO[atlas_format]
        ]
    lines += ["", "Keep the file names: the files refer to each other by them.", ""]
    return "\n".join(lines)


def archive(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Return a ZIP of (name, content); the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        for name, data in files:
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system = _UNIX
            entry.external_attr = _MODE
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(_STORED) else zipfile.ZIP_DEFLATED
            target.writestr(entry, data)
    return buffer.getvalue()
