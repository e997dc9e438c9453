"""Tallies: exact counts and means, quantiles within the promised error, in a bounded size."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.figures.tally import RELATIVE_ERROR, SHORTEST_SECONDS, Durations, Tally, bucket_of, seconds_of
from domain.lifecycle import TaskStatus

SECONDS = st.floats(SHORTEST_SECONDS, 1e6)


@given(SECONDS)
def test_a_bucket_stands_for_what_it_holds_within_the_error(seconds: float) -> None:
    assert math.isclose(seconds_of(bucket_of(seconds)), seconds, rel_tol=RELATIVE_ERROR * 1.0001)


@given(st.lists(SECONDS, min_size=1, max_size=200), st.floats(0.01, 1))
def test_any_quantile_is_the_one_at_its_rank_within_the_error(values: list[float], share: float) -> None:
    durations = Durations()
    for value in values:
        durations.add(value)
    exact = sorted(values)[max(1, math.ceil(share * len(values))) - 1]
    found = durations.quantile(share)
    assert found is not None
    # The error is one of the exact value: RELATIVE_ERROR of it, as DDSketch promises.
    assert abs(found - exact) <= RELATIVE_ERROR * exact * 1.0001
    assert durations.mean == pytest.approx(sum(values) / len(values))


@given(st.lists(SECONDS, max_size=30), st.lists(SECONDS, max_size=30))
def test_adding_up_parts_is_the_same_as_counting_all_at_once(one: list[float], other: list[float]) -> None:
    parts, whole = [Tally(), Tally()], Tally()
    for part, values in zip(parts, (one, other), strict=True):
        for value in values:
            for tally in (part, whole):
                tally.add(TaskStatus.COMPLETED, 1, value, value / 2)
    parts[0].merge(Tally.from_text(parts[1].to_text()))
    assert parts[0].ended == whole.ended
    assert parts[0].run.buckets == whole.run.buckets
    assert parts[0].wait.total_seconds == pytest.approx(whole.wait.total_seconds)


def test_what_is_taken_back_leaves_nothing_behind() -> None:
    tally = Tally()
    tally.add(TaskStatus.FAILED, 1, None, 3.0)
    tally.add(TaskStatus.FAILED, -1, None, 3.0)
    assert (tally.finished, tally.success_rate, tally.wait.mean, tally.wait.quantile(0.95)) == (0, None, None, None)
    assert json.loads(tally.to_text()) == {"ended": {}, "run": [0, 0.0, {}], "wait": [0, 0.0, {}]}


def test_taking_back_what_was_never_counted_shows_nothing_below_nought() -> None:
    tally = Tally()
    tally.add(TaskStatus.FAILED, -1, None, 3.0)
    tally.add(TaskStatus.COMPLETED, 1, 2.0, 1.0)
    assert (tally.finished, tally.success_rate) == (1, 1.0)
    assert tally.wait.mean is None
    assert tally.run.quantile(0.95) == pytest.approx(2.0, rel=RELATIVE_ERROR)


def test_a_tally_of_a_million_durations_is_as_small_as_one_of_a_thousand() -> None:
    few, many = Durations(), Durations()
    for number in range(1000):
        few.add(0.001 * 1.02**number)
        many.add(0.001 * 1.02**number, 1000)
    assert len(json.dumps(many.to_json())) < 1.5 * len(json.dumps(few.to_json()))
    assert len(few.buckets) < 450


def test_no_time_at_all_counts_as_the_shortest() -> None:
    durations = Durations()
    durations.add(0.0)
    durations.add(0.0)
    assert durations.quantile(1) == pytest.approx(SHORTEST_SECONDS, rel=2 * RELATIVE_ERROR)
    assert durations.mean == 0.0
