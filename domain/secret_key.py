"""The one secret of a server, and the keys made of it."""

import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path
from typing import Final

from domain.errors import SettingsError
from domain.settings import MIN_SECRET_BYTES, Settings

FILE_NAME: Final = "secret.key"
_RANDOM_BYTES: Final = 32
_OWNER_ONLY: Final = 0o600
_SALT: Final = b"wonder"


def load_secret_key(settings: Settings) -> bytes:
    """Return the secret that was set, else the one kept in the data folder, which the first start makes.

    Processes that start at the same moment on one folder get the same secret. Raises `SettingsError` when it can
    neither be read nor kept.
    """
    given = settings.secret_key.get_secret_value()
    if given:
        return given.encode()
    path = settings.data_dir / FILE_NAME
    try:
        if not path.exists():
            _create(path)
        secret = _read(path)
    except OSError as error:
        raise SettingsError(
            f"WONDER_SECRET_KEY: not set, and the key cannot be kept in {path} ({error.strerror}). Set it, or make "
            "WONDER_DATA_DIR a folder that can be written."
        ) from None
    if len(secret) < MIN_SECRET_BYTES:
        raise SettingsError(
            f"WONDER_SECRET_KEY: not set, and {path} holds no key of {MIN_SECRET_BYTES} bytes or more. Restore the "
            "file, or remove it to start with a new key, which ends every session."
        )
    return secret


def derive_key(secret: bytes, purpose: str) -> bytes:
    """Return a 32-byte key for one purpose, so that what is signed for one is worth nothing for another.

    HKDF with SHA-256 (RFC 5869) and a fixed salt, one block of output, the purpose as its info.
    """
    root = hmac.digest(_SALT, secret, hashlib.sha256)
    return hmac.digest(root, purpose.encode() + b"\x01", hashlib.sha256)


def _create(path: Path) -> None:
    """Put a new secret at the path, whole or not at all, unless another process was first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(_RANDOM_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        # A link, not a rename: a rename would replace the secret of a process that was first.
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
