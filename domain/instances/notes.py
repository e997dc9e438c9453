"""Short notes between the processes that serve one database: what one has done and the others should look at.

A note is a hint: the rows are the truth, and whoever may have missed one looks at them.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Final, Protocol

#: PostgreSQL takes less than 8,000 bytes in one notification; an id has at most 40.
_SUBJECTS_PER_NOTE: Final = 150
#: What is remembered while it cannot be sent; beyond that the others are told that they have missed something.
MAX_UNSENT: Final = 10_000


class Note(StrEnum):
    """What a note is about."""

    #: The rows of these tasks or projects have changed.
    TOPICS = "topics"
    #: These sessions or API keys are over.
    SESSIONS = "sessions"
    #: Tasks may wait to be released.
    RELEASE = "release"
    #: There may be jobs at providers to ask about or to cancel.
    JOBS = "jobs"
    #: Somebody has come or gone.
    MEMBERS = "members"
    #: Notes were lost: look at everything.
    GAP = "gap"


Heard = Callable[[Sequence[str]], None]


class Notes(Protocol):
    """Tells the other processes, and hears what they tell."""

    def hear(self, note: Note, heard: Heard) -> None:
        """Have a function called, with the subjects, for each note of a kind; set before the process begins to work."""
        ...

    def send(self, note: Note, subjects: Iterable[str] = ()) -> None:
        """Tell the others soon; never waits. What was committed is told, so call it after the commit."""
        ...


class NoNotes:
    """Fills `Notes` where there is nobody to tell: one process on SQLite."""

    def hear(self, note: Note, heard: Heard) -> None:
        """Nothing will be heard."""

    def send(self, note: Note, subjects: Iterable[str] = ()) -> None:
        """Tell nobody."""


class Unsent:
    """What is to be told, each thing once."""

    def __init__(self) -> None:
        self._subjects: dict[Note, dict[str, None]] = {}
        self._count = 0

    def __bool__(self) -> bool:
        """Tell whether there is anything."""
        return bool(self._subjects)

    def add(self, note: Note, subjects: Iterable[str]) -> None:
        """Remember a note; when they are too many, remember only that they were."""
        known = self._subjects.setdefault(note, {})
        before = len(known)
        known.update(dict.fromkeys(subjects))
        self._count += len(known) - before
        if self._count > MAX_UNSENT:
            self._subjects, self._count = {Note.GAP: {}}, 0

    def take(self, sender: str) -> list[str]:
        """Return everything as payloads of notifications, and forget it."""
        taken, self._subjects, self._count = self._subjects, {}, 0
        return [
            json.dumps({"from": sender, "note": note, "of": part}, separators=(",", ":"))
            for note, subjects in taken.items()
            for part in _parts(list(subjects))
        ]


def read_note(payload: str, reader: str) -> tuple[Note, list[str]] | None:
    """Return what a notification says; None for one's own, and for what a version that is not this one sends."""
    try:
        content = json.loads(payload)
        note, subjects = Note(content["note"]), content["of"]
    except (ValueError, KeyError, TypeError):
        return None
    if content.get("from") == reader or not isinstance(subjects, list):
        return None
    return note, [subject for subject in subjects if isinstance(subject, str)]


def _parts(subjects: list[str]) -> list[list[str]]:
    return [subjects[start : start + _SUBJECTS_PER_NOTE] for start in range(0, len(subjects), _SUBJECTS_PER_NOTE)] or [
        []
    ]
