"""Whether the queue is paused: a row, so that a restart does not resume what an operator has paused."""

from datetime import datetime
from typing import Final

from tortoise.exceptions import IntegrityError

from domain import db
from domain.models.operations import QueueState

_ONLY: Final = "queue"


async def is_paused() -> bool:
    """Tell whether no waiting task may be handed out now."""
    _, rows = await db.connection().execute_query("SELECT paused FROM queue_state")
    return bool(rows and rows[0]["paused"])


async def set_paused(now: datetime, *, paused: bool) -> None:
    """Pause the queue, or let it go on; what is running goes on in any case."""
    if await QueueState.filter(name=_ONLY).update(paused=paused, changed_at=now):
        return
    try:
        await QueueState.create(name=_ONLY, paused=paused, changed_at=now)
    except IntegrityError:  # another one wrote the first row meanwhile
        await QueueState.filter(name=_ONLY).update(paused=paused, changed_at=now)
