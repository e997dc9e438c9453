"""Every operation says what it needs, and none is forgotten."""

import re
from typing import Any

import pytest
from graphql import GraphQLObjectType, GraphQLSchema, build_schema

from resolvers.rights import NEEDS, Need, enforce_rights
from resolvers.root import schema
from tests.helpers.source import table_rows

ROOTS = [schema._schema.query_type, schema._schema.mutation_type, schema._schema.subscription_type]
#: What a key must never do, whatever scopes come: with any of these it could outlive its own end.
ACCOUNT = re.compile(r"password|apikey|session|logout|account|email", re.IGNORECASE)


def root_fields() -> dict[str, Any]:
    return {f"{root.name}.{name}": field for root in ROOTS if root for name, field in root.fields.items()}


def test_the_table_names_every_root_field_and_no_other() -> None:
    assert len(NEEDS) > 35
    assert set(NEEDS) == set(root_fields())


def test_every_change_needs_more_than_to_read() -> None:
    reading = {name for name, need in NEEDS.items() if need is Need.READ}
    assert {name for name in reading if name.startswith("Mutation.")} == set()
    assert {name for name in NEEDS if not name.startswith("Mutation.")} - reading == {"Query.me", "Query.admin"}


def test_only_those_who_have_no_session_yet_need_nothing() -> None:
    open_to_all = {name for name, need in NEEDS.items() if need is Need.NOTHING}
    assert open_to_all == {"Query.me", "Mutation.signup", "Mutation.login", "Mutation.refreshSession"}


def test_no_key_manages_the_account() -> None:
    account = {name for name in NEEDS if name.startswith("Mutation.") and ACCOUNT.search(name)}
    assert len(account) >= 5
    assert {NEEDS[name] for name in account} == {Need.SESSION, Need.NOTHING}


def test_the_administrators_part_needs_their_scope() -> None:
    assert {NEEDS["Query.admin"], NEEDS["Mutation.admin"]} == {Need.ADMIN}


def test_a_field_that_the_table_lacks_keeps_the_server_from_starting() -> None:
    forgotten: GraphQLSchema = build_schema("type Query { me: String, secrets: String }")
    root = forgotten.query_type
    assert isinstance(root, GraphQLObjectType)
    for field in root.fields.values():
        field.resolve = lambda *_: None
    with pytest.raises(KeyError, match=r"Query\.secrets"):
        enforce_rights(forgotten)


def test_the_manual_says_what_each_scope_may() -> None:
    documented = {row[0].strip("`") for row in table_rows("security.md", "## API keys")}
    assert documented == {"READ", "GENERATE", "ADMIN"}
