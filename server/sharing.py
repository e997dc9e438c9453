"""How the tasks of a database are shared between the servers on it."""

import contextlib
from collections.abc import Callable, Coroutine
from typing import Final

from domain import db
from domain.clock import Clock
from domain.ports import Broadcaster
from domain.settings import Settings
from domain.tasks.deps import TaskDeps
from domain.tasks.recovery import give_up_released, release_lost_again
from server.company import Company
from worker.broadcast.memory import MemoryBroadcaster
from worker.broadcast.shared import SharedBroadcaster
from worker.queue.memory import MemoryQueue

#: Released tasks that a server holds for each worker while there are others that could work on them.
TASKS_PER_WORKER: Final = 2


class TaskSharing:
    """The queue and the broadcaster of one server, and what it does when others come and go."""

    def __init__(self, company: Company, settings: Settings, clock: Clock) -> None:
        """Prepare it; `begin` completes it."""
        self.queue = MemoryQueue(settings.queue_capacity, clock)
        self._local = MemoryBroadcaster()
        self.broadcaster: Broadcaster = SharedBroadcaster(company.notes, self._local) if company.shared else self._local
        self._company = company
        self._workers = settings.workers
        self._deps: TaskDeps | None = None

    def begin(self, deps: TaskDeps) -> None:
        """Listen to who comes and goes."""
        self._deps = deps
        self._company.on_company(self._changed)

    def companions(self) -> dict[str, Callable[[], Coroutine[None, None, None]]]:
        """Return what runs for as long as the server does."""
        if not self._company.shared:
            return {}
        return {
            "channel to other servers": self._company.listen,
            "sign of life": lambda: self._company.stay(self._another_has_gone),
        }

    async def leave(self) -> None:
        """Let the others have at once what waits here."""
        if self._company.shared and self._deps is not None:
            with contextlib.suppress(*db.DATABASE_ERRORS):  # out of reach: they find out
                await give_up_released(self._deps)
                self._deps.wake()

    async def _changed(self, company: bool) -> None:  # noqa: FBT001 (the only thing that is told)
        """Hold few released tasks while others could work on them, and as many as set while there are none."""
        if self._deps is None:
            return
        if company:
            self.queue.narrow(self._workers * TASKS_PER_WORKER)
            await give_up_released(self._deps)
        else:
            self.queue.widen()
        self._deps.wake()

    async def _another_has_gone(self) -> None:
        """Take over what another server held, and read what it may have written and not told."""
        self._local.lag_all()
        if self._deps is not None:
            await release_lost_again(self._deps)
            self._deps.wake()
