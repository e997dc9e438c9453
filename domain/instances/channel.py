"""The connection by which a process is known to the others on its PostgreSQL: alive while it holds, and heard on it."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterable
from typing import Any, Final

import asyncpg

from domain import db
from domain.errors import SettingsError
from domain.instances.notes import Heard, Note, Unsent, read_note

_log = logging.getLogger(__name__)
CHANNEL: Final = "wonder"
#: The first of two numbers of the advisory lock that a living process holds; the second is its own.
ALIVE_LOCKS: Final = 0x576F6E11
_CREDENTIALS: Final = ("host", "port", "user", "password", "database", "ssl")
#: Notes of so long are told together.
_COLLECT_SECONDS: Final = 0.01
_RETRY_SECONDS: Final = 1.0
#: A connection that looks well is asked so often whether it is.
_PING_SECONDS: Final = 10.0
_PING_TIMEOUT_SECONDS: Final = 5.0
#: How long a start waits for another server's.
_START_SECONDS: Final = 60
_CHANNEL_ERRORS: Final = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError)
# Idle by design: a server that ends idle sessions would end it. TCP itself asks whether the other machine is there.
_SESSION: Final = {
    "application_name": "wonder instance",
    "idle_session_timeout": "0",
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}


class Channel:
    """One connection of PostgreSQL, opened again when it breaks; fills `domain.instances.notes.Notes`."""

    def __init__(self, url: str, instance_id: str, number: int) -> None:
        """Prepare it; `number` is the process's own, of 31 bits, as its row has it."""
        credentials = db.tortoise_config(url)["connections"]["default"]["credentials"]
        self._credentials = {name: credentials[name] for name in _CREDENTIALS if credentials.get(name) is not None}
        self._instance_id = instance_id
        self._number = number
        self._heard: dict[Note, list[Heard]] = {}
        self._unsent = Unsent()
        self._news = asyncio.Event()
        self._connection: Any = None

    def hear(self, note: Note, heard: Heard) -> None:
        """Have a function called for each note of a kind."""
        self._heard.setdefault(note, []).append(heard)

    def send(self, note: Note, subjects: Iterable[str] = ()) -> None:
        """Tell the others soon."""
        self._unsent.add(note, subjects)
        self._news.set()

    async def open(self) -> None:
        """Connect, be alive and listen; raises what the driver raises."""
        connection: Any = await asyncpg.connect(**self._credentials, server_settings=_SESSION)
        try:
            # Waits where this process's broken connection is not gone yet.
            await connection.execute("SELECT pg_advisory_lock($1, $2)", ALIVE_LOCKS, self._number)
            await connection.add_listener(CHANNEL, self._notified)
        except BaseException:
            connection.terminate()
            raise
        connection.add_termination_listener(lambda _: self._news.set())
        self._connection = connection

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Wait until no other process starts, and keep others waiting; raises `SettingsError` when that takes long."""
        connection = self._connection
        try:
            await connection.execute(f"SET lock_timeout = '{_START_SECONDS}s'")
            await connection.execute("SELECT pg_advisory_lock($1)", db.START_LOCK)
        except asyncpg.LockNotAvailableError:
            raise SettingsError(
                "WONDER_DATABASE_URL: another server has been starting on this database for a minute. Look what it "
                "waits for, or stop it, then start again."
            ) from None
        try:
            await connection.execute("SET lock_timeout = 0")
            yield
        finally:
            await connection.execute("SELECT pg_advisory_unlock($1)", db.START_LOCK)

    async def close(self) -> None:
        """Tell what is left to tell, and be no longer alive."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        with contextlib.suppress(*_CHANNEL_ERRORS):
            await self._flush(connection)
        await _end(connection)

    async def run(self) -> None:
        """Tell and hear until cancelled, over any number of broken connections."""
        while True:
            try:
                if self._connection is None:
                    await self.open()
                    self._missed()
                await self._serve(self._connection)
            except _CHANNEL_ERRORS as error:
                _log.warning("the connection to the other servers broke: %s", type(error).__name__)
                connection, self._connection = self._connection, None
                if connection is not None:
                    connection.terminate()
                await asyncio.sleep(_RETRY_SECONDS)

    async def _serve(self, connection: Any) -> None:  # noqa: ANN401 (asyncpg's own, untyped)
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_PING_SECONDS):
                    await self._news.wait()
            self._news.clear()
            if self._unsent:
                await asyncio.sleep(_COLLECT_SECONDS)
                await self._flush(connection)
            else:
                await connection.execute("SELECT 1", timeout=_PING_TIMEOUT_SECONDS)

    async def _flush(self, connection: Any) -> None:  # noqa: ANN401 (asyncpg's own, untyped)
        payloads = self._unsent.take(self._instance_id)
        try:
            for payload in payloads:
                await connection.execute("SELECT pg_notify($1, $2)", CHANNEL, payload, timeout=_PING_TIMEOUT_SECONDS)
        except BaseException:
            self.send(Note.GAP)
            raise

    def _notified(self, _connection: object, _process: int, _channel: str, payload: object) -> None:
        found = read_note(str(payload), self._instance_id)
        if found is None:
            return
        note, subjects = found
        if note is Note.GAP:
            self._missed()
        for heard in self._heard.get(note, ()):
            heard(subjects)

    def _missed(self) -> None:
        """Nobody knows what was told while nothing was heard."""
        for heard in self._heard.get(Note.GAP, ()):
            heard(())
        self._wake_all()

    def _wake_all(self) -> None:
        for note in (Note.RELEASE, Note.JOBS):
            for heard in self._heard.get(note, ()):
                heard(())


async def _end(connection: Any) -> None:  # noqa: ANN401 (asyncpg's own, untyped)
    try:
        await connection.close(timeout=_PING_TIMEOUT_SECONDS)
    except _CHANNEL_ERRORS:
        connection.terminate()
