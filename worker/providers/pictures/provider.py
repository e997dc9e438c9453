"""A provider for every service that paints one picture at a time."""

from typing import Final

from domain.kinds import AssetType, TaskKind
from worker.artifacts import GenerationRequest, GenerationResult
from worker.providers.base import Capabilities, ProgressCallback, ProviderError
from worker.providers.pictures.plan import following, plan_shots
from worker.providers.pictures.shot import Painted, Painter, Shot, Traits
from worker.providers.pictures.work import PictureWork

_STILLS: Final = frozenset(AssetType) - {AssetType.VIDEO}
#: Grounds are painted from words: a source picture has no part in them.
_NO_TILES_FROM_A_PICTURE: Final = frozenset({(TaskKind.IMAGE_TO_IMAGE, AssetType.TILESET)})
#: The share of the work that is the service's; the rest is cutting and scaling.
_PAINTING: Final = 0.9


def picture_capabilities(
    traits: Traits, asset_types: frozenset[AssetType] | None = None, *, asynchronous: bool = False
) -> Capabilities:
    """Return what can be made with a service of these traits; `asset_types` narrows it."""
    kinds = {TaskKind.TEXT_TO_IMAGE} | ({TaskKind.IMAGE_TO_IMAGE} if traits.edits else set())
    return Capabilities(
        frozenset(kinds),
        _STILLS if asset_types is None else _STILLS & asset_types,
        asynchronous=asynchronous,
        excluded=_NO_TILES_FROM_A_PICTURE,
        seeds=traits.seeds,
        transparency=traits.transparency,
        reference_images=traits.references,
    )


class PictureProvider:
    """Plans shots, has them painted one after the other, and makes the asset's pictures of them."""

    def __init__(self, work: PictureWork, painter: Painter, asset_types: frozenset[AssetType] | None = None) -> None:
        self._work = work
        self._painter = painter
        self._capabilities = picture_capabilities(painter.traits, asset_types)

    @property
    def name(self) -> str:
        """Stable name by which it is chosen."""
        return self._work.name

    @property
    def model(self) -> str:
        """The model that is asked for."""
        return self._work.model

    @property
    def capabilities(self) -> Capabilities:
        """What it can make."""
        return self._capabilities

    async def generate(self, request: GenerationRequest, progress: ProgressCallback) -> GenerationResult:
        """Have a request painted; raises `ProviderError`."""
        request = await self._work.prepared(request)
        traits = self._painter.traits
        shots = plan_shots(request, traits)
        painted: list[Painted] = []
        while len(painted) < len(shots):
            place = len(painted)
            painted.append(await self._paint(shots[place], place, len(shots), progress))
            if place == 0 and len(shots) > 1:
                shots = [shots[0], *following(shots[1:], await self._work.small(painted[0].data), traits)]
        return await self._work.finished(request, shots, painted)

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
