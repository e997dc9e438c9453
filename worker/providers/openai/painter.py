"""Painting over OpenAI's Images API: `POST /images/generations` and `POST /images/edits`.

Field names and limits: OpenAI's API reference and Python SDK, autumn 2026. There is no job, no progress and no way to
stop one but to hang up, after which it may be charged all the same.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from domain.clock import Clock
from worker.providers.base import ProviderError
from worker.providers.errors import BAD_ANSWER, CONTENT_POLICY, INVALID_REQUEST, FailureKind, failure
from worker.providers.http.answer import Answer
from worker.providers.http.call import Call, FormFile
from worker.providers.http.client import HttpClient
from worker.providers.http.download import Downloader, DownloadFailed, from_base64
from worker.providers.http.media_type import PICTURES, media_type_of
from worker.providers.openai.judge import by_code, message_of
from worker.providers.openai.options import OFFICIAL_URL, OpenAIOptions
from worker.providers.pictures.shot import Painted, Shot, Traits

MAX_PROMPT: Final = 32_000
_OFFICIAL_PICTURES: Final = 16
_OTHERS_PICTURES: Final = 1


class OpenAIPainter:
    """Paints with one model of one server."""

    def __init__(
        self, client: HttpClient, downloader: Downloader, model: str, options: OpenAIOptions, clock: Clock
    ) -> None:
        official = client.service.base_url == OFFICIAL_URL
        self._client = client
        self._downloader = downloader
        self._model = model
        self._options = options
        self._clock = clock
        self._official = official
        self._sizes = options.resolved_sizes(model, official=official)
        pictures = options.max_pictures or (_OFFICIAL_PICTURES if official else _OTHERS_PICTURES)
        self.traits = Traits(
            transparency=official if options.transparency is None else options.transparency,
            seeds=options.seeds,
            edits=options.edits,
            references=pictures - 1 if options.edits else 0,
        )

    async def paint(self, shot: Shot, progress: Callable[[float], Awaitable[None]]) -> Painted:  # noqa: ARG002
        """Paint one picture; raises `ProviderError`."""
        answer = await self._client.send(self._call(shot))
        return await self._read(answer, shot)

    def _call(self, shot: Shot) -> Call:
        fields = self._fields(shot)
        pictures = [*((shot.source,) if shot.source is not None else ()), *shot.references]
        if not pictures:
            return Call("POST", "/images/generations", json=fields, paid=True)
        name = "image[]" if len(pictures) > 1 else "image"
        files: list[FormFile] = [
            (name, f"picture-{number}.png", data, "image/png") for number, data in enumerate(pictures)
        ]
        form = {key: _form_text(value) for key, value in fields.items()}
        return Call("POST", "/images/edits", form=form, files=files, paid=True)

    def _fields(self, shot: Shot) -> dict[str, str | int | float | bool]:
        options = self._options
        width, height = self._sizes.choose(shot.width, shot.height)
        fields: dict[str, str | int | float | bool] = {
            "prompt": self._prompt(shot),
            "n": 1,
            "size": f"{width}x{height}",
        }
        if self._model:
            fields["model"] = self._model
        if self.traits.transparency:
            fields["background"] = "transparent" if shot.transparent else "opaque"
            fields["output_format"] = "png"
        if options.quality:
            fields["quality"] = options.quality
        if options.moderation:
            fields["moderation"] = options.moderation
        if options.seeds:
            fields["seed"] = shot.seed
        if options.negative_prompt and shot.negative_prompt:
            fields["negative_prompt"] = shot.negative_prompt
        response_format = options.response_format or (None if self._official else "b64_json")
        if response_format:
            fields["response_format"] = response_format
        return {**fields, **options.extra}

    def _prompt(self, shot: Shot) -> str:
        if not shot.negative_prompt or self._options.negative_prompt:
            return shot.prompt[:MAX_PROMPT]
        avoid = f"\nAvoid: {shot.negative_prompt}."
        return shot.prompt[: MAX_PROMPT - len(avoid)] + avoid

    async def _read(self, answer: Answer, shot: Shot) -> Painted:
        body = answer.json_object()
        data = body.get("data")
        first = data[0] if isinstance(data, list) and data and isinstance(data[0], Mapping) else None
        if first is None:
            raise self._failed(BAD_ANSWER, answer, message_of(body) or "There is no picture in the answer.")
        if error := first.get("error"):  # Ark and others put the failure of one picture beside those that came
            refusal = by_code(error, answer, self._clock.now())
            raise self._failed(refusal.kind if refusal else INVALID_REQUEST, answer, message_of({"error": error}))
        picture = await self._picture(first, answer)
        if media_type_of(picture) not in PICTURES:
            raise self._failed(BAD_ANSWER, answer, "What was sent is no picture.")
        report = {name: body[name] for name in ("usage", "quality", "size", "background") if body.get(name) is not None}
        if revised := first.get("revised_prompt"):
            report["revisedPrompt"] = str(revised)[:MAX_PROMPT]
        return Painted(picture, shot.seed if self._options.seeds else None, answer.request_id, report)

    async def _picture(self, item: Mapping[str, object], answer: Answer) -> bytes:
        try:
            if text := item.get("b64_json"):
                return from_base64(str(text))
            if url := item.get("url"):
                return (await self._downloader.fetch(str(url), PICTURES)).data
        except DownloadFailed as error:
            raise self._failed(BAD_ANSWER, answer, str(error)) from error
        filtered = item.get("finish_reason") == "content_filter"
        raise self._failed(CONTENT_POLICY if filtered else BAD_ANSWER, answer, "There is no picture in the answer.")

    def _failed(self, kind: FailureKind, answer: Answer, said: str) -> ProviderError:
        service = self._client.service
        return failure(kind, service.name, said=service.without_secrets(said), request_id=answer.request_id)


def _form_text(value: str | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
