"""Tells providers which of their jobs nobody wants any more."""

import asyncio
import logging
from datetime import timedelta
from typing import Final

from domain import db
from domain.errors import ProviderUnavailable
from domain.models.jobs import ExternalJob
from domain.tasks import jobs as rows
from domain.tasks.deps import TaskDeps
from worker.jobs.waking import Waking
from worker.providers.base import AsynchronousProvider, ProviderError
from worker.providers.registry import ProviderRegistry

_log = logging.getLogger(__name__)
_BATCH: Final = 100
_AT_ONCE: Final = 8
#: How long one try may take, and how long others leave its row alone.
_TRY_SECONDS: Final = 30.0
_CLAIM_SECONDS: Final = 60.0
_MAX_TRIES: Final = 10
#: How long a submission may still be under way, so that the job's id is not known yet.
_SUBMISSION: Final = timedelta(minutes=5)
_IDLE_SECONDS: Final = 60.0


class Canceller:
    """Goes on until the provider has taken note, over restarts, and gives up after ten tries."""

    def __init__(self, providers: ProviderRegistry) -> None:
        self._providers = providers
        self._waking = Waking()

    def wake(self) -> None:
        """Have the rows looked at now; many calls make one look."""
        self._waking.wake()

    async def run(self, deps: TaskDeps) -> None:
        """Cancel whatever is to be cancelled, until cancelled itself."""
        while True:
            try:
                await self.cancel_due(deps)
            except db.DATABASE_ERRORS as error:
                _log.warning("cancelling jobs failed, trying again: %s", type(error).__name__)
            await self._waking.wait(_IDLE_SECONDS)

    async def cancel_due(self, deps: TaskDeps) -> int:
        """Tell the providers of every job that is due; returns how many are settled."""
        settled = 0
        while due := await rows.jobs_to_cancel(deps.clock.now(), _BATCH):
            slots = asyncio.Semaphore(_AT_ONCE)

            async def one(job: ExternalJob, slots: asyncio.Semaphore = slots) -> bool:
                async with slots:
                    return await self._cancel(deps, job)

            settled += sum(await asyncio.gather(*map(one, due)))
        return settled

    async def _cancel(self, deps: TaskDeps, job: ExternalJob) -> bool:
        now = deps.clock.now()
        if not await rows.claim_cancellation(job, now, _CLAIM_SECONDS):
            return False
        if job.external_id is None and now < job.created_at + _SUBMISSION:
            return False  # it may be created at this moment: asked again when its row is due
        try:
            async with asyncio.timeout(_TRY_SECONDS):
                await self._tell_provider(job)
        except (ProviderError, ProviderUnavailable, TimeoutError) as error:
            if job.cancel_tries + 1 < _MAX_TRIES:
                return False
            _log.warning(
                "job %s of task %s (%s at %s) could not be cancelled: %s",
                job.id, job.task_id, job.external_id, job.provider, type(error).__name__,
            )  # fmt: skip
        await rows.forget_job(job)
        return True

    async def _tell_provider(self, job: ExternalJob) -> None:
        provider = self._providers.get(job.provider)
        if not isinstance(provider, AsynchronousProvider):
            return
        external_id = job.external_id or await provider.find(job.id)
        if external_id is not None:
            await provider.cancel(external_id)
