"""The database: connecting, migrating, transactions. SQLite and PostgreSQL, through Tortoise."""

import asyncio
import contextlib
import fcntl
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit

import asyncpg
from tortoise import Tortoise
from tortoise.backends.base.client import BaseDBAsyncClient, TransactionalDBClient, TransactionContext
from tortoise.backends.base.config_generator import expand_db_url
from tortoise.backends.base.executor import EXECUTOR_CACHE
from tortoise.context import TortoiseContext
from tortoise.exceptions import BaseORMException, IntegrityError
from tortoise.migrations.executor import MigrationExecutor, MigrationTarget
from tortoise.transactions import in_transaction

from domain.grouping import Body, T
from domain.sqlite import Client

MODELS: Final = (
    "domain.models.accounts",
    "domain.models.projects",
    "domain.models.tasks",
    "domain.models.jobs",
    "domain.models.storage",
    "domain.models.operations",
    "domain.models.webhooks",
    "domain.models.figures",
    "domain.models.instances",
    "domain.models.spending",
)
APP: Final = "wonder"
MIGRATIONS: Final = "domain.migrations"
#: Numbers of PostgreSQL advisory locks; arbitrary, but the same for every Wonder process.
ADMISSION_LOCK: Final = 0x576F6E01
MIGRATION_LOCK: Final = 0x576F6E02
RELEASE_LOCK: Final = 0x576F6E03
FIGURES_LOCK: Final = 0x576F6E04
START_LOCK: Final = 0x576F6E05
_APPS: Final[dict[str, dict[str, Any]]] = {
    APP: {"models": list(MODELS), "migrations": MIGRATIONS, "default_connection": "default"}
}
_LATEST: Final = [MigrationTarget(app_label=APP, name="__latest__")]
#: What a database raises that is out of reach or refuses for a reason of its own; trying again later may help.
DATABASE_ERRORS: Final = (
    BaseORMException,
    sqlite3.Error,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    OSError,
)
#: The one of them that means that a row contradicts others, and that trying again will not help.
CONTRADICTION: Final = IntegrityError
_BUSY_TIMEOUT_MS: Final = 10_000
_POOL_SIZE: Final = 10
#: Of SQLite's pages in memory: the upper levels of every index, also of a million tasks.
_CACHE_KIB: Final = 32 * 1024
#: What is kept of the write-ahead log for the next writes; making the file longer costs more than writing into it.
_WAL_BYTES: Final = 16 * 1024 * 1024


def tortoise_config(url: str) -> dict[str, Any]:
    """Return Tortoise's configuration for a database URL; also what its command-line tools read."""
    if urlsplit(url).scheme == "sqlite":
        path = url.removeprefix("sqlite://")
        connection: dict[str, Any] = {
            "engine": "domain.sqlite",
            "credentials": {
                "file_path": path,
                "journal_mode": "WAL",
                "synchronous": "NORMAL",
                "busy_timeout": _BUSY_TIMEOUT_MS,
                "cache_size": -_CACHE_KIB,
                "journal_size_limit": _WAL_BYTES,
                "foreign_keys": "ON",
                # Else the folder for temporary files, which may be another disk and full, would have to take them.
                "temp_store": "MEMORY",
            },
        }
    else:
        connection = expand_db_url(url) | {"engine": "domain.postgres"}
        connection["credentials"].setdefault("maxsize", _POOL_SIZE)
    return {
        "connections": {"default": connection},
        "apps": _APPS,
        "use_tz": True,
        "timezone": "UTC",
    }


async def connect(url: str) -> TortoiseContext:
    """Open the database for this process; `close` ends it. Rows must have been migrated."""
    if urlsplit(url).scheme == "sqlite":
        path = Path(url.removeprefix("sqlite://"))
        await asyncio.to_thread(path.parent.mkdir, parents=True, exist_ok=True)
    # Tortoise keeps prepared statements by connection name, also across engines with other placeholders.
    EXECUTOR_CACHE.clear()
    # The fallback: request and worker tasks do not inherit the context of the task that connects.
    context = await Tortoise.init(config=tortoise_config(url), _enable_global_fallback=True)
    try:
        # Now and not at the first statement: Tortoise would not give back its lock when that cannot connect.
        await connection().create_connection(with_db=True)
    except BaseException:
        await close()
        raise
    return context


async def close() -> None:
    """Close the database of this process."""
    await Tortoise.close_connections()


def connection() -> BaseDBAsyncClient:
    """Return the connection of the running transaction, or the process's own outside one."""
    return Tortoise.get_connection("default")


def is_postgres() -> bool:
    """Tell whether the database is PostgreSQL (else it is SQLite)."""
    return connection().capabilities.dialect == "postgres"


def transaction() -> TransactionContext:
    """Open a transaction: all or nothing. On SQLite it holds the only write lock from its first moment.

    Start no task inside one: the task would inherit the connection and use it after its end.
    """
    return in_transaction("default")


async def together(body: Body[T]) -> T:
    """Run a short body in a transaction, on SQLite in one with others that ask at the same time: see `domain.grouping`.

    The body uses the database and waits for nothing else. One that raises undoes itself alone. Inside a transaction it
    is part of that.
    """
    client = connection()
    if isinstance(client, Client):
        return await client.group.run(body)
    if isinstance(client, TransactionalDBClient):
        return await body()
    async with transaction():
        return await body()


async def lock_admission() -> None:
    """Inside a transaction: let the transactions that count before they insert go one by one.

    On SQLite every transaction is alone already. The lock ends with the transaction.
    """
    if is_postgres():
        await connection().execute_query("SELECT pg_advisory_xact_lock($1)", [ADMISSION_LOCK])


async def lock_release() -> None:
    """Inside a transaction: let the processes that hand tasks to the queue go one by one. See `lock_admission`."""
    if is_postgres():
        await connection().execute_query("SELECT pg_advisory_xact_lock($1)", [RELEASE_LOCK])


async def lock_figures() -> None:
    """Inside a transaction: let those that add up the queue's figures go one by one. See `lock_admission`."""
    if is_postgres():
        await connection().execute_query("SELECT pg_advisory_xact_lock($1)", [FIGURES_LOCK])


async def migrate() -> list[str]:
    """Bring the tables up to date; returns the names of the migrations applied. Safe in several processes at once."""
    async with _migration_lock():
        executor = MigrationExecutor(connection(), _APPS)
        plan = await executor.plan(_LATEST)
        await executor.migrate(_LATEST)
        return [str(step.migration.name) for step in plan]


async def pending_migrations() -> int:
    """Return how many migrations are missing; a database never migrated misses all."""
    return len(await MigrationExecutor(connection(), _APPS).plan(_LATEST))


@contextlib.asynccontextmanager
async def _migration_lock() -> AsyncIterator[None]:
    client = connection()
    if is_postgres():
        async with client.acquire_connection() as held:
            await held.execute(f"SELECT pg_advisory_lock({MIGRATION_LOCK})")
            try:
                yield
            finally:
                await held.execute(f"SELECT pg_advisory_unlock({MIGRATION_LOCK})")
        return
    file = await asyncio.to_thread(_lock_file, Path(f"{client.filename}.migrating"))  # type: ignore[attr-defined]
    try:
        yield
    finally:
        file.close()


def _lock_file(path: Path) -> IO[str]:
    """Open a file and wait until it is ours alone; closing it lets the next one in."""
    file = path.open("w")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


async def ping() -> None:
    """Ask the database for the number one; raises what the driver raises when it is out of reach."""
    await connection().execute_query("SELECT 1")
