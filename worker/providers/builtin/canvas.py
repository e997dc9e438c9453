"""A canvas of inks and light levels, and the shapes that are painted on it.

A pixel holds which ink covers it (0: none) and how light it is there (a level of the ink's ramp); colours come last.
Shapes are given in units of the drawing, y downwards; the canvas knows where and how large they land, so the same
drawing serves every size. With `measuring` nothing is painted: the canvas only learns how far the shapes reach.
Light comes from the top left, towards the viewer.
"""

import contextlib
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from worker.providers.builtin.ink import Ink

Point = tuple[float, float]
#: x, y and radius.
Bead = tuple[float, float, float]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
#: x' = a x + c y + e, y' = b x + d y + f.
Matrix = tuple[float, float, float, float, float, float]

_LIGHT: Final = (-0.50, -0.62, 0.604)
#: The light at which a surface shows its own colour, and how many levels one unit of light is.
_NEUTRAL: Final = 0.42
_STEPS: Final = 2.1
_TINY: Final = 1e-9


class Form(Enum):
    """How a polygon bulges."""

    FLAT = "flat"
    BARREL = "barrel"
    DOME = "dome"
    BEVEL = "bevel"


#: Slices of rows and columns, or their numbers when the canvas wraps.
_Selection = tuple[slice, slice] | tuple[NDArray[np.intp], ...]


@dataclass(slots=True)
class _Region:
    """The part of the canvas a shape may touch, with the pixels' places in units of the drawing."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    x: Floats
    y: Floats
    #: What selects the pixels from the canvas.
    where: _Selection


class Canvas:
    """Where shapes are painted."""

    def __init__(
        self,
        width: int,
        height: int,
        *,
        line: int = 1,
        inner_lines: bool = True,
        wrap: bool = False,
        measuring: bool = False,
    ) -> None:
        """Make an empty canvas; `line` is the width of outlines in pixels, `wrap` joins opposite sides."""
        self.width = width
        self.height = height
        self.ink = np.zeros((height, width), dtype=np.uint16)
        self.level = np.zeros((height, width), dtype=np.float32)
        self.line = line
        self.inner_lines = inner_lines
        self.wrap = wrap
        self.measuring = measuring
        self.extent: list[float] = [math.inf, math.inf, -math.inf, -math.inf]
        self._matrix: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

    # ------------------------------------------------------------------ places

    def place(self, scale: float, x: float, y: float) -> None:
        """Let the drawing's origin land on pixel (x, y), `scale` pixels a unit."""
        self._matrix = (scale, 0.0, 0.0, scale, x, y)

    @property
    def scale(self) -> float:
        """Pixels per unit here."""
        a, b, c, d, _, _ = self._matrix
        return math.sqrt(abs(a * d - b * c)) or _TINY

    @contextlib.contextmanager
    def moved(
        self, x: float = 0.0, y: float = 0.0, *, turn: float = 0.0, wide: float = 1.0, tall: float = 1.0
    ) -> Iterator[None]:
        """Draw moved, turned (degrees, clockwise) and stretched for a while."""
        before = self._matrix
        a, b, c, d, e, f = before
        sine, cosine = math.sin(math.radians(turn)), math.cos(math.radians(turn))
        p, q, r, s = cosine * wide, sine * wide, -sine * tall, cosine * tall
        self._matrix = (
            a * p + c * q,
            b * p + d * q,
            a * r + c * s,
            b * r + d * s,
            a * x + c * y + e,
            b * x + d * y + f,
        )
        try:
            yield
        finally:
            self._matrix = before

    @contextlib.contextmanager
    def unlined(self) -> Iterator[None]:
        """Draw without lines between shapes for a while."""
        before, self.inner_lines = self.inner_lines, False
        try:
            yield
        finally:
            self.inner_lines = before

    def at(self, x: float, y: float) -> Point:
        """Return the pixel place of a point of the drawing."""
        a, b, c, d, e, f = self._matrix
        return a * x + c * y + e, b * x + d * y + f

    def _light(self) -> tuple[float, float, float]:
        """Return the direction of the light as the drawing sees it, turned and mirrored as it is now."""
        a, b, c, d, _, _ = self._matrix
        one, two = math.hypot(a, b) or _TINY, math.hypot(c, d) or _TINY
        x, y, z = _LIGHT
        return (a * x + b * y) / one, (c * x + d * y) / two, z

    def _region(self, points: Sequence[Point], reach: float = 0.0) -> _Region | None:
        """Return the pixels around some points of the drawing; None when nothing is to be painted."""
        placed = [self.at(*point) for point in points]
        margin = reach * self.scale
        low_x, high_x = min(p[0] for p in placed) - margin, max(p[0] for p in placed) + margin
        low_y, high_y = min(p[1] for p in placed) - margin, max(p[1] for p in placed) + margin
        if self.measuring:
            here = self.extent
            self.extent = [min(here[0], low_x), min(here[1], low_y), max(here[2], high_x), max(here[3], high_y)]
            return None
        pad = self.line + 1
        x0, x1 = math.floor(low_x) - pad, math.ceil(high_x) + pad
        y0, y1 = math.floor(low_y) - pad, math.ceil(high_y) + pad
        if not self.wrap:
            x0, x1, y0, y1 = max(x0, 0), min(x1, self.width), max(y0, 0), min(y1, self.height)
        if x0 >= x1 or y0 >= y1:
            return None
        rows, columns = np.arange(y0, y1), np.arange(x0, x1)
        px, py = (columns + 0.5)[None, :], (rows + 0.5)[:, None]
        a, b, c, d, e, f = self._matrix
        det = a * d - b * c
        if abs(det) < _TINY:
            return None
        x = (d * (px - e) - c * (py - f)) / det
        y = (a * (py - f) - b * (px - e)) / det
        where: _Selection = (slice(y0, y1), slice(x0, x1))
        if self.wrap:
            where = np.ix_(rows % self.height, columns % self.width)
        return _Region(rows, columns, x, y, where)

    # ------------------------------------------------------------------ painting

    def _paint(
        self, region: _Region, mask: Mask, level: Floats | float, ink: Ink, *, edge: bool, on: Ink | None
    ) -> None:
        if not mask.any():
            return
        where = region.where
        inks, levels = self.ink[where], self.level[where]
        if on is not None:
            mask = mask & (inks == on.row)
        if edge and self.inner_lines:
            ring = dilate(mask, self.line) & ~mask & (inks > 0)
            inks[ring] = ink.row
            levels[ring] = 0.0
        inks[mask] = ink.row
        levels[mask] = level[mask] if isinstance(level, np.ndarray) else level
        if self.wrap:
            # Slices are views on the canvas, numbered rows and columns are copies.
            self.ink[where] = inks
            self.level[where] = levels

    @staticmethod
    def _levels(light: Floats, ink: Ink, lift: float) -> Floats:
        level = 3.0 + lift + (light - _NEUTRAL) * (_STEPS * ink.contrast)
        if ink.gloss < 1.0:
            level = np.where(light > ink.gloss, 5.0, np.minimum(level, 4.4))
        clipped: Floats = np.clip(level, 1.0, 5.4)
        return clipped

    def blob(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float,
        ink: Ink,
        *,
        lift: float = 0.0,
        edge: bool = True,
        on: Ink | None = None,
    ) -> None:
        """Paint an ellipse, lit as a ball."""
        least = 0.55 / self.scale if not self.measuring else 0.0
        rx, ry = max(abs(rx), least), max(abs(ry), least)
        region = self._region([(x - rx, y - ry), (x + rx, y - ry), (x - rx, y + ry), (x + rx, y + ry)])
        if region is None:
            return
        qx, qy = (region.x - x) / rx, (region.y - y) / ry
        square = qx * qx + qy * qy
        lx, ly, lz = self._light()
        light = qx * lx + qy * ly + lz * np.sqrt(np.maximum(1.0 - square, 0.0))
        self._paint(region, square <= 1.0, self._levels(light, ink, lift), ink, edge=edge, on=on)

    def path(
        self, beads: Sequence[Bead], ink: Ink, *, lift: float = 0.0, edge: bool = True, on: Ink | None = None
    ) -> None:
        """Paint a string of beads joined by tapering tubes: limbs, tails, ropes, blades of grass."""
        least = 0.5 / self.scale if not self.measuring else 0.0
        reach = max(bead[2] for bead in beads)
        region = self._region([(x, y) for x, y, _ in beads], max(reach, least))
        if region is None:
            return
        lx, ly, lz = self._light()
        shape = np.broadcast_shapes(region.x.shape, region.y.shape)
        best = np.full(shape, np.inf)
        light = np.zeros(shape)
        joined = list(itertools.pairwise(beads)) or [(beads[0], beads[0])]
        for (x0, y0, r0), (x1, y1, r1) in joined:
            dx, dy = x1 - x0, y1 - y0
            ux, uy = region.x - x0, region.y - y0
            along = np.clip((ux * dx + uy * dy) / (dx * dx + dy * dy + _TINY), 0.0, 1.0)
            radius = np.maximum(r0 + (r1 - r0) * along, least)
            nx, ny = (ux - along * dx) / radius, (uy - along * dy) / radius
            square = nx * nx + ny * ny
            lit = nx * lx + ny * ly + lz * np.sqrt(np.maximum(1.0 - square, 0.0))
            nearer = square < best
            best = np.where(nearer, square, best)
            light = np.where(nearer, lit, light)
        self._paint(region, best <= 1.0, self._levels(light, ink, lift), ink, edge=edge, on=on)

    def poly(
        self,
        points: Sequence[Point],
        ink: Ink,
        form: Form = Form.FLAT,
        *,
        bevel: float = 1.5,
        lift: float = 0.0,
        edge: bool = True,
        on: Ink | None = None,
    ) -> None:
        """Paint a polygon: flat, bulging sideways or as a dome, or with edges `bevel` units wide."""
        region = self._region(points)
        if region is None:
            return
        mask = self._inside(region, [self.at(*point) for point in points])
        level: Floats | float = 3.0 + lift
        if form is Form.BEVEL:
            level = self._bevelled(region, points, ink, bevel, lift)
        elif form is not Form.FLAT:
            xs, ys = [p[0] for p in points], [p[1] for p in points]
            half = max((max(xs) - min(xs)) / 2, _TINY)
            qx = np.clip((region.x - (max(xs) + min(xs)) / 2) / half, -1, 1)
            qy = np.zeros_like(region.y)
            if form is Form.DOME:
                qy = np.clip((region.y - (max(ys) + min(ys)) / 2) / max((max(ys) - min(ys)) / 2, _TINY), -1, 1)
            square = qx * qx + qy * qy
            long = np.maximum(np.sqrt(square), 1.0)
            lx, ly, lz = self._light()
            light = (qx * lx + qy * ly) / long + lz * np.sqrt(np.maximum(1.0 - square, 0.0))
            if form is Form.BARREL:
                light = light + 0.12
            level = self._levels(light, ink, lift)
        self._paint(region, mask, level, ink, edge=edge, on=on)

    @staticmethod
    def _inside(region: _Region, placed: Sequence[Point]) -> Mask:
        """Tell which pixels lie in a polygon of pixel places, by the even-odd rule."""
        px, py = (region.columns + 0.5)[None, :], region.rows + 0.5
        mask = np.zeros((len(region.rows), len(region.columns)), dtype=np.bool_)
        top = int(region.rows[0])
        for (x0, y0), (x1, y1) in zip(placed, [*placed[1:], placed[0]], strict=True):
            if abs(y1 - y0) < _TINY:
                continue
            first = max(math.ceil(min(y0, y1) - 0.5 - top), 0)
            last = min(math.ceil(max(y0, y1) - 0.5 - top), len(mask))
            if first >= last:
                continue
            where = x0 + (py[first:last] - y0) * ((x1 - x0) / (y1 - y0))
            mask[first:last] ^= px > where[:, None]
        return mask

    def _bevelled(self, region: _Region, points: Sequence[Point], ink: Ink, bevel: float, lift: float) -> Floats:
        """Return levels that rise at edges facing the light and fall at the others."""
        lx, ly, _ = self._light()
        shape = np.broadcast_shapes(region.x.shape, region.y.shape)
        nearest = np.full(shape, bevel)
        level = np.full(shape, 3.0 + lift)
        area = sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(points, [*points[1:], points[0]], strict=True))
        sign = 1.0 if area > 0 else -1.0
        for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[0]], strict=True):
            dx, dy = x1 - x0, y1 - y0
            long = math.hypot(dx, dy)
            if long < _TINY:
                continue
            nx, ny = sign * dy / long, -sign * dx / long
            along = np.clip(((region.x - x0) * dx + (region.y - y0) * dy) / (long * long), 0, 1)
            away = np.hypot(region.x - x0 - along * dx, region.y - y0 - along * dy)
            nearer = away < nearest
            nearest = np.where(nearer, away, nearest)
            level = np.where(nearer, 3.0 + lift + (nx * lx + ny * ly) * 2.2 * max(ink.contrast, 0.7), level)
        bevelled: Floats = np.clip(level, 1.0, 5.4)
        return bevelled

    def dot(
        self, x: float, y: float, wide: float, tall: float, ink: Ink, level: float = 3.0, *, on: Ink | None = None
    ) -> None:
        """Paint a small upright rectangle around (x, y), at least one pixel, fitted to the pixel grid: eyes, rivets."""
        if self.measuring:
            self._region([(x - wide / 2, y - tall / 2), (x + wide / 2, y + tall / 2)])
            return
        px, py = self.at(x, y)
        columns, rows = max(1, round(wide * self.scale)), max(1, round(tall * self.scale))
        left, top = _snap(px - columns / 2), _snap(py - rows / 2)
        if not self.wrap:
            x0, x1 = max(left, 0), min(left + columns, self.width)
            y0, y1 = max(top, 0), min(top + rows, self.height)
        else:
            x0, x1, y0, y1 = left, left + columns, top, top + rows
        if x0 >= x1 or y0 >= y1:
            return
        where = np.ix_(np.arange(y0, y1) % self.height, np.arange(x0, x1) % self.width)
        covered = self.ink[where]
        mask = covered == on.row if on is not None else np.ones(covered.shape, dtype=np.bool_)
        self.ink[where] = np.where(mask, ink.row, covered)
        self.level[where] = np.where(mask, level, self.level[where])

    def cut(self, x: float, y: float, rx: float, ry: float) -> None:
        """Take an ellipse away again."""
        if self.measuring:
            return
        region = self._region([(x - rx, y - ry), (x + rx, y - ry), (x - rx, y + ry), (x + rx, y + ry)])
        if region is None:
            return
        mask = ((region.x - x) / rx) ** 2 + ((region.y - y) / ry) ** 2 <= 1.0
        where = region.where
        self.ink[where] = np.where(mask, 0, self.ink[where])

    def relight(self, x: float, y: float, rx: float, ry: float, by: float, *, on: Ink | None = None) -> None:
        """Make what is painted inside an ellipse lighter or darker by so many levels."""
        region = self._region([(x - rx, y - ry), (x + rx, y + ry)]) if not self.measuring else None
        if region is None:
            return
        mask = ((region.x - x) / rx) ** 2 + ((region.y - y) / ry) ** 2 <= 1.0
        where = region.where
        inks, levels = self.ink[where], self.level[where]
        mask &= (inks > 0) & (levels > 0.5)
        if on is not None:
            mask &= inks == on.row
        self.level[where] = np.where(mask, np.clip(levels + by, 1.0, 7.0), levels)


def _snap(value: float) -> int:
    """Round to a whole pixel; halves always the same way, however the last bit fell."""
    return math.floor(value + 0.5 - 1e-6)


def dilate(mask: Mask, width: int) -> Mask:
    """Grow a mask by so many pixels: by its four neighbours, every other time by eight."""
    grown = mask.copy()
    for turn in range(width):
        before = grown.copy()
        grown[1:] |= before[:-1]
        grown[:-1] |= before[1:]
        if turn % 2:
            before = grown.copy()
        grown[:, 1:] |= before[:, :-1]
        grown[:, :-1] |= before[:, 1:]
    return grown


def rounded(points: Sequence[Point], steps: int = 4) -> list[Point]:
    """Return a closed smooth curve through the points (Catmull-Rom), as a polygon."""
    result: list[Point] = []
    count = len(points)
    for index in range(count):
        p0, p1, p2, p3 = (points[(index + offset) % count] for offset in (-1, 0, 1, 2))
        for step in range(steps):
            t = step / steps
            result.append((_spline(t, p0[0], p1[0], p2[0], p3[0]), _spline(t, p0[1], p1[1], p2[1], p3[1])))
    return result


def _spline(t: float, p0: float, p1: float, p2: float, p3: float) -> float:
    return 0.5 * (
        2 * p1 + (p2 - p0) * t + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t * t + (3 * p1 - p0 - 3 * p2 + p3) * t * t * t
    )


def arc(
    x: float, y: float, radius: float, start: float, stop: float, steps: int = 10, *, tall: float = 1.0
) -> list[Point]:
    """Return points along an arc; angles in degrees, 0 to the right, 90 downwards."""
    angles = [math.radians(start + (stop - start) * step / steps) for step in range(steps + 1)]
    return [(x + radius * math.cos(angle), y + radius * tall * math.sin(angle)) for angle in angles]


def box(x: float, y: float, wide: float, tall: float) -> list[Point]:
    """Return the corners of an upright rectangle given by its left top corner."""
    return [(x, y), (x + wide, y), (x + wide, y + tall), (x, y + tall)]


def star(x: float, y: float, outer: float, inner: float, count: int = 5) -> list[Point]:
    """Return the outline of a star with one point up."""
    result = []
    for index in range(count * 2):
        radius = inner if index % 2 else outer
        angle = math.pi * index / count - math.pi / 2
        result.append((x + radius * math.cos(angle), y + radius * math.sin(angle)))
    return result
