"""Filming with Wan: one route, models for words and models for pictures, which their names tell apart.

Fields: the vendor's Python SDK and documentation, autumn 2026. From 2.7 on pictures go into `media`, and a clip from
words has a resolution and a ratio instead of a size.
"""

import base64
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from worker.providers.base import Capabilities
from worker.providers.clips.plan import fitting_ratio, fitting_seconds, wanted_seconds
from worker.providers.clips.provider import ClipOrder
from worker.providers.clips.work import clip_capabilities
from worker.providers.dashscope.tasks import Tasks, version_of
from worker.providers.http.client import HttpClient
from worker.providers.jobs.service import Look
from worker.providers.pictures.size import FixedSizes

DEFAULT_MODEL: Final = "wan2.6-t2v"
_ROUTE: Final = "/services/aigc/video-generation/video-synthesis"
_MEDIA_SINCE: Final = (2, 7)
_SOUND: Final = (2, 5)
_LONGER_SINCE: Final = (2, 5)
_LONGEST_SINCE: Final = (2, 6)
_RATIOS: Final = ("16:9", "9:16", "1:1", "4:3", "3:4")
_SIZES: Final = FixedSizes(((1280, 720), (720, 1280), (960, 960), (1088, 832), (832, 1088)))
_MAX_NEGATIVE: Final = 500


class WanVideoOptions(BaseModel):
    """`[provider.options]` of the type `wan-video`. What is left out follows from the model's name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    resolution: Literal["480P", "720P", "1080P"] = "720P"
    #: Lengths that the model makes, in seconds.
    durations: tuple[Annotated[int, Field(ge=1, le=60)], ...] = ()
    #: Whether the clip has sound; only sent to 2.5.
    sound: bool = False
    #: Whether the service may write the prompt anew, at length.
    prompt_extend: bool = False
    watermark: bool = False
    check_seconds: float = Field(default=5, ge=0.1, le=3600)
    #: Further parameters of every request, as the service wants them.
    extra: dict[str, str | int | float | bool] = Field(default_factory=dict)


def wan_video_capabilities(model: str) -> Capabilities:
    """Return what a model films from."""
    return clip_capabilities(from_words="i2v" not in model, from_pictures="t2v" not in model, seeds=True)


class WanVideos:
    """Films with one model."""

    def __init__(self, client: HttpClient, model: str, options: WanVideoOptions) -> None:
        self._tasks = Tasks(client)
        self._model = model
        self._options = options
        self._version = version_of(model)
        self._durations = options.durations or _durations(self._version)
        self._max_prompt = 1500 if self._version >= _LONGER_SINCE else 800

    async def create(self, order: ClipOrder, job_id: str) -> str:  # noqa: ARG002
        """Create a job."""
        request = order.request
        given: dict[str, object] = {"prompt": request.prompt[: self._max_prompt]}
        if request.negative_prompt:
            given["negative_prompt"] = request.negative_prompt[:_MAX_NEGATIVE]
        if order.frame is not None:
            url = f"data:image/png;base64,{base64.b64encode(order.frame).decode()}"
            if self._version >= _MEDIA_SINCE:
                given["media"] = [{"type": "first_frame", "url": url}]
            else:
                given["img_url"] = url
        body = {"model": self._model, "input": given, "parameters": self._parameters(order)}
        return await self._tasks.create(_ROUTE, body)

    def _parameters(self, order: ClipOrder) -> dict[str, object]:
        request, options = order.request, self._options
        parameters: dict[str, object] = {
            "duration": fitting_seconds(wanted_seconds(request), self._durations),
            "seed": request.seed,
            "prompt_extend": options.prompt_extend,
            "watermark": options.watermark,
        }
        if order.frame is not None:
            parameters["resolution"] = options.resolution
        elif self._version >= _MEDIA_SINCE:
            parameters |= {"resolution": options.resolution, "ratio": fitting_ratio(request, _RATIOS)}
        else:
            width, height = _SIZES.choose(request.params.width, request.params.height)
            parameters["size"] = f"{width}*{height}"
        if self._version == _SOUND:
            parameters["audio"] = options.sound
        return {**parameters, **options.extra}

    async def find(self, job_id: str) -> str | None:
        """Raise: the service has no place for our name of a job."""
        return await self._tasks.find(job_id)

    async def look(self, external_id: str) -> Look:
        """Ask how a job stands."""
        return await self._tasks.look(external_id)

    async def cancel(self, external_id: str) -> None:
        """Cancel a job that has not begun."""
        await self._tasks.cancel(external_id)


def _durations(version: tuple[int, int]) -> tuple[int, ...]:
    if version >= _LONGEST_SINCE:
        return (5, 10, 15)
    return (5, 10) if version >= _LONGER_SINCE else (5,)
