"""Gemini's generateContent as its documentation describes it: a picture between words and thoughts."""

import base64

from tests.helpers.clients import KEY
from tests.helpers.painting import paint
from tests.helpers.service import Reply, Request


def gemini_contract(request: Request) -> Reply:
    if request.headers.get("x-goog-api-key") != KEY:
        details = [{"reason": "API_KEY_INVALID"}]
        return Reply(400, {"error": {"code": 400, "message": "API key not valid.", "details": details}})
    parts = request.json()["contents"][0]["parts"]
    config = request.json()["generationConfig"]["imageConfig"]
    width, height = (int(part) for part in config["aspectRatio"].split(":"))
    scale = 1024 // max(width, height)
    data = paint(parts[0]["text"], width * scale, height * scale, transparent=False)
    picture = {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(data).decode()}}
    thought = {"thought": True, "inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    content = {"role": "model", "parts": [{"text": "Here it is."}, thought, picture]}
    body = {"candidates": [{"content": content, "finishReason": "STOP"}], "usageMetadata": {"candidatesTokenCount": 9}}
    return Reply(200, body)
