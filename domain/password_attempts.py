"""How often a password may be guessed: ever more slowly, and never so that guessing keeps the owner out.

Wrong passwords are counted for an account from one address, and more generously for an account from anywhere; the
second count does not hold where its owner has logged in from before. So whoever guesses slows down themselves, and a
crowd of guessers the addresses that the account has never been used from. Whether the account exists makes no
difference.

An attempt counts as wrong before the password is compared, and the count is taken back when it was right: of many
attempts at once no more get through than one after the other.
"""

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address
from math import ceil
from typing import Final

from domain import db
from domain.clock import Clock
from domain.errors import RateLimited
from domain.models.accounts import PasswordAttempts as Row

#: How long an address counts as the owner's after a log-in.
KNOWN_DAYS: Final = 90
#: Rows kept at most; those that would be forgotten soonest go first.
MAX_ROWS: Final = 200_000
_BATCH: Final = 500
#: What one subscriber of a network commonly has of IPv6.
_IPV6_PREFIX_BITS: Final = 64
_MAX_DOUBLINGS: Final = 20


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast may be guessed: `free` times at any pace, then after 1, 2, 4 ... seconds, at most `longest_seconds`.

    It begins anew when nobody guesses for `forgotten_seconds`.
    """

    free: int
    longest_seconds: int
    forgotten_seconds: int

    def delay_seconds(self, failures: int) -> int:
        """Return how long to wait after so many wrong guesses."""
        beyond = failures - self.free
        return 0 if beyond < 0 else min(2 ** min(beyond, _MAX_DOUBLINGS), self.longest_seconds)


FROM_ONE_ADDRESS: Final = Pace(free=10, longest_seconds=900, forgotten_seconds=3600)
FROM_ANYWHERE: Final = Pace(free=100, longest_seconds=60, forgotten_seconds=3600)
IN_A_SESSION: Final = Pace(free=10, longest_seconds=900, forgotten_seconds=3600)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A password about to be compared: the keys under which it was counted as wrong."""

    keys: tuple[str, ...]
    #: The key of the account at the address, for a log-in.
    place: str | None = None


class PasswordAttempts:
    """Counts attempts, in rows, so that all processes count together and a restart forgets nothing."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def begin_login(self, email: str, address: str) -> Attempt:
        """Count an attempt to log in; raises `RateLimited` with when to come back, and then counts nothing."""
        place = _key("place", email, network_of(address))
        account = _key("account", email)
        async with db.transaction():
            now = self._clock.now()
            here = await _locked(place, now, FROM_ONE_ADDRESS)
            counted = [(here, FROM_ONE_ADDRESS)]
            if here.known_until is None or here.known_until <= now:
                counted.append((await _locked(account, now, FROM_ANYWHERE), FROM_ANYWHERE))
            await _count(counted, now)
        return Attempt(tuple(row.id for row, _ in counted), place)

    async def begin_confirmation(self, session_id: str) -> Attempt:
        """Count an attempt to confirm something by the password, in a session; raises `RateLimited`."""
        async with db.transaction():
            now = self._clock.now()
            row = await _locked(_key("session", session_id), now, IN_A_SESSION)
            await _count([(row, IN_A_SESSION)], now)
        return Attempt((row.id,))

    async def succeed(self, attempt: Attempt) -> None:
        """Take the count of a right password back; the address is known from then on.

        Here it begins anew. Elsewhere it is one less, so that a log-in does not wipe out what others have guessed.
        """
        now = self._clock.now()
        for key in attempt.keys:
            row = await Row.filter(id=key).select_for_update().first()
            if row is None:
                continue
            alone = key == attempt.place or attempt.place is None
            row.failures = 0 if alone else max(row.failures - 1, 0)
            row.retry_at = None if alone else row.retry_at
            if key == attempt.place:
                row.known_until = row.expires_at = now + timedelta(days=KNOWN_DAYS)
            await row.save(update_fields=["failures", "retry_at", "known_until", "expires_at"])

    async def know(self, email: str, address: str) -> None:
        """Take an address for the owner's, who has just opened the account from there."""
        now = self._clock.now()
        row = await _locked(_key("place", email, network_of(address)), now, FROM_ONE_ADDRESS)
        row.known_until = row.expires_at = now + timedelta(days=KNOWN_DAYS)
        await row.save(update_fields=["known_until", "expires_at"])

    async def forget_expired(self) -> int:
        """Remove rows that say nothing any more, and those beyond `MAX_ROWS`; returns how many. For a duty."""
        gone = await Row.filter(expires_at__lte=self._clock.now()).delete()
        while (beyond := await Row.all().count() - MAX_ROWS) > 0:
            oldest = Row.all().order_by("expires_at", "id").limit(min(beyond, _BATCH))
            gone += await Row.filter(id__in=list(await oldest.values_list("id", flat=True))).delete()
        return gone


def network_of(address: str) -> str:
    """Return whom an address stands for: itself, of IPv6 its first 64 bits, which one subscriber commonly has."""
    with suppress(ValueError):
        number = ip_address(address)
        if isinstance(number, IPv6Address):
            if number.ipv4_mapped is not None:
                return str(number.ipv4_mapped)
            return f"{int(number) >> (128 - _IPV6_PREFIX_BITS):x}/{_IPV6_PREFIX_BITS}"
        return str(number)
    return address


def _key(*parts: str) -> str:
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


async def _locked(key: str, now: datetime, pace: Pace) -> Row:
    """Inside a transaction: return the row of a key, its count forgotten if it is time, and keep others from it."""
    await Row.bulk_create([Row(id=key, expires_at=now)], ignore_conflicts=True)
    row = await Row.filter(id=key).select_for_update().get()
    if row.failed_at is None or row.failed_at + timedelta(seconds=pace.forgotten_seconds) <= now:
        row.failures = 0
    return row


async def _count(counted: list[tuple[Row, Pace]], now: datetime) -> None:
    wait_seconds = max((row.retry_at - now).total_seconds() if row.retry_at else 0.0 for row, _ in counted)
    if wait_seconds > 0:
        seconds = ceil(wait_seconds)
        raise RateLimited(f"Too many wrong passwords. Try again in {seconds} s.", retry_after_seconds=seconds)
    for row, pace in counted:
        row.failures, row.failed_at = row.failures + 1, now
        delay_seconds = pace.delay_seconds(row.failures)
        row.retry_at = now + timedelta(seconds=delay_seconds) if delay_seconds else None
        row.expires_at = max(row.expires_at, now + timedelta(seconds=pace.forgotten_seconds))
        await row.save(update_fields=["failures", "failed_at", "retry_at", "expires_at"])
