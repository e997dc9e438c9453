"""A service that makes pictures in jobs and counts what it is asked for; and Wonder with a provider that speaks to it.

As a program: `python benchmarks/job_service.py ADDRESS serve …` is `wonder serve …` with that provider, named "jobs".
"""

import asyncio
import hashlib
import io
import json
import random
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

sys.path.insert(0, str(Path(__file__).parent.parent))

import httpx
from PIL import Image, ImageDraw

from domain.kinds import AssetType, TaskKind
from domain.settings import load_settings
from server.logging import set_up_logging
from server.serving import serve
from worker.artifacts import GenerationRequest, GenerationResult, Picture
from worker.providers.base import Capabilities, JobDone, JobFailed, JobProgress, JobRunning, ProviderError


class JobService:
    """The service: jobs by our id, with the name that the client gave them. A context; listens on loopback."""

    def __init__(self, seconds_per_job: float, slowest_answer_seconds: float = 0.05) -> None:
        self.seconds_per_job = seconds_per_job
        self.slowest_answer_seconds = slowest_answer_seconds
        self.lock = threading.Lock()
        self.jobs: dict[str, dict[str, Any]] = {}
        self.names: Counter[str] = Counter()
        self.requests: Counter[str] = Counter()
        self.cancelled = 0
        service = self

        class Handler(_Handler):
            jobs = service

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        """Begin to listen."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()

    def pause(self) -> None:
        """Take as long as a service over a network may, so that clients die in the middle of a call."""
        time.sleep(random.uniform(0, self.slowest_answer_seconds))


class _Server(ThreadingHTTPServer):
    """Takes it lightly that clients are killed in the middle of a request."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing."""


class _Handler(BaseHTTPRequestHandler):
    """POST /jobs, GET /jobs?name=, GET and DELETE /jobs/ID."""

    protocol_version = "HTTP/1.1"
    jobs: JobService

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.jobs.pause()
        with self.jobs.lock:
            number = f"job-{len(self.jobs.jobs)}"
            self.jobs.jobs[number] = {**asked, "made_at": time.monotonic(), "state": "running"}
            self.jobs.names[asked["name"]] += 1
            self.jobs.requests["create"] += 1
        self.jobs.pause()
        self._answer({"id": number})

    def do_GET(self) -> None:
        self.jobs.pause()
        with self.jobs.lock:
            if "?name=" in self.path:
                self.jobs.requests["find"] += 1
                name = self.path.partition("?name=")[2]
                self._answer({"ids": [key for key, job in self.jobs.jobs.items() if job["name"] == name]})
                return
            self.jobs.requests["check"] += 1
            job = self.jobs.jobs[self.path.rpartition("/")[2]]
            if job["state"] == "running" and time.monotonic() - job["made_at"] >= self.jobs.seconds_per_job:
                job["state"] = "done"
            self._answer(job)

    def do_DELETE(self) -> None:
        with self.jobs.lock:
            self.jobs.jobs[self.path.rpartition("/")[2]]["state"] = "cancelled"
            self.jobs.cancelled += 1
        self._answer({})

    def _answer(self, data: dict[str, Any]) -> None:
        body = json.dumps(data).encode()
        try:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            self.close_connection = True  # the client was killed

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the standard library's name)
        """Say nothing."""


class HttpJobs:
    """A provider that speaks to the service."""

    name = "jobs"
    model = "jobs-1"
    capabilities = Capabilities(frozenset(TaskKind), frozenset(AssetType), asynchronous=True)
    check_interval_seconds: float | None = None

    def __init__(self, address: str) -> None:
        self._address = address
        self._client: httpx.AsyncClient | None = None

    async def _ask(self, method: str, path: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401 (JSON)
        if self._client is None:
            self._client = httpx.AsyncClient(base_url=self._address, timeout=30)
        try:
            answer: dict[str, Any] = (await self._client.request(method, path, **options)).json()
        except (httpx.HTTPError, ValueError) as error:
            unknown = method == "POST"
            raise ProviderError("UNREACHABLE", str(error), retryable=True, outcome_unknown=unknown) from error
        return answer

    async def submit(self, request: GenerationRequest, job_id: str) -> str:
        """Create a job under our name."""
        made = await self._ask("POST", "/jobs", json={"name": job_id, "seed": request.seed})
        return str(made["id"])

    async def find(self, job_id: str) -> str | None:
        """Look for a job by our name of it."""
        found = (await self._ask("GET", f"/jobs?name={job_id}"))["ids"]
        return str(found[0]) if found else None

    async def check(self, external_id: str) -> JobProgress:
        """Ask how it stands."""
        state = (await self._ask("GET", f"/jobs/{external_id}"))["state"]
        if state == "cancelled":
            return JobFailed(ProviderError("CANCELLED", "The job was cancelled.", retryable=False))
        return JobDone() if state == "done" else JobRunning()

    async def fetch(self, external_id: str, request: GenerationRequest) -> GenerationResult:
        """Return the picture, drawn from the seed."""
        job = await self._ask("GET", f"/jobs/{external_id}")
        width, height = request.params.width or 64, request.params.height or 64
        picture = Picture(await asyncio.to_thread(_draw, int(job["seed"]), width, height), width, height)
        return GenerationResult((picture,), self.name, self.model, request.seed, request_id=external_id)

    async def cancel(self, external_id: str) -> None:
        """Tell that a job is not wanted any more."""
        await self._ask("DELETE", f"/jobs/{external_id}")


def _draw(seed: int, width: int, height: int) -> bytes:
    digest = hashlib.sha256(str(seed).encode()).digest()
    base = tuple(60 + value % 120 for value in digest[:3])
    picture = Image.new("RGBA", (width, height))
    draw = ImageDraw.Draw(picture)
    draw.ellipse((width // 6, height // 4, width * 5 // 6, height * 9 // 10), (*base, 255), (20, 16, 32, 255))
    draw.rectangle((width // 2, height // 2, width // 2 + 4, height // 2 + 6), (250, 250, 250, 255))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def main() -> int:
    """Serve as `wonder serve --port 0 --data-dir DIR` does, with the provider."""
    address, _, _, _, _, data_dir = sys.argv[1:7]
    settings = load_settings(data_dir=Path(data_dir), port=0)
    set_up_logging(settings)
    return serve(settings, [HttpJobs(address)])


if __name__ == "__main__":
    sys.exit(main())
