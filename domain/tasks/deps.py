"""What the functions of this package work with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from domain.clock import Clock
from domain.events import TaskEvent
from domain.ports import Broadcaster, ProviderCatalog, TaskQueue
from domain.settings import Settings


def _nobody() -> None:
    """Wake nobody: where no dispatcher runs, the rows wait."""


@dataclass(frozen=True, slots=True)
class TaskDeps:
    """Engines and settings of one process, handed in by the composition root."""

    settings: Settings
    clock: Clock
    broadcaster: Broadcaster
    queue: TaskQueue
    catalog: ProviderCatalog
    #: This process's, as `released_to` of the tasks that its queue holds.
    instance_id: str = "ins_alone"
    #: Tells the dispatcher that a task may have become ready; never waits.
    wake: Callable[[], None] = _nobody
    #: Tells the sender of webhooks that there may be something to send; never waits.
    wake_sender: Callable[[], None] = _nobody
    #: Tells those who ask providers about jobs, or cancel them there, that there may be something to do; never waits.
    wake_checker: Callable[[], None] = _nobody

    async def tell(self, events: Sequence[TaskEvent | None]) -> None:
        """Broadcast what was committed."""
        told = [event for event in events if event is not None]
        await self.broadcaster.publish(told)
        if any(event.ends_task for event in told):
            self.wake_sender()
            self.wake_checker()
