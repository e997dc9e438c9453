"""How an answer is sent: the Accept header against what can be sent (RFC 9110, section 12.5.1)."""

from collections.abc import Iterator, Sequence
from typing import Final

#: GraphQL over HTTP: status codes tell of a request that failed.
GRAPHQL_RESPONSE: Final = "application/graphql-response+json"
#: What clients took before: 200 whatever became of a well-formed request.
JSON: Final = "application/json"
#: Server-sent events, as the graphql-sse protocol uses them.
EVENT_STREAM: Final = "text/event-stream"
#: Multipart subscriptions of Apollo, in the version that a client must name: `subscriptionSpec=1.0`.
MULTIPART: Final = "multipart/mixed"
SUBSCRIPTION_SPEC: Final = "1.0"
HTML: Final = "text/html"

_SINGLE: Final = (GRAPHQL_RESPONSE, JSON)
_STREAMS: Final = (EVENT_STREAM, MULTIPART)
#: More than any client lists; the rest is not looked at.
_MAX_RANGES: Final = 50
_EXACT: Final = 2


def negotiate(accept: str | None) -> str | None:
    """Return the media type of a single answer, or None when the client takes none of ours.

    The better quality wins, then the more precise mention; `application/json` for a client that says nothing precise.
    """
    if accept is None or not accept.strip():
        return JSON
    return _best_single(list(_ranges(accept)))[0]


def negotiate_operation(accept: str | None, *, subscription: bool) -> str | None:
    """Return how the answer or answers to an operation are sent, or None when the client takes nothing that can be.

    A stream has to be named: a wildcard does not stand for it. For a query or mutation one answer is the better
    choice, so that clients which name everything that they can read, as urql does, get JSON; it comes over a stream
    where that is liked better.
    """
    ranges = list(_ranges(accept or ""))
    stream, liking = None, 0.0
    for media_type in _STREAMS:
        quality, precision = _weight(media_type, ranges)
        if precision == _EXACT and quality > liking:
            stream, liking = media_type, quality
    if subscription:
        return stream
    if accept is None or not accept.strip():
        return JSON
    single, quality = _best_single(ranges)
    return stream if stream is not None and liking > quality else single


def prefers_html(accept: str | None) -> bool:
    """Tell whether the client is a browser that wants a page: it names HTML, and likes nothing of ours better."""
    if accept is None:
        return False
    ranges = list(_ranges(accept))
    quality, precision = _weight(HTML, ranges)
    return precision == _EXACT and quality > max(_weight(kind, ranges)[0] for kind in (*_SINGLE, EVENT_STREAM))


def _best_single(ranges: Sequence[tuple[str, float]]) -> tuple[str | None, float]:
    best: str | None = None
    best_rank: tuple[float, int, int] = (0.0, 0, 0)
    for media_type in _SINGLE:
        quality, precision = _weight(media_type, ranges)
        # Among equals the modern type when it was named, the old one when a wildcard stands for both.
        preferred = GRAPHQL_RESPONSE if precision == _EXACT else JSON
        rank = (quality, precision, int(media_type == preferred))
        if quality > 0 and rank > best_rank:
            best, best_rank = media_type, rank
    return best, best_rank[0]


def _ranges(accept: str) -> Iterator[tuple[str, float]]:
    for item in accept.split(",")[:_MAX_RANGES]:
        name, *rest = item.split(";")
        pairs = (parameter.partition("=") for parameter in rest)
        parameters = {key.strip().lower(): value.strip().strip('"') for key, _, value in pairs}
        quality = _quality(parameters["q"]) if "q" in parameters else 1.0
        name = name.strip().lower()
        # Without it the client means pictures, mail, or parts of one answer.
        if name != MULTIPART or parameters.get("subscriptionspec") == SUBSCRIPTION_SPEC:
            yield name, quality


def _quality(text: str) -> float:
    """Return a weight, 0 to 1; what cannot be read counts as not wanted."""
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if 0 <= value <= 1 else 0.0


def _weight(media_type: str, ranges: Sequence[tuple[str, float]]) -> tuple[float, int]:
    """Return the quality that the most precise fitting range gives, and how precise it is: 0, 1 or 2."""
    family = media_type.partition("/")[0]
    for precision, name in ((_EXACT, media_type), (1, f"{family}/*"), (0, "*/*")):
        found = [quality for listed, quality in ranges if listed == name]
        if found:
            return max(found), precision
    return 0.0, 0
