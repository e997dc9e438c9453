"""The type of provider behind which Black Forest Labs stands."""

from collections.abc import Mapping
from typing import Final

from worker.providers.bfl.flux import DEFAULT_MODEL, DEFAULT_URL, PROBE, Flux, FluxOptions, flux_traits
from worker.providers.bfl.judge import judge_bfl
from worker.providers.hosting import HostedKind, Parts, plain_key
from worker.providers.options import read_options
from worker.providers.pictures.provider import picture_capabilities
from worker.providers.registry import AnyProvider


def _flux(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, FluxOptions)
    model = parts.entry.model or DEFAULT_MODEL
    traits = flux_traits(model, options)
    can = picture_capabilities(traits, parts.asset_types, asynchronous=True)
    return parts.paints(Flux(parts.client, model, options), parts.work(model, traits), can, options.check_seconds)


BFL_KINDS: Final[Mapping[str, HostedKind]] = {
    "flux": HostedKind(DEFAULT_URL, plain_key(judge_bfl, header="x-key", prefix=""), _flux, PROBE)
}
