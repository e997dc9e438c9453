"""Runway's tasks as its Python SDK describes them, strict about what is sent."""

import base64
import uuid
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.helpers.service import Reply, Request

KEY = "key_contract_0123456789"
_FIELDS = {"model", "promptText", "promptImage", "ratio", "duration", "seed", "contentModeration", "outputFormat"}
_RATIOS = {"1280:720", "720:1280", "1104:832", "960:960", "832:1104", "1584:672"}
_MAX_URL = 5 * 2**20


@dataclass
class RunwayContract:
    """Answers requests; a test says how tasks end."""

    url: str = ""
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    cancelled: list[str] = field(default_factory=list)

    @property
    def created(self) -> list[str]:
        return list(self.bodies)

    def __call__(self, request: Request) -> Reply:
        path = urlsplit(request.path).path
        if path in self.files:
            assert "authorization" not in request.headers, "a key went to where results lie"
            return Reply(200, self.files[path])
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return error(401, f"The key {request.headers.get('authorization')} is not valid.")
        if request.headers.get("x-runway-version") != "2024-11-06":
            return error(400, "X-Runway-Version is missing.")
        return self._routed(request, path.strip("/").split("/")) or error(404, "Not found.")

    def _routed(self, request: Request, route: list[str]) -> Reply | None:
        match request.method, route:
            case "GET", ["v1", "organization"]:
                return Reply(200, {"creditBalance": 100, "tier": {"maxMonthlyCreditSpend": 1, "models": {}}})
            case "POST", ["v1", ("text_to_video" | "image_to_video") as path]:
                return self._create(path, request.json())
            case "GET", ["v1", "tasks", name] if name in self.jobs:
                return Reply(200, self.jobs[name])
            case "DELETE", ["v1", "tasks", name] if name in self.jobs:
                self.cancelled.append(name)
                del self.jobs[name]
                return Reply(204)
        return None

    def _create(self, route: str, body: dict[str, Any]) -> Reply:
        if wrong := sorted(set(body) - _FIELDS):
            return error(400, f"Validation of body failed: {wrong[0]}")
        ratios = _RATIOS if route == "image_to_video" else {"1280:720", "720:1280"}
        length = len(body["promptText"].encode("utf-16-le")) // 2
        right = body["ratio"] in ratios and 2 <= body["duration"] <= 10 and 1 <= length <= 1000
        if not right or ("promptImage" in body) != (route == "image_to_video"):
            return error(400, "Validation of body failed")
        if "promptImage" in body:
            url = body["promptImage"]
            assert len(url) <= _MAX_URL
            assert base64.b64decode(url.removeprefix("data:image/png;base64,"), validate=True).startswith(b"\x89PNG")
        name = str(uuid.uuid5(uuid.NAMESPACE_URL, str(len(self.bodies))))
        self.bodies[name] = {"route": route, **body}
        self.jobs[name] = {"id": name, "status": "PENDING", "createdAt": "2026-11-30T10:00:00Z"}
        if "gore" in body["promptText"]:  # told of as a task that has failed, which is charged for
            self.fail(name, "SAFETY.INPUT.TEXT", "The prompt was refused.")
        return Reply(200, {"id": name, "estimatedCost": {"credits": 60}})

    def finish(self, name: str, data: bytes) -> None:
        """Bring a task to its end, with a clip."""
        path = f"/files/{name}.mp4"
        self.files[path] = data
        self.jobs[name] |= {"status": "SUCCEEDED", "output": [f"{self.url}{path}?_jwt=secret"], "cost": {"credits": 60}}

    def fail(self, name: str, code: str | None, said: str = "It went wrong.") -> None:
        self.jobs[name] |= {"status": "FAILED", "failure": said, "failureCode": code, "cost": {"credits": 60}}


def error(status: int, said: str) -> Reply:
    return Reply(status, {"error": said}, {"x-request-id": "runway-refused"})
