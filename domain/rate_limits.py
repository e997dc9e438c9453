"""How often something may be asked for: a token bucket for each who asks.

Kept in memory: a restart forgets who asked how often, which costs nothing but a moment of patience with them.
"""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Final

from domain.clock import Clock
from domain.errors import RateLimited
from domain.password_attempts import network_of
from domain.settings import Settings

#: Buckets kept of one kind; the one not asked for longest goes first, and is full again when it comes back.
_MAX_BUCKETS: Final = 50_000
_SECONDS_PER_MINUTE: Final = 60.0


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: datetime


class Limiter:
    """At most `per_minute` of one kind a minute for each key, as many at once; 0 lets everything through."""

    def __init__(self, clock: Clock, per_minute: int, what: str) -> None:
        self._clock = clock
        self._per_minute = per_minute
        self._what = what
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, key: str, count: int = 1) -> None:
        """Count so many; raises `RateLimited` with when to come back, and then counts nothing."""
        if self._per_minute == 0:
            return
        now = self._clock.now()
        bucket = self._buckets.pop(key, None) or _Bucket(self._per_minute, now)
        rate = self._per_minute / _SECONDS_PER_MINUTE
        elapsed = max((now - bucket.at).total_seconds(), 0)
        bucket.tokens, bucket.at = min(self._per_minute, bucket.tokens + elapsed * rate), now
        self._buckets[key] = bucket
        if len(self._buckets) > _MAX_BUCKETS:
            self._buckets.popitem(last=False)
        # More than a bucket holds at once is taken when it is full, and owed afterwards.
        if bucket.tokens < min(count, self._per_minute):
            seconds = ceil((min(count, self._per_minute) - bucket.tokens) / rate)
            raise RateLimited(f"{self._what} Try again in {seconds} s.", retry_after_seconds=seconds)
        bucket.tokens -= count


class RateLimits:
    """The limits of one process. Who asks from an address is whoever it stands for: of IPv6, all of a /64."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._signups = Limiter(clock, settings.signups_per_minute, "Too many accounts from your address.")
        self._logins = Limiter(clock, settings.logins_per_minute, "Too many log-ins from your address.")
        self._generates = Limiter(clock, settings.generates_per_minute, "Too many requests for assets.")
        self._uploads = Limiter(clock, settings.uploads_per_minute, "Too many uploads.")

    def signup(self, address: str) -> None:
        """Count a sign-up; raises `RateLimited`."""
        self._signups.take(network_of(address))

    def login(self, address: str) -> None:
        """Count a log-in, good or bad; raises `RateLimited`.

        By where it comes from and not by account, so that nobody can lock another out.
        """
        self._logins.take(network_of(address))

    def generate(self, user_id: str, count: int = 1) -> None:
        """Count requests for assets; raises `RateLimited`."""
        self._generates.take(user_id, count)

    def upload(self, user_id: str) -> None:
        """Count an upload, which costs a decoding whether it is kept or not; raises `RateLimited`."""
        self._uploads.take(user_id)
