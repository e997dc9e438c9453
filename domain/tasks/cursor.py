"""Where a reader of a project's events stands, as a text that a client keeps."""

import base64
import binascii
from dataclasses import dataclass
from typing import Final

from domain.errors import InvalidInput
from domain.ids import IdPrefix, is_id

_VERSION: Final = "1"
_MAX_LENGTH: Final = 100_000
_MAX_NUMBER: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class FeedCursor:
    """Which events of a project have been told.

    Told are: those with an id up to `last_id` that were written by a transaction before `horizon`, and those in
    `open_ids`. The event ids of transactions that run at the same time become visible out of order, so `last_id` alone
    does not say it: one that is committed late has a lower id, but a transaction that is not before the horizon.
    """

    project_id: str
    #: Number of the first transaction that had not ended when the events were read; 0 on SQLite: one runs at a time.
    horizon: int = 0
    last_id: int = 0
    #: Told, up to `last_id`, but of transactions not before the horizon.
    open_ids: frozenset[int] = frozenset()

    def encode(self) -> str:
        """Return the cursor as text that is safe in URLs."""
        distances = sorted(self.last_id - row_id for row_id in self.open_ids)
        parts = [_VERSION, self.project_id, str(self.horizon), str(self.last_id), *map(str, distances)]
        return base64.urlsafe_b64encode(":".join(parts).encode()).decode().rstrip("=")


def read_cursor(project_id: str, text: str) -> FeedCursor:
    """Return what `FeedCursor.encode` wrote; the empty text is where no event has been told yet.

    Raises `InvalidInput` for anything else, a cursor of another project included.
    """
    if not text:
        return FeedCursor(project_id)
    cursor = _parsed(text) if len(text) <= _MAX_LENGTH else None
    if cursor is None or cursor.project_id != project_id:
        raise InvalidInput("This is not a cursor of this project's events. Start without one.", path=("after",))
    return cursor


def _parsed(text: str) -> FeedCursor | None:
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        version, project_id, *numbers = base64.b64decode(padded, altchars=b"-_", validate=True).decode().split(":")
        horizon, last_id, *distances = [_number(part) for part in numbers]
    except (ValueError, binascii.Error):
        return None
    if version != _VERSION or not is_id(project_id, IdPrefix.PROJECT):
        return None
    return FeedCursor(project_id, horizon, last_id, frozenset(last_id - distance for distance in distances))


def _number(part: str) -> int:
    if not (part.isascii() and part.isdecimal()) or len(part) > len(str(_MAX_NUMBER)) or int(part) > _MAX_NUMBER:
        raise ValueError(part)
    return int(part)
