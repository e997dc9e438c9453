"""The built-in generator as a provider: always there, offline, costs nothing."""

from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeVar

from domain.kinds import AssetType, TaskKind
from worker.artifacts import GenerationRequest, GenerationResult
from worker.providers.base import Capabilities, ProgressCallback, ProviderError
from worker.providers.builtin.film.render import render_film
from worker.providers.builtin.render import MODEL, NAME, render

A = TypeVar("A")
R = TypeVar("R")
_NOT_FROM_A_PICTURE: Final = frozenset(
    (TaskKind.IMAGE_TO_IMAGE, asset_type) for asset_type in (AssetType.SPRITESHEET, AssetType.TILESET)
)
#: Reported once the work is handed to the pool; what remains is the drawing itself.
_HANDED_OVER: Final = 0.1


class RunInPool(Protocol):
    """Runs a pure function with its argument in another process."""

    def __call__(self, function: Callable[[A], R], argument: A, /) -> Awaitable[R]:
        """Return what the function returns; raises what it raises."""
        ...


class BuiltinProvider:
    """Draws by rule, in the process pool."""

    def __init__(self, run_in_pool: RunInPool) -> None:
        self._run_in_pool = run_in_pool

    @property
    def name(self) -> str:
        """Stable name by which it is chosen."""
        return NAME

    @property
    def model(self) -> str:
        """Version of the rules, shown in provenance."""
        return MODEL

    @property
    def capabilities(self) -> Capabilities:
        """Everything from words; from a picture only one picture or a clip, for it cannot draw further poses of it."""
        return Capabilities(frozenset(TaskKind), frozenset(AssetType), excluded=_NOT_FROM_A_PICTURE)

    async def generate(self, request: GenerationRequest, progress: ProgressCallback) -> GenerationResult:
        """Draw one request.

        Raises `ProviderError` (UNREADABLE_SOURCE) for a picture that is none; trying again would not help.
        """
        await progress(_HANDED_OVER)
        draw = render_film if request.asset_type is AssetType.VIDEO else render
        try:
            result = await self._run_in_pool(draw, request)
        except ValueError as error:
            raise ProviderError(
                "UNREADABLE_SOURCE", "The source picture could not be read.", retryable=False
            ) from error
        await progress(1.0)
        return result
