"""Work that is heard to its end before a cancellation of its caller goes on."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_R = TypeVar("_R")


async def finished(work: Coroutine[Any, Any, _R]) -> _R:
    """Return what the work returns, or raise what it raises; a cancelled caller waits for its end first.

    What work raises whose caller was cancelled is dropped, for the cancellation is what counts; a second cancellation
    waits no longer, and the work still runs to its end.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(_looked_at)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _looked_at(task: "asyncio.Task[Any]") -> None:
    """Keep asyncio from reporting as forgotten what nobody waits for any more."""
    if not task.cancelled():
        task.exception()
