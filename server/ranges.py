"""The Range header: which parts of a file are asked for (RFC 9110, section 14)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

#: More parts than any player or download manager asks for; such a header is ignored, as the RFC allows.
MAX_RANGES: Final = 50
_RANGE: Final = re.compile(r"(?P<first>[0-9]{0,20})-(?P<last>[0-9]{0,20})")
_SPACE: Final = " \t"


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes from `start` up to, not including, `end`."""

    start: int
    end: int


class RangeNotSatisfiable(Exception):
    """No byte of the file is asked for, or the header makes no sense."""


def parse_ranges(header: str, size_bytes: int) -> tuple[Span, ...]:
    """Return the parts to send, in the order asked for, overlapping or touching ones as one.

    Empty: send the whole file, because the unit is unknown, the file is empty or the parts are too many.
    """
    unit, equals, listed = header.partition("=")
    if unit.strip(_SPACE).lower() != "bytes" or not equals or size_bytes == 0:
        return ()
    items = [item for item in (part.strip(_SPACE) for part in listed.split(",")) if item]
    if len(items) > MAX_RANGES:
        return ()
    spans = [span for item in items if (span := _parse_range(item, size_bytes))]
    if not spans:
        raise RangeNotSatisfiable
    return tuple(_coalesced(spans))


def _parse_range(item: str, size_bytes: int) -> Span | None:
    """Return one range cut to the file, None when it lies behind the file's end."""
    match = _RANGE.fullmatch(item)
    if match is None:
        raise RangeNotSatisfiable
    first, last = match["first"], match["last"]
    if not first:
        if not last:
            raise RangeNotSatisfiable
        start, end = max(0, size_bytes - int(last)), size_bytes
    else:
        start = int(first)
        if last and int(last) < start:
            raise RangeNotSatisfiable
        end = min(int(last) + 1, size_bytes) if last else size_bytes
    return Span(start, end) if start < end else None


def _coalesced(spans: Sequence[Span]) -> list[Span]:
    result: list[Span] = []
    for span in spans:
        touching = [other for other in result if other.start <= span.end and span.start <= other.end]
        joined = Span(min(s.start for s in [span, *touching]), max(s.end for s in [span, *touching]))
        place = result.index(touching[0]) if touching else len(result)
        result = [other for other in result if other not in touching]
        result.insert(place, joined)
    return result
