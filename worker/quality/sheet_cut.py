"""Whether a painted sheet could be cut into frames without cutting through figures."""

from collections.abc import Mapping
from typing import Final

from worker.artifacts import Verdict
from worker.quality.scores import clipped
from worker.quality.subject import QualitySubject

#: A figure may touch its cell's edge with a quarter of its side: a sword's point, not half a body.
_THRESHOLD: Final = 0.75


def check_sheet_cut(subject: QualitySubject) -> tuple[Verdict, ...]:
    """Score the worst cut of a painted sheet, and report how far figures wandered, which is corrected."""
    cut = subject.details.get("sheetCut")
    if not isinstance(cut, Mapping):
        return ()
    severed, across, down = (_share(cut.get(name)) for name in ("severed", "driftAcross", "driftDown"))
    score = clipped(1 - severed)
    wandered = f"figures wander by up to {across:.0%} of a cell across and {down:.0%} down, which is corrected"
    if score >= _THRESHOLD:
        return (Verdict("sheet_cut", score, _THRESHOLD, f"The frames could be cut apart; {wandered}."),)
    reason = (
        f"A cut between frames goes through a figure over {severed:.0%} of its side; {wandered}. "
        "Leave empty space on all sides of every figure, and keep each within its own cell."
    )
    return (Verdict("sheet_cut", score, _THRESHOLD, reason),)


def _share(value: object) -> float:
    return clipped(float(value)) if isinstance(value, int | float) else 0.0
