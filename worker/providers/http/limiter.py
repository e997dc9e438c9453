"""How much one key asks of a service at a time, and in a minute."""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

_WINDOW_SECONDS: Final = 60.0


class NoPlace(Exception):
    """There is no place among the requests of a key just now."""


class Limiter:
    """At most so many requests at once, and at most so many in any sixty seconds; first come, first served.

    One for each key, shared by every provider that uses the key. `clock` counts seconds and never goes back.
    """

    def __init__(
        self,
        concurrency: int,
        per_minute: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.concurrency = concurrency
        self.per_minute = per_minute
        self._clock = clock
        self._sleep = sleep
        self._slots = asyncio.Semaphore(concurrency)
        self._gate = asyncio.Lock()
        self._starts: deque[float] = deque()
        self._paused_until = float("-inf")

    @contextlib.asynccontextmanager
    async def slot(self, patience_seconds: float | None = None) -> AsyncIterator[None]:
        """Wait for a place, and hold it while the context lasts; raises `NoPlace` when it takes too long to get one."""
        async with contextlib.AsyncExitStack() as held:
            try:
                async with asyncio.timeout(patience_seconds):
                    await held.enter_async_context(self._slots)
                    async with self._gate:  # one at a time waits for the clock; the others keep their order behind it
                        await self._wait_for_turn(patience_seconds)
            except TimeoutError:
                raise NoPlace from None
            yield

    def pause(self, seconds: float) -> None:
        """Start nothing for so long: the service has said that it is too much."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)

    async def _wait_for_turn(self, patience_seconds: float | None) -> None:
        while (wait := self._wait_seconds()) > 0:
            if patience_seconds is not None and wait > patience_seconds:
                raise NoPlace
            await self._sleep(wait)
        if self.per_minute is not None:
            self._starts.append(self._clock())

    def _wait_seconds(self) -> float:
        now = self._clock()
        while self._starts and self._starts[0] <= now - _WINDOW_SECONDS:
            self._starts.popleft()
        wait = self._paused_until - now
        if self.per_minute is not None and len(self._starts) >= self.per_minute:
            wait = max(wait, self._starts[-self.per_minute] + _WINDOW_SECONDS - now)
        return wait
