"""How what a provider sends is read, and believed to be from it."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

#: How far a message's time may be from ours.
TOLERANCE: Final = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Callback:
    """What a message says."""

    #: Whether the job has ended, one way or another.
    ended: bool
    #: The service's id of the job, where it says so in the form in which the provider knows it.
    external_id: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it came: names of headers in lower case, the body byte for byte."""

    headers: Mapping[str, str]
    body: bytes

    def json_object(self) -> dict[str, object]:
        """Return the body as a JSON object, empty when it is none."""
        try:
            data = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return data if isinstance(data, dict) else {}

    @property
    def digest(self) -> bytes:
        """Return what tells this message from others."""
        return hashlib.sha256(self.body).digest()


class CallbackReader(Protocol):
    """Reads the messages of one service."""

    async def read(self, message: Message, now: datetime) -> Callback | None:
        """Return what a message says; None when it is not known to be from the service, or is too old."""
        ...


@dataclass(frozen=True, slots=True)
class StatusReader:
    """Reads a service that signs nothing: its message is as good as the address that only the service knows.

    A message that cannot be read counts as the end of the job: all that follows is a question.
    """

    #: The field that holds the state, and the states in which a job goes on.
    field: str
    going_on: frozenset[str]

    async def read(self, message: Message, now: datetime) -> Callback | None:  # noqa: ARG002
        """Return what a message says."""
        body = message.json_object()
        data = body.get("data")
        state = body.get(self.field, data.get(self.field) if isinstance(data, Mapping) else None)
        return Callback(ended=str(state).lower() not in self.going_on)


def is_recent(seconds: str, now: datetime) -> bool:
    """Tell whether a time in whole seconds since 1970 is about now."""
    if not (seconds.isascii() and seconds.isdigit() and len(seconds) <= 12):  # noqa: PLR2004 (far beyond any year)
        return False
    return abs(now.timestamp() - int(seconds)) <= TOLERANCE.total_seconds()


def is_any_of(expected: bytes, given: list[bytes]) -> bool:
    """Tell in constant time, for each, whether one of the given signatures is the expected one."""
    return any([hmac.compare_digest(expected, one) for one in given])  # noqa: C419 (all are looked at)
