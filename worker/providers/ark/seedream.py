"""Painting with Seedream: `POST /images/generations`, which answers when the picture is there.

Field names: the vendor's Python SDK, autumn 2026; limits of sizes from its documentation and from users' reports.
Fields that are not set are left out: what one model takes another refuses. There is no job, and no way to stop one.
"""

import base64
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from worker.providers.ark.judge import code_of, kind_of, message_of
from worker.providers.base import ProviderError
from worker.providers.errors import BAD_ANSWER, INVALID_REQUEST, FailureKind, failure
from worker.providers.http.answer import Answer
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.http.download import Downloader, DownloadFailed, from_base64
from worker.providers.http.media_type import PICTURES, media_type_of
from worker.providers.pictures.shot import Painted, Shot, Traits
from worker.providers.pictures.size import FreeSizes

DEFAULT_URL: Final = "https://ark.cn-beijing.volces.com/api/v3"
DEFAULT_MODEL: Final = "doubao-seedream-4-5-251128"
#: Lists video tasks, which costs nothing: refused like anything else when the key is wrong.
PROBE: Final = Call("GET", "/contents/generations/tasks", query={"page_num": "1", "page_size": "1"})
_MAX_PROMPT: Final = 8000
_REPORTED: Final = ("usage", "model")
_MEGAPIXEL: Final = 1024 * 1024


class SeedreamOptions(BaseModel):
    """`[provider.options]` of the type `seedream`. What is left out follows from the model's name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: Pixels at which to paint; the models have a least number, which differs.
    best_pixels: int | None = Field(default=None, ge=512 * 512, le=4096 * 4096)
    output_format: Literal["png", "jpeg"] | None = None
    #: Whether the model takes `seed`.
    seeds: bool | None = None
    #: How many pictures the model looks at in all; 0: none.
    max_pictures: int | None = Field(default=None, ge=0, le=14)
    #: Whether the service writes its mark into the picture.
    watermark: bool = False
    #: Further fields of every request, as the service wants them.
    extra: dict[str, str | int | float | bool] = Field(default_factory=dict)


class SeedreamPainter:
    """Paints with one model, or with one endpoint of the operator's (`ep-…`)."""

    def __init__(self, client: HttpClient, downloader: Downloader, model: str, options: SeedreamOptions) -> None:
        self._client = client
        self._downloader = downloader
        self._model = model
        self._options = options
        oldest = "seedream-3" in model
        pictures = (0 if oldest else 10) if options.max_pictures is None else options.max_pictures
        self._sizes = _sizes(model, options)
        self._format = options.output_format or ("png" if "seedream-5" in model else None)
        self.traits = Traits(
            seeds=oldest if options.seeds is None else options.seeds,
            edits=pictures > 0,
            references=max(0, pictures - 1),
        )

    async def paint(self, shot: Shot, progress: Callable[[float], Awaitable[None]]) -> Painted:  # noqa: ARG002
        """Paint one picture; raises `ProviderError`."""
        answer = await self._client.send(Call("POST", "/images/generations", json=self._body(shot), paid=True))
        return await self._read(answer, shot)

    def _body(self, shot: Shot) -> dict[str, object]:
        width, height = self._sizes.choose(shot.width, shot.height)
        avoid = f"\nAvoid: {shot.negative_prompt}." if shot.negative_prompt else ""
        body: dict[str, object] = {
            "model": self._model,
            "prompt": shot.prompt[: _MAX_PROMPT - len(avoid)] + avoid,
            "size": f"{width}x{height}",
            "response_format": "b64_json",
            "watermark": self._options.watermark,
        }
        pictures = [*((shot.source,) if shot.source is not None else ()), *shot.references]
        if pictures:
            body["image"] = [_data_url(data) for data in pictures]
        if self._format:
            body["output_format"] = self._format
        if self.traits.seeds:
            body["seed"] = shot.seed
        return {**body, **self._options.extra}

    async def _read(self, answer: Answer, shot: Shot) -> Painted:
        body = answer.json_object()
        data = body.get("data")
        first = data[0] if isinstance(data, list) and data and isinstance(data[0], Mapping) else None
        if first is None:
            raise self._failed(BAD_ANSWER, answer, "There is no picture in the answer.")
        if error := first.get("error"):  # the failure of one picture stands where the picture would
            raise self._failed(kind_of(code_of(error)) or INVALID_REQUEST, answer, message_of(error))
        picture = await self._picture(first, answer)
        if media_type_of(picture) not in PICTURES:
            raise self._failed(BAD_ANSWER, answer, "What was sent is no picture.")
        report = {name: body[name] for name in _REPORTED if body.get(name) is not None}
        return Painted(picture, shot.seed if self.traits.seeds else None, answer.request_id, report)

    async def _picture(self, item: Mapping[str, object], answer: Answer) -> bytes:
        try:
            if text := item.get("b64_json"):
                return from_base64(str(text))
            if url := item.get("url"):
                return (await self._downloader.fetch(str(url), PICTURES)).data
        except DownloadFailed as error:
            raise self._failed(BAD_ANSWER, answer, str(error)) from error
        raise self._failed(BAD_ANSWER, answer, "There is no picture in the answer.")

    def _failed(self, kind: FailureKind, answer: Answer, said: str) -> ProviderError:
        service = self._client.service
        return failure(kind, service.name, said=service.without_secrets(said), request_id=answer.request_id)


def _sizes(model: str, options: SeedreamOptions) -> FreeSizes:
    """Return what a model paints in: 3.0 up to 4 megapixels, 4.0 from 0.9, later ones from 3.7 megapixels on."""
    if "seedream-3" in model:
        best, most = _MEGAPIXEL, 4 * _MEGAPIXEL
    else:
        best, most = _MEGAPIXEL if "seedream-4-0" in model else 4 * _MEGAPIXEL, 16 * _MEGAPIXEL
    return FreeSizes(
        multiple=16,
        min_side=512,
        max_side=4096,
        max_ratio=4.0,
        best_pixels=min(options.best_pixels or best, most),
        max_pixels=most,
    )


def _data_url(data: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"
