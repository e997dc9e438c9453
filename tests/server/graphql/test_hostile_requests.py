"""No bytes whatever make the server fail: every answer is GraphQL-shaped and none is a 500."""

import json
import random
import string
from typing import Any

import pytest

from schema.context import Services
from server.graphql.channels import OpenChannels
from server.graphql.view import GraphQLApp

MULTIPART = (
    b'--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n'
    b'{"query": "{ __typename }", "variables": {"a": null}}\r\n'
    b'--x\r\ncontent-disposition: form-data; name="map"\r\n\r\n{"0": ["variables.a"]}\r\n'
    b'--x\r\ncontent-disposition: form-data; name="0"; filename="a"\r\n\r\nx\r\n--x--\r\n'
)
BODIES = (
    MULTIPART,
    b'{"query": "{ __typename }", "variables": {"a": [1, "x", null]}, "operationName": null, "extensions": {}}',
    b'{"query": "mutation($i: SignupInput!) { signup(input: $i) { errors { code } } }", "variables": {"i": {}}}',
    b'{"query": "subscription { queueStats { pending } }"}',
)
TYPES = (
    b"application/json",
    b"multipart/form-data; boundary=x",
    b"Application/JSON ; charset=utf-8",
    b"text/plain",
    b"a/b;c=\xff;;=",
)
ACCEPTS = (
    b"*/*",
    b"application/json",
    b"application/graphql-response+json",
    b"text/html;q=0.1, */*;q=0.2",
    b"x",
    b"\xff",
)
ODD_HEADERS = (b"authorization", b"content-encoding", b"graphql-require-preflight", b"content-length", b"origin")
PIECES = (b'"', b"{", b"[", b"\\ud800", b"NaN", b"null", b"--x\r\n", b"$", b"...", b"%00", b"&", b"\x00")
EXPECTED = {200, 400, 401, 403, 405, 406, 413, 415}


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Change, drop, double or insert a few bytes."""
    result = bytearray(data)
    for _ in range(chance.randrange(6)):
        place = chance.randrange(len(result) + 1)
        match chance.randrange(4):
            case 0:
                del result[place : place + chance.randrange(8)]
            case 1:
                result[place:place] = chance.randbytes(chance.randrange(4))
            case 2:
                result[place:place] = result[place : place + chance.randrange(30)]
            case _:
                result[place:place] = chance.choice(PIECES)
    return bytes(result)


def random_scope(chance: random.Random, token: str) -> dict[str, Any]:
    headers = [(b"content-type", chance.choice(TYPES)), (b"accept", chance.choice(ACCEPTS))]
    if chance.random() < 0.5:  # else no form is read
        headers.append((b"authorization", b"Bearer " + token.encode()))
    if chance.random() < 0.3:
        text = "".join(chance.choice(string.printable[:95]) for _ in range(chance.randrange(40)))
        headers.append((chance.choice(ODD_HEADERS), text.encode()))
    query = mutated(b"query={__typename}&variables={}&extensions={}", chance)
    return {
        "type": "http",
        "method": chance.choice(["POST", "POST", "POST", "GET", "HEAD", "PUT"]),
        "scheme": "http",
        "path": "/graphql",
        "query_string": query if chance.random() < 0.5 else b"",
        "headers": headers,
        "server": ("localhost", 80),
    }


async def answer(app: GraphQLApp, scope: dict[str, Any], body: bytes) -> tuple[int, bytes]:
    """Run one request through an application; returns status and body."""
    sent: list[Any] = []
    incoming = [
        {"type": "http.request", "body": body[:50], "more_body": True},
        {"type": "http.request", "body": body[50:]},
    ]

    async def receive() -> Any:
        return incoming.pop(0) if incoming else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


@pytest.mark.parametrize("seed", range(4))
async def test_nothing_makes_a_500(services: Services, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    app, chance, statuses = GraphQLApp(services, OpenChannels()), random.Random(seed), set()
    token = (await services.accounts.signup("grace@example.com", "correct horse", None)).access_token
    for _ in range(1000):
        scope, body = random_scope(chance, token), mutated(chance.choice(BODIES), chance)
        status, text = await answer(app, scope, body)
        statuses.add(status)
        assert status in EXPECTED, (scope, body)
        assert {"data", "errors"} & set(json.loads(text)), (scope, body)
    assert {200, 400, 401, 403, 405, 415} <= statuses, "the requests are too much alike"
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
