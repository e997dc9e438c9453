"""Interface parts: panels, buttons, bars, slots, dialogs, banners; frames that stretch by nine slices."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from worker.providers.builtin.canvas import Canvas, Form, box
from worker.providers.builtin.color import Bytes
from worker.providers.builtin.finish import Manner, centered, colored, enlarged, outline
from worker.providers.builtin.ink import Ink, Surface
from worker.providers.builtin.look import Look

#: The border of a nine-slice picture, pixels: left, top, right, bottom.
Slices = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Skin:
    """What a frame is made of."""

    rim: str
    field: str
    accent: str
    surface: Surface
    studs: str = "corner"
    round: int = 3


_SKINS: Final = {
    "wood": _Skin("#8f5a32", "#c8995e", "#e0b04a", Surface.CLOTH, studs="bolt"),
    "stone": _Skin("#7c808c", "#5a5e6c", "#a8acb8", Surface.CLOTH, studs="bolt", round=1),
    "metal": _Skin("#8e99ae", "#3c4458", "#d8a83c", Surface.METAL, studs="bolt", round=2),
    "gold": _Skin("#d8a238", "#2f3560", "#f4d470", Surface.METAL, studs="jewel"),
    "paper": _Skin("#b98a4e", "#efdfb6", "#a8483a", Surface.SOFT, studs="corner", round=2),
    "scifi": _Skin("#2f8fb8", "#14243c", "#5cf0f8", Surface.GLOSS, studs="cut", round=5),
    "candy": _Skin("#f088b0", "#fdf0e6", "#8ad8d0", Surface.GLOSS, studs="none", round=7),
}


@dataclass(frozen=True, slots=True)
class Frame:
    """A drawn interface part and its stretchable border."""

    picture: Bytes
    slices: Slices
    part: str
    material: str


class _Pad:
    """Draws boxes on the pixel grid, in whole pixels from the left top."""

    def __init__(self, width: int, height: int, look: Look, skin: _Skin) -> None:
        self.canvas = Canvas(width, height)
        self.look = look
        self.skin = skin
        self.width, self.height = width, height

    def box(self, inset: int, ink: Ink, level: float, cut: int) -> None:
        """Fill the frame, so many pixels in from every side, its corners cut."""
        self.area(inset, inset, self.width - inset, self.height - inset, ink, level, cut)

    def area(self, x0: int, y0: int, x1: int, y1: int, ink: Ink, level: float, cut: int = 0) -> None:
        """Fill a rectangle whose corners are rounded by `cut` pixels."""
        if x1 <= x0 or y1 <= y0:
            return
        cut = min(cut, (x1 - x0) // 2, (y1 - y0) // 2)
        for y in range(max(y0, 0), min(y1, self.height)):
            away = min(y - y0, y1 - 1 - y)
            shrink = _corner(cut, away)
            self.canvas.ink[y, max(x0 + shrink, 0) : min(x1 - shrink, self.width)] = ink.row
            self.canvas.level[y, max(x0 + shrink, 0) : min(x1 - shrink, self.width)] = level


def _corner(radius: int, row: int) -> int:
    """Return how many pixels a round corner takes from a row."""
    if row >= radius:
        return 0
    taken: float = radius - (radius * radius - (radius - row - 0.5) ** 2) ** 0.5
    return round(taken)


def render_panel(look: Look, size: tuple[int, int], manner: Manner, *, transparent: bool) -> Frame:
    """Return the interface part the words name; a panel when they name none."""
    width, height = size
    unit = _unit(width, height, manner)
    pad_width, pad_height = -(-width // unit), -(-height // unit)
    reading = look.reading
    part = reading.part or "panel"
    material = reading.frame or look.pick("frame", ("wood", "stone", "metal", "gold", "paper"))
    skin = _SKINS[material]
    if reading.colors:
        skin = _Skin(reading.colors[0], skin.field, skin.accent, skin.surface, skin.studs, skin.round)
    pad = _Pad(pad_width, pad_height, look, skin)
    border = _PARTS.get(part, _panel)(pad)
    if not transparent:
        ground = look.ink("#2c3040", Surface.FLAT)
        empty = pad.canvas.ink == 0
        pad.canvas.ink[empty] = ground.row
        pad.canvas.level[empty] = 3.0
    picture = centered(enlarged(colored(pad.canvas, look.book, manner), unit), width, height)
    # A picture enlarged beyond its size is cut evenly on both sides.
    cut_x, cut_y = (pad_width * unit - width) // 2, (pad_height * unit - height) // 2
    slices = (
        max(border * unit - cut_x, 1),
        max(border * unit - cut_y, 1),
        max(border * unit - cut_x, 1),
        max(border * unit - cut_y, 1),
    )
    return Frame(picture, slices, part, material)


def _unit(width: int, height: int, manner: Manner) -> int:
    """Return how many pixels a drawn pixel has: as large as leaves no part of one over, if possible."""
    most = max(1, min(width // (64 if manner.name != "chunky" else 40), height // 32, 16))
    for unit in range(most, 0, -1):
        if width % unit == 0 and height % unit == 0:
            return unit
    return 1


def _bordered(pad: _Pad, thick: int, cut: int, *, sunken: bool = False) -> tuple[Ink, Ink]:
    """Draw a bevelled rim around a field; returns the inks of rim and field."""
    look, skin = pad.look, pad.skin
    rim, field = look.ink(skin.rim, skin.surface), look.ink(skin.field, Surface.SOFT)
    high, low = (1.8, 4.4) if sunken else (4.6, 1.8)
    pad.box(0, rim, 0, cut)
    pad.box(1, rim, high, max(cut - 1, 0))
    pad.area(2, 2, pad.width - 1, pad.height - 1, rim, low, max(cut - 1, 0))
    pad.area(2, 2, pad.width - 2, pad.height - 2, rim, 3, max(cut - 2, 0))
    if thick > 4:
        pad.area(thick - 2, thick - 2, pad.width - thick + 2, pad.height - thick + 2, rim, 2, max(cut - 3, 0))
    pad.area(thick - 1, thick - 1, pad.width - thick + 1, pad.height - thick + 1, rim, 0, max(cut - 3, 0))
    pad.area(thick, thick, pad.width - thick, pad.height - thick, field, 3, max(cut - 4, 0))
    return rim, field


def _shade(pad: _Pad, inset: int, field: Ink) -> None:
    """Shade the field: dark under the upper rim, light at the lower one, a lasting grain for wood and stone."""
    inside = (slice(inset, pad.height - inset), slice(inset, pad.width - inset))
    level = pad.canvas.level[inside]
    mine = pad.canvas.ink[inside] == field.row
    rows = np.arange(level.shape[0])[:, None]
    columns = np.arange(level.shape[1])[None, :]
    shaded = np.where((rows < 2) | (columns < 1), 2.0, np.where(rows >= level.shape[0] - 1, 4.0, level))
    name = next((name for name, skin in _SKINS.items() if skin.field == pad.skin.field), "")
    if name == "wood":
        seam = max(6, level.shape[0] // 4)
        shaded = np.where(rows % seam == seam - 1, 2.0, np.where((rows % seam == 0) & (rows > 1), 4.0, shaded))
    elif name == "scifi":
        shaded = np.where((rows % 3 == 0) & (rows > 1), 2.4, shaded)
    elif name in ("stone", "paper"):
        speck = pad.look.chance.generator("specks").random(level.shape)
        shaded = np.where((speck > 0.985) & (rows > 2), 2.4, np.where(speck < 0.012, 3.6, shaded))
    pad.canvas.level[inside] = np.where(mine, shaded, level)


def _studs(pad: _Pad, thick: int) -> None:
    """Ornament the four corners."""
    look, skin = pad.look, pad.skin
    accent = look.ink(skin.accent, Surface.METAL)
    far_x, far_y = pad.width - 1, pad.height - 1
    size = thick + 2
    for left in (True, False):
        for top in (True, False):
            x, y = (0 if left else far_x - size + 1), (0 if top else far_y - size + 1)
            if skin.studs == "bolt":
                cx, cy = (thick // 2 if left else far_x - thick // 2), (thick // 2 if top else far_y - thick // 2)
                pad.area(cx - 1, cy - 1, cx + 2, cy + 2, accent, 1.6, 1)
                pad.area(cx - 1, cy - 1, cx + 1, cy + 1, accent, 4.6)
            elif skin.studs == "jewel":
                pad.area(x, y, x + size, y + size, accent, 0, 2)
                pad.area(x + 1, y + 1, x + size - 1, y + size - 1, accent, 3.4, 2)
                jewel = look.tone(1, "jewel", ("#e0405a", "#3fa8e8", "#54c86a"), Surface.GEM)
                pad.area(x + 3, y + 3, x + size - 3, y + size - 3, jewel, 3, 1)
                pad.area(x + 3, y + 3, x + 4, y + 4, jewel, 6)
            elif skin.studs == "corner":
                pad.area(x, y, x + size, y + size, accent, 0, 1)
                pad.area(x + 1, y + 1, x + size - 1, y + size - 1, accent, 3, 1)
                pad.area(x + 1, y + 1, x + size - 1, y + 2, accent, 4.6)
            elif skin.studs == "cut":
                long = size * 2
                x0 = 0 if left else far_x - long + 1
                pad.area(
                    x0 + (2 if left else 0),
                    0 if top else far_y - 1,
                    x0 + long - (0 if left else 2),
                    2 if top else far_y + 1,
                    accent,
                    4.4,
                    0,
                )


def _thickness(pad: _Pad) -> int:
    return max(4, min(8, min(pad.width, pad.height) // 9))


def _panel(pad: _Pad) -> int:
    thick = _thickness(pad)
    _, field = _bordered(pad, thick, pad.skin.round)
    _shade(pad, thick, field)
    _studs(pad, thick)
    return 2 * thick + 6 if pad.skin.studs == "cut" else thick + 4


def _button(pad: _Pad) -> int:
    look, skin = pad.look, pad.skin
    face = look.ink(look.color(0, "button", (skin.rim, "#4a9a5c", "#3f78c8", "#c8503c")), Surface.GLOSS)
    cut = max(3, min(8, min(pad.width, pad.height) // 5))
    depth = max(3, pad.height // 9)
    pad.box(0, face, 0, cut)
    pad.area(1, 1, pad.width - 1, pad.height - 1, face, 1.4, cut - 1)
    pad.area(1, 1, pad.width - 1, pad.height - depth, face, 4.8, cut - 1)
    pad.area(2, 2, pad.width - 1, pad.height - depth, face, 3, cut - 1)
    middle = (pad.height - depth) // 2
    pad.area(2, 2, pad.width - 2, pad.height - depth - 1, face, 2.6, cut - 2)
    pad.area(3, 3, pad.width - 3, middle, face, 3.6, max(cut - 3, 1))
    pad.area(cut, 3, pad.width - cut, 4, face, 5.2)
    return cut + depth


def _bar(pad: _Pad) -> int:
    look, skin = pad.look, pad.skin
    thick = max(3, min(5, pad.height // 6))
    rim = look.ink(skin.rim if not look.reading.colors else "#8e99ae", skin.surface)
    liquid = look.tone(0, "bar", ("#d8364a", "#3f8ae8", "#54b84c", "#f0b83c"), Surface.GLOSS)
    cut = min(pad.height // 2, 7)
    pad.box(0, rim, 0, cut)
    pad.box(1, rim, 4.4, cut - 1)
    pad.area(2, 2, pad.width - 1, pad.height - 1, rim, 2, cut - 1)
    pad.box(thick - 1, rim, 0, max(cut - thick + 1, 1))
    hollow = look.ink("#2a2430", Surface.FLAT)
    pad.box(thick, hollow, 2, max(cut - thick, 1))
    full = thick + 1 + round((pad.width - 2 * thick - 2) * 0.72)
    top, bottom = thick + 1, pad.height - thick - 1
    pad.area(thick + 1, top, full, bottom, liquid, 3, max(cut - thick - 1, 1))
    pad.area(thick + 2, top, full - 1, top + max(1, (bottom - top) // 4), liquid, 4.4)
    pad.area(thick + 2, bottom - max(1, (bottom - top) // 4), full - 1, bottom, liquid, 1.8)
    pad.area(thick + 4, top + 1, thick + 4 + (full - thick) // 5, top + 2, liquid, 6)
    pad.area(full - 1, top + 1, full, bottom - 1, liquid, 5)
    return cut + 2


def _slot(pad: _Pad) -> int:
    thick = max(3, min(6, min(pad.width, pad.height) // 9))
    _bordered(pad, thick, pad.skin.round)
    dark = pad.look.ink(pad.skin.field if pad.skin.field != "#efdfb6" else "#d8c08c", Surface.SOFT)
    pad.area(thick, thick, pad.width - thick, pad.height - thick, dark, 1.8)
    pad.area(thick + 1, thick + 1, pad.width - thick, pad.height - thick, dark, 3.0)
    pad.area(thick + 1, thick + 1, pad.width - thick - 1, pad.height - thick - 1, dark, 2.2)
    _studs(pad, thick)
    return thick + 3


def _grid(pad: _Pad) -> int:
    thick = _thickness(pad)
    _, field = _bordered(pad, thick, pad.skin.round)
    _shade(pad, thick, field)
    cell = max(10, min(22, min(pad.width, pad.height) // 3))
    columns, rows = (pad.width - 2 * thick - 2) // (cell + 1), (pad.height - 2 * thick - 2) // (cell + 1)
    left, top = (pad.width - columns * (cell + 1) + 1) // 2, (pad.height - rows * (cell + 1) + 1) // 2
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * (cell + 1), top + row * (cell + 1)
            pad.area(x, y, x + cell, y + cell, field, 0, 1)
            pad.area(x + 1, y + 1, x + cell - 1, y + cell - 1, field, 1.4)
            pad.area(x + 2, y + 2, x + cell - 1, y + cell - 1, field, 3.8)
            pad.area(x + 2, y + 2, x + cell - 2, y + cell - 2, field, 2.2)
    _studs(pad, thick)
    return thick + 2


def _dialog(pad: _Pad) -> int:
    _panel(pad)
    thick = _thickness(pad)
    look, skin = pad.look, pad.skin
    rim, field = look.ink(skin.rim, skin.surface), look.ink(skin.field, Surface.SOFT)
    wide = pad.width // 3
    high = max(9, pad.height // 6)
    pad.area(thick + 2, 0, thick + 2 + wide, high, rim, 0, 2)
    pad.area(thick + 3, 1, thick + 1 + wide, high - 1, rim, 4.4, 1)
    pad.area(thick + 4, 2, thick + 1 + wide, high - 1, rim, 2, 1)
    pad.area(thick + 4, 2, thick + wide, high - 2, field, 2.2, 0)
    mark = look.ink(skin.accent, Surface.FLAT)
    for row in range(4):
        pad.area(
            pad.width - thick - 9 + row,
            pad.height - thick - 7 + row,
            pad.width - thick - 2 - row,
            pad.height - thick - 6 + row,
            mark,
            3,
        )
    return max(thick + 4, high)


def _banner(pad: _Pad) -> int:
    look = pad.look
    cloth = look.tone(0, "banner", ("#c23b3f", "#3b66b8", "#7a4aa8", "#3f8f4c"))
    g = pad.canvas
    w, h = pad.width, pad.height
    fold = max(8, w // 8)
    for side in (-1, 1):
        x = 0 if side < 0 else w
        tip = x + fold * 0.5 * -side
        g.poly(
            [
                (x, h * 0.3),
                (x - side * fold * 1.5, h * 0.3),
                (x - side * fold * 1.5, h - 1),
                (x, h - 1),
                (tip, h * 0.65),
            ],
            cloth,
            lift=-1.2,
        )
        g.poly(
            [(x - side * fold * 0.9, h * 0.78), (x - side * fold * 1.5, h * 0.78), (x - side * fold * 1.5, h - 1)],
            cloth,
            lift=-2.4,
        )
    g.poly(box(fold * 0.9, 1, w - fold * 1.8, h * 0.78), cloth, Form.BEVEL, bevel=2.4)
    for y in (h * 0.12, h * 0.66):
        g.poly(box(fold * 0.9 + 2, y, w - fold * 1.8 - 4, 1.2), look.gold, edge=False, lift=0.6)
    outline(g)
    return fold + 2


def _checkbox(pad: _Pad) -> int:
    border = _slot(pad)
    g, look = pad.canvas, pad.look
    u = min(pad.width, pad.height) / 32
    x, y = pad.width / 2, pad.height / 2
    mark = look.tone(0, "mark", ("#6ad04c",), Surface.GLOSS)
    g.path([(x - 7 * u, y, 2.2 * u), (x - 2 * u, y + 6 * u, 2.2 * u), (x + 9 * u, y - 8 * u, 2.0 * u)], mark)
    return border


def _cursor(pad: _Pad) -> int:
    g, look = pad.canvas, pad.look
    u = min(pad.width, pad.height) / 32
    ink = look.tone(0, "cursor", ("#f0f0f4", "#f4d470"), Surface.GLOSS)
    points = [(4, 2), (4, 25), (10, 19.6), (14, 28.4), (18.4, 26.4), (14.6, 18), (22.6, 18)]
    left = (pad.width - 27 * u) / 2
    g.poly([(left + px * u, py * u) for px, py in points], ink, Form.BEVEL, bevel=1.8 * u)
    outline(g)
    return 1


_PARTS: Final = {
    "panel": _panel, "button": _button, "bar": _bar, "slot": _slot, "grid": _grid, "dialog": _dialog, "banner": _banner,
    "checkbox": _checkbox, "cursor": _cursor,
}  # fmt: skip
