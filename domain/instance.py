"""One server at a time on the same SQLite database, held by something that ends with the process, however it ends.

On PostgreSQL several servers work side by side: `domain.instances`.

Processes that the server starts must be spawned, not forked: a forked child would hold the lock beyond the death of
its parent.
"""

import asyncio
import contextlib
import fcntl
import os
from pathlib import Path
from typing import IO, Final
from urllib.parse import urlsplit

from domain.errors import SettingsError
from domain.settings import Settings

LOCK_FILE: Final = "wonder.lock"


class InstanceLock:
    """The right to serve a SQLite database: a lock on files beside it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._files: list[IO[str]] = []

    async def acquire(self) -> None:
        """Take the lock until `release` or the end of the process; on PostgreSQL there is none to take.

        Raises `SettingsError` when another server has it.
        """
        url = self._settings.resolved_database_url
        if urlsplit(url).scheme == "sqlite":
            await asyncio.to_thread(self._lock_files, Path(url.removeprefix("sqlite://")))

    async def release(self) -> None:
        """Let the next one in; no harm when nothing is held."""
        while self._files:
            self._files.pop().close()

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
    with contextlib.suppress(OSError):  # a full disk must not keep the lock from being held, nor from being let go
        file.truncate(0)
        os.write(file.fileno(), f"{os.getpid()}\n".encode())
    return file
