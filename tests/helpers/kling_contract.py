"""Kling's videos as its documentation describes them, strict about what is sent and how it is signed."""

import base64
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt

from tests.helpers.service import Reply, Request

ACCESS_KEY = "kling-access-0123456789"
SECRET = "kling-secret-0123456789-0123456789-abcdef"
_FIELDS = {
    "model_name", "prompt", "negative_prompt", "mode", "duration", "aspect_ratio", "image", "image_tail", "cfg_scale",
    "camera_control", "sound", "callback_url", "external_task_id",
}  # fmt: skip


@dataclass
class KlingContract:
    """Answers requests; a test says how jobs end."""

    url: str = ""
    #: By the id that a provider has of a job: "text2video/8661".
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    tokens: list[str] = field(default_factory=list)
    #: Seconds since 1970 by which tokens are judged; None: as they come.
    now: float | None = None
    #: Newer versions tell of a job as a list of one.
    as_list: bool = False
    #: Whether lists tell our names of jobs.
    lists_names: bool = True

    @property
    def created(self) -> list[str]:
        return list(self.bodies)

    def __call__(self, request: Request) -> Reply:
        parts = urlsplit(request.path)
        if parts.path in self.files:
            assert "authorization" not in request.headers, "a key went to where results lie"
            return Reply(200, self.files[parts.path])
        if refused := self._signed_in(request.headers.get("authorization", "").removeprefix("Bearer ")):
            return refused
        match request.method, parts.path.strip("/").split("/"):
            case "POST", ["v1", "videos", ("text2video" | "image2video") as path]:
                return self._create(path, request.json())
            case "GET", ["v1", "videos", ("text2video" | "image2video") as path]:
                return self._list(path, parse_qs(parts.query))
            case "GET", ["v1", "videos", path, number]:
                found = self.jobs.get(f"{path}/{number}")
                return said([found] if self.as_list else found) if found else error(404, 1203, "task not found")
        return error(404, 1202, "no such route")

    def _signed_in(self, token: str) -> Reply | None:
        self.tokens.append(token)
        try:
            claims = jwt.decode(
                token,
                SECRET,
                algorithms=["HS256"],
                issuer=ACCESS_KEY,
                options={"verify_exp": False, "verify_nbf": False},
            )
        except jwt.PyJWTError:
            return error(401, 1002, f"authorization {token} is invalid")
        if self.now is not None and not claims["nbf"] <= self.now < claims["exp"]:
            return error(401, 1004, f"the token {token} has expired")
        return None

    def _create(self, path: str, body: dict[str, Any]) -> Reply:
        if unknown := sorted(set(body) - _FIELDS):
            return error(400, 1201, f"{unknown[0]} is not valid")
        if "gore" in body["prompt"]:
            return error(400, 1301, "the prompt violates our policy")
        if body["duration"] not in {str(seconds) for seconds in (5, 10, *range(3, 16))}:
            return error(400, 1201, "duration is not valid")
        if ("image" in body) != (path == "image2video") or ("aspect_ratio" in body) != (path == "text2video"):
            return error(400, 1201, "image and aspect_ratio go with their own paths")
        if "image" in body:
            assert base64.b64decode(body["image"], validate=True).startswith(b"\x89PNG")
        names = [job["task_info"]["external_task_id"] for job in self.jobs.values()]
        if body["external_task_id"] in names:
            return error(400, 1201, "external_task_id is not unique")
        number = str(866100 + len(self.bodies))
        now = int(time.time() * 1000)
        self.bodies[f"{path}/{number}"] = body
        self.jobs[f"{path}/{number}"] = {
            "task_id": number,
            "task_status": "submitted",
            "task_status_msg": "",
            "task_info": {"external_task_id": body["external_task_id"]},
            "created_at": now,
            "updated_at": now,
        }
        return said(self.jobs[f"{path}/{number}"])

    def _list(self, path: str, query: dict[str, list[str]]) -> Reply:
        page, size = int(query["pageNum"][0]), int(query["pageSize"][0])
        found = [job for name, job in reversed(self.jobs.items()) if name.startswith(path)]
        if not self.lists_names:
            found = [{name: value for name, value in job.items() if name != "task_info"} for job in found]
        return said(found[(page - 1) * size : page * size])

    def finish(self, external_id: str, data: bytes) -> None:
        """Bring a job to its end, with a clip."""
        path = f"/files/{external_id.replace('/', '-')}.mp4"
        self.files[path] = data
        videos = [{"id": "v1", "url": f"{self.url}{path}?sig=secret", "duration": "5.1"}]
        self.jobs[external_id] |= {"task_status": "succeed", "task_result": {"videos": videos}}


def said(data: Any) -> Reply:
    return Reply(200, {"code": 0, "message": "SUCCEED", "request_id": "r1", "data": data})


def error(status: int, code: int, message: str) -> Reply:
    return Reply(status, {"code": code, "message": message, "request_id": "kling-refused"})
