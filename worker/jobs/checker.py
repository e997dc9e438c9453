"""Asks providers about the jobs of parked tasks, in time and no faster than set, and sends on what is done."""

import asyncio
import logging
import time
from datetime import timedelta
from typing import Final

from domain import db
from domain.errors import ProviderUnavailable
from domain.lifecycle import JobState
from domain.models.jobs import ExternalJob
from domain.models.tasks import Task
from domain.tasks import jobs as rows
from domain.tasks import parking
from domain.tasks.deps import TaskDeps
from domain.tasks.work import Failure
from domain.timeouts import check_plan
from worker.jobs.overdue import Overdue
from worker.jobs.previews import Previews
from worker.jobs.rounds import Rounds, Slots
from worker.jobs.waking import Waking
from worker.providers.base import AsynchronousProvider, JobDone, JobFailed, JobRunning, ProviderError
from worker.providers.registry import ProviderRegistry

_log = logging.getLogger(__name__)
_BATCH: Final = 500
#: Tasks of one provider that are asked about at the same time.
_AT_ONCE: Final = 8
#: While something is under way or overdue, it is looked after so often.
_LOOK_SECONDS: Final = 5.0
#: How long a row that cannot be handled is left alone, so that `repairTasks` can mend it.
_ASIDE: Final = timedelta(minutes=10)


class Contradiction(Exception):
    """The row says that the task is parked and that a worker has it."""


class Checker:
    """Holds no worker and, between checks, does nothing.

    Each provider has a round of its own, however slow others are.
    """

    def __init__(self, providers: ProviderRegistry, previews: Previews) -> None:
        self._providers = providers
        self._previews = previews
        self._waking = Waking()
        self._rounds = Rounds("checking jobs", self._waking.wake)
        self._slots = Slots[str, bool | None](_AT_ONCE)
        self._overdue = Overdue()
        self._last_asked: dict[str, float] = {}

    def wake(self) -> None:
        """Have the rows looked at now; many calls make one look."""
        self._waking.wake()

    async def run(self, deps: TaskDeps) -> None:
        """Ask whenever something is due, until cancelled."""
        try:
            while True:
                try:
                    wait_seconds = await self._look(deps)
                except db.DATABASE_ERRORS as error:
                    _log.warning("checking jobs failed, trying again: %s", type(error).__name__)
                    wait_seconds = 1
                await self._waking.wait(wait_seconds)
        finally:
            await self._rounds.stop()

    async def _look(self, deps: TaskDeps) -> float:
        """Begin a round for every provider that has none; returns after how many seconds to look again."""
        for name in await _due(deps):
            self._begin(deps, name)
        left = await self._overdue.end(deps)
        due = await parking.next_check_at(without=self._rounds.running)
        wait_seconds = deps.settings.check_interval_seconds
        if due is not None:
            wait_seconds = min(wait_seconds, (due - deps.clock.now()).total_seconds())
        return min(wait_seconds, _LOOK_SECONDS) if left or self._rounds.running else wait_seconds

    def _begin(self, deps: TaskDeps, name: str) -> None:
        self._rounds.begin(name, lambda: self._round(deps, name))

    async def check_due(self, deps: TaskDeps) -> parking.CheckReport:
        """Ask about every task that is due, all providers at the same time, and wait for the answers."""
        names = await _due(deps)
        reports = await asyncio.gather(*(self._round(deps, name) for name in names))
        await self._overdue.end(deps)
        return parking.CheckReport(sum(report.asked for report in reports), sum(report.moved for report in reports))

    async def check_all(self, deps: TaskDeps) -> parking.CheckReport:
        """Ask about every parked task, due or not."""
        await parking.check_all_now(deps.clock.now())
        return await self.check_due(deps)

    async def _round(self, deps: TaskDeps, name: str) -> parking.CheckReport:
        """Ask one provider about its tasks that are due, with a pause between any two."""
        asked = moved = 0

        async def check(task_id: str) -> bool | None:
            return await self._check(deps, name, task_id)

        async def pace() -> None:
            await self._pace(name, deps.settings.checks_per_second)

        while due := await parking.due_checks(deps.clock.now(), name, _BATCH):
            outcomes = await self._slots.each(name, due, check, pace)
            await _set_aside(deps, dict(zip(due, outcomes, strict=True)))
            settled = [outcome for outcome in outcomes if isinstance(outcome, bool)]
            if not settled:
                break  # others have taken them all
            asked, moved = asked + len(settled), moved + sum(settled)
        return parking.CheckReport(asked, moved)

    async def _pace(self, name: str, per_second: float) -> None:
        next_at = self._last_asked.get(name, 0.0) + 1 / per_second
        self._last_asked[name] = max(next_at, time.monotonic())
        await asyncio.sleep(max(next_at - time.monotonic(), 0))

    async def _check(self, deps: TaskDeps, name: str, task_id: str) -> bool | None:
        """Ask about one task; None when somebody else does, else whether it moved on."""
        task = await Task.filter(id=task_id, next_check_at__lte=deps.clock.now()).first()
        if task is None:
            return None
        if task.owner_token is not None:
            raise Contradiction
        try:
            provider = self._providers.get(name)
        except ProviderUnavailable:
            provider = None
        if not isinstance(provider, AsynchronousProvider):
            # A worker finds the same and ends the task with the reason.
            return await parking.send_on(deps, task, f"{name} is no longer configured")
        plan = check_plan(deps.settings, task.kind, name, provider.check_interval_seconds)
        if not await parking.claim_check(deps, task, plan):
            return None
        share = await self._share_done(deps, provider, task)
        if share is None:
            return await parking.send_on(deps, task, f"{name} has answered")
        if parking.checks_are_over(task, deps.clock.now()):
            return await parking.time_out_parked(deps, task, parking.late_message(task))
        if share > 0:
            await parking.tell_share(deps, task, share, f"waiting for {name}: {share:.0%}")
        return False

    async def _share_done(self, deps: TaskDeps, provider: AsynchronousProvider, task: Task) -> float | None:
        """Ask about the jobs that are at work; returns the share that is done, None when no job is at work any more."""
        jobs = [job for job in await rows.jobs_of(task) if job.round == task.quality_retries]
        shares = [await self._ask_about(deps, provider, job) for job in jobs if job.state is JobState.WAITING]
        running = [share for share in shares if share is not None]
        if not running:
            return None
        return (sum(running) + len(jobs) - len(running)) / len(jobs)

    async def _ask_about(self, deps: TaskDeps, provider: AsynchronousProvider, job: ExternalJob) -> float | None:
        """Ask about one job and write down its end; returns how much of it is done, None when it has ended."""
        try:
            async with asyncio.timeout(deps.settings.check_timeout_seconds):
                progress = await provider.check(str(job.external_id))
        except (ProviderError, TimeoutError) as unknown:
            why = unknown.code if isinstance(unknown, ProviderError) else "no answer in time"
            _log.warning("task %s: %s could not be asked: %s", job.task_id, provider.name, why)
            return 0.0
        match progress:
            case JobRunning(share, preview):
                if preview is not None:
                    await self._previews.keep(job, preview)
                return min(share or 0.0, 1.0)
            case JobDone():
                await rows.job_done(job, deps.clock.now())
            case JobFailed(error):
                failure = Failure(error.code, error.message, retryable=error.retryable)
                await rows.job_failed(job, failure, deps.clock.now(), unpaid=error.unpaid)
        return None


async def _due(deps: TaskDeps) -> list[str]:
    """Return the providers with something to ask about; none where no worker could go on with the answers."""
    return await parking.providers_due(deps.clock.now()) if deps.queue.capacity else []


async def _set_aside(deps: TaskDeps, outcomes: dict[str, bool | BaseException | None]) -> None:
    """Leave tasks alone for a while whose rows could not be handled; raises when it was the database that failed."""
    for task_id, outcome in outcomes.items():
        # A row that contradicts others is no failure of the database, which is what refuses it.
        if isinstance(outcome, db.DATABASE_ERRORS) and not isinstance(outcome, db.CONTRADICTION):
            raise outcome
        if isinstance(outcome, BaseException):
            _log.error(
                "task %s is set aside: its rows could not be handled; see repairTasks", task_id, exc_info=outcome
            )
            await parking.set_aside(task_id, deps.clock.now() + _ASIDE)
