"""Conditional requests, by RFC 9110, section 13."""

import pytest
from starlette.datastructures import Headers

from server.preconditions import Outcome, Validators, evaluate, range_applies

TAG = '"abc"'
NOW = 1_796_126_400
VALIDATORS = Validators(TAG, NOW - 100)
MODIFIED = VALIDATORS.last_modified
BEFORE, AFTER = Validators("", NOW - 200).last_modified, Validators("", NOW).last_modified


@pytest.mark.parametrize(
    ("headers", "outcome"),
    [
        ({}, Outcome.SEND),
        ({"if-none-match": TAG}, Outcome.NOT_MODIFIED),
        ({"if-none-match": f"W/{TAG}"}, Outcome.NOT_MODIFIED),
        ({"if-none-match": f'"x", W/"y,z" ,{TAG}'}, Outcome.NOT_MODIFIED),
        ({"if-none-match": " * "}, Outcome.NOT_MODIFIED),
        ({"if-none-match": '"other"'}, Outcome.SEND),
        ({"if-none-match": "abc"}, Outcome.SEND),
        ({"if-none-match": ""}, Outcome.SEND),
        ({"if-modified-since": MODIFIED}, Outcome.NOT_MODIFIED),
        ({"if-modified-since": AFTER}, Outcome.NOT_MODIFIED),
        ({"if-modified-since": BEFORE}, Outcome.SEND),
        ({"if-modified-since": "yesterday"}, Outcome.SEND),
        ({"if-modified-since": "Sun, 99 Nov 99999 08:49:37 GMT"}, Outcome.SEND),
        ({"if-none-match": '"other"', "if-modified-since": MODIFIED}, Outcome.SEND),
        ({"if-match": TAG}, Outcome.SEND),
        ({"if-match": "*"}, Outcome.SEND),
        ({"if-match": f"W/{TAG}"}, Outcome.FAILED),
        ({"if-match": '"other"'}, Outcome.FAILED),
        ({"if-unmodified-since": MODIFIED}, Outcome.SEND),
        ({"if-unmodified-since": BEFORE}, Outcome.FAILED),
        ({"if-unmodified-since": "nonsense"}, Outcome.SEND),
        ({"if-match": TAG, "if-unmodified-since": BEFORE}, Outcome.SEND),
        ({"if-match": TAG, "if-none-match": TAG}, Outcome.NOT_MODIFIED),
        ({"if-match": '"other"', "if-none-match": TAG}, Outcome.FAILED),
    ],
)
def test_conditions_are_weighed_in_order(headers: dict[str, str], outcome: Outcome) -> None:
    assert evaluate(Headers(headers), VALIDATORS) is outcome


def test_a_list_may_come_in_several_lines() -> None:
    lines = [(b"if-none-match", b'"x"'), (b"if-none-match", TAG.encode())]
    assert evaluate(Headers(raw=lines), VALIDATORS) is Outcome.NOT_MODIFIED


@pytest.mark.parametrize(
    "date", ["Tue, 01 Dec 2026 11:58:20 GMT", "Tuesday, 01-Dec-26 11:58:20 GMT", "Tue Dec  1 11:58:20 2026"]
)
def test_all_three_forms_of_a_date_are_read_as_utc(date: str) -> None:
    assert evaluate(Headers({"if-modified-since": date}), VALIDATORS) is Outcome.NOT_MODIFIED
    assert evaluate(Headers({"if-modified-since": date.replace("58", "57")}), VALIDATORS) is Outcome.SEND


@pytest.mark.parametrize(
    ("condition", "now", "applies"),
    [
        (None, NOW, True),
        (TAG, NOW, True),
        (f"W/{TAG}", NOW, False),
        ('"other"', NOW, False),
        (MODIFIED, NOW, True),
        (MODIFIED, NOW - 99.5, False),
        (BEFORE, NOW, False),
        (AFTER, NOW, False),
        ("", NOW, False),
    ],
)
def test_a_range_counts_for_the_file_that_the_client_has(condition: str | None, now: float, *, applies: bool) -> None:
    headers = Headers({} if condition is None else {"if-range": condition})
    assert range_applies(headers, VALIDATORS, now) is applies
