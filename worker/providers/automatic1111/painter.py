"""Painting over the API of AUTOMATIC1111's web UI, Forge and SD.Next (`--api`): `/sdapi/v1/txt2img` and `img2img`.

Field names: the server's own source, `modules/api`. One request at a time is worked on, the others wait in line.
Progress and interruption are global: they are about whatever is being painted.
"""

import asyncio
import base64
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from worker.providers.base import ProviderError
from worker.providers.errors import BAD_ANSWER, failure
from worker.providers.http.answer import Answer
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.http.download import DownloadFailed, from_base64
from worker.providers.http.media_type import PICTURES, media_type_of
from worker.providers.http.refusal import Refusal, refusal_by_status
from worker.providers.openai.judge import message_of
from worker.providers.pictures.shot import Painted, Shot, Traits
from worker.providers.pictures.size import FreeSizes

DEFAULT_URL: Final = "http://127.0.0.1:7860"
_PROGRESS_SECONDS: Final = 1.0
_ASIDE_SECONDS: Final = 5.0


class Automatic1111Options(BaseModel):
    """`[provider.options]` of the type `automatic1111`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: int = Field(24, ge=1, le=150)
    cfg_scale: float = Field(7.0, ge=1, le=30)
    sampler: str = Field("", max_length=100)
    scheduler: str = Field("", max_length=100)
    #: Of image-to-image: 0 keeps the source, 1 forgets it.
    denoising_strength: float = Field(0.6, ge=0, le=1)
    #: Pixels that the checkpoint paints best: 512 x 512 for Stable Diffusion 1.5, 1024 x 1024 for SDXL and later.
    best_pixels: int = Field(1024 * 1024, ge=64 * 64, le=2048 * 2048)
    #: Whether a cancelled task interrupts what the server is painting, which is ours unless others use it too.
    interrupt: bool = True
    #: Further fields of every request, such as `alwayson_scripts`.
    extra: dict[str, object] = Field(default_factory=dict)


def judge_automatic1111(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    """Return why an answer is none; errors come as `{"error": class, "detail", "errors"}` or FastAPI's `detail`."""
    body = answer.json_object()
    words = [str(body.get("error") or ""), str(body.get("errors") or "") or message_of({"detail": body.get("detail")})]
    said = ": ".join(word for word in words if word) or answer.text()
    return refusal_by_status(answer, paid=paid, said=said, now=now)


class Automatic1111Painter:
    """Paints with the checkpoint that the server has loaded, or the one that is named."""

    traits = Traits(seeds=True, edits=True)

    def __init__(self, client: HttpClient, model: str, options: Automatic1111Options) -> None:
        self._client = client
        self._model = model
        self._options = options
        self._sizes = FreeSizes(
            multiple=8, min_side=64, max_side=2048, best_pixels=options.best_pixels, max_pixels=options.best_pixels
        )

    async def paint(self, shot: Shot, progress: Callable[[float], Awaitable[None]]) -> Painted:
        """Paint one picture; raises `ProviderError`."""
        route = "/sdapi/v1/txt2img" if shot.source is None else "/sdapi/v1/img2img"
        async with self._followed(progress):
            answer = await self._client.send(Call("POST", route, json=self._fields(shot), paid=True))
        return self._read(answer)

    def _fields(self, shot: Shot) -> dict[str, object]:
        options = self._options
        width, height = self._sizes.choose(shot.width, shot.height)
        fields: dict[str, object] = {
            "prompt": shot.prompt,
            "negative_prompt": shot.negative_prompt,
            "seed": shot.seed,
            "width": width,
            "height": height,
            "steps": options.steps,
            "cfg_scale": options.cfg_scale,
            "send_images": True,
            "save_images": False,
        }
        if options.sampler:
            fields["sampler_name"] = options.sampler
        if options.scheduler:
            fields["scheduler"] = options.scheduler
        if self._model:
            fields["override_settings"] = {"sd_model_checkpoint": self._model}
            fields["override_settings_restore_afterwards"] = False
        if shot.source is not None:
            fields["init_images"] = [base64.b64encode(shot.source).decode()]
            fields["denoising_strength"] = options.denoising_strength
        return {**fields, **options.extra}

    def _read(self, answer: Answer) -> Painted:
        body = answer.json_object()
        images = body.get("images")
        if not isinstance(images, list) or not images:
            raise self._bad("There is no picture in the answer.")
        try:
            data = from_base64(str(images[0]))
        except DownloadFailed as error:
            raise self._bad(str(error)) from error
        if media_type_of(data) not in PICTURES:
            raise self._bad("What was sent is no picture.")
        return Painted(data, _seed(body), None, {})

    def _bad(self, said: str) -> ProviderError:
        return failure(BAD_ANSWER, self._client.service.name, said=said)

    @contextlib.asynccontextmanager
    async def _followed(self, progress: Callable[[float], Awaitable[None]]) -> AsyncIterator[None]:
        """Tell the server's progress meanwhile; hanging up does not stop it, so a cancellation is told, too."""
        following = asyncio.create_task(self._follow(progress))
        try:
            yield
        except asyncio.CancelledError:
            if self._options.interrupt:
                await self._aside("POST", "/sdapi/v1/interrupt")
            raise
        finally:
            following.cancel()
            await asyncio.wait([following])

    async def _follow(self, progress: Callable[[float], Awaitable[None]]) -> None:
        highest = 0.0
        while True:
            await asyncio.sleep(_PROGRESS_SECONDS)
            answer = await self._aside("GET", "/sdapi/v1/progress?skip_current_image=true")
            share = answer.json_object().get("progress") if answer else None
            if isinstance(share, int | float) and highest < share <= 1:
                highest = float(share)
                await progress(highest)

    async def _aside(self, method: str, route: str) -> Answer | None:
        try:
            return await self._client.send(Call(method, route, aside=True, total_seconds=_ASIDE_SECONDS))
        except ProviderError:
            return None  # it was for convenience


def _seed(body: Mapping[str, object]) -> int | None:
    """Return the seed that was used: `info` is JSON within the JSON."""
    try:
        info = json.loads(str(body.get("info") or ""))
    except ValueError:
        return None
    seed = info.get("seed") if isinstance(info, Mapping) else None
    return seed if isinstance(seed, int) else None
