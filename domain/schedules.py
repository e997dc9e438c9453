"""The runs of periodic duties as rows: an operator sees them, and one at a time runs over all processes."""

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


class RunLost(Exception):
    """The run was taken to be dead, and another one may have begun."""


async def run_duty(duty: DutyInfo, clock: Clock, next_at: datetime | None = None) -> Outcome | None:
    """Run a duty now and keep what comes of it; None, and nothing is done, when it runs already in some process.

    `next_at`, when given, is noted as the time of the next run. Raises what the database driver raises when the run
    cannot be begun.
    """
    owner = secrets.token_hex(16)
    try:
        if not await _claim(duty.name, owner, clock.now()):
            return None
    except asyncio.CancelledError:  # the claim may hold all the same
        await _end(duty.name, owner, clock.now(), next_at, None, _INTERRUPTED)
        raise
    outcome, error = Outcome(None), _INTERRUPTED
    try:
        outcome, error = Outcome(await _kept_alive(duty, owner, clock)), ""
    except Exception as failure:  # noqa: BLE001 (boundary: one duty's fault ends neither its schedule nor the others)
        _log.exception("duty %s failed", duty.name)
        outcome, error = Outcome(None, failure), type(failure).__name__
    finally:
        await _end(duty.name, owner, clock.now(), next_at, outcome.done, error)
    return outcome


async def forget_interrupted_runs(now: datetime) -> None:
    """Note the end of every run under way. Only for a process that is alone on its database and has begun none yet."""
    under_way = ScheduleRow.filter(lease_until__isnull=False)
    await under_way.update(owner=None, lease_until=None, finished_at=now, error=_INTERRUPTED)


async def schedule_rows() -> dict[str, ScheduleRow]:
    """Return the last run of every duty that ever ran."""
    return {row.name: row for row in await ScheduleRow.all()}


async def read_marker(name: str) -> str:
    """Return where the last run of a duty stopped that does a part at a time; empty for the beginning."""
    row = await ScheduleRow.filter(name=name).first()
    return (row.marker if row is not None else None) or ""


async def keep_marker(name: str, marker: str) -> None:
    """Note, inside a run, where the next one is to go on."""
    await ScheduleRow.filter(name=name).update(marker=marker or None)


async def _claim(name: str, owner: str, now: datetime) -> bool:
    """Begin a run unless one is under way: compare and set, so that of several claims one holds."""
    lease_until = now + timedelta(seconds=LEASE_SECONDS)
    free = ScheduleRow.filter(Q(lease_until__isnull=True) | Q(lease_until__lt=now), name=name)
    fresh = {"finished_at": None, "done": None, "error": None}
    if await free.update(started_at=now, owner=owner, lease_until=lease_until, **fresh):
        return True
    try:
        await ScheduleRow.create(name=name, started_at=now, owner=owner, lease_until=lease_until)
    except IntegrityError:  # the row is there: the duty runs
        return False
    return True


async def _end(name: str, owner: str, now: datetime, next_at: datetime | None, done: int | None, error: str) -> None:
    """Note how a run ended, unless it was taken to be dead and is no longer the last one."""
    changes: dict[str, object] = {} if next_at is None else {"next_at": next_at}
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
