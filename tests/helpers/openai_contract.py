"""A server of OpenAI's Images API as its reference and SDK describe it (autumn 2026), strict about what it takes.

The vendor's own SDK is run against it too, so that it is not only our idea of the contract.
"""

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.helpers.painting import paint
from tests.helpers.service import Reply, Request

KEY = "sk-contract-0123456789"
_FIELDS = {
    "prompt", "model", "n", "size", "quality", "background", "output_format", "output_compression", "moderation",
    "stream", "partial_images", "user", "safety_identifier", "complexity",
}  # fmt: skip
_EDIT_FIELDS = _FIELDS | {"image", "image[]", "mask", "input_fidelity"}
_VALUES = {
    "quality": {"auto", "low", "medium", "high", "xhigh", "max"},
    "background": {"transparent", "opaque", "auto"},
    "output_format": {"png", "webp", "jpeg"},
    "moderation": {"low", "auto"},
}
_MODELS = {"gpt-image-2.5-flare", "gpt-image-1.5", "gpt-image-2"}


@dataclass
class OpenAIContract:
    """Answers requests; fields loosen it into one of the servers that speak the dialect."""

    key: str | None = KEY
    #: Fields that this server takes beyond OpenAI's.
    more_fields: frozenset[str] = frozenset()
    #: Whether pictures come by address; the service's own URL is set once it listens.
    by_url: str = ""
    refused_words: tuple[str, ...] = ("gore",)
    kind: str = "PNG"
    #: What was painted last, by path.
    files: dict[str, bytes] = field(default_factory=dict)

    def __call__(self, request: Request) -> Reply:
        if request.path in self.files:
            return Reply(200, self.files[request.path], {"content-type": "application/octet-stream"})
        if self.key is not None and request.headers.get("authorization") != f"Bearer {self.key}":
            masked = f"Incorrect API key provided: {request.headers.get('authorization', '')[7:]}."
            return _error(401, masked, "invalid_request_error", "invalid_api_key")
        match request.method, request.path:
            case "GET", "/v1/models":
                models = [{"id": model, "object": "model", "created": 1, "owned_by": "x"} for model in sorted(_MODELS)]
                return Reply(200, {"object": "list", "data": models})
            case "POST", "/v1/images/generations":
                return self._generate(request.json(), edit=False)
            case "POST", "/v1/images/edits":
                form = request.form()
                fields: dict[str, Any] = {name: values[0].decode("latin-1") for name, values in form.items()}
                fields["prompt"] = form["prompt"][0].decode() if "prompt" in form else ""
                return self._edit(fields, form)
        return _error(404, "Unknown request URL", "invalid_request_error", "unknown_url")

    def _edit(self, fields: dict[str, Any], form: Mapping[str, list[bytes]]) -> Reply:
        pictures = [*form.get("image", []), *form.get("image[]", [])]
        if not pictures or len(pictures) > 16:
            return _error(400, "Between 1 and 16 images are required.", "invalid_request_error", None, "image")
        if any(not picture.startswith((b"\x89PNG", b"\xff\xd8", b"RIFF")) for picture in pictures):
            return _error(400, "Invalid image file.", "invalid_request_error", "invalid_image_file", "image")
        if isinstance(fields.get("n"), str):
            fields["n"] = int(fields["n"])
        return self._generate(fields, edit=True)

    def _generate(self, fields: Mapping[str, Any], *, edit: bool) -> Reply:
        if refused := self._checked(fields, edit=edit):
            return refused
        size = self._size(str(fields.get("size", "auto")), str(fields.get("model", "gpt-image-2")))
        if size is None:
            return _error(400, f"Invalid size '{fields['size']}'.", "invalid_request_error", "invalid_value", "size")
        return self._painted(fields["prompt"], *size, transparent=fields.get("background") == "transparent")

    def _checked(self, fields: Mapping[str, Any], *, edit: bool) -> Reply | None:
        known = (_EDIT_FIELDS if edit else _FIELDS) | self.more_fields
        if unknown := sorted(set(fields) - known):
            return _error(400, f"Unknown parameter: '{unknown[0]}'.", "invalid_request_error", "unknown_parameter")
        prompt = fields.get("prompt")
        if not isinstance(prompt, str) or not 0 < len(prompt) <= 32_000:
            return _error(400, "Invalid prompt.", "invalid_request_error", None, "prompt")
        if "model" in fields and fields["model"] not in _MODELS and not self.more_fields:
            return _error(404, "The model does not exist.", "invalid_request_error", "model_not_found")
        wrong = [name for name, values in _VALUES.items() if name in fields and fields[name] not in values]
        if fields.get("background") == "transparent" and fields.get("output_format") == "jpeg":
            wrong.append("background")
        if wrong:
            return _error(400, f"Invalid value for {wrong[0]}.", "invalid_request_error", "invalid_value", wrong[0])
        if any(word in prompt for word in self.refused_words):
            message = "Your request was rejected by the safety system. safety_violations=[violence]."
            return _error(400, message, "image_generation_user_error", "moderation_blocked")
        return None

    def _size(self, size: str, model: str) -> tuple[int, int] | None:
        if size == "auto":
            return 1024, 1024
        found = re.fullmatch(r"(\d+)x(\d+)", size)
        if not found:
            return None
        width, height = int(found.group(1)), int(found.group(2))
        if not self.more_fields and not model.startswith("gpt-image-2"):
            return (width, height) if size in {"1024x1024", "1536x1024", "1024x1536"} else None
        fits = width % 16 == height % 16 == 0 and 1 / 3 <= width / height <= 3 and max(width, height) <= 3840
        return (width, height) if fits else None

    def _painted(self, prompt: str, width: int, height: int, *, transparent: bool) -> Reply:
        data = paint(prompt, width, height, transparent=transparent, kind=self.kind)
        item: dict[str, Any] = {"revised_prompt": f"As painted: {prompt[:40]}"}
        if self.by_url:
            path = f"/files/{len(self.files)}.png"
            self.files[path] = data
            item["url"] = self.by_url + path
        else:
            item["b64_json"] = base64.b64encode(data).decode()
        usage = {"input_tokens": 14, "output_tokens": 1056, "total_tokens": 1070}
        body = {"created": 1796082560, "data": [item], "size": f"{width}x{height}", "quality": "medium", "usage": usage}
        return Reply(200, body, {"x-request-id": "req_painted"})


def _error(status: int, message: str, kind: str, code: str | None, param: str | None = None) -> Reply:
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return Reply(status, json.loads(json.dumps(body)), {"x-request-id": "req_refused"})
