"""Providers from their configuration."""

import base64
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from domain.callbacks import CallbackAddresses
from domain.clock import Clock
from domain.kinds import AssetType
from domain.provider_settings import JudgeEntry, ProviderEntry
from domain.spending.money import to_micros
from domain.targets import Resolve
from worker.callbacks.reader import CallbackReader
from worker.providers.automatic1111 import painter as automatic1111
from worker.providers.automatic1111.painter import Automatic1111Options, Automatic1111Painter
from worker.providers.builtin.provider import BuiltinProvider, RunInPool
from worker.providers.builtin.render import NAME
from worker.providers.comfyui import provider as comfyui
from worker.providers.comfyui.provider import ComfyProvider
from worker.providers.comfyui.socket import ProgressSocket
from worker.providers.comfyui.workflow import ComfyOptions, load_workflow
from worker.providers.gemini import painter as gemini
from worker.providers.health import Health
from worker.providers.hosted import HOSTED
from worker.providers.hosting import Parts
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.http.download import Downloader
from worker.providers.http.limiter import Limiter
from worker.providers.http.service import MAX_BYTES, AnswerReader, Service, Times
from worker.providers.judge.judge import MAX_ANSWER_BYTES, Judge
from worker.providers.openai.judge import judge_openai
from worker.providers.openai.options import DEFAULT_MODEL, OFFICIAL_URL, OpenAIOptions
from worker.providers.openai.painter import OpenAIPainter
from worker.providers.options import read_options
from worker.providers.pictures.provider import PictureProvider
from worker.providers.pictures.shot import Painter, Traits
from worker.providers.pictures.size import FreeSizes
from worker.providers.pictures.work import PictureWork
from worker.providers.probe import PROBE_SECONDS, Probe
from worker.providers.registry import AnyProvider, ProviderRegistry
from worker.providers.stability import painter as stability
from worker.providers.terms import Terms

#: The built-in generator is asked only when nobody else can.
BUILTIN_PRIORITY: Final = -100


@dataclass(slots=True)
class Configured:
    """The providers of a process, and what belongs to them."""

    providers: list[AnyProvider] = field(default_factory=list)
    terms: dict[str, Terms] = field(default_factory=dict)
    clients: list[HttpClient] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    sockets: list[ProgressSocket] = field(default_factory=list)
    #: By the provider's name: how messages of its service about jobs are read.
    readers: dict[str, CallbackReader] = field(default_factory=dict)

    def registry(self, further: Sequence[AnyProvider] = ()) -> ProviderRegistry:
        """Return the registry of these providers; `further` ones come last."""
        last = {provider.name: Terms(priority=BUILTIN_PRIORITY) for provider in further}
        return ProviderRegistry([*self.providers, *further], {**last, **self.terms})

    async def aclose(self) -> None:
        """Close every connection."""
        for socket in self.sockets:
            await socket.aclose()
        for client in self.clients:
            await client.aclose()


class ProviderFactory:
    """Makes providers; those with the same key of the same service share its limits."""

    def __init__(
        self,
        run_in_pool: RunInPool,
        resolve: Resolve,
        tls: ssl.SSLContext,
        clock: Clock,
        callbacks: CallbackAddresses | None = None,
    ) -> None:
        """`callbacks` make the addresses at which services may tell of their jobs; None: they may not."""
        self._run_in_pool = run_in_pool
        self._resolve = resolve
        self._tls = tls
        self._clock = clock
        self._callbacks = callbacks
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

    def judge(self, entry: JudgeEntry, made: Configured) -> Judge:
        """Return the vision model that judges; its connections and its probe belong to `made`."""
        provider = entry.as_provider()
        health = Health(misconfigured=provider.missing)
        client = self._client(provider, health, OFFICIAL_URL, judge_openai, max_answer_bytes=MAX_ANSWER_BYTES)
        made.clients.append(client)
        if not provider.missing:
            call = Call("GET", "/models", aside=True, total_seconds=PROBE_SECONDS)
            made.probes.append(Probe(provider.name, client, call))
        price = to_micros(entry.price_per_look or 0)
        return Judge(client, entry.model, self._run_in_pool, entry.threshold, price, entry.timeout_seconds)

    def _add(self, entry: ProviderEntry, made: Configured) -> None:
        health = Health(misconfigured=entry.missing)
        made.terms[entry.name] = Terms(
            health,
            entry.priority,
            entry.concurrency,
            entry.requests_per_minute,
            entry.price_per_image,
            paid=not entry.is_local,
        )
        client, provider, probe = self._made(entry, health, made)
        made.providers.append(provider)
        made.clients.append(client)
        if not entry.missing:
            made.probes.append(Probe(entry.name, client, replace(probe, aside=True, total_seconds=PROBE_SECONDS)))

    def _made(self, entry: ProviderEntry, health: Health, made: Configured) -> tuple[HttpClient, AnyProvider, Call]:
        """Return a provider, its way to the service, and what to ask there that costs nothing."""
        match entry.type:
            case "openai":
                client = self._client(entry, health, OFFICIAL_URL, judge_openai)
                return client, self._openai(entry, client), Call("GET", "/models")
            case "automatic1111":
                client = self._client(entry, health, automatic1111.DEFAULT_URL, automatic1111.judge_automatic1111)
                painter = Automatic1111Painter(client, entry.model, read_options(entry, Automatic1111Options))
                return client, self._pictures(entry, entry.model, painter), Call("GET", "/sdapi/v1/options")
            case "gemini":
                client = self._client(entry, health, gemini.DEFAULT_URL, gemini.judge_gemini)
                model = entry.model or gemini.DEFAULT_MODEL
                drawn = gemini.GeminiPainter(client, model, read_options(entry, gemini.GeminiOptions))
                return client, self._pictures(entry, model, drawn), Call("GET", f"/v1beta/models/{model}")
            case "stability":
                client = self._client(entry, health, stability.DEFAULT_URL, stability.judge_stability)
                model = entry.model or stability.DEFAULT_MODEL
                brush = stability.StabilityPainter(client, model, read_options(entry, stability.StabilityOptions))
                return client, self._pictures(entry, model, brush), Call("GET", "/v1/user/balance")
            case "comfyui":
                client = self._client(entry, health, comfyui.DEFAULT_URL, comfyui.judge_comfyui)
                return client, self._comfyui(entry, client, made), Call("GET", "/system_stats")
            case _:
                return self._hosted(entry, health, made)

    def _hosted(self, entry: ProviderEntry, health: Health, made: Configured) -> tuple[HttpClient, AnyProvider, Call]:
        kind = HOSTED[entry.type]
        key = kind.key(entry, self._clock)
        client = self._client(entry, health, kind.default_url, key.judge, key.headers)
        parts = Parts(entry, client, self._downloader(entry), self._run_in_pool, self._callbacks)
        if self._callbacks is not None and kind.reader is not None and (reader := kind.reader(parts)) is not None:
            made.readers[entry.name] = reader
        return client, kind.make(parts), kind.probe

    def _openai(self, entry: ProviderEntry, client: HttpClient) -> AnyProvider:
        options = read_options(entry, OpenAIOptions)
        official = client.service.base_url == OFFICIAL_URL
        model = entry.model or (DEFAULT_MODEL if official else "")
        return self._pictures(entry, model, OpenAIPainter(client, self._downloader(entry), model, options, self._clock))

    def _comfyui(self, entry: ProviderEntry, client: HttpClient, made: Configured) -> AnyProvider:
        options = read_options(entry, ComfyOptions)
        workflows = {"text_to_image": load_workflow(entry.name, "text_to_image", options.text_to_image)}
        if options.image_to_image is not None:
            workflows["image_to_image"] = load_workflow(entry.name, "image_to_image", options.image_to_image)
        traits = Traits(transparency=options.transparency, seeds=True, edits="image_to_image" in workflows)
        best = options.best_pixels
        sizes = FreeSizes(multiple=8, min_side=64, max_side=4096, best_pixels=best, max_pixels=best)
        work = self._work(entry, entry.model or options.text_to_image.file.stem, traits)
        service = client.service
        socket = ProgressSocket(service.base_url, self._tls, service.headers, connect_seconds=service.times.connect)
        made.sockets.append(socket)
        return ComfyProvider(work, client, workflows, sizes, options.check_seconds, socket, _narrowed(entry))

    def _pictures(self, entry: ProviderEntry, model: str, painter: Painter) -> AnyProvider:
        return PictureProvider(self._work(entry, model or "unnamed", painter.traits), painter, _narrowed(entry))

    def _work(self, entry: ProviderEntry, model: str, traits: Traits) -> PictureWork:
        return PictureWork(entry.name, model, traits, self._run_in_pool, entry.price_per_image)

    def _client(
        self,
        entry: ProviderEntry,
        health: Health,
        official_url: str,
        judge: AnswerReader,
        sign: Callable[[], Mapping[str, str]] | None = None,
        max_answer_bytes: int = MAX_BYTES,
    ) -> HttpClient:
        key = entry.key.get_secret_value()
        service = Service(
            name=entry.name,
            base_url=entry.base_url or official_url,
            judge=judge,
            headers=_key_headers(entry.type, key) if key and sign is None else {},
            sign=sign,
            # The third is how user names and passwords travel.
            secrets=tuple(filter(None, (key, entry.secret.get_secret_value(), _base64(key)))),
            local=entry.is_local,
            times=Times(entry.connect_seconds, entry.timeout_seconds, entry.timeout_seconds),
            max_answer_bytes=max_answer_bytes,
        )
        return HttpClient(service, health, self._limiter(entry, service.base_url), self._tls, self._clock)

    def _limiter(self, entry: ProviderEntry, base_url: str) -> Limiter:
        shared = (base_url, entry.key.get_secret_value())
        if shared not in self._limiters:
            self._limiters[shared] = Limiter(entry.concurrency, entry.requests_per_minute)
        return self._limiters[shared]

    def _downloader(self, entry: ProviderEntry) -> Downloader:
        return Downloader(self._resolve, self._tls, private=entry.is_local, connect_seconds=entry.connect_seconds)


def _key_headers(kind: str, key: str) -> dict[str, str]:
    if kind == "gemini":
        return {"x-goog-api-key": key}
    if kind == "automatic1111":  # the user name and password of --api-auth
        return {"authorization": f"Basic {_base64(key)}"}
    return {"authorization": f"Bearer {key}"}


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _narrowed(entry: ProviderEntry) -> frozenset[AssetType] | None:
    return frozenset(entry.asset_types) if entry.asset_types is not None else None
