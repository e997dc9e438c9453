"""Pages of long lists: Relay connections by keyset, so that the thousandth page costs what the first does."""

import base64
import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final, Generic, TypeVar

from tortoise.expressions import Q, RawSQL
from tortoise.fields import CharField, DatetimeField, Field, FloatField, IntField, TextField
from tortoise.functions import Count
from tortoise.models import MetaInfo, Model
from tortoise.queryset import QuerySet

from domain.db import connection
from domain.errors import InvalidInput
from domain.text import has_surrogate

DEFAULT_PAGE: Final = 20
MAX_PAGE: Final = 100
_MAX_CURSOR: Final = 2000

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class OrderKey:
    """One column of an order; it must never be null."""

    field: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which part of a list is wanted, as in a Relay connection; raises `InvalidInput` when it contradicts itself.

    `first` (or nothing: the first 20) reads forwards from `after`, `last` backwards from `before`. Both cursors may be
    given: what is read lies between them.
    """

    first: int | None = None
    after: str | None = None
    last: int | None = None
    before: str | None = None

    def __post_init__(self) -> None:
        """Check the counts; cursors are checked where the order is known."""
        if self.first is not None and self.last is not None:
            raise InvalidInput("Ask for `first` or for `last`, not for both.", path=("last",))
        for name, count in (("first", self.first), ("last", self.last)):
            if count is not None and not 0 <= count <= MAX_PAGE:
                raise InvalidInput(f"`{name}` must be 0 to {MAX_PAGE}.", path=(name,))

    @property
    def backward(self) -> bool:
        """Tell whether the page is read from its end."""
        return self.last is not None

    @property
    def count(self) -> int:
        """How many rows the page holds at most."""
        if self.last is not None:
            return self.last
        return DEFAULT_PAGE if self.first is None else self.first


@dataclass(frozen=True, slots=True)
class Page(Generic[M]):
    """One page: rows in the list's order, and the cursor of each."""

    items: list[M]
    cursors: list[str]
    has_next: bool
    has_previous: bool


async def paginate(query: QuerySet[M], order: Sequence[OrderKey], request: PageRequest) -> Page[M]:
    """Read one page of a query, with one statement, whatever the size of the list and the depth of the page.

    The order must end in the primary key, which makes it total: then rows that come or go between two pages make no
    other row appear twice or not at all. Raises `InvalidInput` for a cursor that is not one of this list in this order.
    """
    if order[-1].field != _meta(query.model).pk_attr:
        raise ValueError("An order must end in the primary key, or rows that are equal in it would be lost.")
    codec = _CursorCodec(query.model, order)
    for name, cursor, forward in (("after", request.after, True), ("before", request.before, False)):
        if cursor is not None:
            query = query.filter(_beyond(order, codec.decode(cursor, name), forward=forward))
    signs = ["-" if key.descending != request.backward else "" for key in order]
    query = query.order_by(*(sign + key.field for sign, key in zip(signs, order, strict=True)))
    rows = await query.limit(request.count + 1)  # one more tells whether the list goes on
    return _page_of(rows, codec, request)


async def paginate_each(
    query: QuerySet[M], column: str, values: Sequence[str], order: Sequence[OrderKey], request: PageRequest
) -> dict[str, Page[M]]:
    """Read the same page of several lists, one for each value of a column, with two statements.

    A cursor belongs to one list; with one, each list is read by itself. The rest is as for `paginate`.
    """
    if len(values) == 1 or request.after is not None or request.before is not None:
        return {value: await paginate(query.filter(**{column: value}), order, request) for value in values}
    codec = _CursorCodec(query.model, order)
    directions = ["DESC" if key.descending is not request.backward else "ASC" for key in order]
    sorting = ", ".join(f'"{key.field}" {sign}' for key, sign in zip(order, directions, strict=True))
    ranked = (
        query.filter(**{f"{column}__in": list(values)})
        .annotate(
            place=RawSQL(f'ROW_NUMBER() OVER (PARTITION BY "{column}" ORDER BY {sorting})'), ranked_id=RawSQL('"id"')
        )
        .values_list("ranked_id", "place")
    )
    text = ranked.sql()  # builds the query, whose parameters come separately
    _, parameters = ranked.query.get_parameterized_sql()
    _, places = await connection().execute_query(
        f"SELECT * FROM ({text}) AS ranked WHERE place <= {request.count + 1} ORDER BY place",  # noqa: S608 (a number)
        parameters,
    )
    ids = [place["ranked_id"] for place in places]
    by_id = {row.pk: row for row in await query.model.filter(pk__in=ids)}
    grouped: dict[str, list[M]] = {value: [] for value in values}
    for row in (by_id[row_id] for row_id in ids if row_id in by_id):  # not those deleted between the statements
        grouped[getattr(row, column)].append(row)
    return {value: _page_of(items, codec, request) for value, items in grouped.items()}


async def count_each(query: QuerySet[M], column: str, values: Sequence[str]) -> dict[str, int]:
    """Count several lists, one for each value of a column, with one statement."""
    rows = (
        await query.filter(**{f"{column}__in": list(values)})
        .annotate(number=Count(_meta(query.model).pk_attr))
        .group_by(column)
        .values_list(column, "number")
    )
    counts = {str(value): int(number) for value, number in rows}
    return {value: counts.get(value, 0) for value in values}


def _page_of(rows: Sequence[M], codec: "_CursorCodec", request: PageRequest) -> Page[M]:
    """Return the page that the rows make, read in the page's direction and with one more if the list goes on."""
    more = len(rows) > request.count
    items = list(rows[: request.count])
    if request.backward:
        items.reverse()
    return Page(
        items=items,
        cursors=[codec.encode(item) for item in items],
        has_next=request.before is not None if request.backward else more,
        has_previous=more if request.backward else request.after is not None,
    )


def _beyond(order: Sequence[OrderKey], values: Sequence[Any], *, forward: bool) -> Q:
    """Return the condition that a row stands strictly after the values (or before them) in the order.

    For (a, b): `a >= x and (a > x or (a = x and b > y))`. The first term says nothing new, but it is the one that lets
    the database start reading at the right place of an index.
    """
    condition: Q | None = None
    for key, value in reversed(list(zip(order, values, strict=True))):
        comparison = "lt" if key.descending is forward else "gt"
        beyond = Q(**{f"{key.field}__{comparison}": value})
        condition = beyond if condition is None else beyond | (Q(**{key.field: value}) & condition)
    comparison = "lte" if order[0].descending is forward else "gte"
    return Q(**{f"{order[0].field}__{comparison}": values[0]}) & (condition or Q())


class _CursorCodec:
    """Cursors of one list in one order: the order's tag and a row's values in it, JSON in base 64.

    They are not signed: a made-up one shows nothing that the list does not, but it is checked as what it is, input.
    """

    def __init__(self, model: type[Model], order: Sequence[OrderKey]) -> None:
        meta = _meta(model)
        self._fields: list[tuple[str, Field[Any]]] = [(key.field, meta.fields_map[key.field]) for key in order]
        text = ",".join([meta.db_table, *(f"{key.field} {key.descending}" for key in order)])
        self._tag = hashlib.sha256(text.encode()).hexdigest()[:8]

    def encode(self, row: Model) -> str:
        values = [_plain(getattr(row, name)) for name, _ in self._fields]
        text = json.dumps([self._tag, *values], separators=(",", ":"), ensure_ascii=False)
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    def decode(self, cursor: str, name: str) -> list[object]:
        """Return the values, or raise `InvalidInput` that names the argument."""
        try:
            return self._values(cursor)
        # RecursionError is what nested brackets give, OverflowError a date at the end of time.
        except (ValueError, RecursionError, OverflowError):
            raise InvalidInput(
                f"`{name}` is not a cursor of this list in this order. Take it from `pageInfo` or an edge.",
                path=(name,),
            ) from None

    def _values(self, cursor: str) -> list[object]:
        if len(cursor) > _MAX_CURSOR:
            raise ValueError
        data = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        if not isinstance(data, list) or data[:1] != [self._tag]:
            raise ValueError
        return [_typed(value, field) for value, (_, field) in zip(data[1:], self._fields, strict=True)]


def _meta(model: type[Model]) -> MetaInfo:
    return model._meta  # noqa: SLF001 (the only place where Tortoise tells a model's table and columns)


def _plain(value: object) -> object:
    """Return a column's value as JSON has it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return value


def _typed(value: object, field: Field[Any]) -> object:
    """Return what `_plain` was given, checked to be something that the column can be compared with."""
    restored: object = None
    match field:
        case DatetimeField() if isinstance(value, str):
            instant = datetime.fromisoformat(value)
            restored = instant.astimezone(UTC) if instant.tzinfo else None
        case IntField() if type(value) is int and field.constraints["ge"] <= value <= field.constraints["le"]:
            restored = value
        case FloatField() if isinstance(value, float) and math.isfinite(value):
            restored = value
        case CharField() | TextField() if isinstance(value, str) and "\x00" not in value and not has_surrogate(value):
            restored = value
        case _:
            pass
    if restored is None:
        raise ValueError
    enum_type = getattr(field, "enum_type", None)
    return restored if enum_type is None else enum_type(restored)
