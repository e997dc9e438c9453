"""The Range header, by RFC 9110, section 14."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ranges import MAX_RANGES, RangeNotSatisfiable, Span, parse_ranges


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("bytes=0-499", [(0, 500)]),
        ("bytes=500-999", [(500, 1000)]),
        ("bytes=500-", [(500, 1000)]),
        ("bytes=-500", [(500, 1000)]),
        ("bytes=-5000", [(0, 1000)]),
        ("bytes=0-99999999999999999999", [(0, 1000)]),
        ("bytes=999-999", [(999, 1000)]),
        ("BYTES = 0-0", [(0, 1)]),
        ("bytes=0-0,-1", [(0, 1), (999, 1000)]),
        ("bytes=900-,0-9", [(900, 1000), (0, 10)]),
        ("bytes= 0-0 ,, \t5-6 ,", [(0, 1), (5, 7)]),
        ("bytes=0-10,5-20", [(0, 21)]),
        ("bytes=0-9,10-19", [(0, 20)]),
        ("bytes=20-29,0-9,5-24", [(0, 30)]),
        ("bytes=0-9,2000-3000", [(0, 10)]),
        ("bytes=-0,5-5", [(5, 6)]),
    ],
)
def test_ranges_are_cut_to_the_file_and_joined(header: str, expected: list[tuple[int, int]]) -> None:
    assert [(span.start, span.end) for span in parse_ranges(header, 1000)] == expected


@pytest.mark.parametrize(
    "header",
    ["", "bytes", "pages=1-2", "bytes 0-5", "=0-5", "bytes=" + ",".join(f"{n}-{n}" for n in range(0, 999, 9))],
)
def test_what_is_not_understood_is_ignored(header: str) -> None:
    assert parse_ranges(header, 1000) == ()


@pytest.mark.parametrize("header", ["bytes=0-", "bytes=-1", "bytes=abc"])
def test_an_empty_file_has_no_ranges(header: str) -> None:
    assert parse_ranges(header, 0) == ()


@pytest.mark.parametrize(
    "header",
    [
        *("bytes=", "bytes=,", "bytes=-", "bytes=abc", "bytes=5-2", "bytes=1000-", "bytes=-0", "bytes=0-1-2"),
        *("bytes=+1-2", "bytes=-1-2", "bytes=٣-٤", "bytes=1_0-2_0", "bytes=0x1-2", "bytes=0-5,x", "bytes=0 - 5"),
        *("bytes=" + "9" * 5000 + "-", "bytes=" + "9" * 20 + "-"),
    ],
)
def test_what_makes_no_sense_is_refused(header: str) -> None:
    with pytest.raises(RangeNotSatisfiable):
        parse_ranges(header, 1000)


@given(
    st.lists(st.tuples(st.integers(0, 120), st.integers(0, 120)), min_size=1, max_size=MAX_RANGES),
    st.integers(1, 100),
)
def test_exactly_the_bytes_asked_for_are_sent_once(asked: list[tuple[int, int]], size: int) -> None:
    ranges = [(min(pair), max(pair)) for pair in asked]
    header = "bytes=" + ",".join(f"{first}-{last}" for first, last in ranges)
    wanted = {byte for first, last in ranges for byte in range(first, last + 1) if byte < size}
    try:
        spans = parse_ranges(header, size)
    except RangeNotSatisfiable:
        spans = ()
    sent = [byte for span in spans for byte in range(span.start, span.end)]
    assert sorted(sent) == sorted(wanted)


@given(st.text(st.characters(codec="latin-1")), st.integers(0, 100))
def test_no_header_breaks_the_parser(header: str, size: int) -> None:
    for text in (header, f"bytes={header}"):
        try:
            spans = parse_ranges(text, size)
        except RangeNotSatisfiable:
            continue
        assert all(isinstance(span, Span) and 0 <= span.start < span.end <= size for span in spans)
