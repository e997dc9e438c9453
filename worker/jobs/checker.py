"""Asks providers about the jobs of parked tasks, in time and no faster than set, and sends on what is done."""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Sequence
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
from worker.jobs.waking import Waking
from worker.providers.base import AsynchronousProvider, JobDone, JobFailed, JobRunning, ProviderError
from worker.providers.registry import ProviderRegistry

_log = logging.getLogger(__name__)
_BATCH: Final = 500
#: Tasks of one provider that are asked about at the same time.
_AT_ONCE: Final = 8
#: A share is told when it has grown by so much.
_LEAST_STEP: Final = 0.01


class Checker:
    """Holds no worker and, between checks, does nothing."""

    def __init__(self, providers: ProviderRegistry) -> None:
        self._providers = providers
        self._waking = Waking()
        self._last_asked: dict[str, float] = {}

    def wake(self) -> None:
        """Have the rows looked at now; many calls make one look."""
        self._waking.wake()

    async def run(self, deps: TaskDeps) -> None:
        """Ask whenever something is due, until cancelled."""
        while True:
            wait_seconds = deps.settings.check_interval_seconds
            try:
                await self.check_due(deps)
                due = await parking.next_check_at()
                if due is not None:
                    wait_seconds = min(wait_seconds, (due - deps.clock.now()).total_seconds())
            except db.DATABASE_ERRORS as error:
                _log.warning("checking jobs failed, trying again: %s", type(error).__name__)
                wait_seconds = 1
            await self._waking.wait(wait_seconds)

    async def check_due(self, deps: TaskDeps) -> parking.CheckReport:
        """Ask about every task that is due, all providers at the same time."""
        asked = moved = 0
        while due := await parking.due_checks(deps.clock.now(), _BATCH):
            by_provider: defaultdict[str, list[Task]] = defaultdict(list)
            for task in due:
                by_provider[task.provider or ""].append(task)
            outcomes = await asyncio.gather(*(self._ask(deps, *item) for item in by_provider.items()))
            asked += sum(report.asked for report in outcomes)
            moved += sum(report.moved for report in outcomes)
            if not any(report.asked for report in outcomes):
                break  # others have taken them all
        return parking.CheckReport(asked, moved)

    async def check_all(self, deps: TaskDeps) -> parking.CheckReport:
        """Ask about every parked task, due or not."""
        await parking.check_all_now(deps.clock.now())
        return await self.check_due(deps)

    async def _ask(self, deps: TaskDeps, name: str, tasks: Sequence[Task]) -> parking.CheckReport:
        """Ask one provider about its tasks, with a pause between any two."""
        slots = asyncio.Semaphore(_AT_ONCE)

        async def one(task: Task) -> bool | None:
            async with slots:
                return await self._check(deps, name, task)

        checks = []
        for task in tasks:
            await self._pace(name, deps.settings.checks_per_second)
            checks.append(asyncio.ensure_future(one(task)))
        outcomes = await asyncio.gather(*checks)
        return parking.CheckReport(sum(moved is not None for moved in outcomes), sum(bool(moved) for moved in outcomes))

    async def _pace(self, name: str, per_second: float) -> None:
        next_at = self._last_asked.get(name, 0.0) + 1 / per_second
        self._last_asked[name] = max(next_at, time.monotonic())
        await asyncio.sleep(max(next_at - time.monotonic(), 0))

    async def _check(self, deps: TaskDeps, name: str, task: Task) -> bool | None:
        """Ask about one task; None when somebody else does, else whether it moved on."""
        try:
            provider = self._providers.get(name)
        except ProviderUnavailable:
            provider = None
        if not isinstance(provider, AsynchronousProvider):
            # A worker finds the same and ends the task with the reason.
            return await parking.send_on(deps, task, f"{name} is no longer configured")
        plan = check_plan(deps.settings, task.kind, name, provider.check_interval_seconds)
        if not await parking.claim_check(task, deps.clock.now(), plan.interval_seconds):
            return None
        share = await self._share_done(deps, provider, task)
        if share is None:
            return await parking.send_on(deps, task, f"{name} has answered")
        if parking.checks_are_over(task, deps.clock.now()):
            message = f"{name} has not answered in time: asked {task.check_count} times."
            return await parking.time_out_parked(deps, task, message)
        if share > 0:
            await parking.tell_share(deps, task, share, f"waiting for {name}: {share:.0%}")
        return False

    async def _share_done(self, deps: TaskDeps, provider: AsynchronousProvider, task: Task) -> float | None:
        """Ask about the jobs that are at work; returns the share that is done, None when no job is at work any more."""
        jobs = [job for job in await rows.jobs_of(task) if job.round == task.quality_retries]
        shares = [await _ask_about(deps, provider, job) for job in jobs if job.state is JobState.WAITING]
        running = [share for share in shares if share is not None]
        if not running:
            return None
        return (sum(running) + len(jobs) - len(running)) / len(jobs)


async def _ask_about(deps: TaskDeps, provider: AsynchronousProvider, job: ExternalJob) -> float | None:
    """Ask about one job and write down its end; returns how much of it is done, None when it has ended."""
    try:
        progress = await provider.check(str(job.external_id))
    except ProviderError as unknown:
        _log.warning("task %s: %s could not be asked: %s", job.task_id, provider.name, unknown.code)
        return 0.0
    match progress:
        case JobRunning(share):
            return min(share or 0.0, 1.0)
        case JobDone():
            await rows.job_done(job, deps.clock.now())
        case JobFailed(error):
            failure = Failure(error.code, error.message, retryable=error.retryable)
            await rows.job_failed(job, failure, deps.clock.now())
    return None
