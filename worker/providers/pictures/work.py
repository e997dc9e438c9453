"""The parts of a picture's way that no service has a hand in: before it is painted, and after."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import TypeVar

from worker.artifacts import GenerationRequest, GenerationResult
from worker.imaging.pixels import UnreadablePicture
from worker.providers.base import ProviderError
from worker.providers.builtin.provider import RunInPool
from worker.providers.errors import BAD_ANSWER, failure
from worker.providers.pictures.finish import FinishJob, finish
from worker.providers.pictures.plan import key_color
from worker.providers.pictures.prepare import PrepareJob, prepare
from worker.providers.pictures.shot import Painted, Shot, Traits

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class PictureWork:
    """What a provider does beside its service. Every failure is a `ProviderError`."""

    name: str
    model: str
    traits: Traits
    run_in_pool: RunInPool
    price_per_image: float | None = None

    async def prepared(self, request: GenerationRequest) -> GenerationRequest:
        """Return the request with its pictures as they may leave the house."""
        references = request.reference_images[: self.traits.references]
        source = (request.source_image,) if request.source_image is not None else ()
        if not source and not references:
            return request
        try:
            small = await self.run_in_pool(prepare, PrepareJob((*source, *references)))
        except UnreadablePicture as error:
            raise ProviderError(
                "UNREADABLE_SOURCE", "The source picture could not be read.", retryable=False
            ) from error
        return replace(request, source_image=small[0] if source else None, reference_images=small[len(source) :])

    async def small(self, data: bytes) -> bytes:
        """Return a painted picture as one that may be shown to the service again."""
        return (await self._checked(lambda: self.run_in_pool(prepare, PrepareJob((data,)))))[0]

    async def finished(
        self, request: GenerationRequest, shots: Sequence[Shot], painted: Sequence[Painted], *, as_sent: bool = True
    ) -> GenerationResult:
        """Return what is made of the painted pictures, one for each shot; `as_sent`: the shots' prompts were sent."""
        job = FinishJob(
            asset_type=request.asset_type,
            params=request.params,
            art_style=request.style.art_style,
            painted=tuple(one.data for one in painted),
            grids=tuple(shot.grid for shot in shots),
            key=None if self.traits.transparency else key_color(request)[1],
        )
        made = await self._checked(lambda: self.run_in_pool(finish, job))
        return GenerationResult(
            pictures=made.pictures,
            provider=self.name,
            model=self.model,
            seed=painted[0].seed,
            request_id=painted[0].request_id,
            details={**made.details, "service": self._report(shots if as_sent else (), painted)},
        )

    def _report(self, shots: Sequence[Shot], painted: Sequence[Painted]) -> dict[str, object]:
        """Return what was asked for, which is more than the asset's prompt, and what the service says of it."""
        asked = map(_asked, shots) if shots else repeat({}, len(painted))
        pictures = [{**words, **one.report} for words, one in zip(asked, painted, strict=True)]
        report: dict[str, object] = {"pictures": pictures}
        if self.price_per_image is not None:
            report["estimatedCost"] = round(self.price_per_image * len(painted), 6)
        return report

    async def _checked(self, work: Callable[[], Awaitable[Result]]) -> Result:
        try:
            return await work()
        except UnreadablePicture as error:
            raise failure(BAD_ANSWER, self.name, said=str(error)) from error


def _asked(shot: Shot) -> dict[str, object]:
    negative = {"sentNegativePrompt": shot.negative_prompt} if shot.negative_prompt else {}
    return {"sentPrompt": shot.prompt, **negative}
