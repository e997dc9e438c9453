"""How this package declares types: the docstring of a class or resolver is its description in the API."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, dataclass_transform

import strawberry
from strawberry.types.field import StrawberryField

_Class = TypeVar("_Class", bound=type)
Value = TypeVar("Value")


def described(description: str, *, default: Any = ..., name: str | None = None) -> Any:  # noqa: ANN401 (a dataclass field)
    """Declare a plain attribute with its description; without a default it must be given."""
    if default is ...:
        return strawberry.field(description=description, name=name)
    return strawberry.field(description=description, name=name, default=default)


def optional(description: str, *, default: Any = strawberry.UNSET) -> Any:  # noqa: ANN401 (a dataclass field)
    """Declare an input field that may be left out, and then stays unset rather than null."""
    return strawberry.field(description=description, default=default)


@dataclass_transform(
    order_default=False, kw_only_default=True, field_specifiers=(described, optional, strawberry.field)
)
def output(cls: _Class) -> _Class:
    """Declare an object type."""
    return strawberry.type(cls, description=_prose(cls))


@dataclass_transform(
    order_default=False, kw_only_default=True, field_specifiers=(described, optional, strawberry.field)
)
def interface(cls: _Class) -> _Class:
    """Declare an interface."""
    return strawberry.interface(cls, description=_prose(cls))


@dataclass_transform(
    order_default=False, kw_only_default=True, field_specifiers=(described, optional, strawberry.field)
)
def input_object(cls: _Class) -> _Class:
    """Declare an input type."""
    return strawberry.input(cls, description=_prose(cls))


def resolved(function: Callable[..., Any]) -> StrawberryField:
    """Declare a field that a function computes."""
    return strawberry.field(function, description=_prose(function))


def mutation(function: Callable[..., Awaitable[Any]]) -> StrawberryField:
    """Declare a mutation."""
    return strawberry.mutation(function, description=_prose(function))


def subscription(function: Callable[..., Any]) -> StrawberryField:
    """Declare a subscription."""
    return strawberry.subscription(function, description=_prose(function))


def argument(description: str, name: str | None = None) -> object:
    """Describe an argument, inside `Annotated`."""
    return strawberry.argument(description=description, name=name)


def given(value: Value | None) -> Value | None:
    """Return what a client gave; None for null and for what was left out."""
    return None if value is strawberry.UNSET else value


def _prose(thing: object) -> str:
    """Return the docstring with the line breaks of our margin taken out; paragraphs stay."""
    paragraphs = (inspect.getdoc(thing) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
