"""Whether a subject's edges are clean."""

from typing import Final

from worker.artifacts import Verdict
from worker.quality.frames import Measured
from worker.quality.scores import HALF, at_most

#: Share of the outline that may have a rim in a foreign colour: shadows and sparks lie there too.
_LIMIT: Final = 0.25


def check_fringe(measured: Measured) -> tuple[Verdict, ...]:
    """Score the worst picture: half-transparent pixels whose colour no opaque one nearby explains, by the outline."""
    if not measured.subject.params.transparent:
        return ()
    worst = max(measured.frames, key=lambda frame: frame.fringe.share)
    share = worst.fringe.share
    score = at_most(share, _LIMIT)
    if score >= HALF:
        return (Verdict("fringe", score, HALF, "The edges are clean."),)
    reason = (
        f"{share:.0%} of the outline of {worst.picture.name!r} has a half-transparent fringe in a color that is not "
        "the subject's, as a removed background leaves it. Draw clean edges without a halo."
    )
    return (Verdict("fringe", score, HALF, reason),)
