"""Accept headers and what they come to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.graphql.negotiation import GRAPHQL_RESPONSE, JSON, negotiate, prefers_html

URQL = (
    "application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed"
)
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, JSON),
        ("", JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        (JSON, JSON),
        (GRAPHQL_RESPONSE, GRAPHQL_RESPONSE),
        (f"{JSON}, {GRAPHQL_RESPONSE}", GRAPHQL_RESPONSE),
        (f"{GRAPHQL_RESPONSE};q=0.1, {JSON};q=0.9", JSON),
        (f"{GRAPHQL_RESPONSE};q=0, */*", JSON),
        (f"{JSON};q=0, {GRAPHQL_RESPONSE};q=0", None),
        (f"{JSON}, */*", JSON),
        (f"{GRAPHQL_RESPONSE}; charset=utf-8 ; Q=0.5 , image/png", GRAPHQL_RESPONSE),
        ("Application/JSON", JSON),
        (URQL, GRAPHQL_RESPONSE),
        ("image/png", None),
        ("text/event-stream", None),
        ("application/jsonx", None),
        (f"{JSON};q=high", None),
        (f"{JSON};q=2", None),
    ],
)
def test_the_answer_is_what_the_client_likes_best(accept: str | None, expected: str | None) -> None:
    assert negotiate(accept) == expected


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, False),
        ("*/*", False),
        ("text/*", False),
        (BROWSER, True),
        ("text/html", True),
        (f"text/html;q=0.5, {JSON}", False),
        (f"text/html, {JSON}", False),
        (URQL, False),
    ],
)
def test_a_page_is_for_those_who_name_it_and_like_it_best(accept: str | None, *, expected: bool) -> None:
    assert prefers_html(accept) is expected


@given(st.text(alphabet="ajp/*;,=q0.15 \u00e9xml", max_size=80))
def test_no_header_is_too_odd(accept: str) -> None:
    assert negotiate(accept) in {None, JSON, GRAPHQL_RESPONSE}
    assert prefers_html(accept) in {True, False}
