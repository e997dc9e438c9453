"""ComfyUI's server as recorded from 0.3.64: queue, history, uploads and views. A test says when jobs end."""

import json
import uuid
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.helpers.painting import paint
from tests.helpers.service import Reply, Request

WORKFLOW: dict[str, Any] = {
    "3": {"class_type": "KSampler", "inputs": {"seed": 0, "steps": 20, "positive": ["6", 0], "negative": ["7", 0]}},
    "5": {"class_type": "EmptyLatentImage", "inputs": {"width": 512, "height": 512, "batch_size": 1}},
    "6": {"class_type": "CLIPTextEncode", "inputs": {"text": ""}},
    "7": {"class_type": "CLIPTextEncode", "inputs": {"text": ""}},
    "9": {"class_type": "SaveImage", "inputs": {"images": ["3", 0], "filename_prefix": "wonder"}},
    "10": {"class_type": "LoadImage", "inputs": {"image": "example.png"}},
}
SLOTS: dict[Any, Any] = {
    "prompt": "6.text",
    "negative": "7.text",
    "seed": "3.seed",
    "width": "5.width",
    "height": "5.height",
}


@dataclass
class ComfyContract:
    """`newer` has /api/jobs and takes canonical UUIDs only."""

    newer: bool = False
    url: str = ""
    #: The ids of all that were ever queued, those that were queued twice twice.
    created: list[str] = field(default_factory=list)
    pending: dict[str, dict[str, Any]] = field(default_factory=dict)
    history: dict[str, dict[str, Any]] = field(default_factory=dict)
    uploads: dict[str, bytes] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    cancelled: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
        parts = urlsplit(request.path)
        route = parts.path.strip("/").split("/")
        found = self._told(route, parts.query) if request.method == "GET" else self._done(route, request)
        return found or Reply(404, b"404: Not Found")

    def _told(self, route: list[str], query: str) -> Reply | None:
        match route:
            case ["history", prompt_id]:
                found = self.history.get(prompt_id)
                return Reply(200, {prompt_id: found} if found else {})
            case ["queue"]:
                entries = [[0, name, graph, {}, ["9"]] for name, graph in self.pending.items()]
                return Reply(200, {"queue_running": entries[:1], "queue_pending": entries[1:]})
            case ["view"]:
                data = self.files.get(parse_qs(query)["filename"][0])
                return Reply(200, data) if data else None
            case ["system_stats"]:
                return Reply(200, {"system": {}})
        return None

    def _done(self, route: list[str], request: Request) -> Reply | None:
        match route:
            case ["prompt"]:
                return self._queue(request.json())
            case ["queue"]:
                return self._remove(request.json()["delete"])
            case ["interrupt"]:
                return self._remove([request.json()["prompt_id"]])
            case ["upload", "image"]:
                return self._upload(request)
            case ["api", "jobs", prompt_id, "cancel"] if self.newer:
                self._remove([prompt_id])
                return Reply(200, {"cancelled": True})
        return None

    def _queue(self, body: dict[str, Any]) -> Reply:
        prompt_id = body["prompt_id"]
        if self.newer and prompt_id != str(uuid.UUID(prompt_id)):
            return Reply(400, {"error": {"type": "invalid_prompt_id", "message": "bad id"}, "node_errors": {}})
        graph = body["prompt"]
        wrong = {
            "errors": [{"type": "value_smaller_than_min", "message": "Value too small", "details": "width"}],
            "class_type": "EmptyLatentImage",
        }
        if graph["5"]["inputs"]["width"] < 16:
            error = {"type": "prompt_outputs_failed_validation", "message": "Prompt outputs failed validation"}
            return Reply(400, {"error": error, "node_errors": {"5": wrong}})
        self.pending[prompt_id] = graph
        self.created.append(prompt_id)
        return Reply(200, {"prompt_id": prompt_id, "number": 0, "node_errors": {}})

    def _remove(self, ids: list[str]) -> Reply:
        for prompt_id in ids:
            if self.pending.pop(prompt_id, None) is not None:
                self.cancelled.append(prompt_id)
        return Reply(200)

    def _upload(self, request: Request) -> Reply:
        name = f"upload-{len(self.uploads)}.png"
        self.uploads[name] = request.form()["image"][0]
        return Reply(200, {"name": name, "subfolder": "", "type": "input"})

    def finish(self, prompt_id: str, data: bytes | None = None, *, transparent: bool = False) -> None:
        """End a job with a picture of its prompt, or with what is given."""
        graph = self.pending.pop(prompt_id)
        name = f"wonder_{len(self.files):05}_.png"
        size = graph["5"]["inputs"]["width"], graph["5"]["inputs"]["height"]
        self.files[name] = data or paint(graph["6"]["inputs"]["text"], *size, transparent=transparent)
        self._end(prompt_id, {"9": {"images": [{"filename": name, "subfolder": "", "type": "output"}]}}, [])

    def fail(self, prompt_id: str, name: str, **data: str) -> None:
        self.pending.pop(prompt_id, None)
        self._end(prompt_id, {}, [["execution_start", {}], [name, data]])

    def _end(self, prompt_id: str, outputs: dict[str, Any], messages: list[list[Any]]) -> None:
        said = "error" if messages else "success"
        status = {"status_str": said, "completed": not messages, "messages": messages}
        self.history[prompt_id] = json.loads(json.dumps({"outputs": outputs, "status": status, "meta": {}}))
