"""Ark's images and video tasks as its Python SDK and documentation describe them, strict about what is sent."""

import base64
import re
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.helpers.painting import paint
from tests.helpers.service import Reply, Request

KEY = "ark-contract-0123456789"
_IMAGE_FIELDS = {
    "model", "prompt", "image", "size", "seed", "guidance_scale", "watermark", "response_format", "output_format",
    "sequential_image_generation", "sequential_image_generation_options", "optimize_prompt_options", "tools", "stream",
    "layer_decomposition",
}  # fmt: skip
_TASK_FIELDS = {
    "model", "content", "resolution", "ratio", "duration", "frames", "seed", "camera_fixed", "watermark",
    "generate_audio", "draft", "return_last_frame", "service_tier", "execution_expires_after", "callback_url",
    "priority", "safety_identifier", "tools", "output_format",
}  # fmt: skip
_RATIOS = {"16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive"}
_LEAST_PIXELS = {"doubao-seedream-3-0-t2i": 512 * 512, "doubao-seedream-4-0-250828": 1280 * 720}


@dataclass
class ArkContract:
    """Answers requests; a test says how tasks end."""

    url: str = ""
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    #: Seconds since 1970; each task comes a second after the one before.
    now: int = field(default_factory=lambda: int(time.time()))
    #: Whether pictures come by address although base64 was asked for.
    by_url: bool = False
    #: Listed tasks lack what the creation said of them.
    lists_little: bool = False
    #: Its SDK sends fields that are not set as null.
    takes_null: bool = False

    @property
    def created(self) -> list[str]:
        return list(self.bodies)

    def __call__(self, request: Request) -> Reply:
        parts = urlsplit(request.path)
        if parts.path in self.files:
            assert "authorization" not in request.headers, "a key went to where results lie"
            return Reply(200, self.files[parts.path])
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return error(401, "AuthenticationError", f"The API key {request.headers.get('authorization')} is wrong.")
        route = parts.path.removeprefix("/api/v3").strip("/").split("/")
        return self._routed(request, route, parse_qs(parts.query)) or error(404, "InvalidAction", "No such route.")

    def _routed(self, request: Request, route: list[str], query: dict[str, list[str]]) -> Reply | None:
        answer = None
        match request.method, route:
            case "POST", ["images", "generations"]:
                answer = self._paint(self._set_fields(request.json()))
            case "POST", ["contents", "generations", "tasks"]:
                answer = self._create(self._set_fields(request.json()))
            case "GET", ["contents", "generations", "tasks"]:
                answer = self._list(query)
            case "GET", ["contents", "generations", "tasks", name]:
                found = self.tasks.get(name)
                answer = Reply(200, found) if found else error(404, "ResourceNotFound", "There is no such task.")
            case "DELETE", ["contents", "generations", "tasks", name]:
                answer = self._delete(name)
        return answer

    def _set_fields(self, body: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in body.items() if value is not None} if self.takes_null else body

    def _paint(self, body: dict[str, Any]) -> Reply:
        if wrong := _wrong_fields(body, _IMAGE_FIELDS):
            return wrong
        found = re.fullmatch(r"(\d+)x(\d+)", body["size"])
        least = _LEAST_PIXELS.get(body["model"], 2560 * 1440)
        if not found or not least <= int(found[1]) * int(found[2]) <= 4096 * 4096:
            return error(400, "InvalidParameter", "The parameter `size` is not valid.", "size")
        for url in body.get("image", []):
            _picture_of(url)
        data = paint(body["prompt"], int(found[1]), int(found[2]), transparent=False, kind="JPEG")
        if self.by_url:
            self.files["/files/picture"] = data
            item = {"url": f"{self.url}/files/picture?sig=1", "size": body["size"]}
        else:
            item = {"b64_json": base64.b64encode(data).decode(), "size": body["size"]}
        usage = {"generated_images": 1, "output_tokens": 16384, "total_tokens": 16384}
        answer = {"model": body["model"], "created": self.now, "data": [item], "usage": usage}
        return Reply(200, answer, {"x-request-id": "ark-1"})

    def _create(self, body: dict[str, Any]) -> Reply:
        if wrong := _wrong_fields(body, _TASK_FIELDS):
            return wrong
        content = body["content"]
        texts = [item["text"] for item in content if item["type"] == "text"]
        pictures = [item for item in content if item["type"] == "image_url"]
        if "gore" in "".join(texts):
            return error(400, "InputTextSensitiveContentDetected", "The input text may contain sensitive information.")
        right = {
            "content": len(texts) == 1 and len(texts) + len(pictures) == len(content),
            "ratio": body["ratio"] in _RATIOS and (body["ratio"] != "adaptive" or pictures),
            "duration": type(body["duration"]) is int and 2 <= body["duration"] <= 12,
            "execution_expires_after": 3600 <= body["execution_expires_after"] <= 259200,
        }
        if wrong_names := [name for name, fits in right.items() if not fits]:
            return error(400, "InvalidParameter", f"The parameter `{wrong_names[0]}` is not valid.", wrong_names[0])
        for picture in pictures:
            assert picture["role"] in {"first_frame", "last_frame"}
            _picture_of(picture["image_url"]["url"])
        return self._created(body)

    def _created(self, body: dict[str, Any]) -> Reply:
        name = f"cgt-20261201-{len(self.tasks)}"
        kept = ("model", "seed", "resolution", "ratio", "duration", "service_tier", "execution_expires_after")
        self.bodies[name] = body
        self.tasks[name] = {
            "id": name,
            "status": "queued",
            "error": None,
            "created_at": self.now,
            "updated_at": self.now,
            **{field: body[field] for field in kept if field in body},
        }
        self.now += 1
        return Reply(200, {"id": name}, {"x-request-id": f"req-{name}"})

    def _list(self, query: dict[str, list[str]]) -> Reply:
        page, size = int(query["page_num"][0]), int(query["page_size"][0])
        models = query.get("filter.model")
        found = [task for task in reversed(self.tasks.values()) if models is None or task["model"] in models]
        if self.lists_little:
            found = [{name: task[name] for name in ("id", "model", "status", "created_at")} for task in found]
        return Reply(200, {"total": len(found), "items": found[(page - 1) * size : page * size]})

    def _delete(self, name: str) -> Reply:
        task = self.tasks.get(name)
        if task is None:
            return error(404, "ResourceNotFound", "There is no such task.")
        if task["status"] == "running":
            return error(400, "OperationDenied.InvalidState", "A running task cannot be cancelled.")
        self.deleted.append(name)
        if task["status"] == "queued":
            task["status"] = "cancelled"
        else:
            del self.tasks[name]
        return Reply(200, {})

    def finish(self, name: str, data: bytes, **content: Any) -> None:
        """Bring a task to its end, with a clip."""
        path = f"/files/{name}.mp4"
        self.files[path] = data
        task = self.tasks[name]
        task["content"] = {"video_url": f"{self.url}{path}?X-Tos-Signature=secret", **content}
        task["usage"] = {"completion_tokens": 108900, "total_tokens": 108900}
        task["status"], task["updated_at"], task["framespersecond"] = "succeeded", self.now, 24

    def fail(self, name: str, code: str, message: str = "It went wrong.") -> None:
        self.tasks[name] |= {"status": "failed", "error": {"code": code, "message": message}}


def error(status: int, code: str, message: str, param: str = "") -> Reply:
    said = {"code": code, "message": f"{message} Request id: 0217", "param": param, "type": "BadRequest"}
    return Reply(status, {"error": said}, {"x-request-id": "ark-refused"})


def _wrong_fields(body: dict[str, Any], known: set[str]) -> Reply | None:
    wrong = sorted(name for name, value in body.items() if name not in known or value is None)
    return error(400, "InvalidParameter", f"The parameter `{wrong[0]}` is not valid.", wrong[0]) if wrong else None


def _picture_of(url: str) -> bytes:
    head, _, text = url.partition(",")
    assert head == "data:image/png;base64"
    data = base64.b64decode(text, validate=True)
    assert data.startswith(b"\x89PNG")
    return data
