"""Work for several providers at the same time, of which none waits for another's."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Final, Generic, TypeVar

_log = logging.getLogger(__name__)
R = TypeVar("R")
T = TypeVar("T")


class Rounds:
    """At most one round for each provider is under way."""

    def __init__(self, title: str, ended: Callable[[], None]) -> None:
        """`title` names the work in the log; `ended` is called after each round and must not wait."""
        self._title = title
        self._ended = ended
        self._running: dict[str, asyncio.Task[Any]] = {}

    @property
    def running(self) -> frozenset[str]:
        """The providers whose round is under way."""
        return frozenset(self._running)

    def begin(self, provider: str, work: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        """Begin a provider's round, unless one is under way."""
        if provider not in self._running:
            task = asyncio.create_task(work())
            self._running[provider] = task
            task.add_done_callback(lambda done: self._note_end(provider, done))

    async def stop(self) -> None:
        """Cancel every round and wait for its end."""
        tasks = [*self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _note_end(self, provider: str, task: asyncio.Task[Any]) -> None:
        del self._running[provider]
        if not task.cancelled() and (fault := task.exception()) is not None:
            _log.warning("%s at %s broke off, trying again: %s", self._title, provider, type(fault).__name__)
        self._ended()


class Slots(Generic[T, R]):
    """Does one thing for each of many, a bounded number of them at a time for each provider, however many ask."""

    def __init__(self, at_once: int) -> None:
        self._at_once: Final = at_once
        self._free: dict[str, asyncio.Semaphore] = {}

    async def each(
        self, provider: str, items: Iterable[T], work: Callable[[T], Awaitable[R]], pace: Callable[[], Awaitable[None]]
    ) -> list[R | BaseException]:
        """Return what came of each item, in their order; what one raises is its result.

        `pace` is awaited before each.
        """
        free = self._free.setdefault(provider, asyncio.Semaphore(self._at_once))

        async def one(item: T) -> R:
            async with free:
                return await work(item)

        tasks: list[asyncio.Task[R]] = []
        try:
            for item in items:
                await pace()
                tasks.append(asyncio.create_task(one(item)))
            return await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            for task in tasks:
                task.cancel()
