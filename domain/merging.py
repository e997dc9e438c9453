"""The first rows of several ordered lists at once, each read from an index and no further than needed.

A list may be cut into parts, such as one for each status: a database reads an index in its order only where everything
before the order's columns is fixed. So each part is read by itself with its own limit, and what the parts give, never
more than a page each, is merged. One statement, whose cost does not depend on how long the lists are. For SQLite, which
plans quickly, each part is a branch of a union; for PostgreSQL see `_Parts`.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from tortoise.models import Model
from tortoise.queryset import QuerySet

from domain.db import connection, is_postgres

#: Columns and the one value of each: with the order's columns after them, what an index begins with.
Part = Mapping[str, object]
M = TypeVar("M", bound=Model)


class Within(str):
    """The value of a column by which nothing is to be found, only left out, such as the owner within a project.

    It is compared in a way that no index can serve, or a database might begin at all the rows of the owner: SQLite does
    not know how many there are, and PostgreSQL does not ask whose they are once it keeps the plan of a statement.
    """

    __slots__ = ()


#: SQLite takes 500 branches in one statement.
MAX_BRANCHES: Final = 480


async def first_ids(
    query: QuerySet[M], lists: Sequence[Sequence[Part]], order: Sequence[tuple[str, bool]], limit: int
) -> list[str]:
    """Return the ids of the first rows of each list, list after list, each in order.

    `order` are columns, the id last, and whether each descends. A list is what fits the query and one of its parts,
    which must exclude each other; all parts name the same columns.
    """
    if not lists:
        return []
    text, values = _base(query, [name for name, _ in order])
    within = f" ORDER BY {_ordering(order)} LIMIT {limit}"
    # Tortoise calls the columns that it selects by their place.
    merged_by = _ordering([(str(place), descending) for place, (_, descending) in enumerate(order)])
    found_id = f'"{len(order) - 1}"'
    if is_postgres():
        rows = await _first_of_parts(_Parts(text, values, lists), within, merged_by, found_id, limit)
        return [row["found_id"] for row in rows]
    found: list[str] = []
    for some in _portions(lists):
        statement, ranked = _Statement(), list[str]()
        for place, parts in enumerate(some):
            branches = [statement.branch(text, values, part) + within for part in parts]
            rank = f"ROW_NUMBER() OVER (ORDER BY {merged_by})"
            ranked.append(
                f"SELECT {found_id} AS found_id, {place} AS list, {rank} AS place"  # noqa: S608 (as below)
                f" FROM (SELECT * FROM ({_union(branches)}) AS branches ORDER BY {merged_by} LIMIT {limit}) AS merged"
            )
        rows = await statement.run(f"{_union(ranked)} ORDER BY list, place")
        found += [row["found_id"] for row in rows]
    return found


async def count_lists(query: QuerySet[M], lists: Sequence[Sequence[Part]], limit: int) -> list[int]:
    """Count each list, as `first_ids` has them, but no further than `limit`."""
    if not lists:
        return []
    text, values = _base(query, ["id"])
    if is_postgres():
        return await _count_parts(_Parts(text, values, lists), limit)
    counts: list[int] = []
    for some in _portions(lists):
        statement, counted = _Statement(), list[str]()
        for place, parts in enumerate(some):
            branches = _union([f"{statement.branch(text, values, part)} LIMIT {limit}" for part in parts])
            counted.append(
                f"SELECT {place} AS list, COUNT(*) AS number FROM (SELECT 1 FROM ({branches}) AS b LIMIT {limit}) AS m"  # noqa: S608 (numbers)
            )
        numbers = {int(row["list"]): int(row["number"]) for row in await statement.run(_union(counted))}
        counts += [numbers[place] for place in range(len(some))]
    return counts


class _Parts:
    """Parts for PostgreSQL: rows of a table of values, each joined with what fits it.

    So a statement says the same however many parts there are. As a branch for each, it would take longer to plan than
    to run, and the more so the larger the tables.
    """

    def __init__(self, text: str, values: Sequence[object], lists: Sequence[Sequence[Part]]) -> None:
        parts = [part for some in lists for part in some]
        columns = list(parts[0])
        ends = list(itertools.accumulate(len(some) for some in lists))
        starts = [end - len(some) + 1 for end, some in zip(ends, lists, strict=True)]
        arrays: list[list[Any]] = [starts, ends]
        for column in columns:
            wanted = [part[column] for part in parts]
            arrays.append([str(value) if isinstance(value, str) else value for value in wanted])
        kinds = ["TEXT" if isinstance(array[0], str) else "INT" for array in arrays]
        marks = [f"CAST(${number} AS {kind}[])" for number, kind in enumerate(kinds, len(values) + 1)]
        self.values = [*values, *arrays]
        self.lists = f"unnest({', '.join(marks[:2])}) WITH ORDINALITY AS list (first, last, place)"
        # A list without columns is whole, and is one part.
        own = ", ".join(f"({mark})[list.first:list.last]" for mark in marks[2:]) or "CAST('{0}' AS INT[])"
        names = ", ".join(f"c{number}" for number in range(max(len(columns), 1)))
        self.parts = f"unnest({own}) AS part ({names})"
        self.rows = _narrowed(
            text, [_condition(name, value, f"part.c{at}") for at, (name, value) in enumerate(parts[0].items())]
        )


async def _first_of_parts(parts: _Parts, within: str, merged_by: str, found_id: str, limit: int) -> Sequence[Any]:
    merged = (
        f"SELECT {found_id} AS found_id, ROW_NUMBER() OVER (ORDER BY {merged_by}) AS place"  # noqa: S608 (as below)
        f" FROM {parts.parts} CROSS JOIN LATERAL ({parts.rows}{within}) AS found ORDER BY {merged_by} LIMIT {limit}"
    )
    text = (
        f"SELECT found_id FROM {parts.lists} CROSS JOIN LATERAL ({merged}) AS merged"  # noqa: S608 (as below)
        " ORDER BY list.place, merged.place"
    )
    _, rows = await connection().execute_query(text, parts.values)
    return rows


async def _count_parts(parts: _Parts, limit: int) -> list[int]:
    rows_of = f"{parts.parts} CROSS JOIN LATERAL ({parts.rows} LIMIT {limit}) AS found"
    counted = f"SELECT COUNT(*) AS number FROM (SELECT 1 FROM {rows_of} LIMIT {limit}) AS limited"  # noqa: S608 (as below)
    text = f"SELECT number FROM {parts.lists} CROSS JOIN LATERAL ({counted}) AS counted ORDER BY list.place"  # noqa: S608 (as below)
    _, rows = await connection().execute_query(text, parts.values)
    return [int(row["number"]) for row in rows]


def _condition(column: str, value: object, mark: str) -> str:
    return f'COALESCE("{column}" = {mark}, FALSE)' if isinstance(value, Within) else f'"{column}" = {mark}'


def _narrowed(text: str, conditions: Sequence[str]) -> str:
    if not conditions:
        return text
    return text + (" AND " if " WHERE " in text else " WHERE ") + " AND ".join(conditions)


def _union(selects: Sequence[str]) -> str:
    return " UNION ALL ".join(f"SELECT * FROM ({select}) AS part" for select in selects)  # noqa: S608 (names of our own; values stand apart)


def _ordering(columns: Sequence[tuple[str, bool]]) -> str:
    return ", ".join(f'"{name}" {"DESC" if descending else "ASC"}' for name, descending in columns)


class _Statement:
    """Collects the values of a statement for SQLite that is put together from branches."""

    def __init__(self) -> None:
        self._values: list[object] = []

    def branch(self, text: str, values: Sequence[object], part: Part) -> str:
        """Return the query's text narrowed to a part."""
        given = [*values, *(str(value) if isinstance(value, str) else value for value in part.values())]
        self._values += given
        return _narrowed(text, [_condition(name, value, "?") for name, value in part.items()])

    async def run(self, text: str) -> Sequence[Any]:
        _, rows = await connection().execute_query(text, self._values)
        return rows


def _base(query: QuerySet[M], columns: Sequence[str]) -> tuple[str, list[object]]:
    """Return a query's text and values; values stand apart from the text, so the text holds names of our own only."""
    listed = query.values_list(*columns)
    listed.sql()  # builds the query
    text, values = listed.query.get_parameterized_sql()
    return text, list(values)


def _portions(lists: Sequence[Sequence[Part]]) -> list[list[Sequence[Part]]]:
    """Cut the lists into portions that fit into one statement each."""
    portions: list[list[Sequence[Part]]] = []
    room = 0
    for parts in lists:
        if len(parts) > room:
            portions.append([])
            room = MAX_BRANCHES
        portions[-1].append(parts)
        room -= len(parts)
    return portions
