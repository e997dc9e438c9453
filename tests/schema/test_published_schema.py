"""The schema as clients see it: whole, described, and never less than was promised."""

from pathlib import Path

import pytest
from graphql import (
    DefinitionNode,
    EnumTypeDefinitionNode,
    FieldDefinitionNode,
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLScalarType,
    InputObjectTypeDefinitionNode,
    InputValueDefinitionNode,
    InterfaceTypeDefinitionNode,
    ObjectTypeDefinitionNode,
    build_schema,
    parse,
    print_ast,
)

from domain import errors
from resolvers.root import print_sdl
from schema.enums import ErrorCode

ROOT = Path(__file__).parents[2]
SCHEMA = build_schema(print_sdl())
CORE = parse((Path(__file__).parent / "core.graphql").read_text())


def _promises(definition: DefinitionNode) -> set[str]:
    """Write a definition as lines, each of which the schema must hold as well."""
    match definition:
        case ObjectTypeDefinitionNode() | InterfaceTypeDefinitionNode():
            name = definition.name.value
            fields = {
                promise
                for field in definition.fields or ()
                for promise in (f"{name}.{field.name.value}: {print_ast(field.type)}", *_arguments(name, field))
            }
            return {f"{name} is there"} | {f"{name} is a {i.name.value}" for i in definition.interfaces or ()} | fields
        case InputObjectTypeDefinitionNode():
            name = definition.name.value
            return {f"{name} is there"} | {f"{name}.{_value(field)}" for field in definition.fields or ()}
        case EnumTypeDefinitionNode():
            return {f"{definition.name.value}.{value.name.value}" for value in definition.values or ()}
        case _:
            return {f"scalar {definition.name.value}"}  # type: ignore[attr-defined]  # only scalars are left


def _arguments(owner: str, field: FieldDefinitionNode) -> set[str]:
    return {f"{owner}.{field.name.value}({_value(argument)})" for argument in field.arguments or ()}


def _value(value: InputValueDefinitionNode) -> str:
    default = f" = {print_ast(value.default_value)}" if value.default_value else ""
    return f"{value.name.value}: {print_ast(value.type)}{default}"


EXPORTED = {promise for definition in parse(print_sdl()).definitions for promise in _promises(definition)}


@pytest.mark.parametrize("definition", CORE.definitions, ids=lambda node: node.name.value)
def test_every_promise_to_clients_is_kept(definition: DefinitionNode) -> None:
    assert sorted(_promises(definition) - EXPORTED) == []


def test_the_promises_are_all_there() -> None:
    assert len(CORE.definitions) == 50
    assert sum(len(_promises(definition)) for definition in CORE.definitions) > 300


def test_the_committed_schema_is_the_exported_one() -> None:
    committed = (ROOT / "docs" / "schema.graphql").read_text()
    assert committed == print_sdl(), "run: .venv/bin/wonder schema > docs/schema.graphql"


def _own_types() -> list[GraphQLNamedType]:
    standard = {"String", "Int", "Float", "Boolean", "ID"}
    return [t for t in SCHEMA.type_map.values() if not t.name.startswith("__") and t.name not in standard]


@pytest.mark.parametrize("named", _own_types(), ids=lambda named: named.name)
def test_everything_is_described(named: GraphQLNamedType) -> None:
    described = {named.name: named.description}
    match named:
        case GraphQLObjectType() | GraphQLInterfaceType():
            for name, field in named.fields.items():
                described[name] = field.description
                described |= {f"{name}({key})": argument.description for key, argument in field.args.items()}
        case GraphQLInputObjectType():
            described |= {name: field.description for name, field in named.fields.items()}
        case GraphQLEnumType():
            described |= {name: value.description for name, value in named.values.items()}
        case _:
            pass
    assert [name for name, text in described.items() if not text] == []


@pytest.mark.parametrize("name", ["DateTime", "JSON", "Upload", "Color"])
def test_scalars_say_what_specifies_them(name: str) -> None:
    scalar = SCHEMA.type_map[name]
    assert isinstance(scalar, GraphQLScalarType)
    assert str(scalar.specified_by_url).startswith("https://")


def test_inputs_that_may_be_left_out_have_no_null_default() -> None:
    assert "= null" not in print_sdl()


def test_every_domain_error_has_a_code_that_clients_know() -> None:
    only_of_requests = {"UNAUTHENTICATED", "FORBIDDEN"}
    codes = {error.code for error in errors.DomainError.__subclasses__()}
    assert codes - only_of_requests == {code.value for code in ErrorCode}


def test_objects_with_an_id_are_nodes() -> None:
    with_id = {t.name for t in _own_types() if isinstance(t, GraphQLObjectType) and "id" in t.fields}
    assert with_id == {t.name for t in SCHEMA.get_possible_types(SCHEMA.type_map["Node"])}  # type: ignore[arg-type]
    assert {"User", "Project", "Task", "Asset", "UploadedImage"} <= with_id
