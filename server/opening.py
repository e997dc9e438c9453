"""Opening the database at the start and bringing it up to date, or saying exactly what keeps it from being used."""

import asyncio
import contextlib
import os
from pathlib import Path
from typing import Final

from domain import db
from domain.disk_room import shortage
from domain.errors import SettingsError
from domain.settings import Settings

_SQLITE: Final = "sqlite://"
_MAKE_ROOM: Final = "Make room, or make WONDER_DATA_DIR a folder that can be written, then start again."


async def open_database(settings: Settings, ends: contextlib.AsyncExitStack) -> None:
    """Connect, to be closed by `ends`, and migrate. Raises `SettingsError` or what the driver of PostgreSQL raises."""
    try:
        await db.connect(settings.resolved_database_url)
        ends.push_async_callback(db.close)
        if settings.auto_migrate:
            await db.migrate()
        elif await db.pending_migrations():
            raise SettingsError("The tables are not up to date: run `wonder migrate`, or set WONDER_AUTO_MIGRATE=true.")
    except db.DATABASE_ERRORS as error:
        path = _sqlite_file(settings)
        if path is None:
            raise
        raise SettingsError(await asyncio.to_thread(_complaint, path, str(error))) from error


async def is_writable(settings: Settings) -> bool:
    """Tell whether there is room for the database to grow; that of PostgreSQL is its own affair. Raises `OSError`."""
    path = _sqlite_file(settings)
    return path is None or await asyncio.to_thread(shortage, path.parent) is None


def _sqlite_file(settings: Settings) -> Path | None:
    url = settings.resolved_database_url
    return Path(url.removeprefix(_SQLITE)).absolute() if url.startswith(_SQLITE) else None


def _complaint(path: Path, said: str) -> str:
    """Return what is wrong with a SQLite database; SQLite itself says little, `disk I/O error` of a full disk."""
    start = f"The database {path} cannot be used"
    with contextlib.suppress(OSError):
        if lack := shortage(path.parent):
            return f"{start}: {lack}. {_MAKE_ROOM}"
    if path.is_dir():
        return f"{start}: it is a folder. Move it away, or name another file in WONDER_DATABASE_URL."
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        return f"{start}: this server's user may not write it. {_MAKE_ROOM}"
    if "not a database" in said or "malformed" in said:
        return f"{start}: it is damaged, or no SQLite database. Bring back a backup with `wonder restore --force`."
    return f"{start}: {said}."
