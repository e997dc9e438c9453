"""The first rows of several ordered lists at once, each read from an index and no further than needed.

A list may be cut into parts, such as one for each status: a database reads an index in its order only where everything
before the order's columns is fixed. So each part is a branch of its own with its own limit, and what the branches give,
never more than a page each, is merged. One statement, whose cost does not depend on how long the lists are.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from tortoise.models import Model
from tortoise.queryset import QuerySet

from domain.db import connection, is_postgres

#: Columns and the one value of each: with the order's columns after them, what an index begins with.
Part = Mapping[str, object]
M = TypeVar("M", bound=Model)
#: SQLite takes 500 branches in one statement.
MAX_BRANCHES: Final = 480
_MARK: Final = re.compile(r"\$(\d+)")


async def first_ids(
    query: QuerySet[M], lists: Sequence[Sequence[Part]], order: Sequence[tuple[str, bool]], limit: int
) -> list[str]:
    """Return the ids of the first rows of each list, list after list, each in order.

    `order` are columns, the id last, and whether each descends. A list is what fits the query and one of its parts,
    which must exclude each other.
    """
    text, values = _base(query, [name for name, _ in order])
    within = _ordering(order)
    # Tortoise calls the columns that it selects by their place.
    merged_by = _ordering([(str(place), descending) for place, (_, descending) in enumerate(order)])
    found: list[str] = []
    for some in _portions(lists):
        statement, ranked = _Statement(), list[str]()
        for place, parts in enumerate(some):
            branches = [f"{statement.branch(text, values, part)} ORDER BY {within} LIMIT {limit}" for part in parts]
            rank = f"ROW_NUMBER() OVER (ORDER BY {merged_by})"
            ranked.append(
                f'SELECT "{len(order) - 1}" AS found_id, {place} AS list, {rank} AS place'  # noqa: S608 (as below)
                f" FROM (SELECT * FROM ({_union(branches)}) AS branches ORDER BY {merged_by} LIMIT {limit}) AS merged"
            )
        rows = await statement.run(f"{_union(ranked)} ORDER BY list, place")
        found += [row["found_id"] for row in rows]
    return found


async def count_lists(query: QuerySet[M], lists: Sequence[Sequence[Part]], limit: int) -> list[int]:
    """Count each list, as `first_ids` has them, but no further than `limit`."""
    text, values = _base(query, ["id"])
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


def _union(selects: Sequence[str]) -> str:
    return " UNION ALL ".join(f"SELECT * FROM ({select}) AS part" for select in selects)  # noqa: S608 (names of our own; values stand apart)


def _ordering(columns: Sequence[tuple[str, bool]]) -> str:
    return ", ".join(f'"{name}" {"DESC" if descending else "ASC"}' for name, descending in columns)


class _Statement:
    """Collects the values of a statement that is put together from branches."""

    def __init__(self) -> None:
        self._values: list[object] = []

    def branch(self, text: str, values: Sequence[object], part: Part) -> str:
        """Return the query's text narrowed to a part, its placeholders numbered on from those before."""
        start = len(self._values)
        given = [*values, *(str(value) if isinstance(value, str) else value for value in part.values())]
        self._values += given
        marks = [f"${len(values) + index}" if is_postgres() else "?" for index in range(1, len(part) + 1)]
        conditions = [f'"{name}" = {mark}' for name, mark in zip(part, marks, strict=True)]
        if conditions:
            text += (" AND " if " WHERE " in text else " WHERE ") + " AND ".join(conditions)
        return _MARK.sub(lambda found: f"${int(found[1]) + start}", text)

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
