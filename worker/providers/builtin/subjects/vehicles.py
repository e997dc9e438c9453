"""Vehicles on wheels and motors."""

from worker.providers.builtin.canvas import Canvas, Form, rounded
from worker.providers.builtin.ink import Surface
from worker.providers.builtin.look import Look


def car(g: Canvas, look: Look) -> None:
    """Draw a car from its side, driving to the right; a racing car is low and has a spoiler."""
    racing = any(word in look.reading.text for word in ("rac", "赛"))
    paint = look.tone(0, "paint", ("#d03c3c", "#3a68c8", "#e8b03c", "#4a9a5c"), Surface.GLOSS)
    glass = look.ink("#9ad4f0", Surface.GLOSS)
    tyre = look.ink("#34343e")
    hub = look.ink("#b8c0cc", Surface.METAL)
    roof = -12.0 if racing else -16.0
    cabin = [(-9, -8), (-5, roof), (4, roof), (9, -8)]
    g.poly(rounded(cabin, 3), paint, Form.DOME)
    g.poly([(-6.6, -8), (-4, roof + 2), (-0.8, roof + 2), (-0.8, -8)], glass, edge=False)
    g.poly([(0.8, -8), (0.8, roof + 2), (3.4, roof + 2), (6.8, -8)], glass, edge=False)
    body = [(-18, -3), (-18, -8.6), (-8, -9.4), (9, -9.4), (17, -7), (19.4, -3)]
    g.poly(body, paint, Form.BARREL, lift=0.2)
    if racing:
        g.poly([(-19, -13.6), (-12, -13.6), (-13, -11.8), (-19, -11.8)], paint, lift=0.4)
        g.path([(-15.6, -11.6, 0.8), (-15, -8.8, 0.8)], look.dark)
        g.blob(0, -5.8, 3.0, 2.8, look.white)
        g.dot(0, -5.8, 1.4, 3.2, look.dark)
    g.dot(17.2, -5.4, 2.4, 2.0, look.gold, 5)
    g.dot(-17.2, -6.4, 1.6, 2.0, look.red)
    for x in (-11.0, 11.0):
        g.blob(x, -3.4, 4.4, 4.4, tyre)
        g.blob(x, -3.4, 2.0, 2.0, hub)


VEHICLES = {"car": car}
