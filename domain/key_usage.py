"""When API keys were last used: noted by requests, written beside them, so that none waits for it."""

import asyncio
import logging
from datetime import datetime, timedelta
from typing import Final

from tortoise.expressions import Q

from domain import db
from domain.clock import Clock
from domain.models.accounts import ApiKey

_log = logging.getLogger(__name__)
#: How exact the last use of a key is, so that a busy one costs no write with each request.
EXACT_SECONDS: Final = 60


def use_is_news(last_used_at: datetime | None, now: datetime) -> bool:
    """Tell whether a use now is worth writing down."""
    return last_used_at is None or now - last_used_at >= timedelta(seconds=EXACT_SECONDS)


class KeyUsage:
    """Writes down the uses that it is told of, from the moment it is run until it is cancelled.

    What a process that dies has not written is lost; the next use is noted again.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._used: dict[str, datetime] = {}
        self._noted = asyncio.Event()

    def note(self, key_id: str) -> None:
        """Have a use of this moment written down; does not wait."""
        self._used[key_id] = self._clock.now()
        self._noted.set()

    async def run(self) -> None:
        """Write until cancelled; what the database does not take is let go."""
        while True:
            await self._noted.wait()
            try:
                await self.write()
            except db.DATABASE_ERRORS as error:
                _log.warning("the last use of API keys could not be written: %s", type(error).__name__)

    async def write(self) -> None:
        """Write what has been noted until now, each use only if no newer one, here or elsewhere, was written."""
        self._noted.clear()
        used, self._used = self._used, {}
        for key_id, at in used.items():
            before = Q(last_used_at__isnull=True) | Q(last_used_at__lte=at - timedelta(seconds=EXACT_SECONDS))
            await ApiKey.filter(before, id=key_id).update(last_used_at=at)
