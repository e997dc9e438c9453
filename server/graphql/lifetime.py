"""How something lives that several tasks serve: together, until the first reason to end it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar

_log = logging.getLogger("wonder.channels")

Reason = TypeVar("Reason")


class Lifetime(Generic[Reason]):
    """Ends once, for the first reason that is given; `fault` is the reason when a task fails as nobody foresaw."""

    def __init__(self, fault: Reason) -> None:
        self._fault = fault
        self._ending: asyncio.Future[Reason] = asyncio.get_running_loop().create_future()

    @property
    def ended(self) -> bool:
        """Whether a reason was given."""
        return self._ending.done()

    def end(self, reason: Reason) -> None:
        """Give a reason; the first one counts."""
        if not self._ending.done():
            self._ending.set_result(reason)

    @asynccontextmanager
    async def running(self, *parts: Coroutine[Any, Any, None]) -> AsyncIterator[asyncio.Future[Reason]]:
        """Run the parts beside the body, which gets the reason to come; they have all ended when this returns."""
        tasks = [asyncio.create_task(part) for part in parts]
        for task in tasks:
            task.add_done_callback(self._check)
        try:
            yield self._ending
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    def _check(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a socket or stream failed", exc_info=error)
            self.end(self._fault)
