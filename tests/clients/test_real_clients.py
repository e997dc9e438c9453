"""Real clients and a real browser, against a running server."""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gql import Client, gql
from gql.transport.websockets import WebsocketsTransport

from tests.helpers.server import Server, running

SCRIPTS = Path(__file__).parent
_SECONDS = 110


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("clients"), WONDER_MAX_ACTIVE_TASKS="50") as started:
        yield started


def run_script(name: str, server: Server, *options: str) -> dict[str, Any]:
    """Run a script of this folder, which must find no failure; returns what it has found."""
    node = shutil.which("node", path=Path(sys.executable).parent)
    assert node is not None
    assert (SCRIPTS / "node_modules").is_dir(), "run make test-clients, which installs the clients"
    command = [node, name, "--base", server.address, *options]
    run = subprocess.run(command, cwd=SCRIPTS, capture_output=True, text=True, timeout=_SECONDS, check=False)
    assert run.stdout, run.stderr
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    assert found["failures"] == []
    assert run.returncode == 0
    return found


@pytest.mark.clients
def test_every_audit_of_graphql_over_http_passes(server: Server) -> None:
    assert run_script("audit.mjs", server)["passed"] == 61


@pytest.mark.clients
def test_graphql_ws_follows_a_task_to_its_end(server: Server) -> None:
    events = run_script("subscribe.mjs", server, "--email", "ws@example.com")["events"]
    assert events[-1]["status"] == "COMPLETED"


@pytest.mark.clients
async def test_the_python_client_gql_follows_a_task_to_its_end(server: Server) -> None:
    ada = await asyncio.to_thread(lambda: server.client().sign_up("gql@example.com"))
    task_id = await asyncio.to_thread(lambda: ada.generate(ada.project(), "a key")["task"]["id"])
    transport = WebsocketsTransport(
        url=server.address.replace("http", "ws", 1) + "/graphql", init_payload={"Authorization": f"Bearer {ada.token}"}
    )
    request = gql("subscription($id: ID!) { taskProgress(taskId: $id, after: 0) { sequence status } }")
    request.variable_values = {"id": task_id}
    async with Client(transport=transport, fetch_schema_from_transport=True) as session:
        events = [answer["taskProgress"] async for answer in session.subscribe(request)]
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["status"] == "COMPLETED"


@pytest.mark.browser
def test_graphiql_runs_a_subscription_in_a_browser(server: Server) -> None:
    assert run_script("graphiql.mjs", server, "--email", "graphiql@example.com")["frames"] > 0


@pytest.mark.browser
@pytest.mark.parametrize("width", ["1440", "420"])
def test_a_new_user_gets_through_the_dashboard(server: Server, width: str) -> None:
    found = run_script("dashboard.mjs", server, "--email", f"dashboard-{width}@example.com", "--width", width)
    assert found["files"] > 0
