"""Providers from their configuration."""

import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from domain.clock import Clock
from domain.errors import SettingsError
from domain.provider_settings import ProviderEntry, complaints
from domain.targets import Resolve
from worker.providers.base import Provider
from worker.providers.builtin.provider import BuiltinProvider, RunInPool
from worker.providers.builtin.render import NAME
from worker.providers.health import Health
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.http.download import Downloader
from worker.providers.http.limiter import Limiter
from worker.providers.http.service import Judge, Service, Times
from worker.providers.openai.judge import judge_openai
from worker.providers.openai.options import DEFAULT_MODEL, OFFICIAL_URL, OpenAIOptions
from worker.providers.openai.painter import OpenAIPainter
from worker.providers.pictures.provider import PictureProvider
from worker.providers.probe import PROBE_SECONDS, Probe
from worker.providers.registry import AnyProvider, ProviderRegistry
from worker.providers.terms import Terms

Options = TypeVar("Options", bound=BaseModel)
#: The built-in generator is asked only when nobody else can.
BUILTIN_PRIORITY: Final = -100


@dataclass(slots=True)
class Configured:
    """The providers of a process, and what belongs to them."""

    providers: list[AnyProvider] = field(default_factory=list)
    terms: dict[str, Terms] = field(default_factory=dict)
    clients: list[HttpClient] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)

    def registry(self, further: Sequence[AnyProvider] = ()) -> ProviderRegistry:
        """Return the registry of these providers; `further` ones come last."""
        last = {provider.name: Terms(priority=BUILTIN_PRIORITY) for provider in further}
        return ProviderRegistry([*self.providers, *further], {**last, **self.terms})

    async def aclose(self) -> None:
        """Close every connection."""
        for client in self.clients:
            await client.aclose()


class ProviderFactory:
    """Makes providers; those with the same key of the same service share its limits."""

    def __init__(self, run_in_pool: RunInPool, resolve: Resolve, tls: ssl.SSLContext, clock: Clock) -> None:
        self._run_in_pool = run_in_pool
        self._resolve = resolve
        self._tls = tls
        self._clock = clock
        self._limiters: dict[tuple[str, str], Limiter] = {}

    def build(self, entries: Sequence[ProviderEntry], *, builtin: bool = False) -> Configured:
        """Return the providers that are enabled, and with `builtin` the built-in one.

        Raises `SettingsError` for options that a type does not take.
        """
        made = Configured()
        if builtin:
            made.providers.append(BuiltinProvider(self._run_in_pool))
            made.terms[NAME] = Terms(priority=BUILTIN_PRIORITY)
        for entry in entries:
            if entry.enabled:
                self._add(entry, made)
        return made

    def _add(self, entry: ProviderEntry, made: Configured) -> None:
        health = Health(misconfigured=entry.missing)
        made.terms[entry.name] = Terms(
            health, entry.priority, entry.concurrency, entry.requests_per_minute, entry.price_per_image
        )
        match entry.type:
            case "openai":
                client = self._client(entry, health, OFFICIAL_URL, judge_openai)
                made.providers.append(self._openai(entry, client))
                call = Call("GET", "/models")
        made.clients.append(client)
        if not entry.missing:
            made.probes.append(Probe(entry.name, client, replace(call, aside=True, total_seconds=PROBE_SECONDS)))

    def _openai(self, entry: ProviderEntry, client: HttpClient) -> Provider:
        options = read_options(entry, OpenAIOptions)
        official = client.service.base_url == OFFICIAL_URL
        model = entry.model or (DEFAULT_MODEL if official else "")
        painter = OpenAIPainter(client, self._downloader(entry), model, options, self._clock)
        return self._pictures(entry, model, painter)

    def _pictures(self, entry: ProviderEntry, model: str, painter: OpenAIPainter) -> Provider:
        narrowed = frozenset(entry.asset_types) if entry.asset_types is not None else None
        return PictureProvider(
            entry.name, model or "unnamed", painter, self._run_in_pool, narrowed, entry.price_per_image
        )

    def _client(self, entry: ProviderEntry, health: Health, official_url: str, judge: Judge) -> HttpClient:
        key = entry.key.get_secret_value()
        service = Service(
            name=entry.name,
            base_url=entry.base_url or official_url,
            judge=judge,
            headers={"authorization": f"Bearer {key}"} if key else {},
            secrets=(key,) if key else (),
            local=entry.is_local,
            times=Times(entry.connect_seconds, entry.timeout_seconds, entry.timeout_seconds),
        )
        return HttpClient(service, health, self._limiter(entry, service.base_url), self._tls, self._clock)

    def _limiter(self, entry: ProviderEntry, base_url: str) -> Limiter:
        shared = (base_url, entry.key.get_secret_value())
        if shared not in self._limiters:
            self._limiters[shared] = Limiter(entry.concurrency, entry.requests_per_minute)
        return self._limiters[shared]

    def _downloader(self, entry: ProviderEntry) -> Downloader:
        return Downloader(self._resolve, self._tls, private=entry.is_local, connect_seconds=entry.connect_seconds)


def read_options(entry: ProviderEntry, kind: type[Options]) -> Options:
    """Return a type's options; raises `SettingsError` with the provider's name and the option's."""
    try:
        return kind.model_validate(entry.options)
    except ValidationError as error:
        lines = [f"provider {entry.name}, options.{line}" for line in complaints(error)]
        raise SettingsError("\n".join(lines)) from None
