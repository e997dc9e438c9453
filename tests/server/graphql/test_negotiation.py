"""Accept headers and what they come to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.graphql.negotiation import (
    EVENT_STREAM,
    GRAPHQL_RESPONSE,
    JSON,
    MULTIPART,
    negotiate,
    negotiate_operation,
    prefers_html,
)

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


APOLLO = f"{MULTIPART};boundary=graphql;subscriptionSpec=1.0,{GRAPHQL_RESPONSE},{JSON}"
APOLLO_DEFER = f"{MULTIPART};deferSpec=20220824,{GRAPHQL_RESPONSE},{JSON}"


@pytest.mark.parametrize(
    ("accept", "query", "subscription"),
    [
        (None, JSON, None),
        ("", JSON, None),
        ("*/*", JSON, None),
        ("text/*", None, None),
        (JSON, JSON, None),
        (EVENT_STREAM, EVENT_STREAM, EVENT_STREAM),
        ("TEXT/Event-Stream", EVENT_STREAM, EVENT_STREAM),
        (URQL, GRAPHQL_RESPONSE, EVENT_STREAM),
        (f"{EVENT_STREAM}, {MULTIPART}", EVENT_STREAM, EVENT_STREAM),
        (f"{EVENT_STREAM}, */*", JSON, EVENT_STREAM),
        (f"{EVENT_STREAM}, */*;q=0.1", EVENT_STREAM, EVENT_STREAM),
        (f"{JSON};q=0.5, {EVENT_STREAM}", EVENT_STREAM, EVENT_STREAM),
        (f"{JSON}, {EVENT_STREAM};q=0.9", JSON, EVENT_STREAM),
        (f"{JSON}, {EVENT_STREAM};q=0", JSON, None),
        (APOLLO, GRAPHQL_RESPONSE, MULTIPART),
        (APOLLO_DEFER, GRAPHQL_RESPONSE, None),
        (f'{MULTIPART}; Boundary="graphql"; SubscriptionSpec="1.0"', MULTIPART, MULTIPART),
        (f"{MULTIPART};subscriptionSpec=2.0", None, None),
        (MULTIPART, None, None),
        (f"{EVENT_STREAM};q=0.5, {MULTIPART};subscriptionSpec=1.0", MULTIPART, MULTIPART),
        ("image/png", None, None),
    ],
)
def test_a_stream_is_for_those_who_name_it(accept: str | None, query: str | None, subscription: str | None) -> None:
    assert negotiate_operation(accept, subscription=False) == query
    assert negotiate_operation(accept, subscription=True) == subscription


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
    for subscription in (True, False):
        negotiate_operation(accept, subscription=subscription)
    assert prefers_html(accept) in {True, False}
