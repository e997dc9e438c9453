"""Which round to deliver when none passed. Pure."""

from collections.abc import Sequence

from worker.artifacts import Verdict


def best_round(rounds: Sequence[Sequence[Verdict]]) -> int:
    """Return the index of the round with the fewest failed checks, then the highest mean margin, then the latest.

    A round without verdicts was never measured and comes last. Raises `ValueError` when there is no round.
    """
    if not rounds:
        raise ValueError("There is no round to choose from.")
    return max(range(len(rounds)), key=lambda index: (*_rank(rounds[index]), index))


def _rank(verdicts: Sequence[Verdict]) -> tuple[int, int, float]:
    if not verdicts:
        return (0, 0, 0.0)
    failures = sum(not verdict.passed for verdict in verdicts)
    margin = sum(verdict.score - verdict.threshold for verdict in verdicts) / len(verdicts)
    return (1, -failures, margin)
