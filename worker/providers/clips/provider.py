"""A provider for every service that films in jobs."""

from dataclasses import dataclass
from typing import Final

from worker.artifacts import GenerationRequest, GenerationResult
from worker.providers.base import Capabilities, JobProgress
from worker.providers.clips.work import ClipWork, Filmed
from worker.providers.http.download import Downloader
from worker.providers.jobs.service import JobService, fetched, named

#: What the pipeline reads.
_MP4: Final = frozenset({"video/mp4", "video/quicktime"})


@dataclass(frozen=True, slots=True)
class ClipOrder:
    """A clip to be made: what was asked for, and the PNG that it begins with, if any."""

    request: GenerationRequest
    frame: bytes | None = None


class ClipProvider:
    """Prepares the start frame, has the clip filmed, and brings what comes into the shape asked for."""

    def __init__(
        self,
        work: ClipWork,
        service: JobService[ClipOrder],
        downloader: Downloader,
        capabilities: Capabilities,
        check_seconds: float,
    ) -> None:
        self._work = work
        self._service = service
        self._downloader = downloader
        self._capabilities = capabilities
        self._check_seconds = check_seconds

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

    @property
    def check_interval_seconds(self) -> float | None:
        """How often a job is asked about."""
        return self._check_seconds

    async def submit(self, request: GenerationRequest, job_id: str) -> str:
        """Create a job; raises `ProviderError`."""
        return await self._service.create(ClipOrder(request, await self._work.start_frame(request)), job_id)

    async def find(self, job_id: str) -> str | None:
        """Return the service's id of the job that bears our name."""
        return await self._service.find(job_id)

    async def check(self, external_id: str) -> JobProgress:
        """Ask how a job stands."""
        return named((await self._service.look(external_id)).progress, external_id)

    async def fetch(self, external_id: str, request: GenerationRequest) -> GenerationResult:
        """Return the clip that a job has made; raises `ProviderError`."""
        look = await self._service.look(external_id)
        clip = await fetched(self._downloader, self.name, look, _MP4)
        return await self._work.finished(request, Filmed(clip.data, look.seed, external_id, look.report))

    async def cancel(self, external_id: str) -> None:
        """Tell that a job is not wanted any more."""
        await self._service.cancel(external_id)
