"""Which round is delivered when none passed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.artifacts import Verdict
from worker.quality.choice import best_round


def verdict(score: float) -> Verdict:
    return Verdict("x", score, 0.5, "")


@pytest.mark.parametrize(
    ("rounds", "best"),
    [
        ([[0.1]], 0),
        ([[0.1, 0.9], [0.4, 0.4]], 0),
        ([[0.1], [0.4]], 1),
        ([[0.4], [0.4]], 1),
        ([[0.4], []], 0),
        ([[], []], 1),
    ],
)
def test_the_best_round_has_the_fewest_failures_then_the_best_margin(rounds: list[list[float]], best: int) -> None:
    assert best_round([[verdict(score) for score in scores] for scores in rounds]) == best


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=5))
def test_no_round_has_fewer_failures_than_the_best(rounds: list[list[float]]) -> None:
    measured = [[verdict(score) for score in scores] for scores in rounds]
    failures = [sum(not found.passed for found in verdicts) for verdicts in measured]
    assert failures[best_round(measured)] == min(failures)


def test_there_must_be_a_round_to_choose_from() -> None:
    with pytest.raises(ValueError, match="no round"):
        best_round([])
