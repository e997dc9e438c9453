"""Webhooks of a real server, through the public API and a kill."""

import contextlib
import signal
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

import pytest
from standardwebhooks import Webhook

from tests.helpers.server import Client, running

pytestmark = pytest.mark.slow

CREATE = """mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
    webhook { id } secret errors { code message } } }"""
LOG = """query ($id: ID!) { project(id: $id) { webhooks { deliveries { edges { node {
    id state attempts lastStatus task { id } } } } } } }"""


class _Handler(BaseHTTPRequestHandler):
    statuses: list[int]
    seen: "Queue[tuple[dict[str, str], bytes]]"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.seen.put((dict(self.headers), body))
        self.send_response(self.statuses.pop(0) if self.statuses else 200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:  # type: ignore[override]
        """Say nothing."""


@contextlib.contextmanager
def receiver(*statuses: int) -> Iterator[tuple[str, "Queue[tuple[dict[str, str], bytes]]"]]:
    seen: Queue[tuple[dict[str, str], bytes]] = Queue()
    handler = type("Handler", (_Handler,), {"statuses": list(statuses), "seen": seen})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/hook", seen
        finally:
            server.shutdown()
            thread.join()


def _delivery(client: Client, project: str, state: str, attempts: int) -> dict[str, Any]:
    """Wait until the project's only message stands like this."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        [webhook] = client.data(LOG, id=project)["project"]["webhooks"]
        for edge in webhook["deliveries"]["edges"]:
            node: dict[str, Any] = edge["node"]
            if (node["state"], node["attempts"]) == (state, attempts) and node["lastStatus"] is not None:
                return node
        time.sleep(0.05)
    raise AssertionError(webhook)


def test_a_message_outlives_its_server_and_comes_under_one_id_until_it_is_taken(tmp_path: Path) -> None:
    with receiver(500) as (url, seen), running(tmp_path, WONDER_WEBHOOK_PRIVATE_TARGETS="true") as server:
        ada = server.client().sign_up()
        project = ada.project()
        made = ada.data(CREATE, input={"projectId": project, "url": url})["createWebhook"]
        assert made["errors"] == []
        task_id = ada.generate(project, "一个史莱姆 👾")["task"]["id"]
        first = seen.get(timeout=30)
        _delivery(ada, project, "PENDING", 1)
        server.end(signal.SIGKILL)
        assert server.start() is not None, server.log.read_text()
        ada.address = server.address
        second = seen.get(timeout=30)
        delivered = _delivery(ada, project, "DELIVERED", 2)
        with pytest.raises(Empty):
            seen.get(block=False)
    bodies = [Webhook(made["secret"]).verify(body, headers) for headers, body in (first, second)]
    assert bodies[0] == bodies[1]
    assert bodies[0]["type"] == "task.completed"
    assert (bodies[0]["data"]["taskId"], bodies[0]["data"]["status"]) == (task_id, "COMPLETED")
    ids = {{name.lower(): value for name, value in headers.items()}["webhook-id"] for headers, _ in (first, second)}
    assert ids == {delivered["id"]}
    assert delivered["task"]["id"] == task_id
    assert made["secret"] not in server.log.read_text()


def test_a_server_refuses_targets_in_its_own_network_unless_told(tmp_path: Path) -> None:
    with receiver() as (url, seen), running(tmp_path) as server:
        ada = server.client().sign_up()
        project = ada.project()
        for target in (url, url.replace("127.0.0.1", "localhost"), url.replace("127.0.0.1", "[::1]")):
            made = ada.data(CREATE, input={"projectId": project, "url": target})["createWebhook"]
            assert [error["code"] for error in made["errors"]] == ["INVALID_INPUT"]
            assert made["secret"] is None
        assert seen.empty()
