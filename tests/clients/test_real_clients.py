"""Real clients and a real browser, against a running server."""

import asyncio
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gql import Client, gql
from gql.transport.websockets import WebsocketsTransport

from tests.helpers.server import Server, running

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(__file__).parent
#: What would end the session that the trial runs in.
_NOT_FUZZED = ("logout", "logoutEverywhere")
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


@pytest.mark.clients
@pytest.mark.parametrize("script", ["apollo", "urql", "sse", "relay", "codegen"])
def test_a_client_of_the_javascript_world_works_as_it_comes(server: Server, script: str) -> None:
    run_script(f"{script}.mjs", server)


@pytest.fixture
def tools() -> Path:
    """The programs of the tools' own environment."""
    folder = SCRIPTS / ".venv" / "bin"
    assert folder.is_dir(), "run make test-clients, which installs the tools"
    return folder


@pytest.mark.clients
def test_a_client_that_ariadne_codegen_has_made_follows_a_task(server: Server, tools: Path, tmp_path: Path) -> None:
    config = {
        "schema_path": str(ROOT / "docs" / "schema.graphql"),
        "queries_path": str(SCRIPTS / "codegen" / "operations.graphql"),
        "target_package_name": "wonder_client",
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in config.items()]
    scalar = '[tool.ariadne-codegen.scalars.DateTime]\ntype = "datetime.datetime"\n'
    (tmp_path / "pyproject.toml").write_text("\n".join(["[tool.ariadne-codegen]", *lines, scalar]))
    made = subprocess.run([tools / "ariadne-codegen"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    ada = server.client().sign_up("ariadne@example.com")
    arguments = [str(tmp_path), server.address, str(ada.token), ada.project()]
    command = [tools / "python", SCRIPTS / "ariadne_client.py", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["sequences"] == list(range(1, len(found["sequences"]) + 1))
    assert (found["last"], found["at"], found["projects"]) == ("COMPLETED", "datetime", 1)
    assert "4403" in found["refusal"]


@pytest.mark.clients
@pytest.mark.timeout(400)
@pytest.mark.parametrize("role", ["USER", "ADMIN"])
def test_schemathesis_gets_an_answer_with_a_known_code_to_whatever_it_sends(
    tmp_path: Path, tools: Path, role: str
) -> None:
    with running(tmp_path) as started:
        ada = started.client().sign_up("fuzz@example.com")
        with sqlite3.connect(started.data_dir / "wonder.db") as connection:
            connection.execute("UPDATE user_account SET role = ?", [role])
        excluded = [part for name in _NOT_FUZZED for part in ("--exclude-name", f"Mutation.{name}")]
        command = [tools / "schemathesis", "run", f"{started.address}/graphql", *excluded]
        command += ["-H", f"Authorization: Bearer {ada.token}", "--checks", "answers_with_known_codes"]
        command += ["--phases", "fuzzing", "-n", "6", "--seed", "1", "--no-color", "--request-timeout", "20"]
        environment = {**os.environ, "SCHEMATHESIS_HOOKS": "schemathesis_hooks", "PYTHONPATH": str(SCRIPTS)}
        run = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=380, check=False
        )
        assert run.returncode == 0, run.stdout
        assert "Traceback" not in started.log.read_text()


@pytest.mark.browser
def test_graphiql_runs_a_subscription_in_a_browser(server: Server) -> None:
    assert run_script("graphiql.mjs", server, "--email", "graphiql@example.com")["frames"] > 0


@pytest.mark.browser
@pytest.mark.parametrize(("width", "asset_type"), [("1440", "SPRITE"), ("420", "UI")])
def test_a_new_user_gets_through_the_dashboard(server: Server, width: str, asset_type: str) -> None:
    options = ("--email", f"dashboard-{width}@example.com", "--width", width, "--type", asset_type)
    found = run_script("dashboard.mjs", server, *options)
    assert found["files"] > 0


@pytest.mark.clients
def test_the_readmes_javascript_follows_a_task_and_ends_with_the_reason_of_a_refusal(server: Server) -> None:
    found = re.search(r"^```js\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert found is not None
    script = found.group(1).replace("127.0.0.1:8000", server.address.removeprefix("http://"))
    client = server.client().sign_up("readme@example.com")
    task = client.generate(client.project(), "a lantern")["task"]["id"]
    node = str(shutil.which("node", path=Path(sys.executable).parent))

    def follow(token: str, task_id: str) -> subprocess.CompletedProcess[str]:
        command = [node, "--input-type=module", "--eval", script, "--", "follow.mjs", token, task_id]
        return subprocess.run(command, cwd=SCRIPTS, capture_output=True, text=True, timeout=_SECONDS, check=False)

    followed = follow(str(client.token), task)
    assert (followed.returncode, followed.stdout.splitlines()[-1]) == (0, "100 completed: 1 file")
    for refused, reason in (
        (follow("wrong", task), "The token is not valid or has expired"),
        (follow(str(client.token), "tsk_none"), "There is no such task."),
    ):
        assert refused.returncode == 1
        assert reason in refused.stderr


@pytest.mark.browser
def test_the_dashboard_works_where_only_trusted_documents_are_run(tmp_path: Path) -> None:
    listed = tmp_path / "documents.json"
    # What the helper of the tests itself asks for is not: the dashboard alone is to be let in.
    listed.write_text("{}")
    variables = {"WONDER_TRUSTED_DOCUMENTS": str(listed), "WONDER_TRUSTED_DOCUMENTS_ONLY": "true"}
    with running(tmp_path, **variables) as server:
        assert "DOCUMENT_NOT_TRUSTED" in json.dumps(server.client().ask("{ __typename }"))
        run_script("dashboard.mjs", server)
