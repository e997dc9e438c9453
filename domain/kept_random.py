"""Random text that is made once and kept in a file, the same for everybody who reads it."""

import contextlib
import os
import secrets
from pathlib import Path
from typing import Final

_RANDOM_BYTES: Final = 32
_OWNER_ONLY: Final = 0o600


def kept_random(path: Path) -> bytes:
    """Return what the file holds; when there is none, one with 64 random hexadecimal digits is made first.

    Processes that ask at the same moment get the same. Raises `OSError`.
    """
    if not path.exists():
        _create(path)
    return _read(path)


def _create(path: Path) -> None:
    """Put a new one at the path, whole or not at all, unless another process was first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(_RANDOM_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        # A link, not a rename: a rename would replace what a process that was first has read.
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power cut: tokens signed with a lost secret are worthless."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read(path: Path) -> bytes:
    """Return what the file holds; one that others may read is closed to them where that is ours to do."""
    if path.stat().st_mode & 0o077:
        with contextlib.suppress(PermissionError):
            path.chmod(_OWNER_ONLY)
    return path.read_bytes().strip()
