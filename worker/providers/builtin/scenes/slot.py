"""The framed ground of an icon that is not transparent."""

import numpy as np

from worker.providers.builtin.canvas import Canvas
from worker.providers.builtin.ink import Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.scenes.light import ordered, vignette
from worker.providers.builtin.scenes.portrait import ground_color


def slot(canvas: Canvas, look: Look) -> None:
    """Fill what is empty with a rounded, bevelled slot, its corners dark."""
    height, width = canvas.ink.shape
    rim = look.ink("#8d8478", Surface.METAL)
    field = look.ink(ground_color(look), Surface.SOFT)
    thick = max(2, min(height, width) // 20)
    y, x = np.arange(height)[:, None], np.arange(width)[None, :]
    edge_y, edge_x = np.minimum(y, height - 1 - y), np.minimum(x, width - 1 - x)
    inset = np.minimum(edge_x, edge_y)
    corner = edge_x + edge_y
    empty = canvas.ink == 0
    level = np.floor(vignette(height, width, 3.6, 1.2) + ordered(height, width) - 0.5 + 0.5)
    level = np.where((inset == thick + 1) & ((y == thick + 1) | (x == thick + 1)), 1.0, level)
    ink = np.where(inset > thick, field.row, rim.row)
    upper = (y == inset) | (x == inset)
    level = np.where(inset <= thick, np.where(upper & (inset > 0), 4.4, np.where(inset > 0, 2.0, 0.0)), level)
    level = np.where(inset == thick, 0.0, level)
    level = np.where(corner < 3, 0.0, level)
    canvas.ink[empty] = np.broadcast_to(ink, empty.shape)[empty]
    canvas.level[empty] = np.broadcast_to(level, empty.shape)[empty]
