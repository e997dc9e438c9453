"""One file with everything: the SQLite database, the files that its rows name, and the signing key.

The file is a ZIP: `manifest.json` says for each key its SHA-256, `wonder.db` is the database, `files/` holds the
objects under their keys. The database is copied by SQLite's own backup, which is whole also while a server writes; the
files are read after it, so that a file which the rows name was there.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from domain.errors import ObjectMissing, SettingsError, StorageError
from domain.instance import InstanceLock
from domain.ports import Storage
from domain.secret_key import FILE_NAME as KEY_FILE
from domain.settings import Settings
from domain.storage.copying import OBJECTS, read_to
from domain.storage.keys import check_key

_FORMAT: Final = 1
_DATABASE: Final = "wonder.db"
_MANIFEST: Final = "manifest.json"
_FILES: Final = "files/"
_CHUNK_BYTES: Final = 1024 * 1024
_NAMED: Final = """
SELECT storage_key, media_type, sha256 FROM asset WHERE user_id IS NOT NULL
UNION SELECT storage_key, media_type, sha256 FROM uploaded_image WHERE user_id IS NOT NULL
"""

#: Hears how many files of how many are done.
Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What a backup holds."""

    files: int
    #: Files that were deleted, by their owners or the clean-up, after the database was copied.
    gone: int


async def back_up(settings: Settings, storage: Storage, path: Path, tell: Tell) -> BackupReport:
    """Write everything to a new file, which appears under its name when it is whole.

    Raises `SettingsError` when the database is not SQLite or the file exists, `StorageError` when a file is not what
    its row says, and `OSError`.
    """
    database = database_path(settings)
    await asyncio.to_thread(_check_new, path)
    unfinished = path.with_name(f"{path.name}.unfinished")
    try:
        with tempfile.TemporaryDirectory(prefix="wonder-backup-", dir=path.parent) as name:
            copy = Path(name) / _DATABASE
            await asyncio.to_thread(_copy_database, database, copy)
            report = await _write(unfinished, settings, storage, copy, tell)
        await asyncio.to_thread(os.replace, unfinished, path)
    finally:
        await asyncio.to_thread(unfinished.unlink, missing_ok=True)
    return report


async def restore(settings: Settings, storage: Storage, path: Path, tell: Tell, *, force: bool) -> int:
    """Bring back what a backup holds; returns how many files.

    Everything is compared with the manifest; the database comes last, so that a restore which breaks off can be
    repeated. Raises `SettingsError` when a server runs, when there is something already and not `force`, and when the
    file is no backup; `StorageError`, and `OSError`.
    """
    database = database_path(settings)
    lock = InstanceLock(settings)
    await lock.acquire()
    try:
        if not force and (await asyncio.to_thread(database.exists) or await _holds_anything(storage)):
            raise SettingsError("There is a database or are files already: --force replaces them.")
        with _opened(path) as (archive, manifest):
            files: Mapping[str, Mapping[str, str]] = manifest["files"]
            for number, (key, about) in enumerate(files.items(), 1):
                await _restore_file(archive, storage, check_key(key), about)
                tell(number, len(files))
            await asyncio.to_thread(_restore_database, archive, manifest, settings, database)
        return len(files)
    finally:
        await lock.release()


def database_path(settings: Settings) -> Path:
    """Return the file of the SQLite database. Raises `SettingsError` for PostgreSQL."""
    url = settings.resolved_database_url
    if not url.startswith("sqlite://"):
        raise SettingsError("Backups are for SQLite. For PostgreSQL use pg_dump, and `wonder storage copy` for files.")
    return Path(url.removeprefix("sqlite://"))


def _check_new(path: Path) -> None:
    if path.exists():
        raise SettingsError(f"{path} exists already: name a file that does not.")
    if not path.parent.is_dir():
        raise SettingsError(f"There is no folder {path.parent}.")


def _copy_database(database: Path, copy: Path) -> None:
    if not database.exists():
        raise SettingsError(f"There is no database at {database}.")
    address = f"{database.absolute().as_uri()}?mode=ro"
    with (
        contextlib.closing(sqlite3.connect(address, uri=True)) as source,
        contextlib.closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)


async def _write(path: Path, settings: Settings, storage: Storage, copy: Path, tell: Tell) -> BackupReport:
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        named = connection.execute(_NAMED).fetchall()
    files: dict[str, dict[str, str]] = {}
    gone = 0
    with await asyncio.to_thread(zipfile.ZipFile, path, "x", zipfile.ZIP_STORED, allowZip64=True) as archive:
        await asyncio.to_thread(path.chmod, 0o600)
        for number, (key, media_type, sha256) in enumerate(named, 1):
            with tempfile.NamedTemporaryFile(prefix="wonder-backup-") as file:
                try:
                    arrived = await read_to(storage, key, file)
                except ObjectMissing:
                    gone += 1
                    continue
                if arrived != sha256:
                    raise StorageError(f"The file {key} is not what its row says: it is damaged. See `repairTasks`.")
                file.flush()
                await asyncio.to_thread(archive.write, file.name, _FILES + key)
            files[key] = {"sha256": sha256, "mediaType": media_type}
            tell(number, len(named))
        await asyncio.to_thread(archive.write, copy, _DATABASE)
        secret = settings.data_dir / KEY_FILE
        if secret.is_file():
            await asyncio.to_thread(archive.write, secret, KEY_FILE)
        manifest = {"format": _FORMAT, "database": await asyncio.to_thread(_sha256, copy), "files": files}
        archive.writestr(_MANIFEST, json.dumps(manifest, indent=1))
    return BackupReport(len(files), gone)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


async def _holds_anything(storage: Storage) -> bool:
    async for _ in storage.list(OBJECTS):
        return True
    return False


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise SettingsError(f"{path} is no backup of Wonder, or it is damaged: {error}.") from None
    with archive:
        try:
            manifest = json.loads(archive.read(_MANIFEST))
        except (KeyError, ValueError):
            raise SettingsError(f"{path} is no backup of Wonder.") from None
        if manifest.get("format") != _FORMAT:
            raise SettingsError(f"{path} was written by another version of Wonder.")
        yield archive, manifest


async def _restore_file(archive: zipfile.ZipFile, storage: Storage, key: str, about: Mapping[str, str]) -> None:
    with tempfile.NamedTemporaryFile(prefix="wonder-restore-") as file:
        path = Path(file.name)
        await asyncio.to_thread(_extract, archive, _FILES + key, path, about["sha256"])
        await storage.put_file(key, path, about["mediaType"])


def _extract(archive: zipfile.ZipFile, name: str, target: Path, sha256: str) -> None:
    digest = hashlib.sha256()
    try:
        with archive.open(name) as source, target.open("wb") as file:
            while chunk := source.read(_CHUNK_BYTES):
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
    except (KeyError, zipfile.BadZipFile):
        raise SettingsError(f"The backup is damaged: {name} cannot be read.") from None
    if digest.hexdigest() != sha256:
        raise SettingsError(f"The backup is damaged: {name} is not what was saved.")


def _restore_database(archive: zipfile.ZipFile, manifest: Mapping[str, Any], settings: Settings, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    arrived = path.with_name(f"{path.name}.restored")
    try:
        _extract(archive, _DATABASE, arrived, manifest["database"])
        if KEY_FILE in archive.namelist() and not settings.secret_key.get_secret_value():
            settings.data_dir.mkdir(parents=True, exist_ok=True)
            secret = settings.data_dir / KEY_FILE
            secret.unlink(missing_ok=True)
            secret.touch(mode=0o600)
            secret.write_bytes(archive.read(KEY_FILE))
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        arrived.replace(path)
    finally:
        arrived.unlink(missing_ok=True)
