"""Portraits: a bust before a softly lit ground."""

from worker.providers.builtin.canvas import Canvas
from worker.providers.builtin.color import Bytes, lch_of, shift
from worker.providers.builtin.finish import Manner, centered, outline
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import REST
from worker.providers.builtin.scenes.light import fill, vignette
from worker.providers.builtin.stage import Grid, extent_of, finished, fit, grid_for
from worker.providers.builtin.subjects.catalog import drawing_for, is_person
from worker.providers.builtin.subjects.person import draw_bust

_GROUNDS = ("#4a6a8a", "#7a5a6a", "#5a7a5c", "#6a5a8a", "#8a7048", "#4a7a7a")


def ground_color(look: Look) -> str:
    """Return a quiet colour for the ground, away from the subject's own."""
    tone = look.reading.tone()
    if not tone:
        return look.pick("ground", _GROUNDS)
    lightness, chroma, _ = lch_of(tone[0])
    return shift(tone[0], lightness=0.45 - lightness, chroma=min(1.0, 0.06 / max(chroma, 0.01)), hue=150)


def render_portrait(look: Look, size: tuple[int, int], manner: Manner, *, transparent: bool) -> Bytes:
    """Return a portrait, (height, width, 4)."""
    width, height = size
    grid = grid_for(width, height, manner, cover=True, grid=2 * manner.grid // 2 * 4 // 3)
    canvas = Canvas(grid.width, grid.height, line=grid.line, inner_lines=manner.outlined)
    drawing = drawing_for(look.reading)
    if is_person(look.reading):
        left, top, right, _ = extent_of(draw_bust, look, [REST])
        scale = min(grid.height * 0.96 / (-13.5 - top), grid.width * 1.12 / max(right - left, 24))
        canvas.place(scale, round(grid.width / 2 - scale * 0.6), round(grid.height + 13.5 * scale))
        draw_bust(canvas, look, REST)
    else:
        placing = fit(extent_of(drawing, look, [REST]), grid, grounded=False, margin=0.03)
        canvas.place(placing.scale, placing.x, placing.y)
        drawing(canvas, look, REST)
    if manner.outlined:
        outline(canvas)
    if not transparent:
        backdrop(canvas, look, manner, grid)
    return centered(finished(canvas, look, grid, manner), width, height)


def backdrop(canvas: Canvas, look: Look, manner: Manner, grid: Grid) -> None:
    """Lay a lit ground behind what is painted."""
    ink = look.ink(ground_color(look))
    levels = vignette(grid.height, grid.width, 4.3, 1.4)
    fill(canvas, ink, levels, dithered=manner.tones == 1 and grid.reduce == 1)
