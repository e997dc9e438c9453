"""Bringing back what a backup holds (`server.backup`), all of it or nothing.

The whole archive is read and compared before anything is changed. Then come the files, the signing key and, by one
rename, the database, so that a restore that is killed can be repeated.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from domain import migrations
from domain.errors import SettingsError
from domain.instance import InstanceLock
from domain.ports import Storage
from domain.secret_key import FILE_NAME as KEY_FILE
from domain.settings import MIN_SECRET_BYTES, Settings
from domain.storage.copying import OBJECTS
from domain.storage.keys import check_key
from server.backup import DATABASE, FILES, FORMAT, MANIFEST, Tell, database_path, sync_folder

_CHUNK_BYTES: Final = 1024 * 1024
_ENCRYPTED: Final = 0x1
#: What the standard library raises for archives that are damaged or made to do harm.
_BROKEN: Final = (zipfile.BadZipFile, KeyError, ValueError, EOFError, NotImplementedError, RuntimeError, IndexError)


@dataclass(frozen=True, slots=True)
class _Object:
    sha256: str
    media_type: str


@dataclass(frozen=True, slots=True)
class _Manifest:
    database_sha256: str
    files: Mapping[str, _Object]


async def restore(settings: Settings, storage: Storage, path: Path, tell: Tell, *, force: bool) -> int:
    """Bring back what a backup holds; returns how many files.

    Raises `SettingsError` when a server runs, when there is something else already and not `force`, and when the file
    is no whole backup: nothing is changed then. `StorageError`, and `OSError`.
    """
    database = database_path(settings)
    if not await asyncio.to_thread(path.is_file):
        raise SettingsError(f"There is no file {path}.")
    lock = InstanceLock(settings)
    await lock.acquire()
    arrived = database.with_name(f"{database.name}.restored")
    try:
        with _opened(path) as archive:
            manifest = await asyncio.to_thread(_verified, archive, path, arrived)
            if not force and (await asyncio.to_thread(database.exists) or await _holds_others(storage, manifest)):
                raise SettingsError("There is a database or are files already: --force replaces them.")
            for number, (key, about) in enumerate(manifest.files.items(), 1):
                await _restore_file(archive, storage, key, about)
                tell(number, len(manifest.files))
            await asyncio.to_thread(_restore_key, archive, settings)
            await asyncio.to_thread(_replace_database, arrived, database)
        return len(manifest.files)
    finally:
        await asyncio.to_thread(arrived.unlink, missing_ok=True)
        await lock.release()


async def _holds_others(storage: Storage, manifest: _Manifest) -> bool:
    """Tell whether there are files that the backup does not hold; its own may be from a restore that broke off."""
    async for item in storage.list(OBJECTS):
        if item.key not in manifest.files:
            return True
    return False


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(path)
    except _BROKEN as error:
        raise SettingsError(f"{path} is no backup of Wonder, or it is damaged: {error}.") from None
    with archive:
        yield archive


def _verified(archive: zipfile.ZipFile, path: Path, arrived: Path) -> _Manifest:
    """Read everything once and return the manifest that it fits; leaves the database in `arrived`."""
    # What we write is not compressed: an archive that unpacks to more than it is was made by somebody else.
    entries = archive.infolist()
    if any(entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & _ENCRYPTED for entry in entries):
        raise SettingsError(f"{path} is no backup of Wonder, or was packed anew: its content is compressed.")
    if sum(entry.file_size for entry in entries) > path.stat().st_size:
        raise SettingsError(f"{path} is no backup of Wonder: it claims to hold more than it does.")
    manifest = _read_manifest(archive, path)
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 (no path of the file system)
        for key, about in manifest.files.items():
            _extract(archive, FILES + key, nowhere, about.sha256)
    arrived.parent.mkdir(parents=True, exist_ok=True)
    with arrived.open("wb") as file:
        arrived.chmod(0o600)
        _extract(archive, DATABASE, file, manifest.database_sha256)
        file.flush()
        os.fsync(file.fileno())
    _check_database(arrived, path)
    if KEY_FILE in archive.namelist() and sum(map(len, _chunks(archive, KEY_FILE))) < MIN_SECRET_BYTES:
        raise SettingsError(f"The backup is damaged: {KEY_FILE} holds no key.")
    return manifest


def _read_manifest(archive: zipfile.ZipFile, path: Path) -> _Manifest:
    try:
        read = json.loads(archive.read(MANIFEST))
        if read["format"] != FORMAT:
            raise SettingsError(f"{path} was written by another version of Wonder.")
        files = {
            _checked(key): _Object(str(about["sha256"]), str(about["mediaType"]))
            for key, about in dict(read["files"]).items()
        }
        return _Manifest(str(read["database"]), files)
    except (*_BROKEN, TypeError, AttributeError):
        raise SettingsError(f"{path} is no backup of Wonder.") from None


def _checked(key: str) -> str:
    if not key.startswith(OBJECTS):
        raise ValueError(key)
    return check_key(key)


def _check_database(arrived: Path, path: Path) -> None:
    """Look whether it is a whole database of a version that this one knows. Raises `SettingsError`."""
    known = {file.stem for folder in migrations.__path__ for file in Path(folder).glob("0*.py")}
    try:
        with contextlib.closing(sqlite3.connect(f"{arrived.absolute().as_uri()}?immutable=1", uri=True)) as connection:
            [(verdict,)] = connection.execute("PRAGMA quick_check(1)").fetchall()
            applied = {name for (name,) in connection.execute("SELECT name FROM tortoise_migrations")}
            connection.execute("SELECT id FROM user_account LIMIT 1")
    except (sqlite3.Error, ValueError) as error:
        raise SettingsError(f"{path} is no backup of Wonder, or its database is damaged: {error}.") from None
    if verdict != "ok":
        raise SettingsError(f"The backup is damaged: its database is not whole ({verdict}).")
    if applied - known:
        raise SettingsError(f"{path} was written by a later version of Wonder. Restore it with that one.")


async def _restore_file(archive: zipfile.ZipFile, storage: Storage, key: str, about: _Object) -> None:
    with tempfile.NamedTemporaryFile(prefix="wonder-restore-") as file:
        await asyncio.to_thread(_extract, archive, FILES + key, file, about.sha256)
        await asyncio.to_thread(file.flush)
        await storage.put_file(key, Path(file.name), about.media_type)


def _extract(archive: zipfile.ZipFile, name: str, target: IO[bytes], sha256: str) -> None:
    digest = hashlib.sha256()
    for chunk in _chunks(archive, name):
        digest.update(chunk)
        target.write(chunk)
    if digest.hexdigest() != sha256:
        raise SettingsError(f"The backup is damaged: {name} is not what was saved.")


def _chunks(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    try:
        with archive.open(name) as source:
            while chunk := source.read(_CHUNK_BYTES):
                yield chunk
    except _BROKEN:
        raise SettingsError(f"The backup is damaged: {name} cannot be read.") from None


def _restore_key(archive: zipfile.ZipFile, settings: Settings) -> None:
    """Put the signing key back, unless one is set, so that sessions and addresses go on."""
    if KEY_FILE not in archive.namelist() or settings.secret_key.get_secret_value():
        return
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    draft = settings.data_dir / f".{KEY_FILE}.restored"
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    with draft.open("wb") as file:
        file.writelines(_chunks(archive, KEY_FILE))
        file.flush()
        os.fsync(file.fileno())
    draft.replace(settings.data_dir / KEY_FILE)
    sync_folder(settings.data_dir)


def _replace_database(arrived: Path, database: Path) -> None:
    # What a killed server has committed lies beside its database. It goes into it first, so that whenever this is
    # killed, either the old database is there, with all of it, or the new one, with nothing of it.
    if database.exists():
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for suffix in ("-wal", "-shm"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)
    arrived.replace(database)
    sync_folder(database.parent)
