"""Hands ready tasks to the queue as soon as they are ready."""

import asyncio
import logging
import time
from typing import Final

from domain import db
from domain.tasks.deps import TaskDeps
from domain.tasks.release import next_ready_at, refill

#: How long ends are collected while the queue has enough: a part of the time in which workers can empty it.
_PAUSE_SECONDS: Final = 0.1
_LONGEST_PAUSE_SECONDS: Final = 1.0
#: A look holds up others who write; it may take one part of so many of the time.
_LOOKS_SHARE: Final = 5
_log = logging.getLogger(__name__)


class Dispatcher:
    """Wakes when a task arrives or ends, when a retry delay is over, and every so often in any case."""

    def __init__(self) -> None:
        self._awake = asyncio.Event()
        #: How long to rest before the next look: 0 unless the last one left the queue with all it can hold.
        self._pause_seconds = 0.0

    def wake(self) -> None:
        """Have the rows looked at now; many calls make one look."""
        self._awake.set()

    async def run(self, deps: TaskDeps) -> None:
        """Release ready tasks until cancelled; a database that is out of reach is tried again."""
        self._awake.set()
        while True:
            wait_seconds = deps.settings.release_interval_seconds
            began = time.monotonic()
            try:
                full = (await refill(deps)).full
                # There is enough to do: a look goes through all users who wait, so it is worth more than one place.
                self._pause_seconds = pause_seconds(time.monotonic() - began) if full else 0.0
                due = await next_ready_at(deps.clock.now())
                if due is not None:
                    wait_seconds = min(wait_seconds, (due - deps.clock.now()).total_seconds())
            except db.DATABASE_ERRORS as error:
                _log.warning("releasing tasks failed, trying again: %s", type(error).__name__)
                wait_seconds = 1
            try:
                async with asyncio.timeout(max(wait_seconds, 0.01)):
                    await self._awake.wait()
            except TimeoutError:
                pass
            await asyncio.sleep(self._pause_seconds)
            self._awake.clear()


def pause_seconds(look_seconds: float) -> float:
    """Return how long to rest, while the queue has enough, after a look that took so long."""
    return min(max(_PAUSE_SECONDS, look_seconds * (_LOOKS_SHARE - 1)), _LONGEST_PAUSE_SECONDS)
