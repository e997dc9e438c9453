"""Whether pictures join: with themselves when they are to wrap, with each other when they are tiles."""

from collections.abc import Mapping, Sequence
from typing import Final

from domain.kinds import AssetType
from worker.artifacts import Verdict
from worker.imaging.color import Floats, distance, oklab
from worker.imaging.indexed import Pixels
from worker.quality.subject import Frame, Measured, clipped

#: The step across the seam may be as large as the largest inside, give or take the rounding of colours.
_WRAP_THRESHOLD: Final = 0.9
#: Between two tiles it may be a little larger, because texture is random.
_EDGE_THRESHOLD: Final = 0.75
#: Steps below this OKLab distance cannot be seen, so they count as this.
_INVISIBLE: Final = 0.01
_ROWS: Final = 256


def check_seams(measured: Measured) -> tuple[Verdict, ...]:
    """Check what was asked for: that a seamless picture wraps both ways, and that tiles with equal corners join."""
    if measured.subject.asset_type is AssetType.TILESET:
        return _tile_edges(measured)
    return (_wrap(measured.frames[0]),) if measured.subject.params.seamless else ()


def _wrap(frame: Frame) -> Verdict:
    """Score the largest step inside against the step from the last to the first column, or row; the worse one."""
    across = _wrap_score(oklab(_thinned(frame.pixels)))
    down = _wrap_score(oklab(_thinned(frame.pixels.swapaxes(0, 1))))
    score, direction = min((across, "left and right"), (down, "top and bottom"))
    if score >= _WRAP_THRESHOLD:
        return Verdict("seam", clipped(score), _WRAP_THRESHOLD, "The picture wraps in both directions without a seam.")
    reason = (
        f"There is a seam between {direction}: the step across it is {1 / max(score, 0.01):.1f} times the largest "
        "inside. Make opposite edges continue each other."
    )
    return Verdict("seam", clipped(score), _WRAP_THRESHOLD, reason)


def _thinned(pixels: Pixels) -> Pixels:
    """Return every n-th row, all columns, without alpha."""
    return pixels[:: max(1, pixels.shape[0] // _ROWS), :, :3]


def _wrap_score(lab: Floats) -> float:
    inside = max(float(_steps(lab).max()), _INVISIBLE)
    seam = float(distance(lab[:, -1], lab[:, 0]).mean())
    return min(inside / max(seam, 1e-6), 1.0)


def _steps(lab: Floats) -> Floats:
    """Return the mean step from each column to the next."""
    steps: Floats = distance(lab[:, 1:], lab[:, :-1]).mean(axis=0)
    return steps


def _tile_edges(measured: Measured) -> tuple[Verdict, ...]:
    """Score, over all pairs of tiles whose corners agree along an edge, the largest step inside against that across."""
    corners = _corners(measured.subject.details)
    if corners is None:
        return ()
    labs = {frame.picture.index: oklab(frame.pixels[..., :3]) for frame in measured.frames}
    across = _joined(labs, corners, (1, 3), (0, 2), axis=1)
    down = _joined(labs, corners, (2, 3), (0, 1), axis=0)
    worst = min(across, down)
    score = clipped(worst)
    if score >= _EDGE_THRESHOLD:
        return (Verdict("tile_edges", score, _EDGE_THRESHOLD, "Tiles with equal corners join without a seam."),)
    reason = (
        f"Tiles do not join: the step across an edge is {1 / max(score, 0.01):.1f} times the largest inside a tile. "
        "Make the edges of tiles with the same terrain continue each other."
    )
    return (Verdict("tile_edges", score, _EDGE_THRESHOLD, reason),)


def _joined(
    labs: Mapping[int, Floats],
    corners: Mapping[int, Sequence[int]],
    leaving: tuple[int, int],
    entering: tuple[int, int],
    *,
    axis: int,
) -> float:
    """Return the worst score of the pairs in which the corners `leaving` one tile are those `entering` the other."""
    worst = 1.0
    turned = {index: lab if axis == 1 else lab.swapaxes(0, 1) for index, lab in labs.items() if index in corners}
    inside = {index: max(float(_steps(lab).max()), _INVISIBLE) for index, lab in turned.items()}
    for first, one in turned.items():
        for second, two in turned.items():
            if [corners[first][place] for place in leaving] != [corners[second][place] for place in entering]:
                continue
            seam = float(distance(one[:, -1], two[:, 0]).mean())
            worst = min(worst, max(inside[first], inside[second]) / max(seam, 1e-6))
    return worst


def _corners(details: Mapping[str, object]) -> dict[int, list[int]] | None:
    """Read `tiles`: a list of {index, corners: [top left, top right, bottom left, bottom right]}; None without it."""
    tiles = details.get("tiles")
    if not isinstance(tiles, list):
        return None
    return {int(tile["index"]): [int(corner) for corner in tile["corners"]] for tile in tiles}
