"""The types of provider behind which fal stands."""

from collections.abc import Mapping
from typing import Final

from worker.providers.fal import works
from worker.providers.fal.judge import judge_fal
from worker.providers.fal.queue import DEFAULT_URL, PROBE
from worker.providers.hosting import HostedKind, Parts, plain_key
from worker.providers.options import read_options
from worker.providers.registry import AnyProvider


def _image(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, works.FalImageOptions)
    model = parts.entry.model or works.DEFAULT_PICTURE_MODEL
    models = works.Models(model, options.picture_model, options, clips=False)
    traits = works.fal_traits(models, options)
    can = works.fal_picture_capabilities(models, traits, parts.asset_types)
    return parts.paints(
        works.FalImages(parts.client, models, options), parts.work(model, traits), can, options.check_seconds
    )


def _video(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, works.FalOptions)
    model = parts.entry.model or works.DEFAULT_CLIP_MODEL
    usual = works.DEFAULT_CLIP_PICTURE_MODEL if model == works.DEFAULT_CLIP_MODEL else None
    models = works.Models(model, options.picture_model or usual, options, clips=True)
    can = works.fal_clip_capabilities(models)
    return parts.films(works.FalVideos(parts.client, models, options), model, can, options.check_seconds)


_KEY: Final = plain_key(judge_fal, prefix="Key ")
FAL_KINDS: Final[Mapping[str, HostedKind]] = {
    "fal-image": HostedKind(DEFAULT_URL, _KEY, _image, PROBE),
    "fal-video": HostedKind(DEFAULT_URL, _KEY, _video, PROBE),
}
