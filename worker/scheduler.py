"""Runs the periodic duties."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

_log = logging.getLogger(__name__)
_JITTER = 0.1


@dataclass(frozen=True, slots=True)
class Duty:
    """One periodic job; `run` returns how many things it found to do."""

    name: str
    period_seconds: float
    run: Callable[[], Awaitable[int]]


class Scheduler:
    """Runs each duty on its own period, the first time after one; a failed run is logged and the next one comes."""

    def __init__(self, duties: Sequence[Duty]) -> None:
        self._duties = tuple(duties)

    async def run(self) -> None:
        """Run the duties until cancelled."""
        async with asyncio.TaskGroup() as group:
            for duty in self._duties:
                group.create_task(_repeat(duty))


async def _repeat(duty: Duty) -> None:
    while True:
        # Spread, so that several processes started together do not all come at once.
        await asyncio.sleep(duty.period_seconds * random.uniform(1 - _JITTER, 1 + _JITTER))  # noqa: S311 (no secret)
        try:
            done = await duty.run()
        except Exception:  # noqa: BLE001 (boundary: one duty's fault ends neither its schedule nor the others)
            _log.exception("duty %s failed", duty.name)
        else:
            if done:
                _log.info("duty %s: %d done", duty.name, done)
