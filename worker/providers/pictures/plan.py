"""Which pictures to ask for, so that an asset can be made of them. Pure.

A sheet is asked for as one picture for each animation, its frames on a grid: within one picture a model keeps a figure
the same, from one picture to the next it does not. A tileset is asked for as two grounds side by side; the tiles, and
how they join, are made of them here, because no model paints edges that meet.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from domain.kinds import AssetType
from domain.params import Animation
from worker.artifacts import GenerationRequest
from worker.pipeline.prompts import TRANSPARENT
from worker.providers.pictures.shot import Color, Grid, Shot, Traits

#: Frames in one picture; with more of them each becomes too small.
MAX_CELLS: Final = 16
#: Backgrounds that can be taken away, in order of preference.
_KEYS: Final[tuple[tuple[str, Color, tuple[str, ...]], ...]] = (
    ("magenta", (255, 0, 255), ("pink", "magenta", "purple", "violet", "紫", "粉", "洋红")),
    ("green", (0, 255, 0), ("green", "slime", "grass", "leaf", "plant", "tree", "绿", "草", "树")),
    ("blue", (0, 0, 255), ()),
)
#: Squared RGB distance within which a colour of the palette is too near to a background.
_TOO_NEAR: Final = 150**2
#: How much an empty cell of a grid weighs against a picture that is not square: models like to fill it.
_EMPTY_CELL: Final = 0.7


def plan_shots(request: GenerationRequest, traits: Traits, *, single: bool = False) -> list[Shot]:
    """Return the pictures to ask for, in order; `single` puts a whole sheet into one."""
    if request.asset_type is AssetType.TILESET:
        return [_grounds(request)]
    if request.asset_type is not AssetType.SPRITESHEET:
        return [_shot(request, traits, request.params.width, request.params.height, "", None)]
    animations = request.params.animations
    if single:
        frames = sum(animation.frames for animation in animations)
        return [_sheet(request, traits, Animation(", ".join(a.name for a in animations), frames), 0, frames)]
    return [
        _sheet(request, traits, animation, first, min(MAX_CELLS, animation.frames - first))
        for animation in animations
        for first in range(0, animation.frames, MAX_CELLS)
    ]


def key_color(request: GenerationRequest) -> tuple[str, Color]:
    """Return the background, by name and colour, that neither the palette nor the words have much to do with."""
    words = f"{request.subject} {request.style.art_style}".lower()
    palette = [tuple(bytes.fromhex(color[1:7])) for color in request.style.palette]
    for name, color, hints in _KEYS:
        near = any(sum((a - b) ** 2 for a, b in zip(color, other, strict=True)) < _TOO_NEAR for other in palette)
        if not near and not any(hint in words for hint in hints):
            return name, color
    return _KEYS[0][0], _KEYS[0][1]


def grid_of(count: int, width: int, height: int) -> tuple[int, int]:
    """Return (columns, rows) for frames of a size, so that the whole is as square as can be with few empty cells."""

    def cost(columns: int) -> tuple[float, int]:
        rows = math.ceil(count / columns)
        shape = abs(math.log(columns * width / (rows * height)))
        return round(shape + _EMPTY_CELL * (columns * rows - count), 6), -columns

    columns = min(range(1, count + 1), key=cost)
    return columns, math.ceil(count / columns)


def _sheet(request: GenerationRequest, traits: Traits, animation: Animation, first: int, count: int) -> Shot:
    width, height = request.params.width, request.params.height
    columns, rows = grid_of(count, width, height)
    grid = Grid(columns, rows, count, animation.name, first)
    return _shot(request, traits, columns * width, rows * height, _sheet_words(animation, grid), grid)


def _sheet_words(animation: Animation, grid: Grid) -> str:
    last = grid.first + grid.count
    which = (
        f"frames {grid.first + 1} to {last}" if last < animation.frames or grid.first else f"all {grid.count} frames"
    )
    empty = grid.columns * grid.rows - grid.count
    parts = [
        (
            f"Paint one sheet: {which} of the animation {animation.name!r}, evenly in {grid.columns} columns and "
            f"{grid.rows} rows, read row by row from the top left."
        ),
        (
            "Each frame is the next phase of the movement, of one and the same character, whole, in the middle of its "
            "cell, always of the same size, its feet at the same height, with empty space on all sides."
        ),
        "No lines between the cells, no numbers, no letters.",
        f"The last {empty} cells stay empty." if empty else "",
    ]
    return " ".join(part for part in parts if part)


def _grounds(request: GenerationRequest) -> Shot:
    words = (
        "Do not paint tiles or a map. Paint two flat textures side by side, each filling one half of the picture up to "
        "its edges: on the left the lower ground, such as water or a floor, on the right the higher ground, such as "
        "grass or a wall. Both seen straight from above, even all over, without objects, shadows, borders or light "
        "from one side."
    )
    # The halves are squares.
    return Shot(f"{request.prompt}\n{words}", request.negative_prompt, 1024, 512, False, request.seed)  # noqa: FBT003


def _shot(request: GenerationRequest, traits: Traits, width: int, height: int, words: str, grid: Grid | None) -> Shot:
    wanted = request.params.transparent
    prompt = request.prompt
    negative = request.negative_prompt
    if wanted and not traits.transparency:
        name, color = key_color(request)
        plain = (
            f"The background is plain, even {name} (#{bytes(color).hex()}) up to the edges, without shadow, floor or "
            "gradient; nothing of the subject has this color."
        )
        prompt = prompt.replace(TRANSPARENT, plain)
        negative = ", ".join(part for part in negative.split(", ") if part != "background")
    return Shot(
        prompt="\n".join(part for part in (prompt, words, _reference_words(request, traits)) if part),
        negative_prompt=negative,
        width=width,
        height=height,
        transparent=wanted and traits.transparency,
        seed=request.seed,
        source=request.source_image if traits.edits else None,
        references=request.reference_images[: traits.references],
        grid=grid,
    )


def _reference_words(request: GenerationRequest, traits: Traits) -> str:
    source = request.source_image is not None and traits.edits
    references = len(request.reference_images[: traits.references])
    if source and references:
        return "The first picture is the subject; take only the style of the others."
    return "Take only the style of the pictures, not what they show." if references else ""


def following(shots: Sequence[Shot], first: bytes, traits: Traits) -> list[Shot]:
    """Return later pictures of a sheet with its first one to look at, where the service does that."""
    if not traits.references:
        return list(shots)
    return [_like(shot, first, traits) for shot in shots]


def _like(shot: Shot, first: bytes, traits: Traits) -> Shot:
    words = "The last picture shows the same character in another movement: paint this very character."
    references = (*shot.references[: traits.references - 1], first)
    return replace(shot, prompt=f"{shot.prompt}\n{words}", references=references)
