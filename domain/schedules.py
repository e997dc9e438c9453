"""The runs of periodic duties as rows: an operator sees them, and one at a time runs over all processes.

When a duty runs next is in its row, too, so that it does not depend on how long a process lives. Whoever begins a run
by the clock moves that time on by compare-and-set: of several processes one runs each.
"""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from tortoise.exceptions import IntegrityError
from tortoise.expressions import Q

from domain import db
from domain.clock import Clock
from domain.models.operations import ScheduleRow

_log = logging.getLogger(__name__)
#: How long a run is taken to be alive after its process last said so.
LEASE_SECONDS: Final = 60.0
_RENEWALS_PER_LEASE: Final = 3
_MAX_ERROR: Final = 300
_INTERRUPTED: Final = "Interrupted"
#: A run that its process did not survive is begun again after so long, and not at once: it may have been the cause.
_AFTER_DEATH: Final = timedelta(minutes=10)


class DutyInfo(Protocol):
    """A periodic duty, as those see it who run it."""

    @property
    def name(self) -> str:
        """Its stable name."""
        ...

    @property
    def description(self) -> str:
        """What it does, in one sentence."""
        ...

    @property
    def run(self) -> Callable[[], Awaitable[int]]:
        """What does it; returns how many things it found to do."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: how much it found to do, or what went wrong."""

    done: int | None
    failure: Exception | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """A run by the clock."""

    #: As its row has it.
    due: datetime
    #: When the next one is due.
    next_at: datetime


class RunLost(Exception):
    """The run was taken to be dead, and another one may have begun."""


async def plan_run(name: str, planned: Callable[[datetime | None], datetime]) -> datetime:
    """Return when a duty runs next, which is noted in its row.

    `planned` is given what the row says, None when it says nothing yet, and returns when that is to be.
    """
    while True:
        row = await ScheduleRow.filter(name=name).first()
        stored = row.next_at if row is not None else None
        next_at = planned(stored)
        if next_at == stored:
            return next_at
        if row is not None:
            same = {"next_at__isnull": True} if stored is None else {"next_at": stored}
            if await ScheduleRow.filter(name=name, **same).update(next_at=next_at):
                return next_at
        else:
            with contextlib.suppress(IntegrityError):  # another process was quicker, and its row counts
                await ScheduleRow.create(name=name, next_at=next_at)
                return next_at


async def run_duty(duty: DutyInfo, clock: Clock, turn: Turn | None = None) -> Outcome | None:
    """Run a duty now and keep what comes of it; None, and nothing is done, when it runs already in some process.

    With a `turn`, also when another process has taken the turn. A run that is stopped is due again at once, wherever
    the duty is run next. Raises what the database driver raises when the run cannot be begun.
    """
    owner = secrets.token_hex(16)
    interrupted_at = None if turn is None else turn.due
    claim = asyncio.ensure_future(_claim(duty.name, owner, clock.now(), turn))
    try:
        if not await asyncio.shield(claim):
            return None
    except asyncio.CancelledError:
        # Heard to its end: a claim that is cut off may hold all the same, and later than its end would be noted.
        await asyncio.gather(claim, return_exceptions=True)
        await _end(duty.name, owner, clock.now(), None, _INTERRUPTED, interrupted_at)
        raise
    outcome, error = Outcome(None), _INTERRUPTED
    try:
        outcome, error = Outcome(await _kept_alive(duty, owner, clock)), ""
    except Exception as failure:  # noqa: BLE001 (boundary: one duty's fault ends neither its schedule nor the others)
        _log.exception("duty %s failed", duty.name)
        outcome, error = Outcome(None, failure), type(failure).__name__
    finally:
        again_at = interrupted_at if error == _INTERRUPTED else None
        await _end(duty.name, owner, clock.now(), outcome.done, error, again_at)
    return outcome


async def forget_interrupted_runs(now: datetime) -> None:
    """Note the end of every run under way, and have it done soon.

    Only for a process that is alone on its database and has begun none yet.
    """
    under_way = ScheduleRow.filter(lease_until__isnull=False)
    soon = now + _AFTER_DEATH
    await under_way.filter(next_at__gt=soon).update(next_at=soon)
    await under_way.update(owner=None, lease_until=None, finished_at=now, error=_INTERRUPTED)


async def schedule_rows() -> dict[str, ScheduleRow]:
    """Return the row of every duty that ever ran or was to run."""
    return {row.name: row for row in await ScheduleRow.all()}


async def read_marker(name: str) -> str:
    """Return where the last run of a duty stopped that does a part at a time; empty for the beginning."""
    row = await ScheduleRow.filter(name=name).first()
    return (row.marker if row is not None else None) or ""


async def keep_marker(name: str, marker: str) -> None:
    """Note, inside a run, where the next one is to go on."""
    await ScheduleRow.filter(name=name).update(marker=marker or None)


async def _claim(name: str, owner: str, now: datetime, turn: Turn | None) -> bool:
    """Begin a run unless one is under way: compare and set, so that of several claims one holds."""
    lease_until = now + timedelta(seconds=LEASE_SECONDS)
    free = ScheduleRow.filter(Q(lease_until__isnull=True) | Q(lease_until__lt=now), name=name)
    fresh: dict[str, object] = {"finished_at": None, "done": None, "error": None}
    if turn is not None:
        free, fresh["next_at"] = free.filter(next_at=turn.due), turn.next_at
    if await free.update(started_at=now, owner=owner, lease_until=lease_until, **fresh):
        return True
    if turn is not None:
        return False
    try:
        await ScheduleRow.create(name=name, started_at=now, owner=owner, lease_until=lease_until)
    except IntegrityError:  # the row is there: the duty runs
        return False
    return True


async def _end(
    name: str, owner: str, now: datetime, done: int | None, error: str, again_at: datetime | None = None
) -> None:
    """Note how a run ended, unless it was taken to be dead and is no longer the last one.

    `again_at`: when it is to be repeated.
    """
    changes: dict[str, object] = {} if again_at is None else {"next_at": again_at}
    with contextlib.suppress(*db.DATABASE_ERRORS):  # out of reach: the lease will run out
        await ScheduleRow.filter(name=name, owner=owner).update(
            owner=None, lease_until=None, finished_at=now, done=done, error=error[:_MAX_ERROR] or None, **changes
        )


async def _kept_alive(duty: DutyInfo, owner: str, clock: Clock) -> int:
    """Run the duty beside the renewal of its lease; raises `RunLost` when that was lost."""
    work = asyncio.ensure_future(duty.run())
    guard = asyncio.create_task(_keep_lease(duty.name, owner, clock))
    try:
        await asyncio.wait({work, guard}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        work.cancel()
        guard.cancel()
        await asyncio.wait({work, guard})
    if work.cancelled():
        raise RunLost
    return work.result()


async def _keep_lease(name: str, owner: str, clock: Clock) -> None:
    """Renew the lease; return when it is lost."""
    mine = ScheduleRow.filter(name=name, owner=owner)
    while True:
        await asyncio.sleep(LEASE_SECONDS / _RENEWALS_PER_LEASE)
        with contextlib.suppress(*db.DATABASE_ERRORS):
            if not await mine.update(lease_until=clock.now() + timedelta(seconds=LEASE_SECONDS)):
                return
