"""Painting with Stability AI: `POST /v2beta/stable-image/generate/{core|ultra|sd3}`, always as a multipart form.

Fields and errors: the vendor's documentation and clients of others, autumn 2026. A picture that was filtered comes with
status 200 and blurred, and says so in `finish_reason`.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from worker.providers.base import ProviderError
from worker.providers.errors import BAD_ANSWER, CONTENT_POLICY, FailureKind, failure
from worker.providers.http.answer import Answer
from worker.providers.http.call import Call, FormFile
from worker.providers.http.client import HttpClient
from worker.providers.http.download import DownloadFailed, from_base64
from worker.providers.http.media_type import PICTURES, media_type_of
from worker.providers.http.refusal import Refusal, refusal_by_status
from worker.providers.pictures.shot import Painted, Shot, Traits
from worker.providers.pictures.size import nearest_ratio

DEFAULT_URL: Final = "https://api.stability.ai"
DEFAULT_MODEL: Final = "core"
_RATIOS: Final = ("1:1", "16:9", "9:16", "3:2", "2:3", "5:4", "4:5", "21:9", "9:21")
_MAX_PROMPT: Final = 10_000
#: A form without a file would not be sent as multipart, which the service demands.
_NOTHING: Final[FormFile] = ("none", "", b"", "application/octet-stream")


class StabilityOptions(BaseModel):
    """`[provider.options]` of the type `stability`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    style_preset: str = Field("", max_length=50)
    #: Of image-to-image: 0 keeps the source, 1 forgets it.
    strength: float = Field(0.6, ge=0, le=1)
    output_format: Literal["png", "webp", "jpeg"] = "png"


def judge_stability(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    """Return why an answer is none; errors come as `{"id", "name", "errors": [...]}`."""
    body = answer.json_object()
    errors = body.get("errors")
    said = "; ".join(str(error) for error in errors[:3]) if isinstance(errors, list) else ""
    if not answer.succeeded and body.get("name") == "content_moderation":
        return Refusal(CONTENT_POLICY, said)
    return refusal_by_status(answer, paid=paid, said=said or answer.text(), now=now)


class StabilityPainter:
    """Paints with `core`, `ultra`, or one of the models sd3.5-*."""

    def __init__(self, client: HttpClient, model: str, options: StabilityOptions) -> None:
        self._client = client
        self._model = model
        self._options = options
        self._service = model if model in {"core", "ultra"} else "sd3"
        self.traits = Traits(seeds=True, edits=self._service != "core")

    async def paint(self, shot: Shot, progress: Callable[[float], Awaitable[None]]) -> Painted:  # noqa: ARG002
        """Paint one picture; raises `ProviderError`."""
        files = [_NOTHING] if shot.source is None else [("image", "source.png", shot.source, "image/png")]
        call = Call(
            "POST",
            f"/v2beta/stable-image/generate/{self._service}",
            form=self._form(shot),
            files=files,
            headers={"accept": "application/json"},
            paid=True,
        )
        return self._read(await self._client.send(call))

    def _form(self, shot: Shot) -> dict[str, str]:
        form = {
            "prompt": shot.prompt[:_MAX_PROMPT],
            "seed": str(shot.seed),
            "output_format": self._options.output_format,
        }
        if shot.negative_prompt:
            form["negative_prompt"] = shot.negative_prompt[:_MAX_PROMPT]
        if self._options.style_preset and self._service != "sd3":
            form["style_preset"] = self._options.style_preset
        if self._service == "sd3" and self._model != "sd3":
            form["model"] = self._model
        if shot.source is None:
            form["aspect_ratio"] = nearest_ratio(_RATIOS, shot.width, shot.height)
        else:
            form["strength"] = f"{self._options.strength:g}"
            if self._service == "sd3":
                form["mode"] = "image-to-image"
        return form

    def _read(self, answer: Answer) -> Painted:
        body = answer.json_object()
        if body.get("finish_reason") == "CONTENT_FILTERED":
            raise self._failed(CONTENT_POLICY, answer, "What was painted was filtered.")
        try:
            data = from_base64(str(body.get("image") or ""))
        except DownloadFailed as error:
            raise self._failed(BAD_ANSWER, answer, str(error)) from error
        if media_type_of(data) not in PICTURES:
            raise self._failed(BAD_ANSWER, answer, "There is no picture in the answer.")
        seed = body.get("seed")
        return Painted(data, seed if isinstance(seed, int) else None, answer.request_id)

    def _failed(self, kind: FailureKind, answer: Answer, said: str) -> ProviderError:
        return failure(kind, self._client.service.name, said=said, request_id=answer.request_id)
