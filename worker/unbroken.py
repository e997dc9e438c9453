"""Work that goes on when whoever waits for it is cancelled."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

R = TypeVar("R")


class Unbroken:
    """Runs coroutines that are heard to their end: a call that may cost money, and the row that says so."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    async def run(self, work: Coroutine[Any, Any, R]) -> R:
        """Return what the work returns; cancelling this call does not cancel the work."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    async def drain(self, seconds: float) -> None:
        """Wait at most so long for what is still running."""
        if self._running:
            await asyncio.wait(self._running, timeout=seconds)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waited has got it, or nobody wants it any more
