"""A provider for every service that paints in jobs."""

from worker.artifacts import GenerationRequest, GenerationResult
from worker.providers.base import Capabilities, JobProgress
from worker.providers.http.download import Downloader
from worker.providers.http.media_type import PICTURES
from worker.providers.jobs.service import JobService, fetched, named
from worker.providers.pictures.plan import plan_shots
from worker.providers.pictures.shot import Painted, Shot
from worker.providers.pictures.work import PictureWork


class PictureJobProvider:
    """Has one picture painted for an asset, a sheet with all its animations in it, and makes the asset of it."""

    def __init__(
        self,
        work: PictureWork,
        service: JobService[Shot],
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
        return await self._service.create(self._shot(await self._work.prepared(request)), job_id)

    async def find(self, job_id: str) -> str | None:
        """Return the service's id of the job that bears our name."""
        return await self._service.find(job_id)

    async def check(self, external_id: str) -> JobProgress:
        """Ask how a job stands."""
        return named((await self._service.look(external_id)).progress, external_id)

    async def fetch(self, external_id: str, request: GenerationRequest) -> GenerationResult:
        """Return what a job has made; raises `ProviderError`."""
        look = await self._service.look(external_id)
        picture = await fetched(self._downloader, self.name, look, PICTURES)
        seed = request.seed if look.seed is None and self._work.traits.seeds else look.seed
        painted = Painted(picture.data, seed, external_id, look.report)
        # How many of the style's pictures were shown when the job was created is not known any more.
        shown = bool(self._work.traits.references and request.style.reference_image_ids)
        return await self._work.finished(request, [self._shot(request)], [painted], as_sent=not shown)

    async def cancel(self, external_id: str) -> None:
        """Tell that a job is not wanted any more."""
        await self._service.cancel(external_id)

    def _shot(self, request: GenerationRequest) -> Shot:
        return plan_shots(request, self._work.traits, single=True)[0]
