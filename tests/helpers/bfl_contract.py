"""Black Forest Labs' API as its documentation describes it, strict about what is sent."""

import base64
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.helpers.service import Reply, Request

KEY = "bfl-contract-0123456789"
_FIELDS = {
    "prompt", "seed", "output_format", "safety_tolerance", "prompt_upsampling", "webhook_url", "webhook_secret",
    "width", "height", "aspect_ratio", "input_image", *(f"input_image_{number}" for number in range(2, 9)),
}  # fmt: skip


@dataclass
class BflContract:
    """Answers requests; a test says how jobs end."""

    url: str = ""
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    #: Where jobs are asked about; None: at the usual place.
    polling: str | None = None

    @property
    def created(self) -> list[str]:
        return list(self.bodies)

    def __call__(self, request: Request) -> Reply:
        parts = urlsplit(request.path)
        if parts.path in self.files:
            assert "x-key" not in request.headers, "a key went to where results lie"
            return Reply(200, self.files[parts.path])
        if request.headers.get("x-key") != KEY:
            return error(403, f"Not authenticated - {request.headers.get('x-key')}")
        return self._routed(request, parts.path.strip("/").split("/"), parts.query) or error(404, "Not Found")

    def _routed(self, request: Request, route: list[str], query: str) -> Reply | None:
        match request.method, route:
            case "GET", ["v1", "credits"]:
                return Reply(200, {"credits": 12.5})
            case "GET", ["v1", "get_result" | "get_regional"]:
                [name] = parse_qs(query)["id"]
                missing = {"id": name, "status": "Task not found", "result": None}
                return Reply(200, self.jobs.get(name, missing))
            case "POST", ["v1", model]:
                return self._create(model, request.json())
        return None

    def _create(self, model: str, body: dict[str, Any]) -> Reply:
        if wrong := sorted(set(body) - _FIELDS):
            return Reply(422, {"detail": [{"loc": ["body", wrong[0]], "msg": "Extra inputs", "type": "extra"}]})
        if "flux-2" in model:
            assert all(64 <= body[side] <= 2048 and body[side] % 16 == 0 for side in ("width", "height"))
        elif "kontext" in model or "ultra" in model:
            assert "width" not in body
        else:
            assert all(256 <= body[side] <= 1440 and body[side] % 32 == 0 for side in ("width", "height"))
        for field_name, value in body.items():
            if field_name.startswith("input_image"):
                assert base64.b64decode(value, validate=True).startswith(b"\x89PNG")
        name = f"8c2f-{len(self.bodies)}"
        self.bodies[name] = {"model": model, **body}
        moderated = "gore" in body["prompt"]
        details = {"Moderation Reasons": ["Violence"]} if moderated else None
        status = "Request Moderated" if moderated else "Pending"
        self.jobs[name] = {"id": name, "status": status, "result": None, "progress": None, "details": details}
        place = f"{self.url}/v1/get_result" if self.polling is None else self.polling
        return Reply(200, {"id": name, "polling_url": f"{place}?id={name}", "cost": 3.0})

    def finish(self, external_id: str, data: bytes) -> None:
        """Bring a job to its end, with a picture."""
        name = external_id.rpartition("=")[2]
        path = f"/files/{name}"
        self.files[path] = data
        result = {"sample": f"{self.url}{path}?sig=secret", "seed": 7, "duration": 2.5, "prompt": "as sent"}
        self.jobs[name] |= {"status": "Ready", "result": result}


def error(status: int, detail: str) -> Reply:
    return Reply(status, {"detail": detail}, {"x-request-id": "bfl-refused"})
