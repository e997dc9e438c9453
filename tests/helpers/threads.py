"""A service of tests on a thread of its own, for tests whose own client blocks."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator

from tests.helpers.service import Request, Script, ScriptedService, scripted


@contextlib.contextmanager
def served(answer: Callable[[Request], Script]) -> Iterator[ScriptedService]:
    """Serve until the context ends."""
    ready, done = threading.Event(), threading.Event()
    found: list[ScriptedService] = []

    async def serve() -> None:
        async with scripted(otherwise=answer) as service:
            found.append(service)
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert ready.wait(20)
        yield found[0]
    finally:
        done.set()
        thread.join()
