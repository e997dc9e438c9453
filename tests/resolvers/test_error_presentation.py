"""What of an error reaches a client, on every way out."""

import logging
from collections.abc import AsyncGenerator
from typing import Any

import pytest
import strawberry
from graphql import GraphQLError
from strawberry.types import ExecutionResult

from domain import errors
from domain.errors import DomainError, StorageError
from resolvers.documents import CachedDocuments, Documents
from resolvers.errors import MAX_ERRORS, present_error
from resolvers.root import WonderSchema
from resolvers.root import schema as wonder

SECRET = "password=hunter2 at /srv/wonder"


@strawberry.type
class Thing:
    name: str = "thing"

    @strawberry.field
    def broken(self) -> int:
        raise RuntimeError(SECRET)


@strawberry.type
class Query:
    @strawberry.field
    def broken(self) -> int:
        raise RuntimeError(SECRET)

    @strawberry.field
    async def things(self, count: int) -> list[Thing | None]:
        return [Thing() for _ in range(count)]

    @strawberry.field
    def missing(self) -> int:
        return None  # type: ignore[return-value]  # what must not happen

    @strawberry.field
    def storage(self) -> int:
        raise StorageError(SECRET)

    @strawberry.field
    def domain(self, code: str, wait: int | None = None) -> int:
        kind = next(kind for kind in DomainError.__subclasses__() if kind.code == code)
        raise kind("for people: 不行", retry_after_seconds=wait)


@strawberry.type
class Mutation:
    @strawberry.mutation
    async def broken(self) -> int:
        raise ValueError(SECRET)


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def broken(self, after: int) -> AsyncGenerator[int, None]:
        for number in range(after):
            yield number
        raise KeyError(SECRET)


class SmallSchema(WonderSchema):
    reference = staticmethod(lambda: "r-1")


@pytest.fixture
def schema() -> SmallSchema:
    documents = Documents()
    return SmallSchema(Query, Mutation, Subscription, extensions=[lambda: CachedDocuments(documents)])


MASKED = "Something went wrong on our side. Reference: r-1."


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ("{ broken }", ["broken"]),
        ("{ missing }", ["missing"]),
        ("mutation { broken }", ["broken"]),
        ("{ things(count: 1) { name broken } }", ["things", 0, "broken"]),
    ],
)
async def test_faults_of_ours_are_masked_and_logged_with_their_reference(
    schema: SmallSchema, document: str, path: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    result = await schema.execute(document)
    assert result.errors is not None
    [error] = result.errors
    assert (error.message, error.extensions, error.path) == (MASKED, {"code": "INTERNAL", "reference": "r-1"}, path)
    [record] = [record for record in caplog.records if record.name == "wonder.graphql"]
    assert (record.levelno, "r-1" in record.getMessage()) == (logging.ERROR, True)
    assert record.exc_info is not None
    assert not [record for record in caplog.records if record.name == "strawberry.execution"]


@pytest.mark.parametrize("after", [0, 2])
async def test_a_subscription_that_breaks_is_masked_too(schema: SmallSchema, after: int) -> None:
    results = [
        result async for result in await schema.subscribe("subscription ($n: Int!) { broken(after: $n) }", {"n": after})
    ]
    assert [result.errors is None for result in results] == [True] * after + [False]
    assert [error.message for error in results[-1].errors or ()] == [MASKED]
    assert SECRET not in repr(results)


async def test_storage_that_fails_is_unavailable(schema: SmallSchema) -> None:
    result = await schema.execute("{ storage }")
    assert result.errors is not None
    assert result.errors[0].extensions == {"code": "UNAVAILABLE", "reference": "r-1"}
    assert SECRET not in result.errors[0].message


async def test_domain_errors_keep_their_words_and_the_codes_of_requests(schema: SmallSchema) -> None:
    kept = {"UNAUTHENTICATED", "FORBIDDEN", "RATE_LIMITED", "NOT_FOUND"}
    for kind in DomainError.__subclasses__():
        result = await schema.execute("query ($c: String!) { domain(code: $c) }", {"c": kind.code})
        assert result.errors is not None
        [error] = result.errors
        assert error.message == "for people: 不行"
        assert error.extensions == {"code": kind.code if kind.code in kept else "BAD_REQUEST"}
    result = await schema.execute('{ domain(code: "RATE_LIMITED", wait: 7) }')
    assert result.errors is not None
    assert result.errors[0].extensions == {"code": "RATE_LIMITED", "retryAfterSeconds": 7}
    assert issubclass(errors.Forbidden, DomainError)


@pytest.mark.parametrize(
    ("document", "variables"),
    [
        ("{ nonsense", {}),
        ("{ brokn }", {}),
        ("{ things(coun: 1) { name } }", {}),
        ("{ things(count: 1) { nam } }", {}),
        ("query ($n: Int!) { things(count: $n) { name } }", {"n": "two"}),
        ("query ($n: Int!) { things(count: $n) { name } }", {}),
        ("query ($n: Int = 1) { things(count: $n) { name } }", {"n": None}),
        ("query ($n: Nonsense) { things(count: $n) { name } }", {}),
        ('{ domain(code: "\ud800") }', {}),
    ],
)
async def test_faults_of_the_request_are_bad_requests_without_suggestions(
    schema: SmallSchema, document: str, variables: dict[str, Any]
) -> None:
    for _ in range(2):  # the second time from the caches
        result = await schema.execute(document, variables)
        assert result.errors
        for error in result.errors:
            assert error.extensions == {"code": "BAD_REQUEST"}
            assert "Did you mean" not in error.message
            assert len(error.message) <= 500


async def test_wrong_enum_values_suggest_nothing() -> None:
    document = "query ($s: [TaskStatus!]) { tasks(filter: { status: $s }) { totalCount } }"
    result = await wonder.execute(document, {"s": ["PENDIN"]})
    assert [error.extensions for error in result.errors or ()] == [{"code": "BAD_REQUEST"}]
    assert "PENDING" not in repr(result.errors)


@pytest.mark.parametrize("document", ["", "query A { broken } query B { broken }"])
async def test_documents_that_say_not_what_to_run_are_bad_requests_over_streams(
    schema: SmallSchema, document: str
) -> None:
    results = [result async for result in await schema.stream(document, operation_name="C")]
    assert isinstance(results[0], ExecutionResult)
    assert [error.extensions for error in results[0].errors or ()] == [{"code": "BAD_REQUEST"}]


async def test_only_the_first_few_errors_are_shown(schema: SmallSchema) -> None:
    for document in ("{ things(count: 50) { broken } }", "{" + " ".join(f"a{n}" for n in range(50)) + "}"):
        result = await schema.execute(document)
        assert len(result.errors or ()) == MAX_ERRORS


def test_an_error_is_presented_once() -> None:
    shown = present_error(GraphQLError("x", original_error=ValueError(SECRET)), lambda: "first")
    assert present_error(shown, lambda: "second") is shown
    assert "first" in shown.message
    assert shown.original_error is None
