"""Luma's generations as its Python SDK describes them, strict about what is sent."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.helpers.service import Reply, Request

KEY = "luma-contract-0123456789"
_FIELDS = {
    "model", "prompt", "aspect_ratio", "duration", "resolution", "loop", "keyframes", "concepts", "callback_url",
    "generation_type",
}  # fmt: skip


@dataclass
class LumaContract:
    """Answers requests; a test says how generations end."""

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
            return error(403, f"Not authenticated: {request.headers.get('authorization')}")
        route = path.removeprefix("/dream-machine/v1").strip("/").split("/")
        return self._routed(request, route) or error(404, "Generation not found")

    def _routed(self, request: Request, route: list[str]) -> Reply | None:
        match request.method, route:
            case "POST", ["generations", "video"]:
                return self._create(request.json())
            case "GET", ["generations"]:
                listed = list(reversed(self.jobs.values()))
                return Reply(200, {"has_more": False, "count": len(listed), "generations": listed})
            case "GET", ["generations", name] if name in self.jobs:
                return Reply(200, self.jobs[name])
            case "DELETE", ["generations", name] if name in self.jobs:
                self.cancelled.append(name)
                del self.jobs[name]
                return Reply(204)
        return None

    def _create(self, body: dict[str, Any]) -> Reply:
        if wrong := sorted(set(body) - _FIELDS):
            return error(400, f"{wrong[0]} is not valid")
        if "gore" in body["prompt"]:
            return error(400, "prompt didn't pass moderation")
        right = (
            body["duration"] in {"5s", "9s"}
            and body["resolution"] in {"540p", "720p", "1080p", "4k"}
            and body["aspect_ratio"] in {"1:1", "16:9", "9:16", "4:3", "3:4", "21:9", "9:21"}
        )
        if not right:
            return Reply(422, {"detail": [{"loc": ["body", "duration"], "msg": "is not offered", "type": "enum"}]})
        name = f"d1968551-{len(self.bodies)}"
        self.bodies[name] = body
        times = {"created_at": "2026-11-30T10:00:00Z", "generation_type": "video", "model": body["model"]}
        self.jobs[name] = {"id": name, "state": "queued", "failure_reason": None, "assets": None, **times}
        self.jobs[name]["request"] = {"generation_type": "video", **body}
        return Reply(201, self.jobs[name])

    def finish(self, name: str, data: bytes) -> None:
        """Bring a generation to its end, with a clip."""
        path = f"/files/{name}.mp4"
        self.files[path] = data
        self.jobs[name] |= {"state": "completed", "assets": {"video": f"{self.url}{path}?sig=secret"}}


def error(status: int, detail: str) -> Reply:
    return Reply(status, {"detail": detail}, {"x-request-id": "luma-refused"})
