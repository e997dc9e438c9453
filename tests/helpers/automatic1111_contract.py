"""A server with the API of AUTOMATIC1111's web UI, as its source has it: strict about the fields that it knows."""

import base64
import json
from dataclasses import dataclass
from typing import Any

from tests.helpers.painting import paint
from tests.helpers.service import Reply, Request

_FIELDS = {
    "prompt", "negative_prompt", "seed", "width", "height", "steps", "cfg_scale", "sampler_name", "scheduler",
    "send_images", "save_images", "override_settings", "override_settings_restore_afterwards", "init_images",
    "denoising_strength", "alwayson_scripts",
}  # fmt: skip


@dataclass
class Automatic1111Contract:
    """Answers requests; `password` is that of --api-auth."""

    password: str = ""
    progress: float = 0.0

    def __call__(self, request: Request) -> Reply:
        if self.password:
            wanted = "Basic " + base64.b64encode(self.password.encode()).decode()
            if request.headers.get("authorization") != wanted:
                return Reply(401, {"detail": "Incorrect username or password"})
        match request.method, request.path.partition("?")[0]:
            case "GET", "/sdapi/v1/options":
                return Reply(200, {"sd_model_checkpoint": "base.safetensors"})
            case "GET", "/sdapi/v1/progress":
                return Reply(200, {"progress": self.progress, "state": {}, "current_image": None})
            case "POST", "/sdapi/v1/interrupt":
                return Reply(200, {})
            case "POST", "/sdapi/v1/txt2img" | "/sdapi/v1/img2img" as route:
                return self._painted(request.json(), from_picture=route.endswith("img2img"))
        return Reply(404, {"detail": "Not Found"})

    def _painted(self, fields: dict[str, Any], *, from_picture: bool) -> Reply:
        if set(fields) - _FIELDS or fields["width"] % 8 or fields["height"] % 8:
            return Reply(422, {"detail": [{"loc": ["body"], "msg": "bad field", "type": "x"}]})
        if from_picture != bool(fields.get("init_images")):
            return Reply(404, {"detail": "Init image not found"})
        if fields.get("sampler_name") not in (None, "Euler a"):
            return Reply(404, {"error": "HTTPException", "detail": "Sampler not found", "body": "", "errors": ""})
        data = paint(fields["prompt"], fields["width"], fields["height"], transparent=False)
        info = json.dumps({"seed": fields["seed"], "all_seeds": [fields["seed"]]})
        return Reply(200, {"images": [base64.b64encode(data).decode()], "parameters": {}, "info": info})
