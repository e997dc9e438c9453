"""The working half of a process: pool, dispatcher and duties, started and stopped together."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Final

from domain import db
from domain.ports import TaskQueue
from domain.tasks.deps import TaskDeps
from worker.dispatcher import Dispatcher
from worker.pipeline.run import Tools
from worker.runner import run_task
from worker.scheduler import Duty, Scheduler

_log = logging.getLogger(__name__)
_RESTART_SECONDS: Final = 1.0
#: What the end waits for calls to providers whose outcome has to be written down.
_LAST_CALLS_SECONDS: Final = 5.0


class Engine:
    """Works on tasks until it is stopped."""

    def __init__(
        self,
        deps: TaskDeps,
        tools: Tools,
        queue: TaskQueue,
        dispatcher: Dispatcher,
        duties: Sequence[Duty],
        companions: Mapping[str, Callable[[], Coroutine[None, None, None]]] | None = None,
    ) -> None:
        """Put the parts together; `companions`, by name, are what else runs for as long as the engine does."""
        self._deps = deps
        self._tools = tools
        self._queue = queue
        self._dispatcher = dispatcher
        self._scheduler = Scheduler(duties, deps.clock)
        self._companions = dict(companions or {})
        self._draining = False
        self._busy = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._work: asyncio.Task[None] | None = None
        self._others: list[asyncio.Task[None]] = []

    @property
    def busy(self) -> int:
        """How many tasks are being worked on in this process."""
        return self._busy

    @property
    def healthy(self) -> bool:
        """Tell whether everything that should run is running."""
        tasks = [*self._others, *([self._work] if self._work is not None else [])]
        return bool(tasks) and not any(task.done() for task in tasks)

    def start(self) -> None:
        """Begin to work; needs a running loop and a connected database."""
        workers = self._deps.settings.workers
        self._work = asyncio.create_task(_for_ever("workers", lambda: self._queue.work(self._handle, workers)))
        self._others = [
            asyncio.create_task(_for_ever("dispatcher", lambda: self._dispatcher.run(self._deps))),
            asyncio.create_task(_for_ever("scheduler", self._scheduler.run)),
            *(asyncio.create_task(_for_ever(name, run)) for name, run in self._companions.items()),
        ]

    async def stop(self, grace_seconds: float) -> None:
        """Take no further task, let running ones end within the grace period, and hand the rest back."""
        self._draining = True
        for task in self._others:
            task.cancel()
        await asyncio.gather(*self._others, return_exceptions=True)
        try:
            async with asyncio.timeout(grace_seconds):
                await self._idle.wait()
        except TimeoutError:
            _log.info("%d tasks did not end within the grace period: handing them back", self._busy)
        if self._work is not None:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)
        await self._tools.unbroken.drain(_LAST_CALLS_SECONDS)

    async def _handle(self, task_id: str) -> None:
        if self._draining:
            return  # its row still waits; whoever starts next releases it again
        self._busy += 1
        self._idle.clear()
        try:
            await run_task(task_id, self._tools)
        except db.DATABASE_ERRORS as error:
            _log.warning("task %s could not be claimed: %s", task_id, type(error).__name__)
            await asyncio.sleep(1)  # the reconciler releases it again
        finally:
            self._busy -= 1
            if not self._busy:
                self._idle.set()


async def _for_ever(name: str, work: Callable[[], Coroutine[None, None, None]]) -> None:
    """Begin again when work that should never end has failed; what it had in hand is found by the reconciler."""
    while True:
        try:
            await work()
        except Exception:  # noqa: BLE001 (boundary: a fault that nobody foresaw must not stop a server for good)
            _log.exception("the %s failed and begin again", name)
        await asyncio.sleep(_RESTART_SECONDS)
