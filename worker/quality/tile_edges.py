"""Whether tiles join without a seam."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Final

from domain.kinds import AssetType
from worker.artifacts import Verdict
from worker.quality.frames import Measured
from worker.quality.scores import HALF, at_most
from worker.quality.seams import Edge, Edges, unexplained

#: Mean unexplained step (OKLab) over the joins of a tile that can just be seen as a grid.
_LIMIT: Final = 0.03
_CORNERS: Final = 4
#: Joins measured a tile and side; of more, every n-th.
_JOINS: Final = 16
#: Places in [top left, top right, bottom left, bottom right, top, right, bottom, left] along the four sides.
_RIGHT, _LEFT, _BOTTOM, _TOP = (1, 3, 5), (0, 2, 7), (2, 3, 6), (0, 1, 4)

_Corners = tuple[Hashable, ...]


def check_tile_edges(measured: Measured) -> tuple[Verdict, ...]:
    """Score the tile that joins worst with those that have equal corners along its right and lower edge.

    Half marks at a mean unexplained step of 0.03 (OKLab). When the provider does not say what the corners are and
    seamless was asked for, the tile that joins itself best counts: at least one has to fill an area.
    """
    if measured.subject.asset_type is not AssetType.TILESET:
        return ()
    edges = {frame.picture.index: frame.edges for frame in measured.frames if frame.edges is not None}
    corners = {index: found for index, found in _corners(measured.subject.details).items() if index in edges}
    if corners:
        steps = {index: step for index in corners if (step := _worst_side(index, edges, corners)) is not None}
        if steps:
            return (_verdict(*max((step, f"Tile {index}") for index, step in steps.items())),)
    if not measured.subject.params.seamless:
        return ()
    own = [max(_joins([(tile.across, tile.across)]), _joins([(tile.down, tile.down)])) for tile in edges.values()]
    return (_verdict(min(own), "Every tile"),)


def _worst_side(index: int, edges: Mapping[int, Edges], corners: Mapping[int, _Corners]) -> float | None:
    """Return the larger mean unexplained step of a tile's right and lower edge; None when nothing fits there."""
    own, tile = corners[index], edges[index]
    right = [edges[other].across for other in _fitting(own, corners, _RIGHT, _LEFT)]
    below = [edges[other].down for other in _fitting(own, corners, _BOTTOM, _TOP)]
    sides = [[(tile.across, other) for other in right], [(tile.down, other) for other in below]]
    return max((_joins(pairs) for pairs in sides if pairs), default=None)


def _fitting(
    own: _Corners, corners: Mapping[int, _Corners], leaving: Sequence[int], entering: Sequence[int]
) -> Sequence[int]:
    wanted = [own[place] for place in leaving]
    found = [index for index, other in corners.items() if [other[place] for place in entering] == wanted]
    return found[:: -(-len(found) // _JOINS)] if found else []


def _joins(pairs: Iterable[tuple[Edge, Edge]]) -> float:
    steps = [step for before, after in pairs if (step := unexplained(before, after)) is not None]
    return sum(steps) / len(steps) if steps else 0.0


def _verdict(step: float, which: str) -> Verdict:
    score = at_most(step, _LIMIT)
    if score >= HALF:
        return Verdict("tile_edges", score, HALF, "Tiles join without a seam.")
    reason = (
        f"{which} does not join those with equal corners: the colors jump by {step:.3f} (OKLab) more than anywhere "
        "inside. Make the edges of tiles with the same terrain continue each other."
    )
    return Verdict("tile_edges", score, HALF, reason)


def _corners(details: Mapping[str, object]) -> dict[int, _Corners]:
    """Read `tiles`: a list of {index, corners: [top left, top right, bottom left, bottom right]}, maybe with `edges`.

    Providers write it, so whatever has another shape is passed over.
    """
    tiles = details.get("tiles")
    if not isinstance(tiles, list | tuple):
        return {}
    found: dict[int, _Corners] = {}
    for tile in tiles:
        if isinstance(tile, Mapping):
            index, corners = tile.get("index"), tile.get("corners")
            if isinstance(index, int) and isinstance(corners, list | tuple) and len(corners) == _CORNERS:
                edges = tile.get("edges")
                sides = edges if isinstance(edges, list | tuple) and len(edges) == _CORNERS else (None,) * _CORNERS
                found[index] = tuple(part if isinstance(part, int | str) else None for part in (*corners, *sides))
    return found
