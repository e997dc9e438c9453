"""The statements of the hot path as plain SQL.

Building a statement through the ORM takes several times as long as running it; these run half a dozen times a task.
Values go in as Tortoise would write them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from tortoise.models import Model

from domain import db


@lru_cache(maxsize=256)
def _update(table: str, changed: tuple[str, ...], where: tuple[tuple[str, bool], ...], *, postgres: bool) -> str:
    number = 0

    def mark() -> str:
        nonlocal number
        number += 1
        return f"${number}" if postgres else "?"

    columns = ", ".join(f'"{name}" = {mark()}' for name in changed)
    conditions = " AND ".join(f'"{name}" = {mark()}' if given else f'"{name}" IS NULL' for name, given in where)
    return f'UPDATE "{table}" SET {columns} WHERE {conditions}'  # noqa: S608 (names of our own)


@lru_cache(maxsize=64)
def _insert(table: str, columns: tuple[str, ...], *, postgres: bool) -> str:
    names = ", ".join(f'"{name}"' for name in columns)
    marks = ", ".join(f"${index}" if postgres else "?" for index in range(1, len(columns) + 1))
    return f'INSERT INTO "{table}" ({names}) VALUES ({marks})'  # noqa: S608 (names of our own)


async def update_where(table: str, changes: dict[str, object], where: dict[str, object]) -> bool:
    """Change the row that fits every condition, None meaning NULL; returns whether there was one."""
    client = db.connection()
    postgres = client.capabilities.dialect == "postgres"
    conditions = tuple((name, value is not None) for name, value in where.items())
    text = _update(table, tuple(changes), conditions, postgres=postgres)
    values = [*changes.values(), *(value for value in where.values() if value is not None)]
    count, _ = await client.execute_query(text, [_stored(value, postgres=postgres) for value in values])
    return bool(count)


async def insert(table: str, row: dict[str, object]) -> None:
    """Add a row; columns that are left out take the database's default."""
    await insert_all(table, [row])


async def insert_all(table: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Inside a transaction: add rows that have the same columns; does nothing without any."""
    if not rows:
        return
    client = db.connection()
    postgres = client.capabilities.dialect == "postgres"
    text = _insert(table, tuple(rows[0]), postgres=postgres)
    values = [[_stored(value, postgres=postgres) for value in row.values()] for row in rows]
    if len(values) == 1:
        await client.execute_query(text, values[0])
    else:
        await client.execute_many(text, values)


async def insert_models(rows: Sequence[Model]) -> None:
    """Inside a transaction: add rows of one model, whose key is none that the database makes."""
    if not rows:
        return
    meta = rows[0]._meta  # noqa: SLF001 (the only place where Tortoise tells how columns are written)
    columns = [(column, name, meta.fields_map[name]) for name, column in meta.fields_db_projection.items()]
    written = [{column: field.to_db_value(getattr(row, name), row) for column, name, field in columns} for row in rows]
    await insert_all(meta.db_table, written)


@lru_cache(maxsize=64)
def _numbered(text: str) -> str:
    """Return the statement with its question marks as PostgreSQL writes them."""
    first, *others = text.split("?")
    return first + "".join(f"${number}{part}" for number, part in enumerate(others, 1))


async def fetch(text: str, values: Sequence[object]) -> list[Any]:
    """Run a statement in which question marks stand for the values; returns its rows, to be read by column name."""
    postgres = db.is_postgres()
    stored = [_stored(value, postgres=postgres) for value in values]
    _, rows = await db.connection().execute_query(_numbered(text) if postgres else text, stored)
    return list(rows)


async def change(text: str, values: Sequence[object]) -> int:
    """Run a statement in which question marks stand for the values; returns how many rows it has changed."""
    postgres = db.is_postgres()
    stored = [_stored(value, postgres=postgres) for value in values]
    count, _ = await db.connection().execute_query(_numbered(text) if postgres else text, stored)
    return int(count)


async def execute_each(text: str, values: Sequence[Sequence[object]]) -> None:
    """Run a statement once for each of the rows of values; does nothing without any."""
    if not values:
        return
    postgres = db.is_postgres()
    stored = [[_stored(value, postgres=postgres) for value in row] for row in values]
    await db.connection().execute_many(_numbered(text) if postgres else text, stored)


def _stored(value: object, *, postgres: bool) -> object:
    """Return a value as the driver takes it: SQLite keeps instants as text."""
    if isinstance(value, datetime) and not postgres:
        return str(value)
    return str(value) if isinstance(value, str) else value
