"""A provider for every service that paints one picture at a time."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final, TypeVar

from domain.kinds import AssetType, TaskKind
from worker.artifacts import GenerationRequest, GenerationResult
from worker.imaging.pixels import UnreadablePicture
from worker.providers.base import Capabilities, ProgressCallback, ProviderError
from worker.providers.builtin.provider import RunInPool
from worker.providers.errors import BAD_ANSWER, failure
from worker.providers.pictures.finish import FinishJob, finish
from worker.providers.pictures.plan import following, key_color, plan_shots
from worker.providers.pictures.prepare import PrepareJob, prepare
from worker.providers.pictures.shot import Painted, Painter, Shot, Traits

Result = TypeVar("Result")
_STILLS: Final = frozenset(AssetType) - {AssetType.VIDEO}
#: Grounds are painted from words: a source picture has no part in them.
_NO_TILES_FROM_A_PICTURE: Final = frozenset({(TaskKind.IMAGE_TO_IMAGE, AssetType.TILESET)})
#: The share of the work that is the service's; the rest is cutting and scaling.
_PAINTING: Final = 0.9


def picture_capabilities(traits: Traits, asset_types: frozenset[AssetType] | None = None) -> Capabilities:
    """Return what can be made with a service of these traits; `asset_types` narrows it."""
    kinds = {TaskKind.TEXT_TO_IMAGE} | ({TaskKind.IMAGE_TO_IMAGE} if traits.edits else set())
    return Capabilities(
        frozenset(kinds),
        _STILLS if asset_types is None else _STILLS & asset_types,
        excluded=_NO_TILES_FROM_A_PICTURE,
        # What is aligned to a picture of another size is not the same picture, yet the same seed makes it again.
        seeds=traits.seeds,
        transparency=traits.transparency,
        reference_images=traits.references,
    )


class PictureProvider:
    """Plans shots, has them painted one after the other, and makes the asset's pictures of them."""

    def __init__(
        self,
        name: str,
        model: str,
        painter: Painter,
        run_in_pool: RunInPool,
        asset_types: frozenset[AssetType] | None = None,
        price_per_image: float | None = None,
    ) -> None:
        self._name = name
        self._model = model
        self._painter = painter
        self._run_in_pool = run_in_pool
        self._price = price_per_image
        self._capabilities = picture_capabilities(painter.traits, asset_types)

    @property
    def name(self) -> str:
        """Stable name by which it is chosen."""
        return self._name

    @property
    def model(self) -> str:
        """The model that is asked for."""
        return self._model

    @property
    def capabilities(self) -> Capabilities:
        """What it can make."""
        return self._capabilities

    async def generate(self, request: GenerationRequest, progress: ProgressCallback) -> GenerationResult:
        """Have a request painted; raises `ProviderError`."""
        request = await self._prepared(request)
        traits = self._painter.traits
        shots = plan_shots(request, traits)
        painted: list[Painted] = []
        while len(painted) < len(shots):
            place = len(painted)
            painted.append(await self._paint(shots[place], place, len(shots), progress))
            if place == 0 and len(shots) > 1:
                first = (await self._small(painted[0].data))[0]
                shots = [shots[0], *following(shots[1:], first, traits)]
        key = None if traits.transparency else key_color(request)[1]
        return await self._finished(request, shots, painted, key)

    async def _paint(self, shot: Shot, place: int, total: int, progress: ProgressCallback) -> Painted:
        async def report(share: float) -> None:
            await progress(_PAINTING * (place + share) / total)

        await report(0)
        try:
            painted = await self._painter.paint(shot, report)
        except ProviderError as error:
            if place > 0:  # the pictures before this one have been paid
                error.unpaid = False
            raise
        await report(1)
        return painted

    async def _prepared(self, request: GenerationRequest) -> GenerationRequest:
        """Return the request with its pictures as they may leave the house."""
        references = request.reference_images[: self._capabilities.reference_images]
        source = (request.source_image,) if request.source_image is not None else ()
        if not source and not references:
            return request
        try:
            small = await self._run_in_pool(prepare, PrepareJob((*source, *references)))
        except UnreadablePicture as error:
            raise ProviderError(
                "UNREADABLE_SOURCE", "The source picture could not be read.", retryable=False
            ) from error
        return replace(request, source_image=small[0] if source else None, reference_images=small[len(source) :])

    async def _small(self, data: bytes) -> tuple[bytes, ...]:
        return await self._checked(lambda: self._run_in_pool(prepare, PrepareJob((data,))))

    async def _finished(
        self, request: GenerationRequest, shots: list[Shot], painted: list[Painted], key: tuple[int, int, int] | None
    ) -> GenerationResult:
        job = FinishJob(
            asset_type=request.asset_type,
            params=request.params,
            art_style=request.style.art_style,
            painted=tuple(one.data for one in painted),
            grids=tuple(shot.grid for shot in shots),
            key=key,
        )
        finished = await self._checked(lambda: self._run_in_pool(finish, job))
        return GenerationResult(
            pictures=finished.pictures,
            provider=self._name,
            model=self._model,
            seed=painted[0].seed,
            request_id=painted[0].request_id,
            details={**finished.details, "service": self._report(painted)},
        )

    def _report(self, painted: list[Painted]) -> dict[str, object]:
        report: dict[str, object] = {"pictures": [dict(one.report) for one in painted]}
        if self._price is not None:
            report["estimatedCost"] = round(self._price * len(painted), 6)
        return report

    async def _checked(self, work: Callable[[], Awaitable[Result]]) -> Result:
        try:
            return await work()
        except UnreadablePicture as error:
            raise failure(BAD_ANSWER, self._name, said=str(error)) from error
