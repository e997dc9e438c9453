"""Pages of long lists: Relay connections by keyset, so that the thousandth page costs what the first does."""

import base64
import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final, Generic

from tortoise.expressions import Q
from tortoise.fields import CharField, DatetimeField, Field, FloatField, IntField, TextField
from tortoise.models import MetaInfo, Model
from tortoise.queryset import QuerySet

from domain.errors import InvalidInput
from domain.merging import M, Part, count_lists, first_ids
from domain.text import has_surrogate

DEFAULT_PAGE: Final = 20
MAX_PAGE: Final = 100
#: How far lists are counted; a longer one counts as this many.
MAX_COUNT: Final = 10_000
#: The parts of a list that is not cut.
WHOLE: Final[Sequence[Part]] = ({},)
_MAX_CURSOR: Final = 2000


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
    codec, query = _CursorCodec(query.model, order), _between(query, order, request)
    signs = ["-" if key.descending != request.backward else "" for key in order]
    query = query.order_by(*(sign + key.field for sign, key in zip(signs, order, strict=True)))
    rows = await query.limit(request.count + 1)  # one more tells whether the list goes on
    return _page_of(rows, codec, request)


async def paginate_each(
    query: QuerySet[M],
    column: str,
    values: Sequence[str],
    order: Sequence[OrderKey],
    request: PageRequest,
    parts: Sequence[Part] = WHOLE,
) -> dict[str, Page[M]]:
    """Read the same page of several lists, one for each value of a column, with two statements.

    With `parts` a list is what fits one of them, each read by itself: see `domain.merging`. The rest is as for
    `paginate`.
    """
    codec, query = _CursorCodec(query.model, order), _between(query, order, request)
    pages: dict[str, list[M]] = {value: [] for value in values}
    signs = [(key.field, key.descending is not request.backward) for key in order]
    lists = [[{column: value, **part} for part in parts] for value in values]
    ids = await first_ids(query, lists, signs, request.count + 1) if parts else []
    by_id = {row.pk: row for row in await query.model.filter(pk__in=ids)} if ids else {}
    for row in (by_id[row_id] for row_id in ids if row_id in by_id):  # not those deleted between the statements
        pages[getattr(row, column)].append(row)
    return {value: _page_of(items, codec, request) for value, items in pages.items()}


async def paginate_parts(
    query: QuerySet[M], parts: Sequence[Part], order: Sequence[OrderKey], request: PageRequest
) -> Page[M]:
    """Read one page of what fits the query and one of the parts, which exclude each other, with two statements.

    The rest is as for `paginate`; see `domain.merging`.
    """
    codec, query = _CursorCodec(query.model, order), _between(query, order, request)
    signs = [(key.field, key.descending is not request.backward) for key in order]
    ids = await first_ids(query, [parts], signs, request.count + 1) if parts else []
    by_id = {row.pk: row for row in await query.model.filter(pk__in=ids)} if ids else {}
    return _page_of([by_id[row_id] for row_id in ids if row_id in by_id], codec, request)


async def count_each(
    query: QuerySet[M], column: str, values: Sequence[str], parts: Sequence[Part] = WHOLE
) -> dict[str, int]:
    """Count several lists, one for each value of a column, with one statement and none further than MAX_COUNT."""
    if not parts:
        return dict.fromkeys(values, 0)
    lists = [[{column: value, **part} for part in parts] for value in values]
    return dict(zip(values, await count_lists(query, lists, MAX_COUNT), strict=True))


async def count_up(query: QuerySet[M], parts: Sequence[Part] = WHOLE) -> int:
    """Count a list, no further than MAX_COUNT: what that costs does not grow with the list."""
    return (await count_lists(query, [parts], MAX_COUNT))[0] if parts else 0


def _between(query: QuerySet[M], order: Sequence[OrderKey], request: PageRequest) -> QuerySet[M]:
    """Narrow the query to what lies between the cursors; raises `InvalidInput`."""
    if order[-1].field != _meta(query.model).pk_attr:
        raise ValueError("An order must end in the primary key, or rows that are equal in it would be lost.")
    codec = _CursorCodec(query.model, order)
    for name, cursor, forward in (("after", request.after, True), ("before", request.before, False)):
        if cursor is not None:
            query = query.filter(_beyond(order, codec.decode(cursor, name), forward=forward))
    return query


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
