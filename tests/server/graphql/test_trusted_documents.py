"""Documents that are asked for by id, and nothing else where an operator says so."""

import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from domain.errors import SettingsError
from domain.settings import Settings
from schema.context import Services
from server.graphql.channels import OpenChannels
from server.graphql.negotiation import GRAPHQL_RESPONSE
from server.graphql.requests import GraphQLRequest, Refused
from server.graphql.trusted import TrustedDocuments, load_trusted_documents, read_manifest
from tests.helpers.endpoint import Endpoint, serving
from tests.helpers.room import Room
from tests.helpers.streams import TRANSPORTS, streaming

TYPE = "{ __typename }"
OTHER = "{ me { email } }"
HASH = hashlib.sha256(TYPE.encode()).hexdigest()
MUTATION = "mutation { logout { errors { code } } }"
STATS = "subscription { queueStats(intervalSeconds: 60) { pending } }"
MANIFEST = {HASH: TYPE, "t": TYPE, "m": MUTATION, "s": STATS, "n": "query N($id: ID!) { node(id: $id) { id } }"}
ANSWER = {"data": {"__typename": "Query"}}


def apollo(value: str) -> dict[str, Any]:
    return {"extensions": {"persistedQuery": {"version": 1, "sha256Hash": value}}}


@pytest.fixture
async def trusting(room: Room, services: Services) -> AsyncIterator[Endpoint]:
    """An endpoint that knows the documents, and runs others too."""
    async with serving(room, services, OpenChannels(), trusted=TrustedDocuments(MANIFEST)) as served:
        yield served


@pytest.fixture
async def closed(room: Room, services: Services) -> AsyncIterator[Endpoint]:
    """An endpoint that runs nothing else."""
    async with serving(room, services, OpenChannels(), trusted=TrustedDocuments(MANIFEST, only=True)) as served:
        yield served


async def code_of(endpoint: Endpoint, body: Any, **headers: str) -> tuple[int, str]:
    response = await endpoint.post(body, **headers)
    return response.status_code, response.json()["errors"][0]["extensions"]["code"]


async def test_a_document_is_found_wherever_a_client_puts_its_id(trusting: Endpoint) -> None:
    for body in (
        apollo(HASH),
        {"documentId": HASH},
        {"documentId": f"sha256:{HASH}"},
        {"doc_id": HASH},
        {"id": HASH},
        {"id": HASH, "query": None},
        {"id": "t"},
        {"documentId": "t"},
        apollo("t"),
        {**apollo("t"), "query": TYPE},
        {**apollo(HASH), "query": TYPE},
        {"id": "anything", "query": TYPE},
    ):
        assert (await trusting.post(body)).json() == ANSWER, body
    for parameters in (
        {"documentId": HASH},
        {"extensions": json.dumps(apollo(HASH)["extensions"])},
        {"id": HASH, "variables": "{}"},
    ):
        assert (await trusting.client.get("/graphql", params=parameters)).json() == ANSWER, parameters
    body = {"id": "n", "variables": {"id": "nothing"}, "operationName": "N"}
    assert "errors" in (await trusting.post(body)).json()
    assert (await trusting.post({"query": OTHER})).json() == {"data": {"me": None}}


async def test_what_holds_for_a_document_holds_when_it_is_named(trusting: Endpoint) -> None:
    response = await trusting.client.get("/graphql", params={"id": "m"})
    assert (response.status_code, response.headers["allow"]) == (405, "POST")
    response = await trusting.post({"id": "s"})
    assert response.status_code == 406
    assert "text/event-stream" in response.text


async def test_documents_are_named_over_every_transport(trusting: Endpoint) -> None:
    async with trusting.socket() as socket:
        await socket.send({"type": "subscribe", "id": "1", "payload": apollo(HASH)})
        assert (await socket.receive())["payload"] == ANSWER
        assert (await socket.receive())["type"] == "complete"
        await socket.send({"type": "subscribe", "id": "2", "payload": {"id": "unknown"}})
        answer = await socket.receive()
        assert (answer["type"], answer["payload"][0]["extensions"]["code"]) == ("error", "PERSISTED_QUERY_NOT_FOUND")
    token = await trusting.sign_up()
    for transport in TRANSPORTS:
        body = {"accept": transport}
        response = await trusting.post({"documentId": HASH}, token, **body)
        assert '{"data":{"__typename":"Query"}}' in response.text


async def test_an_unknown_document_is_told_as_clients_expect(trusting: Endpoint, endpoint: Endpoint) -> None:
    for accept in ("application/json", GRAPHQL_RESPONSE):
        response = await trusting.post(apollo("0" * 64), accept=accept)
        [error] = response.json()["errors"]
        assert error == {"message": "PersistedQueryNotFound", "extensions": {"code": "PERSISTED_QUERY_NOT_FOUND"}}
        assert response.status_code == 400
    assert await code_of(endpoint, apollo(HASH)) == (400, "PERSISTED_QUERY_NOT_SUPPORTED")
    assert await code_of(trusting, {**apollo(HASH), "query": OTHER}) == (400, "BAD_REQUEST")
    for body in ({"id": 1}, {"documentId": ""}, apollo(""), {"extensions": {"persistedQuery": {"sha256Hash": [1]}}}):
        assert await code_of(trusting, body) == (400, "BAD_REQUEST"), body
    for extensions in ({"persistedQuery": None}, {"persistedQuery": "x"}, {"persistedQuery": {}}):
        assert (await trusting.post({"query": TYPE, "extensions": extensions})).json() == ANSWER


async def test_nothing_but_the_documents_is_run_where_that_is_set(closed: Endpoint) -> None:
    for body in (apollo(HASH), {"id": HASH}, {"query": TYPE}):
        assert (await closed.post(body)).json() == ANSWER, body
    other_hash = hashlib.sha256(OTHER.encode()).hexdigest()
    for body in ({"query": OTHER}, {"query": TYPE + " "}, {**apollo(other_hash), "query": OTHER}, {"query": ""}):
        assert await code_of(closed, body) == (400, "DOCUMENT_NOT_TRUSTED"), body
    assert await code_of(closed, {"query": "{ __schema { queryType { name } } }"}) == (400, "DOCUMENT_NOT_TRUSTED")
    async with closed.socket() as socket:
        await socket.subscribe(OTHER)
        answer = await socket.receive()
        assert (answer["type"], answer["payload"][0]["extensions"]["code"]) == ("error", "DOCUMENT_NOT_TRUSTED")
        await socket.subscribe(TYPE)
        assert (await socket.receive())["payload"] == ANSWER
    for transport in TRANSPORTS:
        async with streaming(closed, transport, OTHER) as stream:
            assert stream.response.status_code == 400
            assert b"DOCUMENT_NOT_TRUSTED" in await stream.response.aread()


def test_the_dashboards_documents_are_trusted_where_nothing_else_is(settings: Settings, tmp_path: Path) -> None:
    listed, built = tmp_path / "listed.json", tmp_path / "documents.json"
    listed.write_text(json.dumps({"m": MUTATION}))
    built.write_text(json.dumps({"dashboard:ME": OTHER}))
    only = settings.model_copy(update={"trusted_documents": str(listed), "trusted_documents_only": True})
    trusted = load_trusted_documents(only, built)
    for text in (MUTATION, OTHER):
        assert trusted.resolve(GraphQLRequest(text)).query == text
    with pytest.raises(Refused):
        trusted.resolve(GraphQLRequest(TYPE))
    with pytest.raises(Refused):  # a server without pages
        load_trusted_documents(only, tmp_path / "none.json").resolve(GraphQLRequest(OTHER))


def test_resolving_twice_changes_nothing() -> None:
    trusted = TrustedDocuments(MANIFEST, only=True)
    once = trusted.resolve(GraphQLRequest("", document_id=HASH))
    assert once.query == TYPE
    assert trusted.resolve(once) == once
    with pytest.raises(Refused):
        trusted.resolve(GraphQLRequest("", document_id="unknown"))


def test_manifests_of_relay_and_apollo_are_read(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(MANIFEST), "utf-8")
    assert read_manifest(path) == MANIFEST
    operations = [{"id": name, "name": "X", "type": "query", "body": text} for name, text in MANIFEST.items()]
    apollo = {"format": "apollo-persisted-query-manifest", "version": 1, "operations": operations}
    path.write_text(json.dumps(apollo), "utf-8")
    assert read_manifest(path) == MANIFEST
    path.write_text("{}")
    assert read_manifest(path) == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '"x"',
        '{"a": 1}',
        '{"format": "apollo-persisted-query-manifest", "version": 2, "operations": []}',
        '{"format": "apollo-persisted-query-manifest", "version": 1, "operations": {}}',
        '{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [1]}',
        '{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id": "a"}]}',
        '{"format": "other", "version": 1, "operations": []}',
    ],
)
def test_a_manifest_that_is_none_keeps_the_server_from_starting(tmp_path: Path, text: str, settings: Settings) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(text)
    with pytest.raises(SettingsError, match="WONDER_TRUSTED_DOCUMENTS"):
        load_trusted_documents(settings.model_copy(update={"trusted_documents": str(path)}))


def test_settings_that_contradict_each_other_are_told(tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load_trusted_documents(settings.model_copy(update={"trusted_documents": str(tmp_path / "none.json")}))
    with pytest.raises(SettingsError, match="WONDER_TRUSTED_DOCUMENTS_ONLY needs"):
        load_trusted_documents(settings.model_copy(update={"trusted_documents_only": True}))
