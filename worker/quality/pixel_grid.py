"""Whether painted pixel art was painted on a grid of pixels."""

from collections.abc import Mapping
from typing import Final

from worker.artifacts import Verdict
from worker.quality.scores import clipped
from worker.quality.subject import QualitySubject

#: It never fails a round: without a grid the picture is still usable, and models that miss it miss it again.
_THRESHOLD: Final = 0.0


def check_pixel_grid(subject: QualitySubject) -> tuple[Verdict, ...]:
    """Report the grid that was looked for in paintings of a pixel art style; nothing where none was looked for."""
    grid = subject.details.get("pixelGrid")
    if not isinstance(grid, Mapping):
        return ()
    confidence = grid.get("confidence")
    if not grid.get("found") or not isinstance(confidence, int | float):
        on_grid = f"{grid.get('withGrid', 0)} of {grid.get('pictures', 1)} paintings are on a grid of equal pixels"
        reason = (
            f"{on_grid}, so they were reduced as any picture is. "
            "Paint every pixel as a square block of one color, all blocks of one size and on one grid."
        )
        return (Verdict("pixel_grid", 0.0, _THRESHOLD, reason),)
    size = f"{grid.get('width')} x {grid.get('height')}"
    reason = (
        f"A pixel of the painting is {size} pixels large ({grid.get('columns')} x {grid.get('rows')} of them); it was "
        "reduced to exactly those."
    )
    return (Verdict("pixel_grid", clipped(confidence), _THRESHOLD, reason),)
