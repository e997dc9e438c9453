"""A real `wonder serve` for benchmarks: started on a free loopback port, ended by its own handle."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

_READY_SECONDS = 60


class RunningServer:
    """One server process on a data folder; may be killed and started again."""

    def __init__(self, data_dir: Path, program: Sequence[str | Path] = (), **variables: str) -> None:
        """Prepare it; `program` is what takes the arguments of `wonder`, if not that."""
        self.data_dir = data_dir
        self._program = program or [Path(sys.executable).with_name("wonder")]
        self._environment = {**os.environ, "WONDER_LOG_LEVEL": "WARNING", **variables}
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    @property
    def pid(self) -> int:
        """Return the process's id, while it runs."""
        if self._process is None:
            raise RuntimeError("the server has not been started")
        return self._process.pid

    def start(self) -> None:
        """Start the process and wait until it says that it is ready."""
        log = (self.data_dir.parent / "server.log").open("a")
        self._process = subprocess.Popen(
            [*self._program, "serve", "--port", "0", "--data-dir", str(self.data_dir)],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=self._environment,
        )
        log.close()
        if self._process.stdout is None:
            raise RuntimeError("the server's output is not readable")
        deadline = time.monotonic() + _READY_SECONDS
        line = self._process.stdout.readline()
        if time.monotonic() > deadline or not line.startswith("http://"):
            log_lines = (self.data_dir.parent / "server.log").read_text().splitlines()[-30:]
            raise RuntimeError("the server did not start:\n" + "\n".join(log_lines))
        self.address = line.strip()

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def freeze(self, seconds: float) -> None:
        """Stop it for a while as a debugger or a busy machine would, and let it go on."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)
            time.sleep(seconds)
            self._process.send_signal(signal.SIGCONT)

    def stop(self) -> int:
        """End it as an operator would; returns its exit code."""
        if self._process is None:
            return 0
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(60)
        if self._process.stdout is not None:
            self._process.stdout.close()
        return code

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, unless it has ended."""
        if self._process is not None and self._process.poll() is None:
            self.stop()


def ask(client: httpx.Client, query: str, **variables: Any) -> dict[str, Any]:  # noqa: ANN401 (JSON)
    """Run one GraphQL operation and return its data; raises on top-level errors."""
    answer = client.post("/graphql", json={"query": query, "variables": variables}).json()
    if answer.get("errors"):
        raise RuntimeError(str(answer["errors"]))
    data: dict[str, Any] = answer["data"]
    return data


SIGNUP = """mutation($email: String!) {
  signup(input: {email: $email, password: "correct horse battery"}) { accessToken errors { code message } }
}"""
CREATE_PROJECT = """mutation {
  createProject(input: {name: "Bench", style: {artStyle: "16-bit pixel art"}}) { project { id } errors { message } }
}"""
GENERATE = """mutation(
  $project: ID!, $prompt: String!, $type: AssetType!, $params: GenerationParams, $provider: String
) {
  generate(input: {projectId: $project, prompt: $prompt, assetType: $type, params: $params, provider: $provider}) {
    task { id } errors { code message }
  }
}"""


def signed_up(address: str, email: str) -> tuple[httpx.Client, str]:
    """Return a client with a fresh account, and the id of a project of it."""
    client = httpx.Client(base_url=address, timeout=60)
    token = ask(client, SIGNUP, email=email)["signup"]["accessToken"]
    client.headers["Authorization"] = f"Bearer {token}"
    project = ask(client, CREATE_PROJECT)["createProject"]["project"]["id"]
    return client, project


def generate(
    client: httpx.Client,
    project: str,
    prompt: str,
    kind: str = "SPRITE",
    provider: str | None = None,
    **params: Any,  # noqa: ANN401
) -> str:
    """Start a task and return its id."""
    variables = {"project": project, "prompt": prompt, "type": kind, "provider": provider, "params": params or None}
    payload = ask(client, GENERATE, **variables)["generate"]
    if payload["errors"]:
        raise RuntimeError(str(payload["errors"]))
    task_id: str = payload["task"]["id"]
    return task_id
