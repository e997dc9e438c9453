"""Passwords: which are taken, and their bcrypt hashes."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import bcrypt

from domain.errors import InvalidInput, WeakPassword
from domain.guessable import is_guessable
from domain.text import has_surrogate

MIN_BYTES: Final = 8
#: bcrypt reads no further; its library refuses more.
MAX_BYTES: Final = 72
_THREADS: Final = 2
_DIGEST_CHARACTERS: Final = 31
_BCRYPT: Final = re.compile(r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}")


def check_password(password: str, path: Sequence[str], about: Iterable[str] = ()) -> None:
    """Raise `WeakPassword` unless it is 8 to 72 bytes of UTF-8 and none that is guessed first.

    `about` is what is known of its user. Raises `InvalidInput` when it holds NUL or a lone surrogate.

    The password itself is taken as it is: no trimming, no normalisation.
    """
    if "\x00" in password or has_surrogate(password):
        raise InvalidInput("The password holds a character that cannot be used (NUL or a lone surrogate).", path=path)
    if not MIN_BYTES <= len(password.encode()) <= MAX_BYTES:
        raise WeakPassword("The password must be 8 to 72 bytes long in UTF-8.", path=path)
    if is_guessable(password, about):
        raise WeakPassword(
            "The password is among those that are guessed first: a well-known word, a series, keys side by side, or "
            "your own name or address, perhaps with digits. Take several words that have nothing in common.",
            path=path,
        )


class PasswordHasher:
    """bcrypt in two threads, so that log-ins neither stop the event loop nor take every core.

    A `verify` always costs one bcrypt run of this hasher's cost or of the hash's own, whatever it is given.
    """

    def __init__(self, cost: int) -> None:
        self._cost = cost
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="bcrypt")
        # A salt of the right cost and a digest that nothing was hashed to: as slow to compare with as any.
        self._dummy = bcrypt.gensalt(cost) + b"." * _DIGEST_CHARACTERS

    async def hash(self, password: str) -> str:
        """Return the hash to store of a password that `check_password` has taken."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._hash, password.encode())

    async def verify(self, password: str, password_hash: str | None) -> bool:
        """Tell whether the password belongs to the hash.

        With None, with a value that is no bcrypt hash and with a password that none could have been made of, it takes
        the same time and says no.
        """
        usable = password_hash is not None and _BCRYPT.fullmatch(password_hash) is not None and _hashable(password)
        digest = password_hash.encode() if usable and password_hash is not None else self._dummy
        secret = password.encode() if usable else b"a password of nobody"
        matches = await asyncio.get_running_loop().run_in_executor(self._pool, bcrypt.checkpw, secret, digest)
        return usable and matches

    def close(self) -> None:
        """End the threads; what still waits for one is cancelled."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _hash(self, secret: bytes) -> str:
        return bcrypt.hashpw(secret, bcrypt.gensalt(self._cost)).decode()


def _hashable(password: str) -> bool:
    return not has_surrogate(password) and len(password.encode()) <= MAX_BYTES
