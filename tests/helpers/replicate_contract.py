"""Replicate's predictions as its Python SDK and documentation describe them, strict about what is sent."""

import base64
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.helpers.service import Reply, Request

KEY = "r8_contract_0123456789"
VERSION = "a" * 64
SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"


def schema(fields: dict[str, Any], **choices: list[Any]) -> dict[str, Any]:
    """An OpenAPI document as Cog writes it, each choice in a schema of its own."""
    chosen = {name: {"allOf": [{"$ref": f"#/components/schemas/{name}"}]} for name in choices}
    enums = {name: {"type": "string", "enum": values} for name, values in choices.items()}
    properties = {"prompt": {"type": "string"}, **fields, **chosen}
    return {"components": {"schemas": {"Input": {"type": "object", "properties": properties}, **enums}}}


_SEED = {"type": "integer", "nullable": True}
MODELS: dict[str, dict[str, Any]] = {
    "black-forest-labs/flux-schnell": schema(
        {"seed": _SEED, "num_outputs": {"type": "integer", "minimum": 1, "maximum": 4}},
        aspect_ratio=["1:1", "16:9", "3:2", "2:3", "9:16"],
        output_format=["webp", "jpg", "png"],
    ),
    "google/nano-banana": schema(
        {"image_input": {"type": "array", "items": {"type": "string", "format": "uri"}}},
        aspect_ratio=["match_input_image", "1:1", "3:2"],
        output_format=["jpg", "png"],
    ),
    "bytedance/seedance-1-pro": schema(
        {
            "seed": _SEED,
            "image": {"anyOf": [{"type": "string", "format": "uri"}, {"type": "null"}]},
            "duration": {"type": "integer", "minimum": 2, "maximum": 12},
            "negative_prompt": {"type": "string"},
        },
        resolution=["480p", "720p", "1080p"],
        aspect_ratio=["16:9", "4:3", "1:1", "3:4", "9:16"],
    ),
    "acme/old": schema({"width": {"type": "integer", "maximum": 1024}, "height": {"type": "integer"}}),
}


@dataclass
class ReplicateContract:
    """Answers requests; a test says how predictions end."""

    url: str = ""
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    uploads: dict[str, bytes] = field(default_factory=dict)
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
            return error(401, "Unauthenticated", f"You sent {request.headers.get('authorization')}.")
        route = path.strip("/").split("/")
        return self._read(request, route) or self._written(request, route) or error(404, "Not found", "No such route.")

    def _read(self, request: Request, route: list[str]) -> Reply | None:
        answer = None
        match request.method, route:
            case "GET", ["v1", "account"]:
                answer = Reply(200, {"type": "organization", "username": "acme", "name": "Acme"})
            case "GET", ["v1", "webhooks", "default", "secret"]:
                answer = Reply(200, {"key": SECRET})
            case "GET", ["v1", "models", owner, name]:
                answer = self._model(f"{owner}/{name}")
            case "GET", ["v1", "models", owner, name, "versions", version]:
                found = MODELS.get(f"{owner}/{name}")
                answer = Reply(200, _version(version, found)) if found else None
            case "GET", ["v1", "deployments", owner, _]:
                release = {"number": 1, "model": f"{owner}/old", "version": VERSION}
                answer = Reply(200, {"owner": owner, "current_release": release})
            case "GET", ["v1", "predictions", name]:
                answer = Reply(200, self.jobs[name]) if name in self.jobs else None
        return answer

    def _written(self, request: Request, route: list[str]) -> Reply | None:
        answer = None
        match request.method, route:
            case "POST", ["v1", "files"]:
                answer = self._upload(request)
            case "POST", ["v1", "predictions"]:
                answer = self._create(request, str(request.json()["version"]))
            case "POST", ["v1", "models" | "deployments", owner, name, "predictions"]:
                answer = self._create(request, f"{owner}/{name}")
            case "POST", ["v1", "predictions", name, "cancel"]:
                answer = self._cancel(name)
        return answer

    def _model(self, name: str) -> Reply | None:
        if name not in MODELS:
            return None
        owner, _, short = name.partition("/")
        about = {"url": f"https://replicate.example/{name}", "owner": owner, "name": short, "run_count": 3}
        return Reply(200, {**about, "visibility": "public", "latest_version": _version(VERSION, MODELS[name])})

    def _upload(self, request: Request) -> Reply:
        [data] = request.form()["content"]
        name = f"file-{len(self.uploads)}"
        self.uploads[name] = data
        url = f"{self.url}/v1/files/{name}"
        about = {"id": name, "name": "picture.png", "content_type": "image/png", "size": len(data), "etag": "e"}
        times = {"created_at": "2026-11-30T10:00:00Z", "expires_at": "2026-12-01T10:00:00Z"}
        return Reply(201, {**about, **times, "checksums": {}, "metadata": {}, "urls": {"get": url}})

    def _create(self, request: Request, model: str) -> Reply:
        body = request.json()
        unknown = set(body) - {"version", "input", "webhook", "webhook_events_filter", "stream"}
        if unknown or "prompt" not in body["input"]:
            return error(422, "Input validation failed", "- input: prompt is required")
        if document := MODELS.get(model):
            known = document["components"]["schemas"]["Input"]["properties"]
            if wrong := sorted(set(body["input"]) - set(known)):
                return error(422, "Input validation failed", f"- input: {wrong[0]} is not a field")
        pictures = [body["input"].get("image"), *body["input"].get("image_input", [])]
        for url in [url for url in pictures if url and not url.startswith(self.url)]:
            assert base64.b64decode(url.removeprefix("data:image/png;base64,"), validate=True).startswith(b"\x89PNG")
        name = f"rrr4z{len(self.bodies)}"
        self.bodies[name] = {"route": urlsplit(request.path).path, "headers": request.headers, **body}
        urls = {"get": f"{self.url}/v1/predictions/{name}", "cancel": f"{self.url}/v1/predictions/{name}/cancel"}
        job = {"id": name, "model": model, "version": VERSION, "status": "starting", "input": body["input"]}
        self.jobs[name] = {**job, "output": None, "error": None, "logs": "", "urls": urls, "metrics": {}}
        if "gore" in body["input"]["prompt"]:  # it is the model that refuses
            self.fail(name, "The input or output was flagged as sensitive. Please try again. (E005)")
        return Reply(201, self.jobs[name])

    def _cancel(self, name: str) -> Reply | None:
        if name not in self.jobs:
            return None
        self.cancelled.append(name)
        if self.jobs[name]["status"] in {"starting", "processing"}:
            self.jobs[name]["status"] = "canceled"
        return Reply(200, self.jobs[name])

    def finish(self, name: str, data: bytes) -> None:
        """Bring a prediction to its end, with a file; pictures come as a list, clips alone."""
        path = f"/files/{name}"
        self.files[path] = data
        url = f"{self.url}{path}?sig=secret"
        output = url if data[4:8] == b"ftyp" else [url]
        self.jobs[name] |= {"status": "succeeded", "output": output, "metrics": {"predict_time": 1.4}}

    def fail(self, name: str, said: str) -> None:
        self.jobs[name] |= {"status": "failed", "error": said}


def error(status: int, title: str, detail: str) -> Reply:
    return Reply(status, {"type": "about:blank", "title": title, "status": status, "detail": detail})


def _version(name: str, document: dict[str, Any]) -> dict[str, Any]:
    about = {"created_at": "2026-11-30T10:00:00Z", "cog_version": "0.16.0"}
    return {"id": name, **about, "openapi_schema": document}
