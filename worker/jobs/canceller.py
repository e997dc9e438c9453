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
from worker.jobs.rounds import Rounds, Slots
from worker.jobs.waking import Waking
from worker.providers.base import AsynchronousProvider, ProviderError
from worker.providers.registry import ProviderRegistry

_log = logging.getLogger(__name__)
_BATCH: Final = 100
#: Jobs of one provider that are cancelled at the same time.
_AT_ONCE: Final = 8
#: How long others leave a row alone that somebody tries.
_CLAIM_SECONDS: Final = 60.0
_MAX_TRIES: Final = 10
#: How long a submission may still be under way, so that the job's id is not known yet.
_SUBMISSION: Final = timedelta(minutes=5)
_IDLE_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 5.0


class Canceller:
    """Goes on until the provider has taken note, over restarts, and gives up after ten tries.

    Each provider has a round of its own, however slow others are.
    """

    def __init__(self, providers: ProviderRegistry) -> None:
        self._providers = providers
        self._waking = Waking()
        self._rounds = Rounds("cancelling jobs", self._waking.wake)
        self._slots = Slots[ExternalJob, bool](_AT_ONCE)

    def wake(self) -> None:
        """Have the rows looked at now; many calls make one look."""
        self._waking.wake()

    async def run(self, deps: TaskDeps) -> None:
        """Cancel whatever is to be cancelled, until cancelled itself."""
        try:
            while True:
                try:
                    for name in await rows.providers_to_tell(deps.clock.now()):
                        self._begin(deps, name)
                except db.DATABASE_ERRORS as error:
                    _log.warning("cancelling jobs failed, trying again: %s", type(error).__name__)
                await self._waking.wait(_LOOK_SECONDS if self._rounds.running else _IDLE_SECONDS)
        finally:
            await self._rounds.stop()

    def _begin(self, deps: TaskDeps, name: str) -> None:
        self._rounds.begin(name, lambda: self._round(deps, name))

    async def cancel_due(self, deps: TaskDeps) -> int:
        """Tell the providers of every job that is due, and wait for that; returns how many are settled."""
        names = await rows.providers_to_tell(deps.clock.now())
        return sum(await asyncio.gather(*(self._round(deps, name) for name in names)))

    async def _round(self, deps: TaskDeps, name: str) -> int:
        settled = 0

        async def cancel(job: ExternalJob) -> bool:
            return await self._cancel(deps, job)

        async def pace() -> None:
            """Go on at once: there are few, and the slots bound them."""

        while due := await rows.jobs_to_cancel(deps.clock.now(), name, _BATCH):
            outcomes = await self._slots.each(name, due, cancel, pace)
            for job, outcome in zip(due, outcomes, strict=True):
                if isinstance(outcome, db.DATABASE_ERRORS):
                    raise outcome
                if isinstance(outcome, BaseException):
                    # Its row is claimed: it is tried again when that is over, as often as any.
                    _log.error("job %s could not be cancelled, by a fault of ours", job.id, exc_info=outcome)
            settled += sum(outcome for outcome in outcomes if isinstance(outcome, bool))
        return settled

    async def _cancel(self, deps: TaskDeps, job: ExternalJob) -> bool:
        now = deps.clock.now()
        if job.cancel_tries >= _MAX_TRIES:
            await rows.forget_job(job)
            return True
        if not await rows.claim_cancellation(job, now, _CLAIM_SECONDS):
            return False
        if job.external_id is None and now < job.created_at + _SUBMISSION:
            return False  # it may be created at this moment: whoever does so makes its row due again
        try:
            async with asyncio.timeout(deps.settings.check_timeout_seconds):
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
