"""Waiting for a time or for a call, whichever comes first."""

import asyncio
from typing import Final

#: Calls within so short a time make one.
_REST_SECONDS: Final = 0.1
#: A wait is cut into such pieces, so that a clock that was set does not matter for longer.
_LONGEST_SECONDS: Final = 60.0


class Waking:
    """Lets a loop sleep until it is needed."""

    def __init__(self) -> None:
        self._awake = asyncio.Event()

    def wake(self) -> None:
        """End the wait, or the next one."""
        self._awake.set()

    async def wait(self, seconds: float) -> None:
        """Wait until woken, for at most so long, and for a moment in any case."""
        await asyncio.sleep(_REST_SECONDS)
        try:
            async with asyncio.timeout(min(max(seconds - _REST_SECONDS, 0), _LONGEST_SECONDS)):
                await self._awake.wait()
        except TimeoutError:
            pass
        self._awake.clear()
