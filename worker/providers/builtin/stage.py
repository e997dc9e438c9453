"""Puts a drawing into a frame: measures it, scales it to fit, paints it on a grid and brings it to size."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image

from worker.providers.builtin.canvas import Canvas
from worker.providers.builtin.color import Bytes
from worker.providers.builtin.finish import Manner, centered, colored, enlarged, outline, reduced
from worker.providers.builtin.look import Look
from worker.providers.builtin.pose import Pose

Drawing = Callable[[Canvas, Look, Pose], None]
#: Left, top, right, bottom in units of the drawing.
Extent = tuple[float, float, float, float]
#: Smooth pictures are drawn so many times larger, as long as they stay below a side the machine draws fast.
_SMOOTHING: Final = 4
_FASTEST_SIDE: Final = 640
_MARGIN: Final = 0.045


@dataclass(frozen=True, slots=True)
class Grid:
    """The pixels a picture is drawn on, and how they become the pixels asked for."""

    width: int
    height: int
    #: Every grid pixel becomes so many pixels a side ...
    enlarge: int
    #: ... or so many grid pixels a side become one.
    reduce: int

    @property
    def line(self) -> int:
        """Return the width of outlines on this grid."""
        return max(1, round(min(self.width, self.height) / 72)) if self.reduce > 1 or self.width > 160 else 1


def grid_for(width: int, height: int, manner: Manner, *, cover: bool = False, grid: int | None = None) -> Grid:
    """Choose the grid for a picture; with `cover` it is at least as large as asked, else at most."""
    limit = manner.grid if grid is None or manner.grid == 0 else grid
    if limit == 0:
        side = max(width, height)
        times = max(1, min(_SMOOTHING, _FASTEST_SIDE // side))
        if side > _FASTEST_SIDE:
            shrink = max(1, min(-(-side // _FASTEST_SIDE), min(width, height) // 12))
            return (
                Grid(-(-width // shrink), -(-height // shrink), shrink, 1)
                if cover
                else Grid(width // shrink, height // shrink, shrink, 1)
            )
        return Grid(width * times, height * times, 1, times)
    factor = max(1, -(-max(width, height) // limit))
    # A very flat picture keeps at least a few pixels across.
    factor = max(1, min(factor, min(width, height) // 12))
    if cover:
        return Grid(-(-width // factor), -(-height // factor), factor, 1)
    return Grid(width // factor, height // factor, factor, 1)


def extent_of(drawing: Drawing, look: Look, poses: Sequence[Pose]) -> Extent:
    """Measure how far a drawing reaches in any of the poses."""
    canvas = Canvas(1, 1, measuring=True)
    for pose in poses:
        drawing(canvas, look, pose)
    left, top, right, bottom = canvas.extent
    return left, top, right, bottom


@dataclass(frozen=True, slots=True)
class Placing:
    """Where the drawing's origin lands, and its scale."""

    scale: float
    x: float
    y: float


def fit(extent: Extent, grid: Grid, *, grounded: bool, margin: float = _MARGIN) -> Placing:
    """Fit an extent into the grid with room for the outline; grounded things stand near the lower edge."""
    left, top, right, bottom = extent
    edge = grid.line + 0.5 + margin * min(grid.width, grid.height)
    room_x, room_y = grid.width - 2 * edge, grid.height - 2 * edge
    scale = min(room_x / max(right - left, 1e-6), room_y / max(bottom - top, 1e-6))
    # Whole and half pixels keep both sides of a symmetric drawing alike.
    x = round((grid.width - scale * (left + right)) * 0.5 * 2) / 2
    y = round(grid.height - edge - scale * bottom) if grounded else (grid.height - scale * (top + bottom)) / 2
    return Placing(scale, x, float(y))


def painted(drawing: Drawing, look: Look, pose: Pose, grid: Grid, placing: Placing, manner: Manner) -> Canvas:
    """Paint one pose on a fresh canvas, outlined as the manner has it."""
    canvas = Canvas(grid.width, grid.height, line=grid.line, inner_lines=manner.outlined)
    canvas.place(placing.scale, placing.x, placing.y)
    drawing(canvas, look, pose)
    if manner.outlined:
        outline(canvas)
    return canvas


def finished(canvas: Canvas, look: Look, grid: Grid, manner: Manner) -> Bytes:
    """Return the painted canvas in colours, at its grid's final size."""
    picture = colored(canvas, look.book, manner)
    if grid.reduce > 1:
        smooth = reduced(picture, grid.reduce)
        palette = look.book.palette
        if palette is not None:
            smooth[..., :3] = palette.nearest(smooth[..., :3])
            smooth[..., 3] = smooth[..., 3] // 128 * 255
            smooth[smooth[..., 3] == 0] = 0
        return smooth
    return enlarged(picture, grid.enlarge)


def render_poses(
    drawing: Drawing,
    look: Look,
    poses: Sequence[Pose],
    size: tuple[int, int],
    manner: Manner,
    *,
    grounded: bool,
    margin: float = _MARGIN,
) -> list[Bytes]:
    """Return one RGBA picture of the given (width, height) a pose, all at one scale and on one ground line."""
    width, height = size
    grid = grid_for(width, height, manner)
    placing = fit(extent_of(drawing, look, poses), grid, grounded=grounded, margin=margin)
    return [
        centered(finished(painted(drawing, look, pose, grid, placing, manner), look, grid, manner), width, height)
        for pose in poses
    ]


def encode(picture: Bytes) -> bytes:
    """Return RGBA as PNG; the same pixels give the same bytes."""
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "PNG", compress_level=6)
    return buffer.getvalue()
