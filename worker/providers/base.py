"""The port that every provider fills."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from domain.kinds import AssetType, TaskKind
from worker.artifacts import GenerationRequest, GenerationResult

#: Called with the share of the work that is done, 0 to 1; never falls.
ProgressCallback = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a provider can make."""

    kinds: frozenset[TaskKind]
    asset_types: frozenset[AssetType]
    #: True when the result comes from a job that outlives the call.
    asynchronous: bool = False
    #: Pairs of the two that it cannot make all the same.
    excluded: frozenset[tuple[TaskKind, AssetType]] = frozenset()
    #: Whether the same seed makes the same picture again.
    seeds: bool = True
    #: Whether it leaves the background out by itself; else a plain one is painted and taken away.
    transparency: bool = True
    #: How many of a style's reference images it looks at.
    reference_images: int = 0

    def covers(self, kind: TaskKind, asset_type: AssetType) -> bool:
        """Tell whether it can make this."""
        return kind in self.kinds and asset_type in self.asset_types and (kind, asset_type) not in self.excluded


class ProviderError(Exception):
    """A provider could not deliver; `code` is stable, the message is for people and holds no secret."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        retryable: bool,
        retry_after_seconds: float | None = None,
        outcome_unknown: bool = False,
        unpaid: bool = False,
        request_id: str | None = None,
    ) -> None:
        """Keep the failure's class and whether trying the whole task again can help.

        `outcome_unknown` says that what was asked for may have happened all the same: a job may have been created.
        `unpaid`: nothing was charged for certain, so another provider may be asked. `request_id`: the service's own.
        """
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.retry_after_seconds = retry_after_seconds
        self.outcome_unknown = outcome_unknown
        self.unpaid = unpaid
        self.request_id = request_id


class Provider(Protocol):
    """Makes pictures from requests."""

    @property
    def name(self) -> str:
        """Stable name by which `generate(provider:)` chooses it."""
        ...

    @property
    def model(self) -> str:
        """Model or version shown in provenance."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can make."""
        ...

    async def generate(self, request: GenerationRequest, progress: ProgressCallback) -> GenerationResult:
        """Make one request's pictures; raises `ProviderError`. Cancelling the call stops the work."""
        ...


@dataclass(frozen=True, slots=True)
class JobRunning:
    """The job is queued or at work there.

    `share` is how much of it is done, 0 to 1, and `preview` an encoded picture of what there is so far, as it came,
    where the provider tells.
    """

    share: float | None = None
    preview: bytes | None = None


@dataclass(frozen=True, slots=True)
class JobDone:
    """The job has a result to fetch."""


@dataclass(frozen=True, slots=True)
class JobFailed:
    """The job ended without a result, or the provider does not know it any more."""

    error: ProviderError


JobProgress = JobRunning | JobDone | JobFailed


@runtime_checkable
class AsynchronousProvider(Protocol):
    """Makes pictures in jobs that outlive any call; between calls a task holds no worker.

    Every method raises `ProviderError`, and may be cancelled except `submit`, which is always heard to its end: it has
    to come to one within a minute.
    """

    @property
    def name(self) -> str:
        """Stable name by which `generate(provider:)` chooses it."""
        ...

    @property
    def model(self) -> str:
        """Model or version shown in provenance."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can make; `asynchronous` is True."""
        ...

    @property
    def check_interval_seconds(self) -> float | None:
        """How long to wait between two questions about a job; None for the server's setting."""
        ...

    async def submit(self, request: GenerationRequest, job_id: str) -> str:
        """Create a job and return the provider's id of it.

        `job_id` is our name of the job, to be handed on where the service takes one. Raises `ProviderError`, with
        `outcome_unknown` when the job may have been created all the same.
        """
        ...

    async def find(self, job_id: str) -> str | None:
        """Return the provider's id of the job that bears our name, None when there certainly is no such job.

        Raises `ProviderError` with `outcome_unknown` where the service cannot be asked that.
        """
        ...

    async def check(self, external_id: str) -> JobProgress:
        """Ask how a job stands; raises `ProviderError` only when the answer is not known, to be asked again later."""
        ...

    async def fetch(self, external_id: str, request: GenerationRequest) -> GenerationResult:
        """Return what a job that is done has made."""
        ...

    async def cancel(self, external_id: str) -> None:
        """Tell that a job is not wanted any more; that it has ended, or cannot be stopped, is no error."""
        ...
