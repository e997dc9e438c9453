"""One file with everything: the SQLite database, the files that its rows name, and the signing key.

The file is a ZIP without compression: `manifest.json` says for each key its SHA-256, `wonder.db` is the database,
`files/` holds the objects under their keys. The database is copied by SQLite's own backup, which is whole also while a
server writes; the files are read after it. When one of them has been deleted in between, the database is copied again,
so that in the end it names nothing that the file does not hold.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import json
import os
import sqlite3
import tempfile
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from domain.errors import ObjectMissing, SettingsError, StorageError
from domain.ports import Storage
from domain.secret_key import FILE_NAME as KEY_FILE
from domain.settings import Settings
from domain.storage.copying import read_to

FORMAT: Final = 1
DATABASE: Final = "wonder.db"
MANIFEST: Final = "manifest.json"
FILES: Final = "files/"
#: Copies of the database at most, of which each but the first is for files that were deleted since the one before.
_MAX_ROUNDS: Final = 10
_LOCK: Final = "lock"
_ARCHIVE: Final = "backup.zip"
_NAMED: Final = """
SELECT storage_key, media_type, sha256 FROM asset WHERE user_id IS NOT NULL
UNION SELECT storage_key, media_type, sha256 FROM uploaded_image WHERE user_id IS NOT NULL
"""

#: What jobs at providers have made for tasks that still need it; rows say nothing of its SHA-256.
_MADE: Final = "SELECT result FROM external_job WHERE result IS NOT NULL"
_MADE_TYPE: Final = "application/octet-stream"

#: Hears how many files of how many are done.
Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What a backup holds."""

    files: int
    #: Files that rows name and that are not in the storage.
    missing: int


async def back_up(settings: Settings, storage: Storage, path: Path, tell: Tell) -> BackupReport:
    """Write everything to a new file, which appears under its name when it is whole and on the disk.

    Until then all of it lies in a folder beside it, `{name}.unfinished`, which the next backup to this file clears when
    this one is killed. Raises `SettingsError` when the database is not SQLite, the file exists or is being written,
    `StorageError` when a file is not what its row says, and `OSError`.
    """
    database = database_path(settings)
    await asyncio.to_thread(_check_new, path)
    async with _unfinished(path) as folder:
        report = await _write(folder, database, settings, storage, tell)
        await asyncio.to_thread(_publish, folder / _ARCHIVE, path)
    return report


def database_path(settings: Settings) -> Path:
    """Return the file of the SQLite database. Raises `SettingsError` for PostgreSQL."""
    url = settings.resolved_database_url
    if not url.startswith("sqlite://"):
        raise SettingsError("Backups are for SQLite. For PostgreSQL use pg_dump, and `wonder storage copy` for files.")
    return Path(url.removeprefix("sqlite://"))


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_new(path: Path) -> None:
    if path.exists():
        raise SettingsError(f"{path} exists already: name a file that does not.")
    if not path.parent.is_dir():
        raise SettingsError(f"There is no folder {path.parent}.")


@contextlib.asynccontextmanager
async def _unfinished(path: Path) -> AsyncIterator[Path]:
    """Hold an empty folder beside the file until the end, and take it away then."""
    folder = path.with_name(f"{path.name}.unfinished")
    lock = await asyncio.to_thread(_begin, folder, path)
    try:
        yield folder
    finally:
        await asyncio.to_thread(_end, folder, lock)


def _begin(folder: Path, path: Path) -> IO[str]:
    folder.mkdir(0o700, exist_ok=True)
    lock = (folder / _LOCK).open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise SettingsError(f"Another backup is writing {path} just now.") from None
    _clear(folder)
    return lock


def _clear(folder: Path) -> None:
    """Remove what a backup that was killed has left."""
    for left in folder.iterdir():
        if left.name != _LOCK:
            left.unlink()


def _end(folder: Path, lock: IO[str]) -> None:
    with lock:
        _clear(folder)
        (folder / _LOCK).unlink()
        folder.rmdir()


def _publish(archive: Path, path: Path) -> None:
    with archive.open("rb") as file:
        os.fsync(file.fileno())
    _check_new(path)
    archive.replace(path)
    sync_folder(path.parent)


@dataclass(slots=True)
class _Saved:
    """An archive that is being written, and which objects it has: their SHA-256 and media type by key."""

    archive: zipfile.ZipFile
    folder: Path
    files: dict[str, tuple[str, str]] = field(default_factory=dict)


async def _write(folder: Path, database: Path, settings: Settings, storage: Storage, tell: Tell) -> BackupReport:
    path, copy = folder / _ARCHIVE, folder / DATABASE
    with await asyncio.to_thread(zipfile.ZipFile, path, "x", zipfile.ZIP_STORED, allowZip64=True) as archive:
        await asyncio.to_thread(path.chmod, 0o600)
        saved = _Saved(archive, folder)
        missing: set[str] | None = None
        for _ in range(_MAX_ROUNDS):
            before = missing
            await asyncio.to_thread(_copy_database, database, copy)
            named = await asyncio.to_thread(_named, copy)
            missing = await _save(saved, storage, named, tell)
            if not missing or missing == before:
                break
        files = {
            key: {"sha256": sha256, "mediaType": media_type}
            for key, (sha256, media_type) in saved.files.items()
            if key in named
        }
        await asyncio.to_thread(archive.write, copy, DATABASE)
        secret = settings.data_dir / KEY_FILE
        if await asyncio.to_thread(secret.is_file):
            await asyncio.to_thread(archive.write, secret, KEY_FILE)
        manifest = {"format": FORMAT, "database": await asyncio.to_thread(_sha256, copy), "files": files}
        await asyncio.to_thread(archive.writestr, MANIFEST, json.dumps(manifest, indent=1))
    return BackupReport(len(files), len(missing or ()))


def _copy_database(database: Path, copy: Path) -> None:
    if not database.exists():
        raise SettingsError(f"There is no database at {database}.")
    copy.unlink(missing_ok=True)
    address = f"{database.absolute().as_uri()}?mode=ro"
    with (
        contextlib.closing(sqlite3.connect(address, uri=True)) as source,
        contextlib.closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)


def _named(copy: Path) -> dict[str, tuple[str, str]]:
    """Return SHA-256 and media type of every object that rows name, by key."""
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        named = {key: (sha256, media_type) for key, media_type, sha256 in connection.execute(_NAMED)}
        for (result,) in connection.execute(_MADE):
            named |= dict.fromkeys(_keys_of(json.loads(result)), ("", _MADE_TYPE))
        return named


def _keys_of(result: object) -> list[str]:
    """Return the keys under which a job's result is stored, as `worker.pipeline.job_results` writes them."""
    if not isinstance(result, dict):
        return []
    keys = [picture.get("key") for picture in result.get("pictures", ())]
    return [key for key in (*keys, result.get("clip_key")) if isinstance(key, str)]


async def _save(saved: _Saved, storage: Storage, named: Mapping[str, tuple[str, str]], tell: Tell) -> set[str]:
    """Add the objects that are not in the archive yet; returns the keys of those that are not there."""
    missing = set()
    for key, about in named.items():
        if key in saved.files:
            continue
        sha256 = await _save_one(saved, storage, key, about[0])
        if sha256 is not None:
            saved.files[key] = (sha256, about[1])
        else:
            missing.add(key)
        tell(len(saved.files), max(len(named), len(saved.files)))
    return missing


async def _save_one(saved: _Saved, storage: Storage, key: str, sha256: str) -> str | None:
    """Add one object; returns its SHA-256, which must be the row's if that says one, or None when it is not there."""
    with tempfile.NamedTemporaryFile(dir=saved.folder) as file:
        try:
            arrived = await read_to(storage, key, file)
        except ObjectMissing:
            return None
        if sha256 and arrived != sha256:
            raise StorageError(f"The file {key} is not what its row says: it is damaged. See `repairTasks`.")
        await asyncio.to_thread(file.flush)
        await asyncio.to_thread(saved.archive.write, file.name, FILES + key)
    return arrived


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
