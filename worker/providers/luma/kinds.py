"""The type of provider behind which Luma stands."""

from collections.abc import Mapping
from typing import Final

from worker.providers.clips.work import clip_capabilities
from worker.providers.hosting import HostedKind, Parts, plain_key
from worker.providers.luma.ray import DEFAULT_MODEL, DEFAULT_URL, PROBE, Luma, LumaOptions, judge_luma
from worker.providers.options import read_options
from worker.providers.registry import AnyProvider


def _luma(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, LumaOptions)
    model = parts.entry.model or DEFAULT_MODEL
    can = clip_capabilities(from_pictures=False)
    return parts.films(Luma(parts.client, model, options), model, can, options.check_seconds)


LUMA_KINDS: Final[Mapping[str, HostedKind]] = {"luma": HostedKind(DEFAULT_URL, plain_key(judge_luma), _luma, PROBE)}
