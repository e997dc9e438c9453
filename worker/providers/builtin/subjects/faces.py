"""Eyes and mouths that many creatures share."""

from worker.providers.builtin.canvas import Canvas, Form, rounded
from worker.providers.builtin.ink import Ink, Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import Pose


def eyes(
    g: Canvas, look: Look, pose: Pose, x: float, y: float, apart: float, size: float = 1.0, *, bright: bool = False
) -> None:
    """Draw two eyes around (x, y); shut in pain or blinking, angry in dark moods.

    `bright` rims them white, for dark faces.
    """
    if pose.from_behind:
        return
    angry = look.reading.mood in ("dark", "spooky")
    for side in (-1, 1):
        ex = x + side * apart
        if pose.pain:
            g.path(
                [
                    (ex - side * 1.6 * size, y - 1.4 * size, 0.5),
                    (ex + side * 1.2 * size, y, 0.5),
                    (ex - side * 1.6 * size, y + 1.4 * size, 0.5),
                ],
                look.dark,
                edge=False,
            )
        elif pose.blink:
            g.dot(ex, y + 0.6 * size, 3.0 * size, 1.0 * size, look.dark)
        elif angry:
            glow = look.ink("#f8e060", Surface.FLAT)
            g.blob(ex, y, 2.1 * size, 2.1 * size, glow, lift=0.4)
            g.dot(ex + 0.5 * size, y + 0.3 * size, 1.1 * size, 1.8 * size, look.dark)
            g.path(
                [(ex - side * 2.0 * size, y - 0.9 * size, 0.8), (ex + side * 2.4 * size, y - 2.6 * size, 0.8)],
                look.dark,
                edge=False,
            )
        else:
            if bright:
                g.dot(ex, y, 3.5 * size, 4.6 * size, look.white)
            g.dot(ex, y, 2.3 * size, 3.8 * size, look.dark)
            g.dot(ex - 0.5 * size, y - 1.0 * size, 1.1 * size, 1.3 * size, look.white)


def smile(g: Canvas, look: Look, pose: Pose, x: float, y: float, size: float = 1.0) -> None:
    """Draw a mouth: a small smile, or open as wide as the pose shouts."""
    if pose.from_behind:
        return
    if pose.shout > 0.2:
        g.blob(
            x,
            y + 0.6 * size,
            2.2 * size,
            (0.8 + 2.0 * pose.shout) * size,
            look.ink("#7a2440", Surface.FLAT),
            lift=-0.5,
            edge=False,
        )
        return
    g.path(
        [(x - 2.0 * size, y - 0.5 * size, 0.4), (x, y + 0.6 * size, 0.45), (x + 2.0 * size, y - 0.5 * size, 0.4)],
        look.dark,
        edge=False,
    )


def blush(g: Canvas, look: Look, x: float, y: float, apart: float, on: Ink) -> None:
    """Draw rosy cheeks when the mood is a friendly one."""
    if look.reading.mood in ("cute", "cheerful", ""):
        rose = look.ink("#f2949c", Surface.FLAT)
        for side in (-1, 1):
            g.dot(x + side * apart, y, 2.4, 1.3, rose, on=on)


def soul(g: Canvas, look: Look, y: float) -> None:
    """Draw what leaves a body at the end, its middle at height y."""
    ink = look.ink("#dcecf8", Surface.SOFT)
    shape = [(-4, y + 5), (-4.4, y - 1), (0, y - 6), (4.4, y - 1), (4, y + 4), (6.5, y + 8), (1, y + 7)]
    g.poly(rounded(shape, 4), ink, Form.DOME)
    for x in (-1.4, 1.8):
        g.dot(x, y - 0.6, 1.0, 1.8, look.dark)
