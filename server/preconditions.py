"""Conditional requests (RFC 9110, section 13): whether a client's copy is still good."""

import re
from dataclasses import dataclass
from datetime import UTC
from email.utils import formatdate, parsedate_to_datetime
from enum import Enum, auto
from typing import Final

from starlette.datastructures import Headers

_TAG: Final = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"')


class Outcome(Enum):
    """What the conditions of a GET or HEAD come to."""

    SEND = auto()
    NOT_MODIFIED = auto()
    FAILED = auto()


@dataclass(frozen=True, slots=True)
class Validators:
    """What tells one state of a file from another."""

    #: Strong, with its quotes.
    etag: str
    #: Whole seconds since 1970.
    modified_at: int

    @property
    def last_modified(self) -> str:
        """The modification time as an HTTP date."""
        return formatdate(self.modified_at, usegmt=True)


def evaluate(headers: Headers, validators: Validators) -> Outcome:
    """Weigh the conditions in the order that section 13.2.2 sets."""
    if "if-match" in headers:
        if not _matches(headers, "if-match", validators.etag):
            return Outcome.FAILED
    elif (limit := _date(headers, "if-unmodified-since")) is not None and validators.modified_at > limit:
        return Outcome.FAILED
    if "if-none-match" in headers:
        if _matches(headers, "if-none-match", validators.etag, weakly=True):
            return Outcome.NOT_MODIFIED
    elif (since := _date(headers, "if-modified-since")) is not None and validators.modified_at <= since:
        return Outcome.NOT_MODIFIED
    return Outcome.SEND


def range_applies(headers: Headers, validators: Validators, now: float) -> bool:
    """Tell whether the Range header counts: there is no If-Range, or it names the file as it is.

    A date is strong enough only when the file had not changed for a second by `now` (section 8.8.2.2).
    """
    condition = headers.get("if-range")
    if condition is None or condition == validators.etag:
        return True
    return condition == validators.last_modified and validators.modified_at < now - 1


def _matches(headers: Headers, name: str, etag: str, *, weakly: bool = False) -> bool:
    listed = ",".join(headers.getlist(name))
    if listed.strip() == "*":
        return True
    return etag in [tag.removeprefix("W/") if weakly else tag for tag in _TAG.findall(listed)]


def _date(headers: Headers, name: str) -> float | None:
    """Return an HTTP date in seconds since 1970; None when there is none or it cannot be read, which is the same."""
    try:
        # Of the three forms of a date, asctime's names no zone: it is UTC as well.
        date = parsedate_to_datetime(headers[name])
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
