"""JSON, and nothing that only looks like it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.graphql.strict_json import MAX_DEPTH, NotJson, read_json, write_json

_TEXT = st.text(max_size=20)  # hypothesis makes no surrogates of itself
_NUMBERS = st.integers(-(10**18), 10**18) | st.floats(allow_nan=False, allow_infinity=False)
_VALUES = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=20,
)


@given(_VALUES)
def test_what_is_written_is_read_back(value: Any) -> None:
    assert read_json(write_json(value)) == value
    assert read_json(write_json(value).encode()) == value


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"{'a': 1}",
        b"[1,]",
        b"NaN",
        b"[Infinity]",
        b'{"a": -Infinity}',
        b"1e999",
        b"9" * 5000,
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        '{"a": 1}'.encode("utf-16"),
        b'"\\ud800"',
        b'{"\\udc00": 1}',
        b'["\\ud83d \\ude00"]',
        b"[" * 30_000,
        b"[" * (MAX_DEPTH + 2) + b"]" * (MAX_DEPTH + 2),
        b'{"a":' * (MAX_DEPTH + 2) + b"1" + b"}" * (MAX_DEPTH + 2),
        b'"\x00"',
        b"1 2",
        b"\x1f\x8b\x08\x00",
    ],
)
def test_what_is_no_json_is_refused_in_words(text: bytes) -> None:
    with pytest.raises(NotJson) as refused:
        read_json(text)
    assert len(str(refused.value)) < 100


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\\\ud800"', "\\ud800"),
        ("[" * MAX_DEPTH + "]" * MAX_DEPTH, None),
        ("[" + ",".join(["[]"] * 500) + "]", None),
        (' {"a" : [1.5e3, -0]} ', {"a": [1500.0, 0]}),
    ],
)
def test_what_is_json_is_read(text: str, value: Any) -> None:
    assert read_json(text) == (json.loads(text) if value is None else value)


def test_no_infinity_is_written() -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="JSON"):
            write_json({"a": value})
