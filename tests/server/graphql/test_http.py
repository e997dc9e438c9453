"""GraphQL over HTTP: what is answered to what, and how."""

import asyncio
import itertools
from dataclasses import replace
from typing import Any

import pytest

from schema.context import Services
from server.graphql.channels import OpenChannels
from server.graphql.negotiation import GRAPHQL_RESPONSE, JSON
from tests.helpers.endpoint import Endpoint, FragileAccounts, serving
from tests.helpers.room import Room

ME = "{ me { email } }"
TYPE = "{ __typename }"


def refused(response: Any) -> tuple[int, str]:
    """Return status and code of a refusal, whose body must have GraphQL's shape."""
    body = response.json()
    assert set(body) == {"errors"}, body
    [error] = body["errors"]
    assert error["message"]
    return response.status_code, error["extensions"]["code"]


async def test_a_query_is_answered_by_post_and_by_get(endpoint: Endpoint) -> None:
    for response in (
        await endpoint.post({"query": TYPE}),
        await endpoint.client.get("/graphql", params={"query": TYPE}),
        await endpoint.client.get("/graphql", params={"query": TYPE, "variables": "{}", "extensions": "{}"}),
    ):
        assert (response.status_code, response.json()) == (200, {"data": {"__typename": "Query"}})
        assert response.headers["content-type"] == "application/json; charset=utf-8"
        assert response.headers["cache-control"] == "no-store"
        assert "accept" in response.headers["vary"]
    head = await endpoint.client.head("/graphql", params={"query": TYPE})
    assert (head.status_code, head.content) == (200, b"")


CANNOT_RUN: list[dict[str, Any]] = [
    {"query": "{"},
    {"query": "{ nonsense }"},
    {"query": "query A { me { id } } query B { me { id } }", "operationName": "C"},
    {"query": "fragment F on Query { me { id } }"},
    {"query": "query($a: Int!) { me { id } task(id: $a) { id } }", "variables": {"a": "x"}},
    {"query": "query($id: ID!) { task(id: $id) { id } }"},
]


@pytest.mark.parametrize(("media_type", "status"), [(JSON, 200), (GRAPHQL_RESPONSE, 400)])
async def test_a_request_that_cannot_be_run_has_no_data(endpoint: Endpoint, media_type: str, status: int) -> None:
    for body in CANNOT_RUN:
        response = await endpoint.post(body, accept=media_type)
        assert response.headers["content-type"] == f"{media_type}; charset=utf-8"
        assert response.status_code == status, body
        assert set(response.json()) == {"errors"}
        assert {error["extensions"]["code"] for error in response.json()["errors"]} == {"BAD_REQUEST"}
        assert "Did you mean" not in response.text


@pytest.mark.parametrize("media_type", [JSON, GRAPHQL_RESPONSE])
async def test_a_field_that_fails_leaves_the_answer_a_200(endpoint: Endpoint, media_type: str) -> None:
    response = await endpoint.post({"query": "{ me { id } projects { totalCount } }"}, accept=media_type)
    assert response.status_code == 200
    assert response.json()["data"] is None
    assert [error["extensions"]["code"] for error in response.json()["errors"]] == ["UNAUTHENTICATED"]


NO_REQUESTS: list[str | bytes] = [
    "", "{", "null", "1", '"x"', "[]", "[1]", '[{"query": "{ __typename }"}]', "{}",
    '{"query": null}', '{"query": 1}', '{"query": ["{ __typename }"]}',
    '{"query": "{ __typename }", "variables": "x"}', '{"query": "{ __typename }", "variables": [1]}',
    '{"query": "{ __typename }", "extensions": 1}', '{"query": "{ __typename }", "operationName": 1}',
    '{"query": "{ __typename }", "variables": {"a": NaN}}',
    '{"query": "{ __typename }", "variables": {"a": "\\ud800"}}',
    b"\xff", b"\xef\xbb\xbf{}", b"\x1f\x8b\x08", '{"query":"{ __typename }"}'.encode("utf-16"),
    "[" * 2000, '{"a":' + "9" * 5000 + "}",
]  # fmt: skip


async def test_a_body_that_is_no_request_is_a_400(endpoint: Endpoint) -> None:
    for body, accept in itertools.product(NO_REQUESTS, (JSON, GRAPHQL_RESPONSE)):
        response = await endpoint.post(body, accept=accept)
        assert refused(response) == (400, "BAD_REQUEST"), body
        assert response.headers["content-type"] == f"{accept}; charset=utf-8"


async def test_an_address_that_is_no_request_is_a_400(endpoint: Endpoint) -> None:
    addresses: list[dict[str, str]] = [
        {},
        {"variables": "{}"},
        {"query": TYPE, "variables": "["},
        {"query": TYPE, "variables": "[1]"},
        {"query": TYPE, "extensions": "[" * 3000},
        {"query": TYPE, "extensions": '"x"'},
    ]
    for params in addresses:
        assert refused(await endpoint.client.get("/graphql", params=params)) == (400, "BAD_REQUEST"), params


async def test_other_methods_are_told_which_there_are(endpoint: Endpoint) -> None:
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        response = await endpoint.client.request(method, "/graphql")
        assert refused(response) == (405, "BAD_REQUEST"), method
        assert response.headers["allow"] == "GET, POST, HEAD"


async def test_a_mutation_by_get_is_a_405(endpoint: Endpoint) -> None:
    params = {"query": "mutation { logout { errors { code } } }"}
    response = await endpoint.client.get("/graphql", params=params)
    assert refused(response) == (405, "BAD_REQUEST")
    assert response.headers["allow"] == "POST"


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_subscription_is_told_its_transports(endpoint: Endpoint, method: str) -> None:
    body = {"query": "subscription { queueStats { pending } }"}
    response = await endpoint.client.request(
        method, "/graphql", params=body if method == "GET" else None, json=None if method == "GET" else body
    )
    assert refused(response) == (406, "BAD_REQUEST")
    assert "graphql-transport-ws" in response.text


async def test_an_answer_that_nobody_wants_is_a_406(endpoint: Endpoint) -> None:
    for accept in ("image/png", "multipart/mixed", "application/json;q=0", "text/html"):
        response = await endpoint.post({"query": TYPE}, accept=accept)
        assert refused(response) == (406, "BAD_REQUEST"), accept
        assert response.headers["content-type"] == "application/json; charset=utf-8"


async def test_a_body_of_another_type_is_a_415(endpoint: Endpoint) -> None:
    for content_type in (
        "",
        "text/plain",
        "text/plain;application/json",
        "text/plain, application/json",
        "text/application/jsonx",
        "application/jsonx",
        "application/graphql",
        "application/x-www-form-urlencoded",
        "application/json; charset=utf-16",
    ):
        response = await endpoint.post({"query": TYPE}, content_type=content_type)
        assert refused(response) == (415, "BAD_REQUEST"), content_type


async def test_json_may_be_announced_in_any_way(endpoint: Endpoint) -> None:
    for content_type in ("application/json", "Application/JSON; Charset=UTF-8", 'application/json;charset="utf8"'):
        response = await endpoint.post({"query": TYPE}, content_type=content_type)
        assert response.status_code == 200, content_type


async def test_a_compressed_body_is_a_415(endpoint: Endpoint) -> None:
    assert refused(await endpoint.post(b"\x1f\x8b", content_encoding="gzip")) == (415, "BAD_REQUEST")


async def test_a_body_that_is_too_large_is_a_413_announced_or_not(endpoint: Endpoint) -> None:
    size = endpoint.room.deps.settings.max_body_bytes + 1
    assert refused(await endpoint.post(b" " * size)) == (413, "BAD_REQUEST")

    async def chunks() -> Any:
        for _ in range(size // 65_536 + 1):
            yield b" " * 65_536

    headers = {"Content-Type": "application/json"}
    assert refused(await endpoint.client.post("/graphql", content=chunks(), headers=headers)) == (413, "BAD_REQUEST")


async def test_text_of_every_script_comes_back_as_it_was(endpoint: Endpoint) -> None:
    token = await endpoint.sign_up()
    name = "史莱姆 🧙🏽‍♀️ سيف \u202eRTL é"
    query = "mutation($name: String!) { createProject(input: {name: $name}) { project { name } errors { message } } }"
    response = await endpoint.post({"query": query, "variables": {"name": name}}, token)
    assert response.json()["data"]["createProject"]["project"] == {"name": name}
    assert name in response.text, "written as it is, not in escapes"


async def test_a_token_tells_who_asks(endpoint: Endpoint) -> None:
    token = await endpoint.sign_up()
    for scheme in ("Bearer", "bearer", "BEARER"):
        response = await endpoint.post({"query": ME}, authorization=f"{scheme} {token}")
        assert response.json() == {"data": {"me": {"email": "grace@example.com"}}}, scheme


async def test_credentials_that_are_none_make_nobody(endpoint: Endpoint) -> None:
    for authorization in ("", "Bearer", "Bearer x", "Basic eDp5", "x" * 5000):
        response = await endpoint.post({"query": ME}, authorization=authorization)
        assert response.json() == {"data": {"me": None}}, authorization


async def test_an_expired_token_makes_nobody(endpoint: Endpoint, clock: Any) -> None:
    token = await endpoint.sign_up()
    clock.advance(901)
    assert (await endpoint.post({"query": ME}, token)).json() == {"data": {"me": None}}
    answer = (await endpoint.post({"query": "{ projects { totalCount } }"}, token)).json()
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["UNAUTHENTICATED"]


async def test_pages_of_other_origins_get_nothing(endpoint: Endpoint) -> None:
    for headers in ({"origin": "https://evil.example"}, {"origin": "null"}, {"sec_fetch_site": "cross-site"}):
        assert refused(await endpoint.post({"query": TYPE}, **headers)) == (403, "FORBIDDEN"), headers


async def test_pages_of_our_own_origin_are_served(endpoint: Endpoint) -> None:
    for headers in ({"origin": endpoint.address}, {"origin": endpoint.address.upper()}, {"sec_fetch_site": "none"}):
        assert (await endpoint.post({"query": TYPE}, **headers)).status_code == 200


async def test_a_fault_of_ours_is_masked_and_found_in_the_log(
    endpoint: Endpoint, accounts: FragileAccounts, caplog: pytest.LogCaptureFixture
) -> None:
    accounts.failure = RuntimeError("password=hunter2")
    response = await endpoint.post({"query": ME}, "x")
    assert refused(response) == (500, "INTERNAL")
    assert "hunter2" not in response.text
    assert response.json()["errors"][0]["extensions"]["reference"] in caplog.text


async def test_a_database_out_of_reach_is_a_503(endpoint: Endpoint, accounts: FragileAccounts) -> None:
    accounts.failure = ConnectionRefusedError()
    assert refused(await endpoint.post({"query": ME}, "x")) == (503, "UNAVAILABLE")


async def test_many_at_once_do_not_mix(endpoint: Endpoint) -> None:
    tokens = [await endpoint.sign_up(f"user{number}@example.com") for number in range(5)]
    answers = await asyncio.gather(*(endpoint.post({"query": ME}, tokens[number % 5]) for number in range(20)))
    emails = [answer.json()["data"]["me"]["email"] for answer in answers]
    assert emails == [f"user{number % 5}@example.com" for number in range(20)]


async def test_a_document_of_several_operations_needs_a_name(endpoint: Endpoint) -> None:
    query = "query A { __typename } query B { me { id } }"
    for headers, status in (({}, 200), ({"accept": GRAPHQL_RESPONSE}, 400)):
        response = await endpoint.post({"query": query}, **headers)
        assert response.status_code == status
        assert "operationName" in response.json()["errors"][0]["message"]
    assert (await endpoint.post({"query": query, "operationName": "B"})).json() == {"data": {"me": None}}


async def test_the_schema_is_read_only_where_that_is_allowed(
    room: Room, services: Services, endpoint: Endpoint
) -> None:
    query = {"query": "{ __schema { queryType { name } } }"}
    assert (await endpoint.post(query)).json() == {"data": {"__schema": {"queryType": {"name": "Query"}}}}
    settings = services.settings.model_copy(update={"introspection": False})
    async with serving(room, replace(services, settings=settings), OpenChannels()) as closed:
        answer = (await closed.post(query)).json()
        assert {error["extensions"]["code"] for error in answer["errors"]} == {"BAD_REQUEST"}
        assert "data" not in answer
        assert (await closed.post({"query": TYPE})).json() == {"data": {"__typename": "Query"}}
    assert (await endpoint.post(query)).status_code == 200
