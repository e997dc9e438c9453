"""Backgrounds that wrap in both directions: a ground of a place seen from above, with its things scattered."""

import numpy as np

from worker.providers.builtin.canvas import Canvas
from worker.providers.builtin.chance import Chance
from worker.providers.builtin.color import Bytes
from worker.providers.builtin.finish import Manner, colored, enlarged, reduced
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import REST
from worker.providers.builtin.scenes.light import clouded
from worker.providers.builtin.scenes.scene import place_of
from worker.providers.builtin.scenes.scenery import drawing_of
from worker.providers.builtin.scenes.terrain import COLORS, scatter, soft_ink
from worker.providers.builtin.stage import Grid, grid_for

_GRID = 340
#: The terrain that covers a place seen from above, and the things on it.
_COVERS = {
    "forest": ("grass", ("tree", "bush", "tree", "flower")),
    "meadow": ("grass", ("flower", "bush", "flower", "rock")),
    "desert": ("sand", ("cactus", "rock", "skull")),
    "snow": ("snow", ("snowpine", "rock")),
    "mountains": ("stone", ("rock", "pine")),
    "castle": ("grass", ("tree", "bush", "flower")),
    "village": ("grass", ("house", "tree", "well", "flower")),
    "city": ("metal", ()),
    "volcano": ("lava", ("rock",)),
    "ocean": ("water", ()),
    "beach": ("sand", ("palm", "rock", "star")),
    "swamp": ("swamp", ("stump", "bush", "mushroomcap")),
    "graveyard": ("dirt", ("tombstone", "deadtree")),
    "sky": ("sky", ("cloud",)),
    "space": ("void", ("planet",)),
    "underwater": ("water", ("coral", "weed")),
    "cave": ("stone", ("crystal", "rock", "mushroomcap")),
    "dungeon": ("floor", ("skull", "barrel")),
}


def render_pattern(look: Look, size: tuple[int, int], manner: Manner) -> tuple[Bytes, str]:
    """Return a picture, (height, width, 4), opaque, whose opposite edges join, and the name of its place."""
    name = place_of(look)
    width, height = size
    grid = _whole_grid(width, height, manner)
    canvas = Canvas(grid.width, grid.height, wrap=True, inner_lines=manner.outlined)
    unit = max(min(grid.width, grid.height) / 180, 0.42)
    canvas.place(unit, 0, 0)
    cover, things = _COVERS[name]
    color = look.reading.colors[0] if look.reading.colors else COLORS.get(cover, "#6cb4ec")
    ink = soft_ink(look, color)
    noise = clouded(look.chance.generator("ground"), grid.height, grid.width, 3, 2)
    canvas.ink[:] = ink.row
    # In a palette of few colours neighbouring levels may be the same colour.
    step = 1.0 if look.book.palette is None else 2.0
    canvas.level[:] = np.select([noise < 0.28, noise > 0.72], [3.0 - step, 3.0 + step], 3.0)
    scatter(canvas, look, cover, ink, grid.width / unit, grid.height / unit)
    _things(canvas, look, things, grid.width / unit, grid.height / unit)
    picture = colored(canvas, look.book, manner)
    final = reduced(picture, grid.reduce) if grid.reduce > 1 else enlarged(picture, grid.enlarge)
    if look.book.palette is not None:
        final[..., :3] = look.book.palette.nearest(final[..., :3])
    return _quiet_edges(final, grid.enlarge), name


def _whole_grid(width: int, height: int, manner: Manner) -> Grid:
    """Return a grid whose enlarged pixels fill the size exactly; else a remainder would break the pattern."""
    wished = grid_for(width, height, manner, grid=_GRID)
    if wished.reduce > 1:
        return wished
    for factor in range(wished.enlarge, 0, -1):
        if width % factor == 0 and height % factor == 0:
            return Grid(width // factor, height // factor, factor, 1)
    return Grid(width, height, 1, 1)


def _things(canvas: Canvas, look: Look, kinds: tuple[str, ...], wide: float, high: float) -> None:
    """Scatter things on a loose grid, upper ones first, so that lower ones stand before them."""
    if not kinds:
        return
    chance = Chance(look.reading.text, "pattern", look.chance.unit("scene"))
    columns, rows = max(1, round(wide / 56)), max(1, round(high / 46))
    for row in range(rows):
        for column in range(columns):
            key = f"{row}.{column}"
            if chance.chance(f"no{key}", 0.22):
                continue
            x = (column + 0.5 * (row % 2) + chance.between(f"x{key}", 0.25, 0.75)) * wide / columns
            y = (row + chance.between(f"y{key}", 0.6, 1.0)) * high / rows
            size = chance.between(f"s{key}", 0.55, 0.8)
            varied = Look(look.reading, look.book, Chance(look.reading.text, key, look.chance.unit("scene")))
            with canvas.moved(x, y, wide=size, tall=size):
                drawing_of(chance.pick(f"k{key}", kinds))(canvas, varied, REST)


def _quiet_edges(picture: Bytes, step: int) -> Bytes:
    """Turn the picture round so that its edges fall where neighbouring rows and columns differ least."""
    value = picture[..., :3].astype(np.int64)
    down = np.abs(value - np.roll(value, 1, axis=0)).sum(axis=(1, 2))[::step]
    across = np.abs(value - np.roll(value, 1, axis=1)).sum(axis=(0, 2))[::step]
    # Equal neighbours do not count: inside an enlarged pixel there is no step at all.
    return np.roll(picture, (-int(down.argmin()) * step, -int(across.argmin()) * step), axis=(0, 1))
