"""Pages of which origins may use the API."""

import pytest
from starlette.datastructures import Headers

from domain.settings import Settings
from server.graphql.origins import Origins
from tests.helpers.endpoint import Endpoint

NO_ORIGINS = ("http://[", "http://[::1", "http://a]b", "//", "http://", "null", "", "x" * 5000)


def allowed(origins: Origins, **headers: str) -> bool:
    return origins.allows(Headers({name.replace("_", "-"): value for name, value in headers.items()}))


def test_what_is_no_page_is_served(settings: Settings) -> None:
    origins = Origins(settings)
    assert allowed(origins)
    assert allowed(origins, host="localhost:8000")
    assert allowed(origins, sec_fetch_site="none")


def test_a_page_is_served_from_its_own_origin_only(settings: Settings) -> None:
    origins = Origins(settings)
    assert allowed(origins, origin="http://localhost:8000", host="localhost:8000")
    assert allowed(origins, origin="HTTPS://Games.Example", host="games.example")
    assert not allowed(origins, origin="http://localhost:8001", host="localhost:8000")
    assert not allowed(origins, origin="http://localhost:8000.evil.example", host="localhost:8000")
    assert not allowed(origins, sec_fetch_site="cross-site")


@pytest.mark.parametrize("origin", NO_ORIGINS)
def test_what_is_no_origin_is_not_ours(settings: Settings, origin: str) -> None:
    for host in ({}, {"host": ""}, {"host": "localhost"}):
        assert not allowed(Origins(settings), origin=origin, **host)


def test_an_operator_may_allow_others(settings: Settings) -> None:
    update = {"allowed_origins": ("https://Games.Example/",), "public_url": "https://wonder.example/api"}
    origins = Origins(settings.model_copy(update=update))
    assert allowed(origins, origin="https://games.example", host="internal")
    assert allowed(origins, origin="https://wonder.example", host="internal")
    assert not allowed(origins, origin="http://games.example", host="internal")
    assert allowed(Origins(settings.model_copy(update={"allowed_origins": ("*",)})), origin="https://anyone.example")


async def test_what_is_no_origin_is_refused_in_words(endpoint: Endpoint) -> None:
    for origin in NO_ORIGINS:
        response = await endpoint.post({"query": "{ __typename }"}, origin=origin)
        assert response.status_code == 403, origin
        assert response.json()["errors"][0]["extensions"]["code"] == "FORBIDDEN"
