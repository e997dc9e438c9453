"""Every place of the schema that takes an id, with a document that fills it: generated, so that none is forgotten."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNamedType,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
    get_nullable_type,
    is_leaf_type,
)

from tests.helpers.files import RequestFile, red_png

#: Through what a field of a type is reached, where that is not the operation itself.
WRAPPERS = {
    "AdminQuery": ("query", "admin {{ {} }}"),
    "AdminMutation": ("mutation", "admin {{ {} }}"),
    "Project": ("query", "project(id: $project) {{ {} }}"),
}
#: What text is given where it must be something.
TEXTS = {"url": "https://example.com/hook", "email": "x@example.com", "cron": "x"}
_DEPTH = 2

#: Returns an id of the asker's own for a place, such as `Mutation.cancelTask.id`.
OwnId = Callable[[str], str]


@dataclass(frozen=True)
class Slot:
    """One place that takes an id; `path` leads to it from the arguments of its field."""

    owner: str
    name: str
    path: tuple[str, ...]
    field: GraphQLField

    @property
    def place(self) -> str:
        return ".".join((self.owner, self.name, *self.path))

    @property
    def kind(self) -> str:
        return WRAPPERS.get(self.owner, (self.owner.lower(), ""))[0]

    def document(self) -> str:
        """Return a document with a variable for each argument that is filled."""
        arguments = [name for name in self.field.args if self._is_filled(name)]
        declared = [f"${name}: {self.field.args[name].type}" for name in arguments]
        given = ", ".join(f"{name}: ${name}" for name in arguments)
        selected = f"{self.name}({given}) {selection(self.field.type)}"
        _, wrapper = WRAPPERS.get(self.owner, ("", "{}"))
        if "$project" in wrapper:
            declared.append("$project: ID!")
        return f"{self.kind} ({', '.join(declared)}) {{ {wrapper.format(selected)} }}"

    def variables(self, value: str, own: OwnId) -> dict[str, Any]:
        """Return the variables that put an id into the place, and harmless ones of the asker's own elsewhere."""
        filled = {
            name: self._value(argument, (name,), value, own)
            for name, argument in self.field.args.items()
            if self._is_filled(name)
        }
        _, wrapper = WRAPPERS.get(self.owner, ("", ""))
        return filled | ({"project": own("Query.project.id")} if "$project" in wrapper else {})

    def _is_filled(self, name: str) -> bool:
        return name == self.path[0] or isinstance(self.field.args[name].type, GraphQLNonNull)

    def _value(self, slot: GraphQLArgument | GraphQLInputField, path: tuple[str, ...], value: str, own: OwnId) -> Any:
        named, is_list = get_named_type(slot.type), isinstance(get_nullable_type(slot.type), GraphQLList)
        one: Any
        if path == self.path:
            one = value
        elif isinstance(named, GraphQLInputObjectType):
            wanted = {
                name: field
                for name, field in named.fields.items()
                if self.path[: len(path) + 1] == (*path, name) or isinstance(field.type, GraphQLNonNull)
            }
            one = {name: self._value(field, (*path, name), value, own) for name, field in wanted.items()}
        else:
            one = _harmless(named, ".".join((self.owner, self.name, *path)), own)
        return [one] if is_list else one


def _harmless(named: GraphQLNamedType, place: str, own: OwnId) -> Any:
    name = place.rpartition(".")[2]
    if isinstance(named, GraphQLEnumType):
        return next(iter(named.values))
    values: dict[str, Any] = {"Int": 1, "Float": 1.0, "Boolean": False, "DateTime": "2026-12-24T12:00:00Z"}
    if named.name == "ID":
        return own(place)
    if named.name == "Upload":
        return RequestFile(red_png())
    return values.get(named.name) if named.name in values else TEXTS.get(name, "x")


def slots(schema: GraphQLSchema) -> list[Slot]:
    """Return every place of every field of every type."""
    found = []
    for named in schema.type_map.values():
        if isinstance(named, GraphQLObjectType) and not named.name.startswith("__"):
            for name, field in named.fields.items():
                for argument, declared in field.args.items():
                    found += [Slot(named.name, name, path, field) for path in _paths(declared, (argument,), ())]
    return found


def _paths(
    declared: GraphQLArgument | GraphQLInputField, path: tuple[str, ...], seen: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    named = get_named_type(declared.type)
    if named.name == "ID":
        yield path
    if isinstance(named, GraphQLInputObjectType) and named.name not in seen:
        for name, field in named.fields.items():
            yield from _paths(field, (*path, name), (*seen, named.name))


def selection(kind: Any, depth: int = _DEPTH) -> str:
    """Return what to ask of a type: all that takes no arguments, so many levels deep."""
    named = get_named_type(kind)
    if is_leaf_type(named):
        return ""
    if not isinstance(named, GraphQLObjectType):
        return "{ __typename id }"
    parts = ["__typename"]
    for name, field in named.fields.items():
        # Of when it was asked, and of what is counted for everybody, nothing can be compared.
        if (
            not field.args
            and name not in {"at", "retryAfterSeconds"}
            and (depth or is_leaf_type(get_named_type(field.type)))
        ):
            parts.append(f"{name} {selection(field.type, depth - 1)}".strip())
    return f"{{ {' '.join(parts)} }}"
