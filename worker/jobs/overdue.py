"""Ends parked tasks in time also while their provider answers nobody."""

import time
from collections import Counter

from domain.models.tasks import Task
from domain.tasks import parking
from domain.tasks.deps import TaskDeps


class Overdue:
    """Grants each task whose time is over one last question, and ends those for which no answer came.

    A question is due at the very end of the time. A provider that answers has been asked about all of them after the
    time that asking takes, at the pace that is set; who is left then is not waited for any longer.
    """

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}

    async def end(self, deps: TaskDeps) -> int:
        """End those that have had their chance; returns how many still have it."""
        overdue = await parking.overdue(deps.clock.now())
        now = time.monotonic()
        self._seen = {task_id: self._seen.get(task_id, now) for task_id, _ in overdue}
        waiting = Counter(provider for _, provider in overdue)
        left = 0
        for task_id, provider in overdue:
            asking = waiting[provider] / deps.settings.checks_per_second
            if now - self._seen[task_id] < deps.settings.check_timeout_seconds + asking:
                left += 1
                continue
            task = await Task.filter(id=task_id).first()
            if task is not None:
                await parking.time_out_parked(deps, task, parking.late_message(task))
        return left
