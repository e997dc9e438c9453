"""One server at a time on the same data, held by something that ends with the process, however it ends.

Processes that the server starts must be spawned, not forked: a forked child would hold the lock beyond the death of
its parent.
"""

import asyncio
import contextlib
import fcntl
import os
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit

import asyncpg

from domain import db
from domain.errors import SettingsError
from domain.settings import Settings

#: Number of the PostgreSQL advisory lock, beside those of `domain.db`.
INSTANCE_LOCK: Final = 0x576F6E10
LOCK_FILE: Final = "wonder.lock"
#: How long PostgreSQL may need to notice that a killed server's connection is gone.
PATIENCE_SECONDS: Final = 3.0
_CREDENTIALS: Final = ("host", "port", "user", "password", "database", "ssl")


class InstanceLock:
    """The right to serve a database: a lock on files beside SQLite, a session's advisory lock on PostgreSQL."""

    def __init__(self, settings: Settings, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._settings = settings
        self._patience_seconds = patience_seconds
        self._files: list[IO[str]] = []
        self._connection: Any = None

    async def acquire(self) -> None:
        """Take the lock until `release` or the end of the process.

        Raises `SettingsError` when another server has it, and what the driver raises when PostgreSQL is out of reach.
        """
        url = self._settings.resolved_database_url
        if urlsplit(url).scheme == "sqlite":
            database = Path(url.removeprefix("sqlite://"))
            await asyncio.to_thread(self._lock_files, database)
        else:
            await self._lock_database(url)

    async def release(self) -> None:
        """Let the next one in; no harm when nothing is held."""
        while self._files:
            self._files.pop().close()
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    def _lock_files(self, database: Path) -> None:
        """Lock the data folder, and the database too when it lies elsewhere, since two folders may share it."""
        folder = self._settings.data_dir.absolute()
        paths = [folder / LOCK_FILE]
        if database.absolute().parent != folder:
            paths.append(database.absolute().with_name(f"{database.name}.lock"))
        with contextlib.ExitStack() as locked:
            files = [locked.enter_context(_locked(path)) for path in paths]
            locked.pop_all()
            self._files = files

    async def _lock_database(self, url: str) -> None:
        credentials = db.tortoise_config(url)["connections"]["default"]["credentials"]
        known = {name: credentials[name] for name in _CREDENTIALS if credentials.get(name) is not None}
        # The session is idle by design; a server that ends idle sessions would end the lock with it.
        session = {"application_name": "wonder instance lock", "idle_session_timeout": "0"}
        connection = await asyncpg.connect(**known, server_settings=session)
        try:
            await connection.execute(f"SET lock_timeout = {max(1, round(self._patience_seconds * 1000))}")
            await connection.execute("SELECT pg_advisory_lock($1)", INSTANCE_LOCK)
        except asyncpg.LockNotAvailableError:
            await connection.close()
            raise SettingsError(
                "WONDER_DATABASE_URL: another Wonder server is using this database. Stop it first, or use another one."
            ) from None
        except BaseException:
            connection.terminate()
            raise
        self._connection = connection


def _locked(path: Path) -> IO[str]:
    """Open a file and take its lock at once, or raise `SettingsError`; the file then names this process."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+")
    except OSError as error:
        raise SettingsError(f"WONDER_DATA_DIR: {path.parent} cannot be used: {error.strerror}.") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read(20).strip()
        file.close()
        which = f" (process {holder})" if holder.isdigit() else ""
        raise SettingsError(
            f"WONDER_DATA_DIR: another Wonder server{which} is using {path.parent}. Stop it first, or use another one."
        ) from None
    with contextlib.suppress(OSError):  # a full disk must not keep the lock from being held
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
    return file
