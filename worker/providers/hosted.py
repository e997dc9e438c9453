"""Services that are set up alike: where each is, how its answers are read, and how its provider is put together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from domain.callbacks import CallbackAddresses
from domain.clock import Clock
from domain.kinds import AssetType
from domain.provider_settings import ProviderEntry
from worker.callbacks.reader import CallbackReader, StatusReader
from worker.providers.ark import seedance, seedream
from worker.providers.ark.judge import judge_ark
from worker.providers.base import Capabilities
from worker.providers.builtin.provider import RunInPool
from worker.providers.clips.provider import ClipOrder, ClipProvider
from worker.providers.clips.work import ClipWork, clip_capabilities
from worker.providers.dashscope import clips as wan_clips
from worker.providers.dashscope import pictures as wan_pictures
from worker.providers.dashscope import tasks as dashscope
from worker.providers.http.answer import Answer
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.http.download import Downloader
from worker.providers.http.refusal import Refusal
from worker.providers.http.service import AnswerReader
from worker.providers.jobs.service import JobService
from worker.providers.kling import clips as kling
from worker.providers.kling.key import KlingKey
from worker.providers.minimax import hailuo
from worker.providers.minimax.h3 import H3, is_h3
from worker.providers.minimax.judge import judge_minimax
from worker.providers.options import read_options
from worker.providers.pictures.job_provider import PictureJobProvider
from worker.providers.pictures.provider import PictureProvider
from worker.providers.pictures.work import PictureWork
from worker.providers.registry import AnyProvider


@dataclass(frozen=True, slots=True)
class Parts:
    """What a provider is put together from."""

    entry: ProviderEntry
    client: HttpClient
    downloader: Downloader
    run_in_pool: RunInPool
    #: Where the service may tell of its jobs; None where it may not.
    callbacks: CallbackAddresses | None = None

    def callback_url(self, job_id: str) -> str | None:
        """Return where the service may tell that a job has ended, None where it may not."""
        return None if self.callbacks is None else self.callbacks.url(self.entry.name, job_id)

    @property
    def asset_types(self) -> frozenset[AssetType] | None:
        """What the entry narrows the provider to; None for everything that it can."""
        return frozenset(self.entry.asset_types) if self.entry.asset_types is not None else None

    def films(
        self, service: JobService[ClipOrder], model: str, can: Capabilities, check_seconds: float
    ) -> ClipProvider:
        """Return a provider of clips around a service."""
        if self.asset_types is not None:
            can = replace(can, asset_types=can.asset_types & self.asset_types)
        work = ClipWork(self.entry.name, model, self.run_in_pool, self.entry.price_per_image)
        return ClipProvider(work, service, self.downloader, can, check_seconds)


class Key(Protocol):
    """What a provider shows at the door, and how it reads what is answered there."""

    def headers(self) -> Mapping[str, str]:
        """Return the headers that sign a request in."""
        ...

    def judge(self, answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
        """Return why an answer is none."""
        ...


@dataclass(frozen=True, slots=True)
class BearerKey:
    """A key that is sent as it is."""

    key: str
    reads: AnswerReader

    def headers(self) -> Mapping[str, str]:
        """Return the header that signs a request in."""
        return {"authorization": f"Bearer {self.key}"} if self.key else {}

    def judge(self, answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
        """Return why an answer is none."""
        return self.reads(answer, paid=paid, now=now)


KeyMaker = Callable[[ProviderEntry, Clock], Key]


@dataclass(frozen=True, slots=True)
class HostedKind:
    """A type of service."""

    default_url: str
    key: KeyMaker
    make: Callable[[Parts], AnyProvider]
    #: What to ask there that costs nothing.
    probe: Call
    #: How its messages about jobs are read; None: it sends none, or they are not asked for.
    reader: Callable[[Parts], CallbackReader | None] | None = None


def _bearer(reads: AnswerReader) -> KeyMaker:
    return lambda entry, _: BearerKey(entry.key.get_secret_value(), reads)


def _seedream(parts: Parts) -> AnyProvider:
    entry, options = parts.entry, read_options(parts.entry, seedream.SeedreamOptions)
    model = entry.model or seedream.DEFAULT_MODEL
    painter = seedream.SeedreamPainter(parts.client, parts.downloader, model, options)
    work = PictureWork(entry.name, model, painter.traits, parts.run_in_pool, entry.price_per_image)
    return PictureProvider(work, painter, parts.asset_types)


def _seedance(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, seedance.SeedanceOptions)
    model = parts.entry.model or seedance.DEFAULT_MODEL
    service = seedance.Seedance(parts.client, model, options, parts.callback_url)
    return parts.films(service, model, seedance.seedance_capabilities(model), options.check_seconds)


def _wan_image(parts: Parts) -> AnyProvider:
    entry, options = parts.entry, read_options(parts.entry, wan_pictures.WanImageOptions)
    model = entry.model or wan_pictures.DEFAULT_MODEL
    traits = wan_pictures.wan_traits(model, options)
    can = wan_pictures.wan_capabilities(model, traits, parts.asset_types)
    work = PictureWork(entry.name, model, traits, parts.run_in_pool, entry.price_per_image)
    service = wan_pictures.WanImages(parts.client, model, options)
    return PictureJobProvider(work, service, parts.downloader, can, options.check_seconds)


def _wan_video(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, wan_clips.WanVideoOptions)
    model = parts.entry.model or wan_clips.DEFAULT_MODEL
    service = wan_clips.WanVideos(parts.client, model, options)
    return parts.films(service, model, wan_clips.wan_video_capabilities(model), options.check_seconds)


def _kling(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, kling.KlingOptions)
    model = parts.entry.model or kling.DEFAULT_MODEL
    service = kling.Kling(parts.client, model, options, parts.callback_url)
    return parts.films(service, model, clip_capabilities(), options.check_seconds)


def _kling_key(entry: ProviderEntry, clock: Clock) -> Key:
    return KlingKey(entry.key.get_secret_value(), entry.secret.get_secret_value(), clock)


def _minimax(parts: Parts) -> AnyProvider:
    options = read_options(parts.entry, hailuo.MiniMaxOptions)
    model = parts.entry.model or hailuo.DEFAULT_MODEL
    service = H3(parts.client, model, options) if is_h3(model) else hailuo.Hailuo(parts.client, model, options)
    return parts.films(service, model, hailuo.minimax_capabilities(model), options.check_seconds)


def _seedance_reader(parts: Parts) -> CallbackReader | None:
    wanted = read_options(parts.entry, seedance.SeedanceOptions).callbacks
    return StatusReader("status", frozenset({"queued", "running"})) if wanted else None


def _kling_reader(parts: Parts) -> CallbackReader | None:
    wanted = read_options(parts.entry, kling.KlingOptions).callbacks
    return StatusReader("task_status", frozenset({"submitted", "processing"})) if wanted else None


HOSTED: Final[Mapping[str, HostedKind]] = {
    "seedream": HostedKind(seedream.DEFAULT_URL, _bearer(judge_ark), _seedream, seedream.PROBE),
    "seedance": HostedKind(seedream.DEFAULT_URL, _bearer(judge_ark), _seedance, seedream.PROBE, _seedance_reader),
    "wan-image": HostedKind(dashscope.DEFAULT_URL, _bearer(dashscope.judge_dashscope), _wan_image, dashscope.PROBE),
    "wan-video": HostedKind(dashscope.DEFAULT_URL, _bearer(dashscope.judge_dashscope), _wan_video, dashscope.PROBE),
    "kling": HostedKind(kling.DEFAULT_URL, _kling_key, _kling, kling.PROBE, _kling_reader),
    "minimax": HostedKind(hailuo.DEFAULT_URL, _bearer(judge_minimax), _minimax, hailuo.PROBE),
}
