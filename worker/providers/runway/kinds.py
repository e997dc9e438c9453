"""The type of provider behind which Runway stands."""

from collections.abc import Mapping
from typing import Final

from worker.providers.hosting import HostedKind, Parts, plain_key
from worker.providers.options import read_options
from worker.providers.registry import AnyProvider
from worker.providers.runway import gen


def _runway(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, gen.RunwayOptions)
    model = parts.entry.model or gen.DEFAULT_MODEL
    service = gen.Runway(parts.client, model, options)
    return parts.films(service, model, gen.runway_capabilities(model, options), options.check_seconds)


_KEY: Final = plain_key(gen.judge_runway, further=gen.VERSION_HEADER)
RUNWAY_KINDS: Final[Mapping[str, HostedKind]] = {"runway": HostedKind(gen.DEFAULT_URL, _KEY, _runway, gen.PROBE)}
