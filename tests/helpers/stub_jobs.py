"""An asynchronous provider whose jobs a test controls."""

import asyncio
from collections.abc import Callable

from domain.kinds import AssetType, TaskKind
from tests.helpers.stub import sprite
from worker.artifacts import GenerationRequest, GenerationResult, Picture
from worker.providers.base import Capabilities, JobDone, JobFailed, JobProgress, JobRunning, ProviderError


class StubJobs:
    """Keeps its jobs in memory, as a service would that outlives Wonder's process."""

    model = "jobs-1"
    capabilities = Capabilities(frozenset(TaskKind), frozenset(AssetType), asynchronous=True)
    check_interval_seconds: float | None = None

    def __init__(self, draw: Callable[[GenerationRequest], bytes] | None = None, name: str = "jobs") -> None:
        self.name = name
        self.draw = draw or (lambda request: sprite(request.seed, request.params.width, request.params.height))
        #: By external id: how the job stands, and what it was asked for.
        self.states: dict[str, JobProgress] = {}
        self.requests: dict[str, GenerationRequest] = {}
        #: Our names of the jobs, in the order of creation.
        self.created: list[str] = []
        self.cancelled: list[str] = []
        self.checks = 0
        self.cancellations = 0
        self.searches = 0
        self.finds = True
        self.refuses_checks = False
        #: While it is clear, questions and cancellations are not answered.
        self.answers = asyncio.Event()
        self.answers.set()
        #: Raised by `submit` before, and after, it has created the job.
        self.errors_before: list[ProviderError] = []
        self.errors_after: list[ProviderError] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.submitting = asyncio.Event()

    async def submit(self, request: GenerationRequest, job_id: str) -> str:
        self.submitting.set()
        await self.gate.wait()
        if self.errors_before:
            raise self.errors_before.pop(0)
        external_id = f"ext-{job_id}"
        self.created.append(job_id)
        self.states[external_id], self.requests[external_id] = JobRunning(), request
        if self.errors_after:
            raise self.errors_after.pop(0)
        return external_id

    async def find(self, job_id: str) -> str | None:
        self.searches += 1
        if not self.finds:
            raise ProviderError("UNSUPPORTED", "There is no way to look.", retryable=False, outcome_unknown=True)
        return f"ext-{job_id}" if f"ext-{job_id}" in self.states else None

    async def check(self, external_id: str) -> JobProgress:
        self.checks += 1
        await self.answers.wait()
        if self.refuses_checks:
            raise ProviderError("UNREACHABLE", "No answer.", retryable=True)
        return self.states[external_id]

    async def fetch(self, external_id: str, request: GenerationRequest) -> GenerationResult:
        picture = Picture(self.draw(request), request.params.width, request.params.height)
        return GenerationResult((picture,), self.name, self.model, request.seed, request_id=external_id)

    async def cancel(self, external_id: str) -> None:
        self.cancellations += 1
        await self.answers.wait()
        self.cancelled.append(external_id)
        self.states[external_id] = JobFailed(ProviderError("CANCELLED", "Cancelled.", retryable=False))

    def finish(self) -> None:
        """Bring every job that is at work to its end."""
        for external_id, state in self.states.items():
            if isinstance(state, JobRunning):
                self.states[external_id] = JobDone()
