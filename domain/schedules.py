"""The runs of periodic duties as rows, so that an operator sees them, whichever process ran them."""

from datetime import datetime
from typing import Final

from tortoise.exceptions import IntegrityError

from domain.models.operations import ScheduleRow

_MAX_ERROR: Final = 300


async def begin_run(name: str, now: datetime) -> None:
    """Note that a duty has begun."""
    if await ScheduleRow.filter(name=name).update(started_at=now, finished_at=None, done=None, error=None):
        return
    try:
        await ScheduleRow.create(name=name, started_at=now)
    except IntegrityError:  # another process runs it for the first time at this very moment
        await ScheduleRow.filter(name=name).update(started_at=now)


async def end_run(name: str, now: datetime, next_at: datetime, *, done: int | None, error: str | None) -> None:
    """Note how a run ended: how much it found to do, or what went wrong."""
    await ScheduleRow.filter(name=name).update(
        finished_at=now, next_at=next_at, done=done, error=error[:_MAX_ERROR] if error else None
    )


async def schedule_rows() -> dict[str, ScheduleRow]:
    """Return the last run of every duty that ever ran."""
    return {row.name: row for row in await ScheduleRow.all()}
