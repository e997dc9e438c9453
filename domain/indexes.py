"""Indexes that Tortoise has no words for: of some rows only, or in both directions."""

from collections.abc import Sequence
from typing import Any

from tortoise.indexes import Index


class PartIndex(Index):
    """An index of the rows that fit a condition, which costs nothing for all the others.

    A statement is served by it only when it states the condition in the same words, with its values written out.
    """

    def __init__(self, *, fields: Sequence[str], where: str, name: str | None = None) -> None:
        super().__init__(fields=tuple(fields), name=name)
        self.where = where
        self.extra = f" WHERE {where}"

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """Return what a migration writes down."""
        path, arguments, named = super().deconstruct()
        return path, arguments, {**named, "where": self.where}


class MixedIndex(Index):
    """An index in which one column descends and the others do not."""

    def __init__(self, *, fields: Sequence[str], descending: str, name: str | None = None) -> None:
        super().__init__(fields=tuple(fields), name=name)
        self.descending = descending

    @property
    def field_names(self) -> list[str]:
        """Return the columns as the statement has them; Tortoise takes one with a blank in it for an expression."""
        return [f'"{name}" DESC' if name == self.descending else name for name in self.fields]

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """Return what a migration writes down."""
        path, arguments, named = super().deconstruct()
        return path, arguments, {**named, "descending": self.descending}
