"""What queue, pipeline, rows and events cost per task, with a provider that returns at once (built-in database, files).

    python benchmarks/task_overhead.py --tasks 200

Prints milliseconds per task, one at a time and with three workers, once with pictures of 64 x 64 pixels and once with
pictures of 16 x 16, whose measuring and encoding is next to nothing.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from domain import db
from domain.clock import SystemClock
from domain.params import ParamsRequest
from domain.settings import load_settings
from tests.helpers.room import make_room
from tests.helpers.workshop import workshop
from worker.process_pool import Argument, ProcessPool, Result


async def main() -> None:
    """Run the trial and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=200)
    options = parser.parse_args()
    pool = _TimedPool(2)
    await pool.start()
    figures = {}
    for side in (16, 64):
        for workers in (1, 3):
            pool.seconds = 0.0
            seconds = await _trial(pool, options.tasks, side, workers)
            figures[f"{side}x{side}, {workers} at a time"] = {
                "whole": round(seconds / options.tasks * 1000, 2),
                "waiting for picture work": round(pool.seconds / options.tasks / workers * 1000, 2),
            }
    await pool.close()
    print(json.dumps({"milliseconds per task": figures}, indent=2))


class _TimedPool(ProcessPool):
    """Adds up how long its callers wait."""

    seconds = 0.0

    async def run(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        """Call the function and note the time."""
        started = time.perf_counter()
        try:
            return await super().run(function, argument)
        finally:
            self.seconds += time.perf_counter() - started


async def _trial(pool: ProcessPool, count: int, side: int, workers: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(data_dir=Path(folder), max_active_tasks=100_000)
        await db.connect(settings.resolved_database_url)
        await db.migrate()
        room = await make_room(settings, SystemClock(), max_active_tasks=100_000)
        async with workshop(room, pool, Path(folder) / "files", workers=workers) as shop:
            await shop.ended(await shop.submit("warm up"))
            params = ParamsRequest(width=side, height=side)
            started = time.perf_counter()
            tasks = [await shop.submit(f"slime {number}", params=params) for number in range(count)]
            for task in tasks:
                await shop.ended(task, 600)
            elapsed = time.perf_counter() - started
        await db.close()
        return elapsed


if __name__ == "__main__":
    asyncio.run(main())
