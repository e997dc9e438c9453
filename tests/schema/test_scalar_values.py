"""Instants, colors and files at the border of the API."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from graphql import GraphQLError
from hypothesis import given
from hypothesis import strategies as st

from schema.scalars import SCALARS, Color, Upload, read_instant, write_instant

INSTANTS = st.datetimes(
    min_value=datetime(1, 1, 3),  # noqa: DTZ001 (hypothesis adds the zone)
    max_value=datetime(9999, 12, 29),  # noqa: DTZ001 (likewise)
    timezones=st.builds(timezone, st.integers(-1439, 1439).map(lambda minutes: timedelta(minutes=minutes))),
)


@given(INSTANTS)
def test_an_instant_comes_back_as_it_went(instant: datetime) -> None:
    text = write_instant(instant)
    assert text.endswith("Z")
    assert read_instant(text) == instant
    assert read_instant(text).tzinfo is UTC


@given(INSTANTS, INSTANTS)
def test_instants_sort_as_text(one: datetime, other: datetime) -> None:
    assert (write_instant(one) < write_instant(other)) == (one < other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-12-01T12:00:00Z", datetime(2026, 12, 1, 12, tzinfo=UTC)),
        ("2026-12-01t12:00:00.5z", datetime(2026, 12, 1, 12, 0, 0, 500_000, tzinfo=UTC)),
        ("2026-12-01 20:00:00+08:00", datetime(2026, 12, 1, 12, tzinfo=UTC)),
        ("2026-12-01T12:00:00.123456789Z", datetime(2026, 12, 1, 12, 0, 0, 123_456, tzinfo=UTC)),
    ],
)
def test_instants_are_read_as_rfc_3339_writes_them(text: str, expected: datetime) -> None:
    assert read_instant(text) == expected


@pytest.mark.parametrize(
    "value",
    ["2026-12-01", "2026-12-01T12:00:00", "2026-13-01T12:00:00Z", "0001-01-01T00:00:00+14:00", "\x00", "", 5, None, []],
)
def test_what_is_no_instant_is_refused(value: object) -> None:
    with pytest.raises(GraphQLError, match="RFC 3339"):
        read_instant(value)


@pytest.mark.parametrize(("scalar", "value"), [(Color, 5), (Upload, "file")])
def test_what_is_of_another_kind_is_refused(scalar: object, value: object) -> None:
    parse = SCALARS[scalar].parse_value
    assert parse is not None
    with pytest.raises(GraphQLError):
        parse(value)
