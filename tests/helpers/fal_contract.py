"""fal's queue as its Python SDK and documentation describe it, strict about what is sent."""

import base64
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.helpers.service import Reply, Request

KEY = "fal-id:fal-secret-0123456789"
_FIELDS = {
    "fal-ai/flux/dev": {"prompt", "image_size", "seed", "num_images", "output_format", "num_inference_steps"},
    "fal-ai/nano-banana/edit": {"prompt", "image_urls", "num_images", "output_format", "aspect_ratio"},
    "fal-ai/kling-video/v2.5-turbo/pro/text-to-video": {"prompt", "duration", "aspect_ratio", "negative_prompt"},
    "fal-ai/kling-video/v2.5-turbo/pro/image-to-video": {"prompt", "duration", "image_url", "negative_prompt"},
}


@dataclass
class FalContract:
    """Answers requests; a test says how jobs end."""

    url: str = ""
    #: By their paths there.
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    results: dict[str, Reply] = field(default_factory=dict)
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
        if request.headers.get("authorization") != f"Key {KEY}":
            return error(401, f"Cannot access application with {request.headers.get('authorization')}.")
        name = path.strip("/")
        return self._create(name, request) if request.method == "POST" else self._of_a_job(request, name)

    def _of_a_job(self, request: Request, name: str) -> Reply:
        job = self.jobs.get(name.removesuffix("/status").removesuffix("/cancel"))
        if job is None:
            return error(404, "Request not found")
        if request.method == "PUT" and name.endswith("/cancel"):
            return self._cancel(name.removesuffix("/cancel"), job)
        if name.endswith("/status"):
            return Reply(200 if job["status"] == "COMPLETED" else 202, job)
        if job["status"] != "COMPLETED":
            return error(400, "Request is still in progress")
        return self.results[name]

    def _create(self, model: str, request: Request) -> Reply:
        body, query = request.json(), parse_qs(urlsplit(request.path).query)
        known = _FIELDS.get(model)
        if known is None:
            return error(404, f"Application {model} not found")
        number = f"9f1e-{len(self.bodies)}"
        path = f"{'/'.join(model.split('/')[:2])}/requests/{number}"
        self.bodies[path] = {"model": model, "query": query, **body}
        base = f"{self.url}/{path}"
        urls = {"response_url": base, "status_url": f"{base}/status", "cancel_url": f"{base}/cancel"}
        self.jobs[path] = {"request_id": number, "status": "IN_QUEUE", "queue_position": 2, **urls}
        for url in [*body.get("image_urls", []), *filter(None, [body.get("image_url")])]:
            assert base64.b64decode(url.removeprefix("data:image/png;base64,"), validate=True).startswith(b"\x89PNG")
        if wrong := sorted(set(body) - known):
            self.refuse(path, 422, [{"loc": ["body", wrong[0]], "msg": "is not a field", "type": "extra_forbidden"}])
        if "gore" in body["prompt"]:  # it is the model that refuses
            said = "The content could not be processed because it was flagged by a content checker."
            self.refuse(path, 422, [{"loc": ["body", "prompt"], "msg": said, "type": "content_policy_violation"}])
        created = {**self.jobs[path], "status": "IN_QUEUE"}
        return Reply(200, created, {"x-fal-request-id": number})

    def _cancel(self, path: str, job: dict[str, Any]) -> Reply:
        if job["status"] == "COMPLETED":
            return Reply(400, {"status": "ALREADY_COMPLETED"})
        self.cancelled.append(path)
        return Reply(202, {"status": "CANCELLATION_REQUESTED"})

    def finish(self, path: str, data: bytes) -> None:
        """Bring a job to its end, with a file."""
        place = f"/files/{path.rpartition('/')[2]}"
        self.files[place] = data
        file = {"url": f"{self.url}{place}?sig=secret", "content_type": "x", "file_size": len(data)}
        clip = data[4:8] == b"ftyp"
        pictures = {"images": [{**file, "width": 1, "height": 1}], "seed": 11, "has_nsfw_concepts": [False]}
        self.ended(path, Reply(200, {"video": file} if clip else pictures))

    def ended(self, path: str, result: Reply, **status: Any) -> None:
        self.jobs[path] |= {"status": "COMPLETED", "logs": None, "metrics": {"inference_time": 1.9}, **status}
        self.results[path] = result

    def refuse(self, path: str, status: int, detail: list[dict[str, Any]]) -> None:
        self.ended(path, Reply(status, {"detail": detail}, {"x-fal-retryable": "false"}))


def error(status: int, detail: str, kind: str = "", **headers: str) -> Reply:
    body: dict[str, Any] = {"detail": detail, **({"error_type": kind} if kind else {})}
    return Reply(status, body, {"x-fal-request-id": "fal-refused", **headers})
