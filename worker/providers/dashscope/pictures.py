"""Painting with Wan: a job of one picture.

From 2.6 on a request is a message of words and pictures; before, there is one route for words and one for pictures,
each with models of its own. Fields: the vendor's Python SDK and documentation, autumn 2026.
"""

import base64
from dataclasses import replace
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.kinds import AssetType, TaskKind
from worker.providers.base import Capabilities
from worker.providers.dashscope.tasks import Tasks, version_of
from worker.providers.http.client import HttpClient
from worker.providers.jobs.service import Look
from worker.providers.pictures.provider import picture_capabilities
from worker.providers.pictures.shot import Shot, Traits
from worker.providers.pictures.size import FreeSizes

DEFAULT_MODEL: Final = "wan2.7-image"
_MESSAGES_SINCE: Final = (2, 6)
_MESSAGES: Final = "/services/aigc/image-generation/generation"
_FROM_WORDS: Final = "/services/aigc/text2image/image-synthesis"
_FROM_PICTURES: Final = "/services/aigc/image2image/image-synthesis"
_MAX_PROMPT: Final = 2000
_MAX_NEGATIVE: Final = 500


class WanImageOptions(BaseModel):
    """`[provider.options]` of the type `wan-image`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: Whether the service may write the prompt anew, at length.
    prompt_extend: bool = False
    watermark: bool = False
    #: How many pictures a model that looks at pictures is shown in all.
    max_pictures: int = Field(default=3, ge=1, le=9)
    check_seconds: float = Field(default=3, ge=0.1, le=3600)
    #: Further parameters of every request, as the service wants them.
    extra: dict[str, str | int | float | bool] = Field(default_factory=dict)


def wan_traits(model: str, options: WanImageOptions) -> Traits:
    """Return what a model can: which look at pictures, their names say."""
    looks = "i2i" in model or (version_of(model) >= _MESSAGES_SINCE and "t2i" not in model)
    return Traits(seeds=True, edits=looks, references=options.max_pictures - 1 if looks else 0)


def wan_capabilities(model: str, traits: Traits, asset_types: frozenset[AssetType] | None) -> Capabilities:
    """Return what can be made with a model; one for pictures makes nothing from words alone."""
    can = picture_capabilities(traits, asset_types, asynchronous=True)
    return replace(can, kinds=frozenset({TaskKind.IMAGE_TO_IMAGE})) if "i2i" in model else can


class WanImages:
    """Paints with one model."""

    def __init__(self, client: HttpClient, model: str, options: WanImageOptions) -> None:
        self._tasks = Tasks(client)
        self._model = model
        self._options = options
        self._messages = version_of(model) >= _MESSAGES_SINCE
        # 2.6 wants 1280² to 1440² pixels in all; before, each side has 512 to 1440.
        self._sizes = (
            FreeSizes(multiple=16, min_side=512, max_side=2880, max_ratio=4.0, best_pixels=1360**2, max_pixels=1360**2)
            if self._messages
            else FreeSizes(multiple=16, min_side=512, max_side=1440, best_pixels=1280**2, max_pixels=1440**2)
        )

    async def create(self, order: Shot, job_id: str) -> str:  # noqa: ARG002
        """Create a job."""
        pictures = [*((order.source,) if order.source is not None else ()), *order.references]
        urls = [f"data:image/png;base64,{base64.b64encode(data).decode()}" for data in pictures]
        width, height = self._sizes.choose(order.width, order.height)
        parameters: dict[str, object] = {
            "size": f"{width}*{height}",
            "n": 1,
            "seed": order.seed,
            "prompt_extend": self._options.prompt_extend,
            "watermark": self._options.watermark,
        }
        prompt, negative = order.prompt[:_MAX_PROMPT], order.negative_prompt[:_MAX_NEGATIVE]
        if self._messages:
            content = [{"text": prompt}, *({"image": url} for url in urls)]
            given: dict[str, object] = {"messages": [{"role": "user", "content": content}]}
            if negative:
                parameters["negative_prompt"] = negative
            route = _MESSAGES
        else:
            given = {"prompt": prompt, **({"negative_prompt": negative} if negative else {})}
            route = _FROM_PICTURES if urls else _FROM_WORDS
            if urls:
                given["images"] = urls
        body = {"model": self._model, "input": given, "parameters": {**parameters, **self._options.extra}}
        return await self._tasks.create(route, body)

    async def find(self, job_id: str) -> str | None:
        """Raise: the service has no place for our name of a job."""
        return await self._tasks.find(job_id)

    async def look(self, external_id: str) -> Look:
        """Ask how a job stands."""
        return await self._tasks.look(external_id)

    async def cancel(self, external_id: str) -> None:
        """Cancel a job that has not begun."""
        await self._tasks.cancel(external_id)
