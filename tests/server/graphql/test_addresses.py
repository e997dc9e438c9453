"""Requests in an address have the same limits as those in a body."""

from typing import Any

import pytest

from schema.context import Services
from server.graphql.channels import OpenChannels
from server.graphql.view import GraphQLApp
from tests.helpers.endpoint import Endpoint


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_an_address_that_is_too_long_is_a_414(services: Services, method: str) -> None:
    limit = services.settings.max_body_bytes
    app, statuses = GraphQLApp(services, OpenChannels()), []

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        statuses.append(message.get("status"))

    start = b"query={__typename}&variables="
    for size in (limit, limit + 1):
        scope = {"type": "http", "method": method, "path": "/graphql", "headers": [], "scheme": "http"}
        await app({**scope, "query_string": start + b"+" * (size - len(start))}, receive, send)
    assert [status for status in statuses if status] == [400, 414]


async def test_a_document_in_an_address_has_the_limits_of_any(endpoint: Endpoint) -> None:
    document = "{ " + "me { id } " * 180 + "}"
    response = await endpoint.client.get("/graphql", params={"query": document})
    assert [error["extensions"]["code"] for error in response.json()["errors"]] == ["QUERY_TOO_COMPLEX"]
