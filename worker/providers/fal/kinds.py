"""The types of provider behind which fal stands."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from worker.callbacks.fal import FalReader
from worker.callbacks.reader import Callback, CallbackReader, Message
from worker.providers.fal import works
from worker.providers.fal.judge import judge_fal
from worker.providers.fal.queue import DEFAULT_URL, PROBE, Queue
from worker.providers.hosting import HostedKind, Parts, plain_key
from worker.providers.options import read_options
from worker.providers.registry import AnyProvider


def _image(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, works.FalImageOptions)
    model = parts.entry.model or works.DEFAULT_PICTURE_MODEL
    models = works.Models(model, options.picture_model, options, clips=False)
    traits = works.fal_traits(models, options)
    can = works.fal_picture_capabilities(models, traits, parts.asset_types)
    service = works.FalImages(parts.client, models, options, parts.callback_url)
    return parts.paints(service, parts.work(model, traits), can, options.check_seconds)


def _video(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, works.FalOptions)
    model = parts.entry.model or works.DEFAULT_CLIP_MODEL
    usual = works.DEFAULT_CLIP_PICTURE_MODEL if model == works.DEFAULT_CLIP_MODEL else None
    models = works.Models(model, options.picture_model or usual, options, clips=True)
    can = works.fal_clip_capabilities(models)
    service = works.FalVideos(parts.client, models, options, parts.callback_url)
    return parts.films(service, model, can, options.check_seconds)


class _Reader:
    """Reads messages of fal, which name a job by its number alone: the address says which it is."""

    def __init__(self, queue: Queue) -> None:
        self._signed = FalReader(queue.keys)

    async def read(self, message: Message, now: datetime) -> Callback | None:
        callback = await self._signed.read(message, now)
        return None if callback is None else replace(callback, external_id=None)


def _reader(options: type[works.FalOptions]) -> Callable[[Parts], CallbackReader | None]:
    def made(parts: Parts) -> CallbackReader | None:
        wanted = read_options(parts.entry, options).callbacks
        return _Reader(Queue(parts.client)) if wanted else None

    return made


_KEY: Final = plain_key(judge_fal, prefix="Key ")
FAL_KINDS: Final[Mapping[str, HostedKind]] = {
    "fal-image": HostedKind(DEFAULT_URL, _KEY, _image, PROBE, _reader(works.FalImageOptions)),
    "fal-video": HostedKind(DEFAULT_URL, _KEY, _video, PROBE, _reader(works.FalOptions)),
}
