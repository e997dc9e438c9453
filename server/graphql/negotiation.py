"""Which media type an answer has: the Accept header against what a GraphQL answer can be (RFC 9110, section 12.5.1)."""

from collections.abc import Iterator, Sequence
from typing import Final

#: GraphQL over HTTP: status codes tell of a request that failed.
GRAPHQL_RESPONSE: Final = "application/graphql-response+json"
#: What clients took before: 200 whatever became of a well-formed request.
JSON: Final = "application/json"
HTML: Final = "text/html"
#: More than any client lists; the rest is not looked at.
_MAX_RANGES: Final = 50


def negotiate(accept: str | None) -> str | None:
    """Return the media type to answer with, or None when the client takes none of ours.

    The better quality wins, then the more precise mention; `application/json` for a client that says nothing precise.
    """
    if accept is None or not accept.strip():
        return JSON
    ranges = list(_ranges(accept))
    best: str | None = None
    best_rank: tuple[float, int, int] = (0.0, 0, 0)
    for media_type in (GRAPHQL_RESPONSE, JSON):
        quality, precision = _weight(media_type, ranges)
        # Among equals the modern type when it was named, the old one when a wildcard stands for both.
        preferred = GRAPHQL_RESPONSE if precision == _EXACT else JSON
        rank = (quality, precision, int(media_type == preferred))
        if quality > 0 and rank > best_rank:
            best, best_rank = media_type, rank
    return best


def prefers_html(accept: str | None) -> bool:
    """Tell whether the client is a browser that wants a page: it names HTML, and likes nothing of ours better."""
    if accept is None:
        return False
    ranges = list(_ranges(accept))
    quality, precision = _weight(HTML, ranges)
    return precision == _EXACT and quality > max(_weight(kind, ranges)[0] for kind in (GRAPHQL_RESPONSE, JSON))


_EXACT: Final = 2


def _ranges(accept: str) -> Iterator[tuple[str, float]]:
    for item in accept.split(",")[:_MAX_RANGES]:
        name, *parameters = item.split(";")
        quality = 1.0
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            if key.strip().lower() == "q":
                quality = _quality(value.strip())
        yield name.strip().lower(), quality


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
