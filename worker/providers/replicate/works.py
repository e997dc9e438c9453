"""Painting and filming with models of Replicate."""

import re
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.kinds import AssetType, TaskKind
from worker.providers.base import Capabilities
from worker.providers.clips.provider import ClipOrder
from worker.providers.errors import INVALID_REQUEST, failure
from worker.providers.http.client import HttpClient
from worker.providers.inputs.fill import NoPictureTaken, clip_input, picture_input
from worker.providers.inputs.schema import schema_of_names
from worker.providers.jobs.service import CallbackUrl, Look
from worker.providers.pictures.provider import picture_capabilities
from worker.providers.pictures.shot import Shot, Traits
from worker.providers.replicate.predictions import Predictions

DEFAULT_PICTURE_MODEL: Final = "black-forest-labs/flux-schnell"
DEFAULT_CLIP_MODEL: Final = "bytedance/seedance-1-pro"
_NO_PICTURE: Final = "The model's input has no field for a picture that is known here; name it in options.inputs."
#: Models that look at several pictures, and at one, by their names.
_LOOKS_AT_SEVERAL: Final = re.compile(r"nano-banana|seedream-[4-9]|flux-2|gpt-image|qwen-image-edit-plus")
_LOOKS_AT_ONE: Final = re.compile(r"kontext|edit|img2img|image-to-image")
_SEVERAL: Final = 3
_NO_SEED: Final = re.compile(r"nano-banana|gpt-image|seedream-[4-9]")


class ReplicateOptions(BaseModel):
    """`[provider.options]` of the types `replicate-image` and `replicate-video`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: Fields of the model's input whose schema does not say enough: names, and the values that each takes.
    inputs: dict[str, tuple[str | int, ...]] = Field(default_factory=dict)
    #: How long the creation of a prediction waits for its end (`Prefer: wait`); 0: not at all.
    wait_seconds: int = Field(default=0, ge=0, le=50)
    #: Whether the service tells that a prediction has ended, where there is a public address; it wants HTTPS.
    callbacks: bool = False
    check_seconds: float = Field(default=3, ge=0.1, le=3600)
    #: Further fields of every input, as the model wants them.
    extra: dict[str, str | int | float | bool] = Field(default_factory=dict)


class ReplicateImageOptions(ReplicateOptions):
    """`[provider.options]` of the type `replicate-image`. What is left out follows from the model's name."""

    #: How many pictures the model looks at in all; 0: none.
    max_pictures: int | None = Field(default=None, ge=0, le=14)
    #: Whether it makes the same picture of the same seed.
    seeds: bool | None = None
    #: Whether it leaves the background out by itself.
    transparency: bool = False


class ReplicateVideoOptions(ReplicateOptions):
    """`[provider.options]` of the type `replicate-video`. What is left out follows from the model's name."""

    #: Whether the model films from words only, and whether from a picture.
    from_words: bool | None = None
    from_pictures: bool | None = None
    seeds: bool = True


def replicate_traits(model: str, options: ReplicateImageOptions) -> Traits:
    """Return what a model that paints can."""
    looks = _SEVERAL if _LOOKS_AT_SEVERAL.search(model) else 1 if _LOOKS_AT_ONE.search(model) else 0
    pictures = looks if options.max_pictures is None else options.max_pictures
    seeds = not _NO_SEED.search(model) if options.seeds is None else options.seeds
    return Traits(options.transparency, seeds, edits=pictures > 0, references=max(0, pictures - 1))


def replicate_picture_capabilities(traits: Traits, asset_types: frozenset[AssetType] | None) -> Capabilities:
    """Return what can be made with a model that paints."""
    return picture_capabilities(traits, asset_types, asynchronous=True)


def replicate_clip_kinds(model: str, options: ReplicateVideoOptions) -> frozenset[TaskKind]:
    """Return what a model that films begins with: those for one thing only say so in their names."""
    words = "i2v" not in model and "image-to-video" not in model if options.from_words is None else options.from_words
    pictures = "t2v" not in model and "text-to-video" not in model
    pictures = pictures if options.from_pictures is None else options.from_pictures
    kinds = ((TaskKind.TEXT_TO_VIDEO, words), (TaskKind.IMAGE_TO_VIDEO, pictures))
    return frozenset(kind for kind, can in kinds if can)


class ReplicateImages:
    """Paints with one model."""

    def __init__(
        self, client: HttpClient, model: str, options: ReplicateImageOptions, callback_url: CallbackUrl
    ) -> None:
        self._name = client.service.name
        self._predictions = Predictions(client, model, schema_of_names(options.inputs), options.wait_seconds)
        self._options = options
        self._callback_url = callback_url

    async def create(self, order: Shot, job_id: str) -> str:
        """Create a prediction."""
        pictures = (*((order.source,) if order.source is not None else ()), *order.references)
        schema, urls = await self._predictions.prepared(pictures)
        try:
            given = picture_input(schema, order, urls)
        except NoPictureTaken:
            raise failure(INVALID_REQUEST, self._name, said=_NO_PICTURE) from None
        url = self._callback_url(job_id) if self._options.callbacks else None
        return await self._predictions.create({**given, **self._options.extra}, url)

    async def find(self, job_id: str) -> str | None:  # noqa: ARG002
        """Raise: the service has no place for our name of a job."""
        return await self._predictions.find()

    async def look(self, external_id: str) -> Look:
        """Ask how a prediction stands."""
        return await self._predictions.look(external_id)

    async def cancel(self, external_id: str) -> None:
        """Cancel a prediction."""
        await self._predictions.cancel(external_id)


class ReplicateVideos:
    """Films with one model."""

    def __init__(
        self, client: HttpClient, model: str, options: ReplicateVideoOptions, callback_url: CallbackUrl
    ) -> None:
        self._name = client.service.name
        self._predictions = Predictions(client, model, schema_of_names(options.inputs), options.wait_seconds)
        self._options = options
        self._callback_url = callback_url

    async def create(self, order: ClipOrder, job_id: str) -> str:
        """Create a prediction."""
        schema, urls = await self._predictions.prepared((order.frame,) if order.frame is not None else ())
        try:
            given = clip_input(schema, order.request, urls[0] if urls else None)
        except NoPictureTaken:
            raise failure(INVALID_REQUEST, self._name, said=_NO_PICTURE) from None
        url = self._callback_url(job_id) if self._options.callbacks else None
        return await self._predictions.create({**given, **self._options.extra}, url)

    async def find(self, job_id: str) -> str | None:  # noqa: ARG002
        """Raise: the service has no place for our name of a job."""
        return await self._predictions.find()

    async def look(self, external_id: str) -> Look:
        """Ask how a prediction stands."""
        return await self._predictions.look(external_id)

    async def cancel(self, external_id: str) -> None:
        """Cancel a prediction."""
        await self._predictions.cancel(external_id)
