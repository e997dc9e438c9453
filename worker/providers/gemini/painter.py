"""Painting with Gemini's image models: `POST /v1beta/models/{model}:generateContent` with an API key.

Field names and reasons: Google's Python SDK, autumn 2026. An answer without a picture, with status 200, is the usual
refusal. Seeds are not reliable, so none are claimed, and no model leaves the background out.
"""

import base64
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from datetime import datetime
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from worker.providers.base import ProviderError
from worker.providers.errors import AUTH, BAD_ANSWER, CONTENT_POLICY, QUOTA, RATE_LIMITED, FailureKind, failure
from worker.providers.http.answer import Answer
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.http.download import DownloadFailed, from_base64
from worker.providers.http.media_type import PICTURES, media_type_of
from worker.providers.http.refusal import Refusal, refusal_by_status
from worker.providers.pictures.shot import Painted, Shot, Traits
from worker.providers.pictures.size import nearest_ratio

DEFAULT_URL: Final = "https://generativelanguage.googleapis.com"
DEFAULT_MODEL: Final = "gemini-3.1-flash-image"
_RATIOS: Final = ("1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9")
_REFUSALS: Final = frozenset(
    {
        "SAFETY",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
        "RECITATION",
        "SPII",
    }
)
_DELAY: Final = re.compile(r"(\d{1,6}(?:\.\d+)?)s")


class GeminiOptions(BaseModel):
    """`[provider.options]` of the type `gemini`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    image_size: Literal["512", "1K", "2K", "4K"] = "1K"
    #: How many pictures the model looks at in all.
    max_pictures: int = Field(3, ge=0, le=14)


def judge_gemini(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    """Return why an answer is none; how long to wait, and which quota is used up, stand in its details."""
    error = answer.json_object().get("error")
    if answer.succeeded or not isinstance(error, Mapping):
        return refusal_by_status(answer, paid=paid, said=answer.text(), now=now)
    said = str(error.get("message") or "")
    details = str(error.get("details") or "")
    if "API_KEY_INVALID" in details or "API key not valid" in said:
        return Refusal(AUTH)
    if error.get("status") == "RESOURCE_EXHAUSTED":
        if "PerDay" in details:
            return Refusal(QUOTA, said)
        found = _DELAY.search(details)
        return Refusal(RATE_LIMITED, said, float(found.group(1)) if found else None, resend=True)
    return refusal_by_status(answer, paid=paid, said=said, now=now)


class GeminiPainter:
    """Paints with one model."""

    def __init__(self, client: HttpClient, model: str, options: GeminiOptions) -> None:
        self._client = client
        self._model = model
        self._options = options
        self.traits = Traits(edits=options.max_pictures > 0, references=max(0, options.max_pictures - 1))

    async def paint(self, shot: Shot, progress: Callable[[float], Awaitable[None]]) -> Painted:  # noqa: ARG002
        """Paint one picture; raises `ProviderError`."""
        route = f"/v1beta/models/{self._model}:generateContent"
        answer = await self._client.send(Call("POST", route, json=self._body(shot), paid=True))
        return self._read(answer)

    def _body(self, shot: Shot) -> dict[str, object]:
        avoid = f"\nAvoid: {shot.negative_prompt}." if shot.negative_prompt else ""
        pictures = (*((shot.source,) if shot.source is not None else ()), *shot.references)
        parts: list[dict[str, object]] = [{"text": shot.prompt + avoid}, *map(_part, pictures)]
        image = {
            "aspectRatio": nearest_ratio(_RATIOS, shot.width, shot.height),
            "imageSize": self._options.image_size,
        }
        return {
            "contents": [{"role": "user", "parts": parts}],
            "generationConfig": {"responseModalities": ["IMAGE"], "imageConfig": image},
        }

    def _read(self, answer: Answer) -> Painted:
        body = answer.json_object()
        for text in _pictures(body):
            try:
                data = from_base64(text)
            except DownloadFailed as error:
                raise self._failed(BAD_ANSWER, answer, str(error)) from error
            if media_type_of(data) not in PICTURES:
                raise self._failed(BAD_ANSWER, answer, "What was sent is no picture.")
            usage = body.get("usageMetadata")
            return Painted(data, None, answer.request_id, {"usage": usage} if usage else {})
        reason = _reason(body)
        kind = CONTENT_POLICY if reason in _REFUSALS else BAD_ANSWER
        raise self._failed(kind, answer, f"There is no picture in the answer: {reason or 'no reason given'}.")

    def _failed(self, kind: FailureKind, answer: Answer, said: str) -> ProviderError:
        service = self._client.service
        return failure(kind, service.name, said=service.without_secrets(said), request_id=answer.request_id)


def _part(data: bytes) -> dict[str, object]:
    return {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(data).decode()}}


def _first(body: Mapping[str, object]) -> Mapping[str, object]:
    candidates = body.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    return first if isinstance(first, Mapping) else {}


def _pictures(body: Mapping[str, object]) -> Iterator[str]:
    """Yield the pictures among the parts: words and thoughts stand between them."""
    content = _first(body).get("content")
    parts = content.get("parts") if isinstance(content, Mapping) else None
    for part in parts if isinstance(parts, list) else []:
        inline = part.get("inlineData") if isinstance(part, Mapping) and not part.get("thought") else None
        if isinstance(inline, Mapping) and inline.get("data"):
            yield str(inline["data"])


def _reason(body: Mapping[str, object]) -> str:
    feedback = body.get("promptFeedback")
    blocked = feedback.get("blockReason") if isinstance(feedback, Mapping) else None
    return str(blocked or _first(body).get("finishReason") or "")
