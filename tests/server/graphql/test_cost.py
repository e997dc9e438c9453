"""What a document costs, for those who want to know."""

from typing import Any

from resolvers.limits import MAX_ALIASES, MAX_DEPTH, MAX_FIELDS, MAX_VALUES
from tests.helpers.endpoint import Endpoint
from tests.helpers.streams import SSE

PAGES = "query($n: Int) { a: __typename projects(first: $n) { edges { node { id } } } }"


async def cost(endpoint: Endpoint, token: str, **variables: Any) -> Any:
    response = await endpoint.post({"query": PAGES, "variables": variables}, token, graphql_cost="1")
    return response.json()["extensions"]["cost"]


async def test_the_cost_is_shown_beside_its_limits_on_request(endpoint: Endpoint) -> None:
    token = await endpoint.sign_up()
    ten = await cost(endpoint, token, n=10)
    assert ten == {
        "fields": {"asked": 5, "most": MAX_FIELDS},
        "aliases": {"asked": 1, "most": MAX_ALIASES},
        "depth": {"asked": 4, "most": MAX_DEPTH},
        "values": {"asked": ten["values"]["asked"], "most": MAX_VALUES},
    }
    hundred = await cost(endpoint, token, n=100)
    # Nodes and their ids grow with the page; the rest does not.
    assert hundred["values"]["asked"] > 9 * ten["values"]["asked"] // 2
    assert await cost(endpoint, token, n=10) == ten


async def test_nobody_else_sees_it(endpoint: Endpoint) -> None:
    for headers in ({}, {"graphql_cost": "0"}, {"graphql_cost": ""}):
        assert (await endpoint.post({"query": "{ __typename }"}, **headers)).json() == {"data": {"__typename": "Query"}}
    for extensions in ({}, {"cost": False}, {"cost": 1}, {"cost": "yes"}):
        body = {"query": "{ __typename }", "extensions": extensions}
        assert "extensions" not in (await endpoint.post(body)).json()


async def test_it_can_be_asked_for_in_the_request_itself_over_every_transport(endpoint: Endpoint) -> None:
    body = {"query": "{ __typename }", "extensions": {"cost": True}}
    assert (await endpoint.post(body)).json()["extensions"]["cost"]["fields"]["asked"] == 1
    assert '"cost":{"fields":{"asked":1,' in (await endpoint.post(body, accept=SSE)).text
    async with endpoint.socket() as socket:
        await socket.send({"type": "subscribe", "id": "1", "payload": body})
        assert (await socket.receive())["payload"]["extensions"]["cost"]["fields"]["asked"] == 1


async def test_a_document_that_is_refused_has_no_cost(endpoint: Endpoint) -> None:
    response = await endpoint.post({"query": "{ " + "me { id } " * 180 + "}"}, graphql_cost="1")
    assert set(response.json()) == {"errors"}
