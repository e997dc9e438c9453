"""A server process among the others on its PostgreSQL, or alone on SQLite: how they know of and tell each other."""

import contextlib
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Final
from urllib.parse import urlsplit

from domain.clock import Clock
from domain.errors import SettingsError
from domain.instance import InstanceLock
from domain.instances.channel import Channel
from domain.instances.membership import Membership, new_identity
from domain.instances.notes import NoNotes, Note, Notes
from domain.kept_random import kept_random
from domain.secret_key import load_secret_key
from domain.settings import Settings
from domain.storage.s3.options import s3_options

_STORAGE_ID: Final = "storage.id"


class Company:
    """The place of this process among those that share its database."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        """Prepare it; nothing is opened yet."""
        self._settings = settings
        self._clock = clock
        self._lock = InstanceLock(settings)
        self.shared = urlsplit(settings.resolved_database_url).scheme != "sqlite"
        place = storage_place(settings) if self.shared else ""
        self._identity = new_identity(load_secret_key(settings), place)
        self._channel = (
            Channel(settings.resolved_database_url, self._identity.id, self._identity.number) if self.shared else None
        )
        self.notes: Notes = self._channel or NoNotes()
        self._membership = Membership(settings, clock, self._identity, self._changed)
        self._on_company: Callable[[bool], Awaitable[None]] | None = None
        for note in (Note.MEMBERS, Note.GAP):
            self.notes.hear(note, lambda _: self._membership.look_again())

    @property
    def id(self) -> str:
        """The id of this process."""
        return self._identity.id

    def on_company(self, told: Callable[[bool], Awaitable[None]]) -> None:
        """Have a function told whether others are there, whenever that changes."""
        self._on_company = told

    async def lock(self) -> None:
        """Before the database is opened: take it for this process where it cannot be shared. Raises `SettingsError`."""
        await self._lock.acquire()

    async def unlock(self) -> None:
        """Let the next one in."""
        await self._lock.release()

    @contextlib.asynccontextmanager
    async def entering(self) -> AsyncIterator[bool]:
        """Become known to the others; the context says whether there are none, and no other starts during it.

        Raises `SettingsError` when they cannot work together, and what the database driver raises.
        """
        if self._channel is not None:
            await self._channel.open()
        async with self._membership.entering(self._channel) as alone:
            yield alone
        self.notes.send(Note.MEMBERS)

    async def leave(self) -> None:
        """Be known no longer."""
        await self._membership.leave()
        self.notes.send(Note.MEMBERS)
        if self._channel is not None:
            await self._channel.close()

    async def listen(self) -> None:
        """Tell and hear the others until cancelled."""
        if self._channel is not None:
            await self._channel.run()

    def tell_closed(self, close: Callable[[str], None]) -> Callable[[str], None]:
        """Return what ends everything open of a session, here and in the other processes."""
        self.notes.hear(Note.SESSIONS, lambda ids: _each(close, ids))

        def close_everywhere(session_id: str) -> None:
            close(session_id)
            self.notes.send(Note.SESSIONS, [session_id])

        return close_everywhere

    def tell_awake(self, note: Note, wake: Callable[[], None]) -> Callable[[], None]:
        """Return what wakes somebody, here and in the other processes."""
        self.notes.hear(note, lambda _: wake())

        def wake_everywhere() -> None:
            wake()
            self.notes.send(note)

        return wake_everywhere

    async def stay(self, on_departure: Callable[[], Awaitable[None]]) -> None:
        """Say regularly that this process lives, and tell when another one has gone, until cancelled."""
        await self._membership.stay(on_departure)

    async def _changed(self, company: bool) -> None:  # noqa: FBT001 (the only thing that is told)
        if self._on_company is not None:
            await self._on_company(company)


def _each(call: Callable[[str], None], values: Iterable[str]) -> None:
    for value in values:
        call(value)


def storage_place(settings: Settings) -> str:
    """Return what is equal for servers that keep their files in the same place.

    A folder is known by a random text in it, since machines may have the same one under different names. Raises
    `SettingsError`.
    """
    if settings.storage == "s3":
        options = s3_options(settings)
        return f"s3 {options.endpoint_url} {options.bucket}"
    path = settings.data_dir / _STORAGE_ID
    try:
        return f"local {hashlib.sha256(kept_random(path)).hexdigest()}"
    except OSError as error:
        raise SettingsError(f"WONDER_DATA_DIR: {path} cannot be used: {error.strerror}.") from None
