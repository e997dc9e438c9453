"""Whether the process can do its work, looked at no more often than it costs little."""

import asyncio
import time
from collections.abc import Awaitable, Callable


class Readiness:
    """Remembers an answer for a while, and asks once for many who want to know at the same time."""

    def __init__(
        self, check: Callable[[], Awaitable[bool]], seconds: float, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._check = check
        self._seconds = seconds
        self._now = now
        self._asking = asyncio.Lock()
        self._answer = False
        self._good_until = float("-inf")

    async def get(self) -> bool:
        """Return the answer, at most so many seconds old."""
        async with self._asking:
            if self._now() >= self._good_until:
                self._answer = await self._check()
                self._good_until = self._now() + self._seconds
            return self._answer
