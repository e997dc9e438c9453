"""The types of provider behind which Replicate stands."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from worker.callbacks.reader import CallbackReader
from worker.callbacks.standard import StandardReader
from worker.providers.clips.work import clip_capabilities
from worker.providers.hosting import HostedKind, Parts, plain_key
from worker.providers.options import read_options
from worker.providers.registry import AnyProvider
from worker.providers.replicate import works
from worker.providers.replicate.judge import judge_replicate
from worker.providers.replicate.predictions import DEFAULT_URL, PROBE, Predictions


def _image(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, works.ReplicateImageOptions)
    model = parts.entry.model or works.DEFAULT_PICTURE_MODEL
    traits = works.replicate_traits(model, options)
    can = works.replicate_picture_capabilities(traits, parts.asset_types)
    service = works.ReplicateImages(parts.client, model, options, parts.callback_url)
    return parts.paints(service, parts.work(model, traits), can, options.check_seconds)


def _video(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, works.ReplicateVideoOptions)
    model = parts.entry.model or works.DEFAULT_CLIP_MODEL
    can = replace(clip_capabilities(seeds=options.seeds), kinds=works.replicate_clip_kinds(model, options))
    service = works.ReplicateVideos(parts.client, model, options, parts.callback_url)
    return parts.films(service, model, can, options.check_seconds)


def _reader(options: type[works.ReplicateOptions]) -> Callable[[Parts], CallbackReader | None]:
    def made(parts: Parts) -> CallbackReader | None:
        wanted = read_options(parts.entry, options).callbacks
        return StandardReader(Predictions(parts.client, "", {}).secret) if wanted else None

    return made


_KEY: Final = plain_key(judge_replicate)
REPLICATE_KINDS: Final[Mapping[str, HostedKind]] = {
    "replicate-image": HostedKind(DEFAULT_URL, _KEY, _image, PROBE, _reader(works.ReplicateImageOptions)),
    "replicate-video": HostedKind(DEFAULT_URL, _KEY, _video, PROBE, _reader(works.ReplicateVideoOptions)),
}
