"""What tasks cost that are parked for an asynchronous provider: processor time between checks, and questions a second.

    python benchmarks/parked_jobs.py --tasks 1000

The jobs never end. First nothing is due, then everything at once, at the rate that is set.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from domain import db
from domain.clock import SystemClock
from domain.models.tasks import Task
from domain.settings import load_settings
from domain.tasks.parking import check_all_now
from tests.helpers.room import make_room
from tests.helpers.stub_jobs import StubJobs
from tests.helpers.workshop import Workshop, workshop
from worker.process_pool import ProcessPool

_QUIET_SECONDS = 20.0
_PER_SECOND = 50.0


async def main() -> None:
    """Run the trial and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite://{folder}/wonder.db"
        await db.connect(url)
        await db.migrate()
        pool, jobs = ProcessPool(1), StubJobs()
        settings = load_settings(data_dir=Path(folder), checks_per_second=_PER_SECOND, check_interval_seconds=600)
        room = await make_room(settings, SystemClock(), max_active_tasks=100_000, generates_per_minute=0)
        async with workshop(room, pool, Path(folder) / "files", [jobs]) as shop:
            companions = [asyncio.create_task(shop.checker.run(shop.deps))]
            companions.append(asyncio.create_task(shop.canceller.run(shop.deps)))
            figures = await _measure(shop, jobs, options.tasks)
            for companion in companions:
                companion.cancel()
            await asyncio.gather(*companions, return_exceptions=True)
        await pool.close()
        await db.close()
    print(json.dumps(figures, indent=2))


async def _measure(shop: Workshop, jobs: StubJobs, tasks: int) -> dict[str, object]:
    for number in range(tasks):
        await shop.submit(f"slime {number}", provider="jobs")
    while await Task.filter(next_check_at__isnull=False).count() < tasks:  # noqa: ASYNC110 (a row has no event)
        await asyncio.sleep(0.5)
    await asyncio.sleep(2)
    quiet_before = time.process_time()
    await asyncio.sleep(_QUIET_SECONDS)
    quiet = time.process_time() - quiet_before
    busy_workers = shop.engine.busy
    await check_all_now(shop.deps.clock.now())
    started, asked, cpu_before = time.monotonic(), jobs.checks, time.process_time()
    shop.checker.wake()
    while jobs.checks - asked < tasks:  # noqa: ASYNC110 (nor has a count)
        await asyncio.sleep(0.1)
    seconds = time.monotonic() - started
    return {
        "parked tasks": tasks,
        "workers in use": busy_workers,
        "processor between checks, percent of one core": round(quiet / _QUIET_SECONDS * 100, 3),
        "questions a second (set: 50)": round(tasks / seconds, 1),
        "processor per question, milliseconds": round((time.process_time() - cpu_before) / tasks * 1000, 2),
    }


if __name__ == "__main__":
    asyncio.run(main())
