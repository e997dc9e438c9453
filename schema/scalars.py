"""Scalars beyond GraphQL's own."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Final, NewType

import strawberry
from graphql import GraphQLError
from strawberry.file_uploads import Upload
from strawberry.scalars import JSON
from strawberry.types.scalar import ScalarDefinition

__all__ = ["JSON", "SCALARS", "Color", "Upload"]

#: "#rrggbb" or "#rrggbbaa"; the domain checks it, so that a wrong one is an answer and not a broken request.
Color = NewType("Color", str)

# RFC 3339, section 5.6, where the letters may be lower case and the T a space.
_RFC_3339: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)")


def write_instant(value: datetime) -> str:
    """Return an instant in UTC with microseconds, so that instants sort as text."""
    return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def read_instant(value: object) -> datetime:
    """Read an instant with an offset; digits beyond microseconds are dropped."""
    if isinstance(value, str) and _RFC_3339.fullmatch(value):
        text = re.sub(r"(\.\d{6})\d+", r"\1", value.upper())
        try:
            return datetime.fromisoformat(text).astimezone(UTC)
        except (ValueError, OverflowError):
            pass  # a thirteenth month, or beyond year 9999 in UTC
    raise GraphQLError("A DateTime is written as in RFC 3339 with an offset, such as 2026-12-01T12:00:00Z.")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise GraphQLError("A Color is a string such as #ff8800.")
    return value


def _file(value: object) -> object:
    if not hasattr(value, "read"):
        raise GraphQLError("An Upload is a file of a GraphQL multipart request.")
    return value


def _amount(value: object) -> Decimal:
    """Read an amount; a float is taken as it is written, and what binary fractions add is not."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        try:
            amount = Decimal(str(value))
        except InvalidOperation:
            pass
        else:
            if amount.is_finite():
                return amount
    raise GraphQLError('A Decimal is a number, or better a string such as "12.50".')


SCALARS: Final[Mapping[object, ScalarDefinition]] = {
    datetime: strawberry.scalar(
        name="DateTime",
        description="An instant as RFC 3339 writes it. Answers are in UTC; input takes any offset, but needs one.",
        specified_by_url="https://scalars.graphql.org/andimarek/date-time",
        serialize=write_instant,
        parse_value=read_instant,
    ),
    JSON: strawberry.scalar(
        name="JSON",
        description="Any JSON value.",
        specified_by_url="https://www.rfc-editor.org/rfc/rfc8259",
        serialize=lambda value: value,
        parse_value=lambda value: value,
    ),
    Decimal: strawberry.scalar(
        name="Decimal",
        description='An exact decimal number as a string, such as "12.50". Input takes numbers too.',
        specified_by_url="https://scalars.graphql.org/mdubourg001/decimal",
        serialize=lambda value: format(value, "f"),
        parse_value=_amount,
    ),
    Upload: strawberry.scalar(
        name="Upload",
        description="A file, sent as the GraphQL multipart request specification says.",
        specified_by_url="https://github.com/jaydenseric/graphql-multipart-request-spec",
        serialize=lambda value: value,
        parse_value=_file,
    ),
    Color: strawberry.scalar(
        name="Color",
        description='A color in sRGB, "#rrggbb", or with opacity "#rrggbbaa".',
        specified_by_url="https://www.w3.org/TR/css-color-4/#hex-notation",
        serialize=str,
        parse_value=_text,
    ),
}
