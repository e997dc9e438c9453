"""The one secret of a server, and the keys made of it."""

import hashlib
import hmac
from typing import Final

from domain.errors import SettingsError
from domain.kept_random import kept_random
from domain.settings import MIN_SECRET_BYTES, Settings

FILE_NAME: Final = "secret.key"
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
        secret = kept_random(path)
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
