"""MiniMax's videos, both interfaces, as its documentation describes them: status 200 whatever happens."""

import base64
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.helpers.service import Reply, Request

KEY = "minimax-key-0123456789"
_V1 = {
    "model", "prompt", "duration", "resolution", "first_frame_image", "last_frame_image", "prompt_optimizer",
    "fast_pretreatment", "callback_url", "subject_reference",
}  # fmt: skip
_V2 = {"model", "content", "duration", "resolution", "ratio", "watermark", "callback_url"}


@dataclass
class MiniMaxContract:
    """Answers requests; a test says how jobs end."""

    url: str = ""
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    #: Whether the second interface wraps a job.
    wraps: bool = True

    @property
    def created(self) -> list[str]:
        return list(self.bodies)

    def __call__(self, request: Request) -> Reply:
        parts = urlsplit(request.path)
        if parts.path in self.files:
            assert "authorization" not in request.headers, "a key went to where results lie"
            return Reply(200, self.files[parts.path])
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return said(1004, "login fail: Please carry the API secret key")
        return self._routed(request, parts.path.strip("/").split("/"), parse_qs(parts.query)) or Reply(404, b"404")

    def _routed(self, request: Request, route: list[str], query: dict[str, list[str]]) -> Reply | None:
        match request.method, route:
            case "POST", ["v1", "video_generation"]:
                return self._create(request.json(), _V1)
            case "POST", ["v2", "video_generation"]:
                return self._create(request.json(), _V2)
            case "GET", ["v1", "query", "video_generation"]:
                job = self.jobs.get(query["task_id"][0])
                return said(0, "success", **job) if job else said(2013, "invalid params, task_id")
            case "GET", ["v1", "files", "retrieve"]:
                return self._file(query["file_id"][0])
            case "GET", ["v2", "query", "video_generation", number]:
                job = self.jobs.get(number)
                return Reply(200, {"task": job} if self.wraps else job) if job else said(2013, "invalid params")
        return None

    def _create(self, body: dict[str, Any], known: set[str]) -> Reply:
        if unknown := sorted(set(body) - known):
            return said(2013, f"invalid params, {unknown[0]}")
        second = known is _V2
        words = body["content"][0]["text"] if second else body["prompt"]
        pictures = [part["image_url"]["url"] for part in body.get("content", [])[1:]]
        pictures += [body["first_frame_image"]] if "first_frame_image" in body else []
        if "gore" in words:
            return said(1026, "input new_sensitive", task_id="")
        if len(words) > 2000 or body["duration"] not in (range(5, 16) if second else (6, 10)):
            return said(2013, "invalid params, duration or prompt", task_id="")
        for url in pictures:
            assert base64.b64decode(url.removeprefix("data:image/png;base64,"), validate=True).startswith(b"\x89PNG")
        number = str(306700 + len(self.bodies))
        self.bodies[number] = body
        self.jobs[number] = {"id": number, "status": "queued"} if second else {"task_id": number, "status": "Queueing"}
        return said(0, "success", task_id=number)

    def _file(self, number: str) -> Reply:
        path = f"/files/{number}.mp4"
        if path not in self.files:
            return said(2013, "invalid params, file_id")
        file = {"file_id": int(number), "bytes": len(self.files[path]), "filename": "output.mp4"}
        return said(0, "success", file={**file, "download_url": f"{self.url}{path}?sig=secret"})

    def finish(self, external_id: str, data: bytes) -> None:
        """Bring a job to its end, with a clip."""
        path = f"/files/{external_id}.mp4"
        self.files[path] = data
        if "id" in self.jobs[external_id]:
            self.jobs[external_id] |= {"status": "succeeded", "content": {"url": f"{self.url}{path}?sig=secret"}}
        else:
            self.jobs[external_id] |= {"status": "Success", "file_id": external_id, "video_width": 1366}

    def fail(self, external_id: str, code: int, message: str) -> None:
        if "id" in self.jobs[external_id]:
            self.jobs[external_id] |= {"status": "failed", "error": {"code": str(code), "message": message}}
        else:
            complaint = {"status_code": code, "status_msg": message}
            self.jobs[external_id] |= {"status": "Fail", "base_resp": complaint}


def said(code: int, message: str, **fields: Any) -> Reply:
    return Reply(200, {"base_resp": {"status_code": code, "status_msg": message}, **fields})
