"""A chat server of OpenAI's dialect with a vision model whose answers a test writes."""

import json
from dataclasses import dataclass, field
from typing import Any

from tests.helpers.service import Reply, Request

GOOD = {"style": 0.9, "subject": 1, "use": 0.8, "problems": []}
BAD = {"style": 0.9, "subject": 0.2, "use": 0.8, "problems": ["The hat is missing.", "Paint it green."]}


@dataclass
class ChatContract:
    """Answers with the next of `answers`, then with `GOOD`; text is sent as it is. Takes some response formats only."""

    answers: list[dict[str, Any] | str] = field(default_factory=list)
    formats: tuple[str | None, ...] = ("json_schema", "json_object", None)
    requests: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
        if request.path.endswith("/models"):
            return Reply(200, {"object": "list", "data": []})
        body = request.json()
        self.requests.append(body)
        wanted = body.get("response_format")
        if (wanted["type"] if wanted else None) not in self.formats:
            message = "Invalid parameter: 'response_format' of this type is not supported with this model."
            return Reply(400, {"error": {"message": message, "type": "invalid_request_error"}})
        answer = self.answers.pop(0) if self.answers else GOOD
        content = answer if isinstance(answer, str) else json.dumps(answer)
        return Reply(200, completion(content))


def completion(content: Any, **fields: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "refusal": fields.pop("refusal", None)}
    choice = {"index": 0, "finish_reason": "stop", "message": message, **fields}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
