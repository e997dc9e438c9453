"""Runs the periodic duties, and keeps what each run came to."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from domain import db
from domain.clock import Clock
from domain.schedules import Turn, plan_run, run_duty

_log = logging.getLogger(__name__)
_JITTER: Final = 0.1
#: A wait is cut into such pieces, so that a clock that was set does not matter for longer.
_LONGEST_WAIT_SECONDS: Final = 60.0
#: Within so long after the start, what was missed is made up for.
_CATCH_UP_SECONDS: Final = 30.0
#: A run that is no further away is left alone when the time of day was set anew: it may be one to make up for.
_SOON: Final = timedelta(hours=1)
#: After so long a database that was out of reach is tried again.
_RETRY_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Period:
    """Again and again after so many seconds, give or take a tenth.

    So processes that were started together do not come together for ever.
    """

    seconds: float

    def __call__(self, now: datetime) -> datetime:
        """Return when the next run is due, of one that begins now."""
        factor = random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 (no secret)
        return now + timedelta(seconds=self.seconds * factor)

    def kept(self, stored: datetime, now: datetime) -> datetime:
        """Return when a run comes that was planned: as planned, or sooner where the period is shorter by now."""
        return min(stored, now + timedelta(seconds=self.seconds * (1 + _JITTER)))


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """Once on each day of a place; a time that a change of clocks skips comes later by what was skipped.

    Of a time that comes twice on a day, the first counts.
    """

    at: time
    zone: ZoneInfo

    def __call__(self, now: datetime) -> datetime:
        """Return the next such moment after this one."""
        day = now.astimezone(self.zone).date()
        today = self._on(day)
        # Compared as instants: by the clocks on the wall a day may hold a moment twice, or not at all.
        return today if today > now else self._on(day + timedelta(days=1))

    def kept(self, stored: datetime, now: datetime) -> datetime:
        """Return when a run comes that was planned: at the time of day that is set by now, unless it comes soon."""
        return stored if stored - now <= _SOON else self(now)

    def _on(self, day: date) -> datetime:
        return datetime.combine(day, self.at, self.zone).astimezone(UTC)


NextRun = Period | TimeOfDay


def every(seconds: float) -> Period:
    """Return a schedule of a period; see `Period`."""
    return Period(seconds)


def daily(at: time, zone: str) -> TimeOfDay:
    """Return a schedule of once a day at a local time; see `TimeOfDay`."""
    return TimeOfDay(at, ZoneInfo(zone))


def planned(schedule: NextRun, stored: datetime | None, now: datetime) -> datetime:
    """Return when a duty is to run next, of which the row says `stored`.

    What was missed is made up for once, soon, and not by all processes and duties in the same moment.
    """
    if stored is None:
        return schedule(now)
    if stored > now:
        return schedule.kept(stored, now)
    longest = min((schedule(now) - now).total_seconds() * _JITTER, _CATCH_UP_SECONDS)
    return now + timedelta(seconds=random.uniform(0, longest))  # noqa: S311 (no secret)


@dataclass(frozen=True, slots=True)
class Duty:
    """One periodic job; `run` returns how many things it found to do."""

    name: str
    description: str
    next_run: NextRun
    run: Callable[[], Awaitable[int]]


class Scheduler:
    """Runs each duty when its row says so; a failed run is kept, and the next one comes."""

    def __init__(self, duties: Sequence[Duty], clock: Clock) -> None:
        self.duties = tuple(duties)
        self._clock = clock

    async def run(self) -> None:
        """Run the duties until cancelled."""
        async with asyncio.TaskGroup() as group:
            for duty in self.duties:
                group.create_task(self._repeat(duty))

    async def _repeat(self, duty: Duty) -> None:
        while True:
            try:
                due = await self.plan(duty)
                await self._wait_until(due)
                await self.take_turn(duty, due)
            except db.DATABASE_ERRORS as error:
                _log.warning("duty %s could not be begun: %s", duty.name, type(error).__name__)
                await asyncio.sleep(_RETRY_SECONDS)

    async def plan(self, duty: Duty) -> datetime:
        """Return when a duty runs next, which its row then says; what was missed comes soon."""
        return await plan_run(duty.name, lambda stored: planned(duty.next_run, stored, self._clock.now()))

    async def _wait_until(self, due: datetime) -> None:
        while (left := (due - self._clock.now()).total_seconds()) > 0:  # noqa: ASYNC110 (time has no event)
            await asyncio.sleep(min(left, _LONGEST_WAIT_SECONDS))

    async def take_turn(self, duty: Duty, due: datetime) -> bool:
        """Run a duty that is due unless another process does; returns whether it was run here.

        While it runs by hand, this turn is left out.
        """
        next_at = duty.next_run(self._clock.now())
        outcome = await run_duty(duty, self._clock, Turn(due, next_at))
        if outcome is None:
            await plan_run(duty.name, lambda stored: next_at if stored is None or stored == due else stored)
            _log.info("duty %s is running already", duty.name)
        elif outcome.done:
            _log.info("duty %s: %d done", duty.name, outcome.done)
        return outcome is not None
