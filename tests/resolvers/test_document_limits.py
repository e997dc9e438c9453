"""Small documents that ask for too much are refused before they cost anything; ordinary ones never are."""

import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from graphql import get_introspection_query, parse

from resolvers import limits
from resolvers.limits import MAX_TOKENS, TooComplex, check_document, check_text, check_variables
from resolvers.root import schema
from tests.helpers.api import Api
from tests.helpers.bombs import BOMBS, Bomb

_CORE: Any = schema._schema
#: Of processor time; where coverage is measured by tracing, every line costs several times as much.
_ALLOWED_SECONDS = 0.020 if sys.gettrace() is None else 0.200
_PAGES = (
    "query($n: Int, $m: Int) { projects(first: $n) { edges { node { tasks(first: $m) { edges { node { %s } } } } } } }"
)
_DASHBOARD = Path(__file__).parents[2] / "web/src/api/operations.ts"


def check(document: str, variables: dict[str, Any] | None = None) -> None:
    check_document(_CORE, parse(document, max_tokens=MAX_TOKENS), variables)


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
def test_a_bomb_is_refused_before_it_costs_anything(bomb: Bomb) -> None:
    text = bomb()
    check_text(text)
    meter = limits._Meter(_CORE, parse(text, max_tokens=MAX_TOKENS), None)
    with pytest.raises(TooComplex):
        meter.run()
    assert meter._fields <= limits.MAX_FIELDS + 1, "no more is looked at than is allowed"


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
async def test_a_bomb_holds_nobody_up(bomb: Bomb) -> None:
    text = bomb()

    async def used(number: int) -> float:
        started = time.thread_time()
        result = await schema.execute(f"{text}#{number}")  # another document than before
        assert result.errors
        return time.thread_time() - started

    assert min([await used(number) for number in range(5)]) < _ALLOWED_SECONDS


def deep(levels: int) -> str:
    inner = "{ id }"
    for _ in range(levels // 4):
        inner = "{ tasks(first: 1) { edges { node { project " + inner + " } } } }"
    return '{ project(id: "x") ' + inner + " }"


def wide(lists: int) -> str:
    """Return a document of `lists` times 38 fields, all of them in one fragment."""
    facts = """id prompt status stage progress priority attempt degraded provider kind qualityRetries queuePosition
        externalId createdAt startedAt"""
    params = """width height seed count negativePrompt transparent format paletteSize padding extrude trim powerOfTwo
        maxSheetSize pivotX pivotY tileSize seamless embedMetadata durationSeconds fps"""
    fragment = f"fragment F on Task {{ {facts} params {{ {params} }} }}"
    return "{ " + " ".join(f"t{n}: task(id: {n}) {{ ...F }}" for n in range(lists)) + " } " + fragment


def aliased(operation: str, field: str, count: int) -> str:
    return f"{operation} {{ " + " ".join(f"a{number}: {field}" for number in range(count)) + " }"


@pytest.mark.parametrize(
    ("modest", "excessive", "message"),
    [
        (deep(16), deep(20), "20 levels"),
        (wide(20), wide(30), "1000 fields"),
        ("{ " + "me { id } " * 30 + "}", "{ " + "me { id } " * 40 + "}", "repeats the same fields"),
        (aliased("query", "me { id }", 30), aliased("query", "me { id }", 31), "30 aliases"),
        (aliased("mutation", "logout { errors { code } }", 10), aliased("mutation", "__typename", 11), "10 changes"),
        (
            "{ tasks(first: null) { edges { node { id } } } }",
            "{ projects(last: 100) { edges { node { tasks(first: 100) { edges { node { id kind prompt } } } } } } }",
            "50000 values",
        ),
    ],
    ids=["depth", "fields", "pairs", "aliases", "mutations", "values"],
)
def test_every_limit_lets_ordinary_documents_pass(modest: str, excessive: str, message: str) -> None:
    check(modest)
    with pytest.raises(TooComplex, match=message):
        check(excessive)


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
async def test_a_bomb_has_a_code_and_is_not_run(api: Api, bomb: Bomb) -> None:
    code, message = await api.refused(bomb(), api.room.user)
    assert code == "QUERY_TOO_COMPLEX"
    assert message.endswith(".")


async def test_a_bomb_is_refused_again_from_the_cache(api: Api) -> None:
    for _ in range(2):
        assert (await api.refused(BOMBS[0](), api.room.user))[0] == "QUERY_TOO_COMPLEX"


@pytest.mark.parametrize("further", [{}, {"specified_by_url": True, "input_value_deprecation": True}])
def test_tools_can_read_the_schema(further: dict[str, bool]) -> None:
    check(get_introspection_query(**further))


def test_the_dashboard_stays_within_the_limits() -> None:
    source = _DASHBOARD.read_text("utf-8")
    pieces = dict(re.findall(r'^const (\w+) =\s*[`"]([^`"]*)[`"]', source, re.MULTILINE))
    documents = re.findall(r'[`"]((?:query|mutation|subscription) [^`"]+)[`"]', source)
    assert len(documents) > 10
    for document in documents:
        while "${" in document:
            document = re.sub(r"\$\{(\w+)\}", lambda found: pieces[found[1]], document)  # noqa: PLW2901
        check(document)


def test_page_sizes_count_as_given() -> None:
    check(_PAGES % "id", {"n": 100, "m": 100})
    check(_PAGES % "id prompt status stage assets { url }", {"n": 20, "m": 100})
    for fields, variables in (
        ("id prompt status stage assets { url }", {"n": 100, "m": 100}),
        ("id prompt status stage assets { url }", {}),
        ("id prompt status stage assets { url }", {"n": "x", "m": None}),
        ("events(first: 500) { at }", {"n": 10, "m": 10}),
    ):
        with pytest.raises(TooComplex, match="smaller pages"):
            check(_PAGES % fields, variables)


async def test_page_sizes_in_variables_are_looked_at_each_time(api: Api) -> None:
    document = _PAGES % "id prompt status stage assets { url }"
    for _ in range(2):
        assert (await api.ask(document, n=2, m=2))["projects"]
        assert (await api.refused(document, api.room.user, n=100, m=100))[0] == "QUERY_TOO_COMPLEX"


def test_lists_of_ids_count() -> None:
    fields = " ".join(f"e{number}: events(first: 500) {{ sequence }}" for number in range(2))
    check(f'{{ nodes(ids: ["a", "b"]) {{ ... on Task {{ {fields} }} }} }}')
    check(f"query($ids: [ID!]!) {{ nodes(ids: $ids) {{ ... on Task {{ {fields} }} }} }}", {"ids": ["a"] * 10})
    with pytest.raises(TooComplex):
        check(f"query($ids: [ID!]!) {{ nodes(ids: $ids) {{ ... on Task {{ {fields} }} }} }}", {"ids": ["a"] * 100})


@pytest.mark.parametrize(
    "document",
    [
        "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }",
        "{ ...Missing }",
        "{ nonsense { deeper } ... on Nonsense { a } }",
        "{ __typename { a } }",
        "fragment F on Nonsense { a }",
        "subscription { queueStats { pending } }",
    ],
)
def test_what_validation_refuses_is_left_to_it(document: str) -> None:
    check(document)


def test_a_text_has_an_end() -> None:
    check_text("{ a }" + "," * (limits.MAX_CHARACTERS - 5))
    with pytest.raises(TooComplex, match="characters"):
        check_text("{ a }" + "," * limits.MAX_CHARACTERS)


async def test_a_text_of_too_many_words_is_not_read_to_its_end(api: Api) -> None:
    document = "{ " + "me " * limits.MAX_TOKENS + "}"
    assert await api.refused(document) == ("QUERY_TOO_COMPLEX", "The document has more than 1000 tokens.")


def test_numbers_have_an_end_and_text_of_digits_has_none() -> None:
    digits = "9" * (limits.MAX_DIGITS + 1)
    for number in (digits, f"-{digits}", f"0.{digits}", f"{digits}e1"):
        with pytest.raises(TooComplex, match="digits"):
            check_text(f"{{ task(id: {number}) {{ id }} }}")
    check_text(f'{{ task(id: "{digits}") {{ id }} }} # {digits}')
    check_text(f"{{ task(id: {digits[:-2]}) {{ id }} }}")


async def test_a_long_number_is_a_fault_of_the_request(api: Api) -> None:
    document = "{ tasks(first: %s) { totalCount } }" % ("9" * 5000)
    assert (await api.refused(document, api.room.user))[0] == "QUERY_TOO_COMPLEX"


def test_variables_have_an_end() -> None:
    check_variables({})
    check_variables({"a": ["x"] * (limits.MAX_VARIABLE_VALUES - 1)})
    for much in (
        {"a": ["x"] * limits.MAX_VARIABLE_VALUES},
        {"a": {str(number): 1 for number in range(limits.MAX_VARIABLE_VALUES)}},
        {"a": [[["x"] * 100] * 10] * 10},
        {str(number): None for number in range(limits.MAX_VARIABLE_VALUES + 1)},
    ):
        with pytest.raises(TooComplex, match="variables"):
            check_variables(much)


async def test_too_many_variables_are_refused_in_time(api: Api) -> None:
    document = "query($ids: [ID!]!) { nodes(ids: $ids) { id } }"
    assert (await api.refused(document, api.room.user, ids=["x"] * 100_000))[0] == "QUERY_TOO_COMPLEX"
