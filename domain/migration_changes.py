"""What the models say and the migrations do not yet; `python -m domain.migration_changes` writes the next migration."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tortoise.migrations.autodetector import MigrationAutodetector

from domain import db


async def missing_operations() -> list[str]:
    """Return the operations that a new migration would hold, by kind and model; none when both agree."""
    async with _detector() as detector:
        return [
            f"{type(operation).__name__} {getattr(operation, 'model_name', getattr(operation, 'name', ''))}"
            for writer in await detector.changes()
            for operation in writer.operations
        ]


async def write_migration() -> list[str]:
    """Write the next migration beside the earlier ones; returns its path, or nothing when there is nothing to write."""
    async with _detector() as detector:
        return await detector.write()


@asynccontextmanager
async def _detector() -> AsyncIterator[MigrationAutodetector]:
    # Models and migrations are compared as code; the database in memory is never asked anything.
    context = await db.connect("sqlite://:memory:")
    try:
        if context.apps is None:
            raise RuntimeError("Tortoise has no models after it was connected")
        apps = {db.APP: {"models": list(db.MODELS), "migrations": db.MIGRATIONS}}
        yield MigrationAutodetector(context.apps, apps)
    finally:
        await db.close()


if __name__ == "__main__":
    written = asyncio.run(write_migration())
    sys.stdout.write("\n".join(written or ["The migrations say what the models say."]) + "\n")
