"""What a running server never writes down."""

import json
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.helpers.server import running

pytestmark = pytest.mark.slow

CREATE_KEY = 'mutation { createApiKey(input: {name: "ci", scopes: [READ]}) { key errors { message } } }'
LAST_USE = "{ me { apiKeys { edges { node { hint name lastUsedAt } } } } }"


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_no_token_password_or_signature_is_logged(tmp_path: Path, log_format: str) -> None:
    with running(tmp_path, WONDER_LOG_LEVEL="DEBUG", WONDER_LOG_FORMAT=log_format) as server:
        ada = server.client().sign_up()
        url = server.address.replace("http", "ws", 1) + f"/graphql?token={ada.token}"
        with connect(url, subprotocols=[Subprotocol("graphql-transport-ws")]) as socket:
            socket.send('{"type": "connection_init"}')
            assert json.loads(socket.recv(10)) == {"type": "connection_ack"}
        url = server.address.replace("http", "ws", 1) + f"/none?token={ada.token}"
        with pytest.raises(Exception, match="403"):
            connect(url, subprotocols=[Subprotocol("graphql-transport-ws")])
        made = ada.data(CREATE_KEY)["createApiKey"]
        with_key = server.client(made["key"])
        assert with_key.data("{ me { email } }") == {"me": {"email": "ada@example.com"}}
        url = server.address.replace("http", "ws", 1) + f"/graphql?token={made['key']}"
        with connect(url, subprotocols=[Subprotocol("graphql-transport-ws")]) as socket:
            socket.send('{"type": "connection_init"}')
            assert json.loads(socket.recv(10)) == {"type": "connection_ack"}
        listed = ada.data(LAST_USE)["me"]["apiKeys"]["edges"][0]["node"]
        assert made["key"] not in str(listed)
        me = {"query": "{ me { email } }", "token": str(ada.token)}
        streamed = httpx.get(f"{server.address}/graphql", params=me, headers={"Accept": "text/event-stream"})
        assert "ada@example.com" in streamed.text
        httpx.get(f"{server.address}/files/users/x?signature=geheim")
        ada.ask('mutation { login(input: {email: "ada@example.com", password: "a wrong one"}) { errors { code } } }')
    log = server.log.read_text()
    assert "POST /graphql 200" in log
    for secret in (str(ada.token), str(made["key"]), "geheim", "a wrong one", "correct horse", "$2b$"):
        assert secret not in log, secret
    if log_format == "json":
        assert all("message" in json.loads(line) for line in log.splitlines())
