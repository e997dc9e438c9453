"""The port that every provider fills."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

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

    def covers(self, kind: TaskKind, asset_type: AssetType) -> bool:
        """Tell whether it can make this."""
        return kind in self.kinds and asset_type in self.asset_types and (kind, asset_type) not in self.excluded


class ProviderError(Exception):
    """A provider could not deliver; `code` is stable, the message is for people and holds no secret."""

    def __init__(self, code: str, message: str, *, retryable: bool, retry_after_seconds: float | None = None) -> None:
        """Keep the failure's class and whether trying the whole task again can help."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.retry_after_seconds = retry_after_seconds


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
