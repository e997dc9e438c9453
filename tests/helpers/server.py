"""A real `wonder serve` for tests: a process of its own on a free loopback port, ended by its own handle."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

ROOT = Path(__file__).parents[2]
PASSWORD = "correct horse"
START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from server.cli import main; sys.exit(main(sys.argv[1:]))"


class Server:
    """One server on a data folder; may be killed and started again."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.data_dir = folder / "data"
        self.log = folder / "server.log"
        own = {name: value for name, value in os.environ.items() if not name.startswith("WONDER_")}
        self.environment = {**own, "WONDER_BCRYPT_COST": "4", "WONDER_IMAGE_PROCESSES": "1", **variables}
        self._process: subprocess.Popen[str] | None = None
        #: What takes the arguments of `wonder`.
        self.program: tuple[str, ...] = (sys.executable, "-c", START, str(ROOT))
        self.address = ""
        self.output = ""

    def start(self) -> str | None:
        """Start and wait for the line that says where it listens; None, with `exit_code` set, when it ends instead."""
        with self.log.open("a") as log:
            self._process = subprocess.Popen(
                self._command(),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=self.environment,
                cwd=self.log.parent,
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self.end()
            return None
        self.address = line.strip()
        return self.address

    def _command(self) -> list[str]:
        return [*self.program, "serve", "--port", "0", "--data-dir", str(self.data_dir)]

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and wait for the end; returns the exit code, negative for a signal's number."""
        assert self._process is not None
        assert self._process.stdout is not None
        if self._process.poll() is None:
            self._process.send_signal(number)
        self.output = self._process.stdout.read()
        self._process.stdout.close()
        return self._process.wait(60)

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kill it where it stands; `end` collects what is left."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(60)

    @property
    def started(self) -> bool:
        """Whether it has ever been."""
        return self._process is not None

    @property
    def exit_code(self) -> int | None:
        return self._process.poll() if self._process is not None else None

    def client(self, token: str | None = None) -> "Client":
        return Client(self.address, token)

    def administrator(self) -> "Client":
        """Make an administrator by the command for that, and log in."""
        subprocess.run(
            [
                sys.executable,
                "-c",
                START,
                str(ROOT),
                "create-admin",
                "--email",
                "root@example.com",
                "--data-dir",
                self.data_dir,
            ],
            env={**self.environment, "WONDER_ADMIN_PASSWORD": PASSWORD},
            check=True,
            capture_output=True,
            timeout=60,
        )
        client = self.client()
        login = 'mutation($p: String!) { login(input: {email: "root@example.com", password: $p}) { accessToken } }'
        client.token = client.data(login, p=PASSWORD)["login"]["accessToken"]
        return client


@contextlib.contextmanager
def running(folder: Path, **variables: str) -> Iterator[Server]:
    server = Server(folder, **variables)
    if server.start() is None:
        raise AssertionError(server.log.read_text())
    try:
        yield server
    finally:
        if server.exit_code is None:
            server.end()


class Client:
    """A client of the public API, as simple as one can be."""

    def __init__(self, address: str, token: str | None = None) -> None:
        self.address = address
        self.token = token

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        """Return the whole answer."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        body = {"query": query, "variables": variables}
        answer: dict[str, Any] = httpx.post(f"{self.address}/graphql", json=body, headers=headers, timeout=30).json()
        return answer

    def data(self, query: str, **variables: Any) -> dict[str, Any]:
        """Return the answer's data, which must come without errors."""
        answer = self.ask(query, **variables)
        assert "errors" not in answer, answer["errors"]
        data: dict[str, Any] = answer["data"]
        return data

    def sign_up(self, email: str = "ada@example.com") -> "Client":
        query = """mutation($email: String!) {
          signup(input: {email: $email, password: "correct horse"}) { accessToken errors { code message } } }"""
        payload = self.data(query, email=email)["signup"]
        assert payload["errors"] == []
        self.token = payload["accessToken"]
        return self

    def project(self, name: str = "游戏 🎮") -> str:
        query = """mutation($name: String!) {
          createProject(input: {name: $name, style: {artStyle: "pixel art"}}) { project { id } errors { code } } }"""
        payload = self.data(query, name=name)["createProject"]
        assert payload["errors"] == []
        project_id: str = payload["project"]["id"]
        return project_id

    def generate(self, project: str, prompt: str, asset_type: str = "SPRITE", **fields: Any) -> dict[str, Any]:
        """Return the payload of `generate`."""
        query = """mutation($input: GenerateInput!) { generate(input: $input) {
          task { id status } deduplicated errors { code message path retryAfterSeconds } } }"""
        data = self.data(query, input={"projectId": project, "prompt": prompt, "assetType": asset_type, **fields})
        payload: dict[str, Any] = data["generate"]
        return payload

    def task(self, task_id: str) -> dict[str, Any]:
        query = """query($id: ID!) { task(id: $id) { id status stage progress attempt degraded provider
          error { code message } assets { id name role url thumbnailUrl sizeBytes sha256 mediaType width height }
          qualityChecks { round name passed reason } events { sequence status } } }"""
        task: dict[str, Any] = self.data(query, id=task_id)["task"]
        return task

    def follow(self, task_id: str, after: int | None = None, limit: int | None = None) -> list[dict[str, Any]]:
        """Return a task's events until the subscription completes, or so many of them."""
        query = """subscription($id: ID!, $after: Int) { taskProgress(taskId: $id, after: $after) {
          sequence status stage progress message task { id status } } }"""
        seen: list[dict[str, Any]] = []
        with self.socket() as socket:
            payload = {"query": query, "variables": {"id": task_id, "after": after}}
            socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
            while limit is None or len(seen) < limit:
                message = json.loads(socket.recv(60))
                if message["type"] == "next":
                    seen.append(message["payload"]["data"]["taskProgress"])
                elif message["type"] == "ping":
                    socket.send(json.dumps({"type": "pong"}))
                elif message["type"] == "complete":
                    break
                else:
                    raise AssertionError(message)
        return seen

    @contextlib.contextmanager
    def socket(self) -> Iterator[ClientConnection]:
        """Open a socket and wait for its acknowledgement."""
        url = self.address.replace("http://", "ws://") + "/graphql"
        with connect(url, subprotocols=[Subprotocol("graphql-transport-ws")]) as socket:
            payload = {"Authorization": f"Bearer {self.token}"} if self.token else None
            socket.send(json.dumps({"type": "connection_init", "payload": payload}))
            assert json.loads(socket.recv(10))["type"] == "connection_ack"
            yield socket
