"""Runs the periodic duties, and keeps what each run came to."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from domain import db
from domain.clock import Clock
from domain.schedules import run_duty

_log = logging.getLogger(__name__)
_JITTER: Final = 0.1
#: A wait is cut into such pieces, so that a clock that was set does not matter for longer.
_LONGEST_WAIT_SECONDS: Final = 60.0

NextRun = Callable[[datetime], datetime]


def every(seconds: float) -> NextRun:
    """Return a schedule of a period, give or take a tenth, so that processes started together do not come together."""

    def next_run(now: datetime) -> datetime:
        factor = random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 (no secret)
        return now + timedelta(seconds=seconds * factor)

    return next_run


def daily(at: time, zone: str) -> NextRun:
    """Return a schedule of once a day at a local time; a time that a change of clocks skips comes an hour later."""
    place = ZoneInfo(zone)

    def next_run(now: datetime) -> datetime:
        local = now.astimezone(place)
        today = local.replace(hour=at.hour, minute=at.minute, second=at.second, microsecond=0)
        due = today if today > local else today + timedelta(days=1)
        return due.astimezone(now.tzinfo)

    return next_run


@dataclass(frozen=True, slots=True)
class Duty:
    """One periodic job; `run` returns how many things it found to do."""

    name: str
    description: str
    next_run: NextRun
    run: Callable[[], Awaitable[int]]


class Scheduler:
    """Runs each duty on its own schedule, the first time after one; a failed run is kept, and the next one comes."""

    def __init__(self, duties: Sequence[Duty], clock: Clock) -> None:
        self.duties = tuple(duties)
        self._clock = clock

    async def run(self) -> None:
        """Run the duties until cancelled."""
        async with asyncio.TaskGroup() as group:
            for duty in self.duties:
                group.create_task(self._repeat(duty))

    async def _repeat(self, duty: Duty) -> None:
        due = duty.next_run(self._clock.now())
        while True:
            await self._wait_until(due)
            due = duty.next_run(self._clock.now())
            await self.run_once(duty, due)

    async def _wait_until(self, due: datetime) -> None:
        while (left := (due - self._clock.now()).total_seconds()) > 0:  # noqa: ASYNC110 (time has no event)
            await asyncio.sleep(min(left, _LONGEST_WAIT_SECONDS))

    async def run_once(self, duty: Duty, due: datetime) -> None:
        """Run a duty now unless it runs already, and keep what came of it; `due` is when it runs again."""
        try:
            outcome = await run_duty(duty, self._clock, due)
        except db.DATABASE_ERRORS as error:
            _log.warning("duty %s could not be begun: %s", duty.name, type(error).__name__)
            return
        if outcome is None:
            _log.info("duty %s is running already", duty.name)
        elif outcome.done:
            _log.info("duty %s: %d done", duty.name, outcome.done)
