"""Whether a picture that is to repeat does so without a seam."""

from typing import Final

from worker.artifacts import Verdict
from worker.quality.frames import Measured
from worker.quality.scores import HALF, at_most, clipped
from worker.quality.seams import INVISIBLE, Join

#: Mean unexplained step (OKLab) that can just be seen as a line.
_LIMIT: Final = 0.02
#: The step across the seam may be as large as the largest inside, give or take the rounding of colours.
_SLACK: Final = 1.1


def check_wrap(measured: Measured) -> tuple[Verdict, ...]:
    """Score the worse of both directions, where seamless was asked for.

    Half marks are lost when the mean step across the seam is larger than the largest inside, and in proportion to what
    of it nothing near the seam explains: 0.02 is the limit.
    """
    verdicts = []
    for frame in measured.frames:
        if frame.wrap is not None:
            worse = min(
                (_score(frame.wrap.across), "left and right", frame.wrap.across),
                (_score(frame.wrap.down), "top and bottom", frame.wrap.down),
                key=lambda item: item[0],
            )
            verdicts.append(_verdict(*worse))
    return (min(verdicts, key=lambda verdict: verdict.score),) if verdicts else ()


def _score(join: Join) -> float:
    score = at_most(join.unexplained, _LIMIT)
    excess = join.step / max(join.inside, INVISIBLE) / _SLACK
    return score if excess <= 1 else clipped(min(score, HALF - 1e-3) / excess)


def _verdict(score: float, direction: str, join: Join) -> Verdict:
    figures = f"the step from edge to edge is {join.step:.3f}, the largest inside {join.inside:.3f} (OKLab)"
    if score >= HALF:
        return Verdict("seam", score, HALF, f"It wraps without a seam: {figures}.")
    reason = (
        f"There is a seam between {direction}: {figures}, and {join.unexplained:.3f} of it nothing nearby explains. "
        f"Let the {direction} edges continue each other."
    )
    return Verdict("seam", score, HALF, reason)
