"""Ends what is open of sessions that another process has ended: another server, or `wonder create-admin`."""

import asyncio
import logging
from typing import Final

from domain import db
from domain.clock import Clock
from domain.instances.notes import Note, Notes
from domain.sessions import ended_among
from server.graphql.channels import OpenChannels

_log = logging.getLogger(__name__)
#: Other servers tell at once; this is for what they could not tell.
PERIOD_SECONDS: Final = 20.0
_IDS_AT_ONCE: Final = 1000


class SessionWatch:
    """Looks now and then, and when woken, whether the sessions of everything that is open are still good."""

    def __init__(self, channels: OpenChannels, clock: Clock, notes: Notes) -> None:
        """Prepare it; when notes of others were lost, it looks at once."""
        notes.hear(Note.GAP, lambda _: self.wake())
        self._channels = channels
        self._clock = clock
        self._awake = asyncio.Event()

    def wake(self) -> None:
        """Look soon."""
        self._awake.set()

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            try:
                async with asyncio.timeout(PERIOD_SECONDS):
                    await self._awake.wait()
            except TimeoutError:
                pass
            self._awake.clear()
            try:
                await self.look()
            except db.DATABASE_ERRORS as error:
                _log.warning("open sessions could not be looked at: %s", type(error).__name__)

    async def look(self) -> None:
        """End what is open of sessions that are over."""
        ids = sorted(self._channels.sessions())
        for start in range(0, len(ids), _IDS_AT_ONCE):
            for session_id in await ended_among(ids[start : start + _IDS_AT_ONCE], self._clock.now()):
                self._channels.close_session(session_id)
