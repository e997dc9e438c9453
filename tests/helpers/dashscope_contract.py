"""DashScope's jobs as its Python SDK and documentation describe them, strict about what is sent."""

import base64
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.helpers.service import Reply, Request

KEY = "sk-dash-0123456789"
_SERVICES = {
    "services/aigc/image-generation/generation": "messages",
    "services/aigc/text2image/image-synthesis": "words",
    "services/aigc/image2image/image-synthesis": "pictures",
    "services/aigc/video-generation/video-synthesis": "video",
}
_PARAMETERS = {
    "size", "n", "seed", "prompt_extend", "watermark", "negative_prompt", "duration", "resolution", "ratio", "audio",
    "shot_type", "enable_sequential",
}  # fmt: skip


@dataclass
class DashScopeContract:
    """Answers requests; a test says how jobs end."""

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
            return error(401, "InvalidApiKey", f"Invalid API-key provided: {request.headers.get('authorization')}.")
        route = path.removeprefix("/api/v1/")
        if request.method == "POST" and route in _SERVICES:
            return self._create(request, _SERVICES[route])
        return self._routed(request, route.split("/")) or error(404, "NotFound", "There is no such route.")

    def _routed(self, request: Request, route: list[str]) -> Reply | None:
        match request.method, route:
            case "GET", ["tasks"]:
                return Reply(200, {"request_id": "r", "total": len(self.jobs), "data": []})
            case "GET", ["tasks", name]:
                unknown = {"task_id": name, "task_status": "UNKNOWN"}
                return Reply(200, {"request_id": "r", "output": self.jobs.get(name, unknown), "usage": {"SR": 720}})
            case "POST", ["tasks", name, "cancel"]:
                return self._cancel(name)
        return None

    def _create(self, request: Request, service: str) -> Reply:
        if request.headers.get("x-dashscope-async") != "enable":
            return error(403, "AccessDenied", "current user api does not support synchronous calls.")
        body = request.json()
        given, parameters = body["input"], body["parameters"]
        if unknown := sorted(set(parameters) - _PARAMETERS):
            return error(400, "InvalidParameter", f"{unknown[0]} is not a parameter.")
        words, pictures = _parts(given, service)
        if "gore" in words:
            return error(400, "DataInspectionFailed", "Input data may contain inappropriate content.")
        if not words or len(words) > 2000 or (service == "pictures") > bool(pictures):
            return error(400, "InvalidParameter", "The prompt is not valid.")
        if service != "video" and "*" not in parameters["size"]:
            return error(400, "InvalidParameter", "The size is not valid.")
        for url in pictures:
            assert base64.b64decode(url.removeprefix("data:image/png;base64,"), validate=True).startswith(b"\x89PNG")
        name = f"0385dc79-{len(self.bodies)}"
        self.bodies[name] = {"service": service, **body}
        self.jobs[name] = {"task_id": name, "task_status": "PENDING"}
        return Reply(200, {"output": {"task_status": "PENDING", "task_id": name}, "request_id": "r-created"})

    def _cancel(self, name: str) -> Reply:
        if self.jobs.get(name, {}).get("task_status") != "PENDING":
            return error(400, "UnsupportedOperation", "Failed to cancel the task: it is not pending.")
        self.cancelled.append(name)
        self.jobs[name]["task_status"] = "CANCELED"
        return Reply(200, {"request_id": "r"})

    def finish(self, external_id: str, data: bytes) -> None:
        """Bring a job to its end, its result told in the form of its service."""
        service = self.bodies[external_id]["service"]
        path = f"/files/{external_id}"
        self.files[path] = data
        url = f"{self.url}{path}?Expires=1&Signature=secret"
        job = self.jobs[external_id]
        job |= {"task_status": "SUCCEEDED", "actual_prompt": "as filmed"}
        if service == "video":
            job["video_url"] = url
        elif service == "messages":
            message = {"role": "assistant", "content": [{"type": "image", "image": url}]}
            job["choices"] = [{"finish_reason": "stop", "message": message}]
        else:
            job |= {"results": [{"url": url}], "task_metrics": {"TOTAL": 1, "SUCCEEDED": 1, "FAILED": 0}}


def error(status: int, code: str, message: str) -> Reply:
    return Reply(status, {"code": code, "message": message, "request_id": "4909-refused"})


def _parts(given: dict[str, Any], service: str) -> tuple[str, list[str]]:
    """The words and the pictures of a request."""
    if service != "messages":
        media = [item["url"] for item in given.get("media", []) if item["type"] == "first_frame"]
        single = [given["img_url"]] if "img_url" in given else []
        return given["prompt"], [*given.get("images", []), *media, *single]
    [message] = given["messages"]
    assert message["role"] == "user"
    words = "".join(part.get("text", "") for part in message["content"])
    return words, [part["image"] for part in message["content"] if "image" in part]
