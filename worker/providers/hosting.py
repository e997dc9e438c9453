"""What it takes to set a service up: where it is, how its door is opened, and how its provider is put together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from domain.callbacks import CallbackAddresses
from domain.clock import Clock
from domain.kinds import AssetType
from domain.provider_settings import ProviderEntry
from worker.callbacks.reader import CallbackReader
from worker.providers.base import Capabilities
from worker.providers.builtin.provider import RunInPool
from worker.providers.clips.provider import ClipOrder, ClipProvider
from worker.providers.clips.work import ClipWork
from worker.providers.http.answer import Answer
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.http.download import Downloader
from worker.providers.http.refusal import Refusal
from worker.providers.http.service import AnswerReader
from worker.providers.jobs.service import JobService
from worker.providers.pictures.job_provider import PictureJobProvider
from worker.providers.pictures.shot import Shot, Traits
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

    def work(self, model: str, traits: Traits) -> PictureWork:
        """Return what a provider of pictures does beside its service."""
        return PictureWork(self.entry.name, model, traits, self.run_in_pool, self.entry.price_per_image)

    def paints(
        self, service: JobService[Shot], work: PictureWork, can: Capabilities, check_seconds: float
    ) -> PictureJobProvider:
        """Return a provider of pictures around a service that paints in jobs."""
        return PictureJobProvider(work, service, self.downloader, can, check_seconds)


class Key(Protocol):
    """What a provider shows at the door, and how it reads what is answered there."""

    def headers(self) -> Mapping[str, str]:
        """Return the headers that sign a request in."""
        ...

    def judge(self, answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
        """Return why an answer is none."""
        ...


@dataclass(frozen=True, slots=True)
class PlainKey:
    """A key that is sent as it is, in a header."""

    key: str
    reads: AnswerReader
    header: str = "authorization"
    prefix: str = "Bearer "
    #: Sent beside it.
    further: Mapping[str, str] = field(default_factory=dict)

    def headers(self) -> Mapping[str, str]:
        """Return the headers that sign a request in."""
        signed = {self.header: f"{self.prefix}{self.key}"} if self.key else {}
        return {**signed, **self.further}

    def judge(self, answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
        """Return why an answer is none."""
        return self.reads(answer, paid=paid, now=now)


KeyMaker = Callable[[ProviderEntry, Clock], Key]


def plain_key(
    reads: AnswerReader,
    header: str = "authorization",
    prefix: str = "Bearer ",
    further: Mapping[str, str] | None = None,
) -> KeyMaker:
    """Return what makes a key of an entry that is sent as it is."""
    return lambda entry, _: PlainKey(entry.key.get_secret_value(), reads, header, prefix, further or {})


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
