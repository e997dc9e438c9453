"""How fast something may come."""

from hypothesis import given
from hypothesis import strategies as st

from server.graphql.pace import Pace


def test_so_many_may_come_at_once_and_then_one_by_one() -> None:
    pace = Pace(10, 5)
    assert [pace.allows(0) for _ in range(7)] == [True] * 5 + [False] * 2
    assert pace.allows(0.1)
    assert not pace.allows(0.1)
    assert [pace.allows(60) for _ in range(6)] == [True] * 5 + [False]


@given(st.lists(st.floats(0, 2), max_size=300))
def test_no_stretch_of_time_has_more_than_both_allow(pauses: list[float]) -> None:
    pace, now, allowed = Pace(10, 5), 0.0, []
    for pause in pauses:
        now += pause / 10
        if pace.allows(now):
            allowed.append(now)
    for index, first in enumerate(allowed):
        for last in range(index, len(allowed)):
            assert last - index + 1 <= 5 + 10 * (allowed[last] - first) + 1e-6
