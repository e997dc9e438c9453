"""The parts of a clip's way that no service has a hand in: before it is filmed, and after."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from domain.kinds import AssetType, TaskKind
from worker.artifacts import GenerationRequest, GenerationResult
from worker.imaging.pixels import UnreadablePicture
from worker.providers.base import Capabilities, ProviderError
from worker.providers.builtin.provider import RunInPool
from worker.providers.clips.frame import FrameJob, start_frame
from worker.providers.clips.plan import frame_size, wanted_seconds
from worker.providers.errors import BAD_ANSWER, failure
from worker.video.errors import UnreadableClip
from worker.video.fit import FitJob, fit

_CLIPS: Final = frozenset({AssetType.VIDEO})


def clip_capabilities(*, from_words: bool = True, from_pictures: bool = True, seeds: bool = False) -> Capabilities:
    """Return what can be made with a service that films."""
    kinds = {
        kind for kind, can in ((TaskKind.TEXT_TO_VIDEO, from_words), (TaskKind.IMAGE_TO_VIDEO, from_pictures)) if can
    }
    return Capabilities(frozenset(kinds), _CLIPS, asynchronous=True, seeds=seeds, transparency=False)


@dataclass(frozen=True, slots=True)
class Filmed:
    """What a service delivered: an MP4 of whatever size, length and codec."""

    clip: bytes
    seed: int | None = None
    request_id: str | None = None
    #: What the service says of its work: the prompt as it changed it, what it counts as used; JSON data.
    report: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class ClipWork:
    """What a provider of clips does beside its service. Every failure is a `ProviderError`."""

    name: str
    model: str
    run_in_pool: RunInPool
    price_per_clip: float | None = None

    async def start_frame(self, request: GenerationRequest) -> bytes | None:
        """Return the source picture as the clip's first frame, a PNG of the shape asked for; None without one."""
        if request.source_image is None:
            return None
        try:
            return await self.run_in_pool(start_frame, FrameJob(request.source_image, *frame_size(request)))
        except UnreadablePicture as error:
            raise ProviderError(
                "UNREADABLE_SOURCE", "The source picture could not be read.", retryable=False
            ) from error

    async def finished(self, request: GenerationRequest, filmed: Filmed) -> GenerationResult:
        """Return the clip in the shape and length that were asked for."""
        params = request.params
        try:
            job = FitJob(filmed.clip, params.width, params.height, wanted_seconds(request))
            clip = await self.run_in_pool(fit, job)
        except UnreadableClip as error:
            raise failure(BAD_ANSWER, self.name, said=str(error)) from error
        report: dict[str, object] = {"clips": [dict(filmed.report or {})]}
        if self.price_per_clip is not None:
            report["estimatedCost"] = self.price_per_clip
        return GenerationResult(
            pictures=(),
            provider=self.name,
            model=self.model,
            seed=filmed.seed,
            request_id=filmed.request_id,
            details={"service": report},
            clip=clip,
        )
