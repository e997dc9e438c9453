"""Whatever happens to tasks, in whatever order: no illegal transition, no gap, no ghost's writing."""

import contextlib
import itertools
from dataclasses import dataclass, field
from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.errors import DomainError
from domain.figures.counters import wrong_counts
from domain.figures.folding import fold
from domain.lifecycle import ACTIVE, TERMINAL, TRANSITIONS, JobState, TaskStage, TaskStatus
from domain.models.figures import TaskCount, TaskEnding, TaskTally
from domain.models.jobs import ExternalJob
from domain.models.tasks import Task, TaskEventRow
from domain.tasks import work
from domain.tasks.jobs import JobPlan, begin_job, job_created
from domain.tasks.parking import claim_check, due_checks, park, send_on, time_out_parked
from domain.tasks.recovery import reclaim_expired, recover_at_start, release_lost_again
from domain.tasks.release import release
from domain.tasks.work import Claim, Failure, OwnershipLost
from domain.timeouts import CheckPlan
from tests.conftest import MovableClock
from tests.helpers.room import Room

ACTIONS = (
    *("submit", "release", "claim", "step", "complete", "fail", "fail for good", "time out", "hand back"),
    *("cancel", "retry", "prioritise", "lease runs out", "restart", "forget queue"),
    *("begin job", "job created", "park", "send on", "checks run out", "ask", "fold"),
)


@dataclass
class World:
    """The room, and every claim that was ever given out: old ones are ghosts that try to write."""

    room: Room
    clock: MovableClock
    claims: list[Claim] = field(default_factory=list)
    submitted: int = 0

    async def act(self, action: str, pick: int) -> None:
        """Do one thing to one of the tasks or claims; what is refused is refused."""
        with contextlib.suppress(DomainError, OwnershipLost):
            await self._act(action, pick)

    async def _act(self, action: str, pick: int) -> None:  # noqa: C901, PLR0912 (one case for each action)
        deps, tasks, user = self.room.deps, self.room.tasks, self.room.user
        ids = [str(task_id) for task_id in await Task.all().order_by("id").values_list("id", flat=True)]
        task_id = ids[pick % len(ids)] if ids else "tsk_none"
        claim = self.claims[pick % len(self.claims)] if self.claims else None
        match action:
            case "submit":
                self.submitted += 1
                await self.room.submit(f"wish {self.submitted % 4}")
            case "release":
                await release(deps)
            case "claim":
                claimed = await work.claim(deps, task_id)
                self.claims += [claimed] if claimed else []
            case "cancel":
                await tasks.cancel(user.id, task_id)
            case "retry":
                await tasks.retry(user, task_id)
            case "prioritise":
                await tasks.set_priority(user.id, task_id, pick % 10)
            case "fold":
                await fold()
            case "lease runs out":
                self.clock.advance(deps.settings.lease_seconds + 1)
                await reclaim_expired(deps)
            case "restart":
                await recover_at_start(deps)
            case "forget queue":
                self.room.queue._entries.clear()
                self.room.queue._lines.clear()
                await release_lost_again(deps)
            case "job created":
                for job in await ExternalJob.filter(task_id=task_id, state=JobState.SUBMITTING):
                    await job_created(job, f"ext-{job.id}", self.clock.now())
            case "ask" | "send on" | "checks run out":
                await self._check(action)
            # A worker that has given the task up itself does not go on.
            case _ if claim is not None and claim.task.owner_token is not None:
                await self._work(action, claim, pick)

    async def _check(self, action: str) -> None:
        deps = self.room.deps
        for found in await due_checks(self.clock.now() + timedelta(hours=1), "stub", 3):
            task = await Task.get(id=found)
            match action:
                case "ask":
                    await claim_check(deps, task, CheckPlan(60, 30, 3600))
                case "send on":
                    await send_on(deps, task, "answered")
                case _:
                    await time_out_parked(deps, task, "not answered in time")

    async def _work(self, action: str, claim: Claim, pick: int) -> None:  # noqa: C901 (one case for each action)
        deps = self.room.deps
        owns = await Task.filter(id=claim.task.id, owner_token=claim.owner_token).exists()
        before = await Task.get(id=claim.task.id)
        failure = Failure("BROKEN", "It broke.", retryable=action == "fail")
        if owns:  # as the runner does before it settles: what a worker knows may be old
            claim.task = before
        try:
            match action:
                case "step":
                    await work.step(deps, claim, list(TaskStage)[pick % 4], 0.5, "a step")
                case "complete":
                    await work.complete(deps, claim, [], "completed", degraded=False)
                case "fail" | "fail for good":
                    await work.fail(deps, claim, failure)
                case "time out":
                    await work.time_out(deps, claim, failure)
                case "hand back":
                    await work.hand_back(deps, claim)
                case "begin job":
                    await begin_job(deps, claim, JobPlan(pick, 0, "stub", 1, {}))
                case "park":
                    await park(deps, claim, CheckPlan(60, 30, 3600), "waiting")
        except OwnershipLost:
            assert not owns
        else:
            assert owns, f"a ghost could {action}"
        if not owns:
            after = await Task.get(id=claim.task.id)
            assert (after.sequence, after.status, after.owner_token) == (
                before.sequence,
                before.status,
                before.owner_token,
            )

    async def check(self) -> None:
        """Hold every row, every history and every counter to the rules."""
        assert await wrong_counts() == []
        await fold()
        assert await wrong_counts() == []
        for task in await Task.all():
            events = await TaskEventRow.filter(task_id=task.id).order_by("sequence")
            assert [event.sequence for event in events] == list(range(1, task.sequence + 1))
            statuses = [event.status for event in events]
            assert statuses[0] is TaskStatus.PENDING
            assert statuses[-1] is task.status
            for one, two in itertools.pairwise(statuses):
                assert two in TRANSITIONS[one], f"{one} to {two}"
            progress: dict[int, float] = {}
            for event in events:
                assert event.progress >= progress.get(event.attempt, 0)
                progress[event.attempt] = event.progress
            assert (task.finished_at is not None) == (task.status in TERMINAL)
            waits = [task.owner_token, task.next_check_at, task.released_at if task.owner_token is None else None]
            assert task.status is not TaskStatus.RUNNING or sum(place is not None for place in waits) == 1
            assert task.status is TaskStatus.RUNNING or (task.owner_token, task.next_check_at) == (None, None)
            for job in await ExternalJob.filter(task_id=task.id):
                present = task.status in ACTIVE and job.attempt == task.attempt and task.external
                assert present == (job.cancel_at is None), "a job is wanted, or is to be cancelled"
            assert (task.attempt_started_at is None) == (task.started_at is None or task.status is TaskStatus.PENDING)
            assert (task.wait_seconds is None) == (task.started_at is None)
            assert task.active_fingerprint is None or task.status in ACTIVE
            assert task.released_at is None or task.status is not TaskStatus.PENDING or task.attempt >= 1


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 30)), min_size=5, max_size=40))
async def test_no_order_of_events_breaks_the_rules(
    room: Room, clock: MovableClock, steps: list[tuple[str, int]]
) -> None:
    for model in (TaskEventRow, Task, ExternalJob, TaskEnding, TaskCount, TaskTally):
        await model.all().delete()
    room.queue._entries.clear()
    room.queue._lines.clear()
    world = World(room, clock)
    for action, pick in steps:
        await world.act(action, pick)
    await world.check()
