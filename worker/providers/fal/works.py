"""Painting and filming with models of fal.

A model's input is what the operator says, else what is known of the models whose names are like it. Words and pictures
have models of their own there, so that a provider may have one for each.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.kinds import AssetType, TaskKind
from worker.providers.base import Capabilities
from worker.providers.clips.provider import ClipOrder
from worker.providers.clips.work import clip_capabilities
from worker.providers.data_url import data_url
from worker.providers.errors import INVALID_REQUEST, failure
from worker.providers.fal.queue import Queue
from worker.providers.http.client import HttpClient
from worker.providers.inputs.fill import NoPictureTaken, clip_input, picture_input
from worker.providers.inputs.schema import InputField, Schema, schema_of_names
from worker.providers.jobs.service import CallbackUrl, Look
from worker.providers.pictures.provider import picture_capabilities
from worker.providers.pictures.shot import Shot, Traits

DEFAULT_PICTURE_MODEL: Final = "fal-ai/flux/dev"
DEFAULT_CLIP_MODEL: Final = "fal-ai/kling-video/v2.5-turbo/pro/text-to-video"
DEFAULT_CLIP_PICTURE_MODEL: Final = "fal-ai/kling-video/v2.5-turbo/pro/image-to-video"
_NO_PICTURE: Final = "The model's input has no field for a picture that is known here; name it in options.inputs."
_FROM_PICTURES: Final = re.compile(r"image-to-image|image-to-video|/edit|kontext|reference-to")
_RATIOS: Final = ("21:9", "16:9", "4:3", "3:2", "1:1", "2:3", "3:4", "9:16", "9:21")
_CLIP_RATIOS: Final = ("16:9", "1:1", "9:16")
_FORMATS: Final = ("jpeg", "png")
#: Inputs of models by their names, the first that fits.
_PICTURE_INPUTS: Final[tuple[tuple[str, Mapping[str, tuple[str | int, ...]]], ...]] = (
    (
        "nano-banana.*/edit",
        {"image_urls[]": (), "aspect_ratio": _RATIOS[:-1], "num_images": (), "output_format": _FORMATS},
    ),
    ("nano-banana", {"aspect_ratio": _RATIOS[:-1], "num_images": (), "output_format": _FORMATS}),
    (
        "kontext",
        {"image_url": (), "aspect_ratio": _RATIOS, "seed": (), "num_images": (), "output_format": _FORMATS},
    ),
    ("seedream.*/edit", {"image_urls[]": (), "image_size": (), "seed": (), "num_images": ()}),
    ("flux-2.*/edit", {"image_urls[]": (), "image_size": (), "seed": (), "output_format": _FORMATS}),
    ("image-to-image", {"image_url": (), "seed": (), "num_images": (), "output_format": _FORMATS}),
    ("", {"image_size": (), "seed": (), "num_images": (), "output_format": _FORMATS}),
)
_CLIP_INPUTS: Final[tuple[tuple[str, Mapping[str, tuple[str | int, ...]]], ...]] = (
    ("kling.*image-to-video", {"image_url": (), "duration": ("5", "10"), "negative_prompt": ()}),
    ("kling", {"aspect_ratio": _CLIP_RATIOS, "duration": ("5", "10"), "negative_prompt": ()}),
    (
        "seedance.*image-to-video",
        {"image_url": (), "resolution": ("480p", "720p"), "duration": ("5", "10"), "seed": ()},
    ),
    (
        "seedance",
        {"aspect_ratio": _CLIP_RATIOS, "resolution": ("480p", "720p"), "duration": ("5", "10"), "seed": ()},
    ),
    ("image-to-video", {"image_url": ()}),
    ("", {}),
)


class FalOptions(BaseModel):
    """`[provider.options]` of the types `fal-image` and `fal-video`. What is left out follows from the model's name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: The model for tasks with a picture; None: of a type's usual model the usual one, else there is none.
    picture_model: str | None = Field(default=None, max_length=200)
    #: Fields of the models' input beside `prompt`: names, `[]` behind those of lists, and the values that each takes.
    inputs: dict[str, tuple[str | int, ...]] | None = None
    #: Whether the same seed makes the same again.
    seeds: bool | None = None
    #: Whether the service tells that a job has ended, where there is a public address.
    callbacks: bool = False
    check_seconds: float = Field(default=2, ge=0.1, le=3600)
    #: Further fields of every input, as the model wants them.
    extra: dict[str, str | int | float | bool] = Field(default_factory=dict)


class FalImageOptions(FalOptions):
    """`[provider.options]` of the type `fal-image`."""

    #: How many pictures the model for pictures looks at in all.
    max_pictures: int = Field(default=1, ge=1, le=14)
    #: Whether it leaves the background out by itself.
    transparency: bool = False


class Models:
    """Which model makes what: one from words, one from pictures, or one of the two."""

    def __init__(self, model: str, picture_model: str | None, options: FalOptions, *, clips: bool) -> None:
        pictures_only = bool(_FROM_PICTURES.search(model))
        self.words = None if pictures_only else model
        self.pictures = model if pictures_only else picture_model
        self._known = _CLIP_INPUTS if clips else _PICTURE_INPUTS
        self._options = options

    def chosen(self, *, has_picture: bool) -> str:
        """Return the model for a task; raises `NoPictureTaken` when there is none."""
        model = self.pictures if has_picture else self.words
        if model is None:
            raise NoPictureTaken
        return model

    def schema(self, model: str) -> Schema:
        """Return the input of a model."""
        named = self._options.inputs
        if named is None:
            named = dict(next(fields for name, fields in self._known if re.search(name, model)))
        return {"prompt": InputField(), **schema_of_names(named)}

    @property
    def seeds(self) -> bool:
        """Whether every model takes a seed."""
        if self._options.seeds is not None:
            return self._options.seeds
        return all("seed" in self.schema(model) for model in (self.words, self.pictures) if model is not None)


def fal_traits(models: Models, options: FalImageOptions) -> Traits:
    """Return what the models of a provider that paints can."""
    edits = models.pictures is not None
    # Beside a model for words, one without a source would come to it with pictures that it does not take.
    references = options.max_pictures - 1 if edits and models.words is None else 0
    return Traits(options.transparency, models.seeds, edits=edits, references=references)


def fal_picture_capabilities(models: Models, traits: Traits, asset_types: frozenset[AssetType] | None) -> Capabilities:
    """Return what can be made with the models of a provider that paints."""
    can = picture_capabilities(traits, asset_types, asynchronous=True)
    return can if models.words is not None else replace(can, kinds=frozenset({TaskKind.IMAGE_TO_IMAGE}))


def fal_clip_capabilities(models: Models) -> Capabilities:
    """Return what can be made with the models of a provider that films."""
    words, pictures = models.words is not None, models.pictures is not None
    return clip_capabilities(from_words=words, from_pictures=pictures, seeds=models.seeds)


class FalImages:
    """Paints with one or two models."""

    def __init__(self, client: HttpClient, models: Models, options: FalImageOptions, callback_url: CallbackUrl) -> None:
        self._name = client.service.name
        self._queue = Queue(client)
        self._models = models
        self._options = options
        self._callback_url = callback_url

    async def create(self, order: Shot, job_id: str) -> str:
        """Create a job."""
        pictures = [*((order.source,) if order.source is not None else ()), *order.references]
        try:
            model = self._models.chosen(has_picture=bool(pictures))
            given = picture_input(self._models.schema(model), order, [data_url(picture) for picture in pictures])
        except NoPictureTaken:
            raise failure(INVALID_REQUEST, self._name, said=_NO_PICTURE) from None
        url = self._callback_url(job_id) if self._options.callbacks else None
        return await self._queue.create(model, {**given, **self._options.extra}, url)

    async def find(self, job_id: str) -> str | None:  # noqa: ARG002
        """Raise: the service has no place for our name of a job."""
        return await self._queue.find()

    async def look(self, external_id: str) -> Look:
        """Ask how a job stands."""
        return await self._queue.look(external_id)

    async def cancel(self, external_id: str) -> None:
        """Tell that a job is not wanted any more."""
        await self._queue.cancel(external_id)


class FalVideos:
    """Films with one or two models."""

    def __init__(self, client: HttpClient, models: Models, options: FalOptions, callback_url: CallbackUrl) -> None:
        self._name = client.service.name
        self._queue = Queue(client)
        self._models = models
        self._options = options
        self._callback_url = callback_url

    async def create(self, order: ClipOrder, job_id: str) -> str:
        """Create a job."""
        frame = data_url(order.frame) if order.frame is not None else None
        try:
            model = self._models.chosen(has_picture=frame is not None)
            given = clip_input(self._models.schema(model), order.request, frame)
        except NoPictureTaken:
            raise failure(INVALID_REQUEST, self._name, said=_NO_PICTURE) from None
        url = self._callback_url(job_id) if self._options.callbacks else None
        return await self._queue.create(model, {**given, **self._options.extra}, url)

    async def find(self, job_id: str) -> str | None:  # noqa: ARG002
        """Raise: the service has no place for our name of a job."""
        return await self._queue.find()

    async def look(self, external_id: str) -> Look:
        """Ask how a job stands."""
        return await self._queue.look(external_id)

    async def cancel(self, external_id: str) -> None:
        """Tell that a job is not wanted any more."""
        await self._queue.cancel(external_id)
