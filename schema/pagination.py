"""Connections: lists that grow, read in pages by cursor."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Final, Generic, TypeVar

import strawberry

from domain.merging import M as Row
from domain.pagination import Page, PageRequest
from schema.declare import argument, described, given, output, resolved

__all__ = ["After", "Before", "Connection", "Edge", "First", "Last", "PageInfo", "connection_of", "page_request"]

Item = TypeVar("Item")

First = Annotated[int | None, argument("How many, from the start or after `after`: at most 100; 20 unless told.")]
After = Annotated[str | None, argument("Cursor after which to begin.")]
Last = Annotated[int | None, argument("How many, from the end or before `before`: at most 100.")]
Before = Annotated[str | None, argument("Cursor before which to end.")]


@output
class PageInfo:
    """Where a page stands in its list."""

    has_next_page: bool = described("Whether there is more after this page.")
    has_previous_page: bool = described("Whether there is more before this page.")
    start_cursor: str | None = described("Cursor of the first edge; null when the page is empty.")
    end_cursor: str | None = described("Cursor of the last edge; null when the page is empty.")


@output
class Edge(Generic[Item]):
    """One item of a list and its place there."""

    cursor: str = described("For `after` and `before`; opaque, and good also when the item is gone.")
    node: Item = described("The item.")


@output
class Connection(Generic[Item]):
    """One page of a list, stable while items come and go."""

    edges: list[Edge[Item]] = described("The items of the page, in the order of the list.")
    page_info: PageInfo = described("Where the page stands.")
    count: strawberry.Private[Callable[[], Awaitable[int]]]

    @resolved
    async def total_count(self) -> int:
        """How many items the whole list has, counted only when asked for and up to 10,000: more are 10,000 as well."""
        return await self.count()


def connection_of(
    page: Page[Row], convert: Callable[[Row], Item], count: Callable[[], Awaitable[int]]
) -> Connection[Item]:
    """Return a page of rows as a connection of API objects."""
    cursors: Final = page.cursors
    return Connection(
        edges=[Edge(cursor=cursor, node=convert(row)) for cursor, row in zip(cursors, page.items, strict=True)],
        page_info=PageInfo(
            has_next_page=page.has_next,
            has_previous_page=page.has_previous,
            start_cursor=cursors[0] if cursors else None,
            end_cursor=cursors[-1] if cursors else None,
        ),
        count=count,
    )


def page_request(first: int | None, after: str | None, last: int | None, before: str | None) -> PageRequest:
    """Return the arguments of a connection, checked; raises `InvalidInput`."""
    return PageRequest(given(first), given(after), given(last), given(before))
