"""The commands that move an installation: files to another storage, everything into one file and back."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Final, TypeVar

from domain import db
from domain.clock import SystemClock
from domain.errors import SettingsError
from domain.ports import Storage
from domain.settings import Settings
from domain.storage.copying import CopyProgress, copy_objects
from domain.storage.signing import UrlSigner
from server.backup import BackupReport, back_up
from server.restore import restore
from server.storage import StorageKind, build_storage

_BAR_CHARACTERS: Final = 30
_MEGABYTE: Final = 1_000_000
_T = TypeVar("_T")


class Terminated(Exception):
    """SIGTERM came; nothing half done is left but what a repetition takes up."""


def copy_storage(settings: Settings, options: argparse.Namespace) -> int:
    """Copy every object from one storage to the other and compare; may be repeated."""
    if options.source == options.target:
        raise SettingsError("--from and --to are the same storage.")
    if "s3" in (options.source, options.target) and not settings.s3_bucket:
        raise SettingsError("WONDER_S3_BUCKET: must name the bucket to copy from or to.")

    async def run() -> CopyProgress:
        source, target = _storage(settings, options.source), _storage(settings, options.target)
        await db.connect(settings.resolved_database_url)
        try:
            await source.check()
            await target.check()
            return await copy_objects(source, target, _show)
        finally:
            await db.close()
            await source.close()
            await target.close()

    done = _finished(run())
    _end_bar()
    size = f"{done.size_bytes / _MEGABYTE:.1f} MB"
    _say(
        f"{done.objects - done.gone} objects ({size}) are in {options.target} and the same as in {options.source}; "
        f"{done.present} of them were there already."
    )
    if done.gone:
        _say(f"{done.gone} were deleted meanwhile.")
    return 0


def write_backup(settings: Settings, options: argparse.Namespace) -> int:
    """Write the database, the files and the signing key to one file."""
    path: Path = options.file

    async def run() -> BackupReport:
        storage = _storage(settings)
        try:
            return await back_up(settings, storage, path, _bar)
        finally:
            await storage.close()

    report = _finished(run())
    _end_bar()
    _say(f"{path} holds the database and {report.files} files. Whoever has it has every account: keep it safe.")
    if report.missing:
        _say(f"{report.missing} files that rows name are not in the storage: see `repairTasks`.")
    return 0


def read_backup(settings: Settings, options: argparse.Namespace) -> int:
    """Bring back what a backup holds."""

    async def run() -> int:
        storage = _storage(settings)
        try:
            await storage.check()
            return await restore(settings, storage, options.file, _bar, force=options.force)
        finally:
            await storage.close()

    files = _finished(run())
    _end_bar()
    _say(f"The database and {files} files are back. Start the server with `wonder serve`.")
    return 0


def _finished(work: Coroutine[None, None, _T]) -> _T:
    """Run to the end; SIGTERM, like Ctrl-C, lets what is under way take back what is unfinished.

    Raises `Terminated`.
    """

    async def run() -> _T:
        task = asyncio.create_task(work)
        told: list[int] = []

        def stop() -> None:
            told.append(signal.SIGTERM)
            task.cancel()

        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
        try:
            return await task
        except asyncio.CancelledError:
            if told:
                raise Terminated from None
            raise

    return asyncio.run(run())


def _storage(settings: Settings, kind: StorageKind | None = None) -> Storage:
    # No address is made here, so that the key for them does not matter.
    clock = SystemClock()
    return build_storage(settings, clock, UrlSigner(bytes(32), clock, settings.file_url_seconds), kind)


def _show(progress: CopyProgress) -> None:
    _bar(progress.objects, max(progress.total_objects, progress.objects))


def _bar(done: int, total: int) -> None:
    if sys.stderr.isatty():
        filled = _BAR_CHARACTERS * done // max(total, 1)
        sys.stderr.write(f"\r[{'#' * filled}{'.' * (_BAR_CHARACTERS - filled)}] {done} of {total}")
        sys.stderr.flush()


def _end_bar() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\n")


def _say(text: str) -> None:
    print(text)  # noqa: T201 (the command's answer)
