"""The README of an archive: how each engine loads these very files.

Prose is indented by two spaces, code by six. Code is complete: with the names of the files, frames and animations.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.kinds import AtlasFormat

#: Animations whose code is spelled out; the others are made in the same way.
_SPELLED: Final = 3
_CODE: Final = "      "
#: A size to stretch a part of an interface to.
_STRETCHED: Final = (300, 120)


@dataclass(frozen=True, slots=True)
class Motion:
    """An animation: the names of its frames in the order in which they are played."""

    name: str
    playback: tuple[str, ...]
    fps: float
    loop: bool


@dataclass(frozen=True, slots=True)
class Contents:
    """What an archive holds."""

    title: str
    images: Sequence[str]
    atlases: Sequence[tuple[AtlasFormat, str]]
    previews: Sequence[str] = ()
    motions: Sequence[Motion] = ()
    #: The frame of a part of an interface that can be stretched, and of a tileset the first tile's.
    part: str = ""
    tile: str = ""

    def of(self, atlas_format: AtlasFormat) -> list[str]:
        """Return the sidecars of a format."""
        return [name for kind, name in self.atlases if kind is atlas_format]


def readme(contents: Contents) -> str:
    """Return the text for people: which files there are and how each engine loads them."""
    lines = [contents.title, "=" * len(contents.title), "", f"Images: {', '.join(contents.images)}"]
    if contents.previews:
        lines.append(f"Previews, to look at: {', '.join(contents.previews)}")
    for atlas_format in dict.fromkeys(atlas_format for atlas_format, _ in contents.atlases):
        heading, told = _ENGINES[atlas_format]
        files = contents.of(atlas_format)
        lines += ["", f"{heading}: {', '.join(files)}", *told(contents, files)]
    lines += ["", "Keep the file names: the files refer to each other by them.", ""]
    return "\n".join(lines)


def _json_hash(contents: Contents, files: Sequence[str]) -> list[str]:
    first = files[0]
    lines = [
        "  PixiJS 8 (for pixel art, before anything is loaded: TextureStyle.defaultOptions.scaleMode = 'nearest'):",
        f"{_CODE}const sheet = await Assets.load({_js(first)});",
        *(_CODE + line for line in _pixi(contents)),
    ]
    if len(files) > 1:
        lines.append(
            "  The other pages come with the first. An animation that fills more than one page is missing from"
        )
        lines.append("  sheet.animations; its frames are among the textures of the pages.")
        lines.append("  Phaser 3: load each page under a key of its own, or the JSON array as one.")
        return lines
    return [
        *lines,
        *_phaser(contents, f"this.load.atlas({_js(contents.title)}, {_js(contents.images[0])}, {_js(first)});"),
    ]


def _pixi(contents: Contents) -> list[str]:
    lines = []
    for number, motion in enumerate(contents.motions[:_SPELLED]):
        variable = f"animation{number + 1}"
        lines.append(f"const {variable} = new AnimatedSprite(sheet.animations[{_js(motion.name)}]);")
        lines.append(f"{variable}.animationSpeed = {motion.fps:g} / 60; {variable}.loop = {str(motion.loop).lower()};")
    if contents.part:
        width, height = _STRETCHED
        texture = f"sheet.textures[{_js(contents.part)}]"
        lines.append(f"const part = new NineSliceSprite({{ texture: {texture}, width: {width}, height: {height} }});")
    if contents.tile:
        lines.append(f"const tile = new Sprite(sheet.textures[{_js(contents.tile)}]);")
    return lines


def _phaser(contents: Contents, loading: str) -> list[str]:
    return [
        "  Phaser 3 (for pixel art, in the game's configuration: pixelArt: true), in preload():",
        _CODE + loading,
        "  and in create():",
        *(_CODE + line for line in _created(contents)),
    ]


def _created(contents: Contents) -> list[str]:
    key = _js(contents.title)
    lines = []
    for motion in contents.motions[:_SPELLED]:
        frames = ", ".join(_js(frame) for frame in motion.playback)
        repeat = -1 if motion.loop else 0
        lines.append(f"this.anims.create({{ key: {_js(motion.name)}, frameRate: {motion.fps:g}, repeat: {repeat},")
        lines.append(f"  frames: [{frames}].map((frame) => ({{ key: {key}, frame }})) }});")
    if contents.motions:
        lines.append(f"this.add.sprite(100, 100, {key}).play({_js(contents.motions[0].name)});")
    elif contents.part:
        width, height = _STRETCHED
        lines.append(f"this.add.nineslice(200, 100, {key}, {_js(contents.part)}, {width}, {height});")
    else:
        lines.append(f"this.add.image(100, 100, {key}, {_js(contents.tile)});")
    return lines


def _json_array(contents: Contents, files: Sequence[str]) -> list[str]:
    key, first = _js(contents.title), _js(files[0])
    if len(contents.images) > 1:
        return _phaser(contents, f"this.load.multiatlas({key}, {first});")
    return _phaser(contents, f"this.load.atlas({key}, {_js(contents.images[0])}, {first});")


def _aseprite(contents: Contents, files: Sequence[str]) -> list[str]:
    key = _js(contents.title)
    lines = [
        "  Phaser 3, in preload():",
        f"{_CODE}this.load.aseprite({key}, {_js(contents.images[0])}, {_js(files[0])});",
    ]
    if contents.motions:
        motion = contents.motions[0]
        repeat = -1 if motion.loop else 0
        lines.append("  and in create() (Phaser plays an animation once unless it is told to repeat):")
        lines.append(f"{_CODE}this.anims.createFromAseprite({key});")
        lines.append(f"{_CODE}this.add.sprite(100, 100, {key}).play({{ key: {_js(motion.name)}, repeat: {repeat} }});")
    if len(files) > 1:
        lines.append("  Load each page under a key of its own.")
    return lines


def _godot(contents: Contents, _: Sequence[str]) -> list[str]:
    lines = [
        "  Copy it with its image into one folder of the project. For pixel art set the texture filter to Nearest."
    ]
    if contents.motions:
        names = ", ".join(motion.name for motion in contents.motions[:_SPELLED])
        lines.append("  Set it as Sprite Frames of an AnimatedSprite2D and choose an animation, such as " + names + ".")
        lines.append('  The pivot is in its metadata "pivot".')
    if contents.part:
        lines.append("  It is a StyleBoxTexture: set it as a style of a Panel, a Button or a theme.")
    if contents.tile:
        lines.append("  Set it as Tile Set of a TileMapLayer; its terrains are ready to paint with.")
    return lines


def _tiled(_contents: Contents, _files: Sequence[str]) -> list[str]:
    return ["  Keep it beside its image; in a map choose Map > Add External Tileset. Its terrains are a wang set."]


def _unity(contents: Contents, _: Sequence[str]) -> list[str]:
    lines = [
        "  Copy each image and its .meta together into Assets, before Unity imports the image by itself.",
        "  The sprites appear below the texture, cut and with their pivots. Unity reads PNG and JPEG, not WebP.",
    ]
    if contents.part:
        lines.append("  Its borders are set: choose Sliced as the Image Type.")
    return lines


def _js(text: str) -> str:
    """Return a string as JavaScript writes it."""
    for plain, written in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r"), ("\u2028", "\\u2028")):
        text = text.replace(plain, written)
    return f"'{text}'"


_Told = Callable[[Contents, Sequence[str]], list[str]]
_ENGINES: Final[Mapping[AtlasFormat, tuple[str, _Told]]] = {
    AtlasFormat.JSON_HASH: ("PixiJS 8, Phaser 3 and others (JSON hash)", _json_hash),
    AtlasFormat.JSON_ARRAY: ("Phaser 3 (JSON array)", _json_array),
    AtlasFormat.ASEPRITE: ("Phaser 3 and importers of Aseprite's JSON", _aseprite),
    AtlasFormat.GODOT: ("Godot 4", _godot),
    AtlasFormat.TILED: ("Tiled 1.10 and later", _tiled),
    AtlasFormat.UNITY: ("Unity", _unity),
}
