"""Render a contact sheet of the built-in generator: every asset type, in one PNG.

Usage: python benchmarks/contact_sheet.py docs/images/contact-sheet.png
"""

import io
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from PIL import Image, ImageDraw, ImageFont

from domain.kinds import AssetType, TaskKind
from domain.params import Animation, ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import GenerationRequest, GenerationResult
from worker.providers.builtin.render import render

_WIDTH: Final = 1560
_GAP: Final = 12
_GROUND: Final = (38, 41, 52)
_CELL: Final = (52, 56, 70)
_TEXT: Final = (222, 224, 232)
_SPRITES: Final = (
    *(
        "red knight",
        "wizard",
        "elf archer",
        "pirate",
        "ninja",
        "king",
        "queen",
        "dwarf",
        "viking",
        "skeleton",
        "goblin",
        "orc",
    ),
    *(
        "vampire",
        "angel",
        "demon",
        "astronaut",
        "slime",
        "ghost",
        "red dragon",
        "bat",
        "mushroom",
        "robot",
        "golem",
        "eye",
    ),
    *(
        "fox",
        "cat",
        "owl",
        "penguin",
        "frog",
        "octopus",
        "crab",
        "bee",
        "史莱姆国王",
        "绿色的龙",
        "火焰魔像",
        "monster",
    ),
)
_ICONS: Final = (
    *(
        "iron sword",
        "golden axe",
        "bow",
        "staff",
        "hammer",
        "shield",
        "blaster",
        "health potion",
        "mana potion",
        "key",
        "coin",
        "ruby",
    ),
    *("ring", "heart", "scroll", "spellbook", "bomb", "apple", "meat", "bread", "cupcake", "helmet", "armor", "boots"),
    *(
        "torch",
        "lantern",
        "crown",
        "treasure chest",
        "crystal",
        "barrel",
        "castle",
        "house",
        "tree",
        "spaceship",
        "木盾",
        "水晶剑",
    ),
)
_PLACES: Final = (
    *("forest", "desert at sunset", "snowy mountains at night", "castle", "beach", "cave"),
    *("cyberpunk city", "volcano", "underwater"),
)
_SHEETS: Final = ("knight", "green slime", "blue dragon")
_TERRAINS: Final = ("grass and water", "desert", "lava", "dungeon")
_FACES: Final = ("knight", "elf", "wizard", "orc", "pirate", "queen", "skeleton", "vampire", "astronaut", "dragon")
_PARTS: Final = (
    "wooden panel",
    "gold dialog",
    "sci-fi panel",
    "parchment inventory",
    "stone button",
    "metal health bar",
    "red banner",
)
_STYLES: Final = ("16-bit pixel art", "8-bit", "flat vector", "cartoon", "hand-painted")


def made(asset_type: AssetType, subject: str, *, seed: int = 3, art: str = "", **params: object) -> GenerationResult:
    """Return what the generator makes of a subject."""
    resolved = resolve_params(asset_type, ParamsRequest(**params))  # type: ignore[arg-type]  # names are checked there
    request = GenerationRequest(
        "tsk", asset_type, TaskKind.TEXT_TO_IMAGE, subject, subject, "", Style(art_style=art), resolved, seed
    )
    return render(request)


def pictures(result: GenerationResult) -> list[Image.Image]:
    """Return the pictures of a result."""
    return [Image.open(io.BytesIO(picture.data)).convert("RGBA") for picture in result.pictures]


def row(images: Sequence[Image.Image], columns: int, zoom: int = 1) -> Image.Image:
    """Lay pictures of one size on cells, so many a row."""
    wide, high = images[0].width * zoom, images[0].height * zoom
    step_x, step_y = (_WIDTH - _GAP) // columns, high + _GAP
    sheet = Image.new("RGB", (_WIDTH, step_y * -(-len(images) // columns)), _GROUND)
    for index, image in enumerate(images):
        x, y = index % columns * step_x + (step_x - wide) // 2 + _GAP // 2, index // columns * step_y
        grown = image.resize((wide, high), Image.Resampling.NEAREST)
        sheet.paste(_CELL, (x, y, x + wide, y + high))
        sheet.paste(grown, (x, y), grown)
    return sheet


def tile_map(subject: str, columns: int, rows: int) -> Image.Image:
    """Return a random map drawn with a tileset."""
    result = made(AssetType.TILESET, subject)
    images = pictures(result)
    described: Any = result.details["tiles"]
    by_corners = {tuple(item["corners"]): images[item["index"]] for item in described}
    chance = random.Random(subject)
    corners = [[int(chance.random() < 0.55) for _ in range(columns + 1)] for _ in range(rows + 1)]
    side = images[0].width
    sheet = Image.new("RGBA", (columns * side, rows * side))
    for y in range(rows):
        for x in range(columns):
            key = (corners[y][x], corners[y][x + 1], corners[y + 1][x], corners[y + 1][x + 1])
            sheet.paste(by_corners[key], (x * side, y * side))
    return sheet


def frames(subject: str) -> Image.Image:
    """Return the frames of three animations in one strip."""
    animations = (Animation("idle", 4), Animation("walk", 8), Animation("attack", 6, loop=False))
    images = pictures(made(AssetType.SPRITESHEET, subject, animations=animations))
    strip = Image.new("RGBA", (len(images) * 84, 84))
    for index, image in enumerate(images):
        strip.paste(image, (index * 84 + 10, 10))
    return strip


def sections() -> list[tuple[str, Image.Image]]:
    """Draw everything; each section with its title."""
    sprites = [pictures(made(AssetType.SPRITE, subject, width=64, height=64))[0] for subject in _SPRITES]
    icons = [pictures(made(AssetType.ICON, subject, width=64, height=64))[0] for subject in _ICONS]
    places = [pictures(made(AssetType.BACKGROUND, subject, width=512, height=288))[0] for subject in _PLACES]
    faces = [pictures(made(AssetType.PORTRAIT, subject))[0] for subject in _FACES]
    parts = [pictures(made(AssetType.UI, subject))[0] for subject in _PARTS]
    styles = [
        pictures(made(AssetType.SPRITE, subject, art=art, width=128, height=128))[0]
        for art in _STYLES
        for subject in ("knight", "green dragon")
    ]
    return [
        ("SPRITE", row(sprites, 12, 2)),
        ("ICON", row(icons, 18)),
        ("SPRITESHEET  idle, walk, attack", row([frames(subject) for subject in _SHEETS], 1)),
        ("BACKGROUND", row(places, 3)),
        ("TILESET  maps drawn with the 16 corner tiles", row([tile_map(subject, 11, 6) for subject in _TERRAINS], 4)),
        ("PORTRAIT", row(faces, 10)),
        ("UI", row(parts, 7)),
        ("ART STYLES  " + ", ".join(_STYLES), row(styles, 10)),
    ]


def main(path: Path) -> None:
    """Write the contact sheet; says how long it took and how large it is."""
    started = time.perf_counter()
    drawn = sections()
    font = ImageFont.load_default(18)
    title = 34
    sheet = Image.new("RGB", (_WIDTH, sum(image.height + title for _, image in drawn) + _GAP), _GROUND)
    draw = ImageDraw.Draw(sheet)
    top = 0
    for name, image in drawn:
        draw.text((_GAP, top + 8), name, fill=_TEXT, font=font)
        sheet.paste(image, (0, top + title))
        top += title + image.height
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(path, "PNG", optimize=True)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB, {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
