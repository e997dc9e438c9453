"""Documents are parsed and validated once, within bounds."""

import pytest
from graphql import GraphQLSyntaxError

from resolvers.documents import Documents
from tests.helpers.api import Api


def test_the_same_text_is_the_same_document() -> None:
    documents = Documents()
    first = documents.parse("{ a }", None)
    assert documents.parse("{ a }", None) is first
    assert documents.parse("{ a }", 100) is not first
    assert documents.parse("{ b }", None) is not first


def test_the_oldest_documents_are_forgotten_when_they_are_too_many_characters() -> None:
    documents = Documents(max_characters=12)
    first, second = documents.parse("{ a }", None), documents.parse("{ b }", None)
    assert documents.parse("{ a }", None) is first  # used last, so `b` goes
    documents.parse("{ c }", None)
    assert documents.characters == 10
    assert documents.parse("{ a }", None) is first
    assert documents.parse("{ b }", None) is not second


def test_a_document_beyond_the_bound_is_used_and_forgotten() -> None:
    documents = Documents(max_characters=10)
    assert documents.parse("{ a b c d e f g }", None).document.definitions
    assert documents.characters == 0


def test_what_cannot_be_parsed_is_not_kept() -> None:
    documents = Documents()
    with pytest.raises(GraphQLSyntaxError):
        documents.parse("{", None)
    assert documents.characters == 0


async def test_one_document_serves_everybody_with_their_own_answers(api: Api) -> None:
    document = "query Own { me { email } }"
    for user, email in ((api.room.user, "ada@example.com"), (api.room.stranger, "eve@example.com")):
        assert await api.ask(document, user) == {"me": {"email": email}}
