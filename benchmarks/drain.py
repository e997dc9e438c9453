"""How fast a process works off waiting tasks: 10,000 of 100 users, through a provider that returns a picture at once.

    python benchmarks/drain.py --tasks 10000 --users 100 --pictures none

The engine is the real one: queue, dispatcher, pipeline, rows, events, files. `--pictures` says what becomes of the
picture work (measuring and encoding a picture of 64 x 64): `pool` does it in picture processes, as a server does;
`inline` in this process; `none` passes one prepared result through, which leaves what the queue itself takes.

Prints tasks per second and milliseconds of processor time per task, over all and for each tenth, and the memory (RSS)
after a tenth and nine tenths, which on SQLite differ by what its cache of pages (32 MB at most) has grown. `--profile`
names a file for the profile of the event loop's thread.
"""

import argparse
import asyncio
import cProfile
import itertools
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from domain import db
from domain.clock import SystemClock
from domain.events import TaskEvent
from domain.lifecycle import TaskStatus
from domain.models.tasks import Task, TaskEventRow
from domain.settings import load_settings
from tests.helpers.crowd import copy_rows
from tests.helpers.room import Room, make_room
from tests.helpers.stub import sprite
from tests.helpers.workshop import workshop
from worker.artifacts import GenerationRequest, GenerationResult, Picture
from worker.broadcast.memory import MemoryBroadcaster
from worker.process_pool import Argument, ProcessPool, Result

_PAGE_BYTES = resource.getpagesize()
_MEGABYTE = 1024 * 1024


@dataclass
class Progress(MemoryBroadcaster):
    """Counts the tasks that end, as everybody is told of them."""

    wanted: int = 0
    done: int = 0
    failed: int = 0
    marks: list[tuple[float, float, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with nobody listening."""
        super().__init__()
        self.finished = asyncio.Event()

    async def publish(self, events: Sequence[TaskEvent]) -> None:
        """Count, and hand on."""
        await super().publish(events)
        for event in events:
            if event.ends_task:
                self.done += 1
                self.failed += event.status is not TaskStatus.COMPLETED
                if self.done % max(self.wanted // 10, 1) == 0:
                    self.mark()
        if self.done >= self.wanted:
            self.finished.set()

    def mark(self) -> None:
        """Note the time, the processor time and the memory."""
        resident = int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES
        self.marks.append((time.perf_counter(), time.process_time(), resident))


class InlinePool(ProcessPool):
    """Does the picture work in this process."""

    seconds = 0.0

    async def run(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        """Call the function here and note the time."""
        started = time.perf_counter()
        try:
            return function(argument)
        finally:
            self.seconds += time.perf_counter() - started


class PreparedPool(ProcessPool):
    """Returns what the first call of each function gave."""

    def __init__(self) -> None:
        super().__init__(1)
        self._results: dict[str, Any] = {}

    async def run(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        """Return what the function gave when it was first called."""
        if function.__name__ not in self._results:
            self._results[function.__name__] = function(argument)
        result: Result = self._results[function.__name__]
        return result


async def main() -> None:
    """Run the trial and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--users", type=int, default=100)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--pictures", choices=("pool", "inline", "none"), default="none")
    parser.add_argument("--database", help="a URL of an empty PostgreSQL database; SQLite unless told")
    parser.add_argument("--profile", type=Path)
    options = parser.parse_args()
    pool = {"pool": lambda: ProcessPool(2), "inline": lambda: InlinePool(1), "none": PreparedPool}[options.pictures]()
    if options.pictures == "pool":
        await pool.start()
    with tempfile.TemporaryDirectory() as folder:
        figures = await _trial(pool, options, Path(folder))
    await pool.close()
    print(json.dumps(figures, indent=2))


async def _trial(pool: ProcessPool, options: argparse.Namespace, folder: Path) -> dict[str, object]:
    settings = load_settings(data_dir=folder, max_active_tasks=100_000, max_pending_tasks=100_000)
    await db.connect(options.database or settings.resolved_database_url)
    try:
        await db.migrate()
        room = await make_room(settings, SystemClock(), max_active_tasks=100_000)
        await _wait_in_line(room, options.tasks, options.users)
        progress = Progress(wanted=options.tasks)
        room.deps, room.broadcaster = replace(room.deps, broadcaster=progress), progress
        profile = cProfile.Profile() if options.profile else None
        progress.mark()
        async with workshop(room, pool, folder / "files", workers=options.workers) as shop:
            shop.provider.generate = _at_once  # type: ignore[method-assign]
            if profile is not None:
                profile.enable()
            await progress.finished.wait()
            if profile is not None:
                profile.disable()
                profile.dump_stats(options.profile)
        figures = _figures(progress, options)
        if isinstance(pool, InlinePool):
            figures["milliseconds of picture work per task"] = round(pool.seconds / options.tasks * 1000, 2)
        return figures
    finally:
        await db.close()


_PICTURE = Picture(sprite(7), 64, 64)


async def _at_once(request: GenerationRequest, progress: object) -> GenerationResult:  # noqa: ARG001 (as a provider's)
    return GenerationResult((_PICTURE,), "stub", "stub-1", request.seed)


async def _wait_in_line(room: Room, tasks: int, users: int) -> None:
    """Have the tasks wait as rows, in turn one of each user."""
    first = await room.submit("a slime")
    at = room.deps.clock.now()
    # The brackets: SQLite joins before it divides, and would make everything one user's.
    names = {"user_id": f"'usr_' || (i % {users})", "project_id": f"'prj_' || (i % {users})"}
    task_id = "'tsk_' || {number}"
    prints = {"fingerprint": "'print ' || i", "active_fingerprint": "'print ' || i", "prompt": "'slime ' || i"}
    await copy_rows(Task, tasks, {"id": task_id, **names, **prints})
    await copy_rows(TaskEventRow, tasks, {"task_id": task_id, "project_id": names["project_id"]})
    await TaskEventRow.filter(task_id=first.id).delete()
    await Task.filter(id=first.id).delete()
    await Task.all().update(created_at=at, ready_at=at)


def _figures(progress: Progress, options: argparse.Namespace) -> dict[str, object]:
    marks = progress.marks
    tenth = options.tasks // 10
    (began, processor, _), (ended, processor_at_end, _) = marks[0], marks[-1]
    rates = [round(tenth / (later[0] - sooner[0]), 1) for sooner, later in itertools.pairwise(marks)]
    return {
        "database": "PostgreSQL" if options.database else "SQLite",
        "pictures": options.pictures,
        "workers": options.workers,
        "tasks": options.tasks,
        "not completed": progress.failed,
        "tasks per second": round(options.tasks / (ended - began), 1),
        "processor milliseconds per task": round((processor_at_end - processor) / options.tasks * 1000, 2),
        "tasks per second, by tenth": rates,
        "resident megabytes after one tenth": round(marks[1][2] / _MEGABYTE, 1),
        "resident megabytes after nine tenths": round(marks[-2][2] / _MEGABYTE, 1),
    }


if __name__ == "__main__":
    asyncio.run(main())
