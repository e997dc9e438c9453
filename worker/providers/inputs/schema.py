"""The input of a model: the names of its fields, and which values each takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_MAX_DEPTH: Final = 4


@dataclass(frozen=True, slots=True)
class InputField:
    """What a field takes; nothing is said of it where a value is empty or None."""

    #: The only values that it takes.
    values: tuple[str | int, ...] = ()
    least: float | None = None
    most: float | None = None
    #: Whether it is a list.
    many: bool = False
    #: Whether it is text; numbers are written out then.
    text: bool = False


Schema = Mapping[str, InputField]


def schema_of_names(names: Mapping[str, Sequence[str | int]]) -> dict[str, InputField]:
    """Return the schema that an operator has written down: names, each with the values that it takes.

    A name that ends with `[]` is that of a list.
    """
    return {
        name.removesuffix("[]"): InputField(values=tuple(values), many=name.endswith("[]"))
        for name, values in names.items()
    }


def read_schema(document: object) -> dict[str, InputField]:
    """Return the input of a model from its OpenAPI document (`components.schemas.Input`), empty when it has none.

    Values of a choice stand in a schema of their own, to which the field refers, as Cog writes them.
    """
    schemas = _at(_at(document, "components"), "schemas")
    properties = _at(_at(schemas, "Input"), "properties")
    return {str(name): _field(_resolved(item, schemas)) for name, item in properties.items()}


def _at(value: object, name: str) -> Mapping[str, object]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _resolved(item: object, schemas: Mapping[str, object], depth: int = 0) -> dict[str, object]:
    """Return a field's schema with what it refers to put in; what may be null counts as what it is otherwise."""
    if not isinstance(item, Mapping) or depth > _MAX_DEPTH:
        return {}
    found: dict[str, object] = {}
    parts = [part for key in ("allOf", "anyOf", "oneOf") for part in _items(item.get(key))]
    if isinstance(reference := item.get("$ref"), str):
        parts.append(schemas.get(reference.rpartition("/")[2]))
    for part in parts:
        found |= {key: value for key, value in _resolved(part, schemas, depth + 1).items() if value != "null"}
    return found | {key: value for key, value in item.items() if isinstance(key, str)}


def _items(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _field(item: Mapping[str, object]) -> InputField:
    values = tuple(v for v in _items(item.get("enum")) if isinstance(v, str | int) and not isinstance(v, bool))
    kind = item.get("type")
    return InputField(
        values, _number(item.get("minimum")), _number(item.get("maximum")), kind == "array", kind == "string"
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
