"""What workers do to a task: claims, steps, ends, and what happens when two meet."""

import asyncio
from dataclasses import replace

import pytest

from domain import db
from domain.errors import Conflict, NotCancellable, NotFound, NotRetryable, TaskLimitReached
from domain.ids import IdPrefix, new_id
from domain.lifecycle import TaskStage, TaskStatus
from domain.models.accounts import User
from domain.models.storage import StorageDeletion
from domain.models.tasks import Asset, QualityCheckRow, Task, TaskEventRow
from domain.tasks import work
from domain.tasks.recovery import give_up_released, reclaim_expired, recover_at_start, release_lost_again
from domain.tasks.release import release
from domain.tasks.service import Tasks
from domain.tasks.transition import IllegalTransition, move
from domain.tasks.work import Claim, Failure, OwnershipLost
from tests.conftest import MovableClock
from tests.helpers.room import Room, add_instance
from worker.queue.memory import MemoryQueue

BROKEN = Failure("STUB", "The stub broke.", retryable=True)


async def started(room: Room, prompt: str = "a slime") -> Claim:
    task = await room.submit(prompt)
    await release(room.deps)
    claim = await work.claim(room.deps, task.id)
    assert claim is not None
    return claim


def asset(claim: Claim, position: int = 0) -> Asset:
    task = claim.task
    return Asset(
        id=new_id(IdPrefix.ASSET),
        user_id=task.user_id,
        project_id=task.project_id,
        task_id=task.id,
        asset_type=task.asset_type,
        name="slime.png",
        role="image",
        media_type="image/png",
        size_bytes=1,
        sha256="0" * 64,
        storage_key=f"users/{task.id}/{position}",
        provenance={},
        metadata={},
        position=position,
        created_at=task.created_at,
    )


async def sequences(task_id: str) -> list[int]:
    return [row.sequence for row in await TaskEventRow.filter(task_id=task_id).order_by("id")]


async def test_one_of_twenty_workers_gets_the_task(room: Room) -> None:
    task = await room.submit()
    await release(room.deps)
    claims = await asyncio.gather(*(work.claim(room.deps, task.id) for _ in range(20)))
    assert sum(claim is not None for claim in claims) == 1
    assert await sequences(task.id) == [1, 2]


async def test_what_was_not_released_cannot_be_claimed(room: Room) -> None:
    task = await room.submit()
    assert await work.claim(room.deps, task.id) is None
    assert await work.claim(room.deps, "tsk_unknown") is None


async def test_steps_are_rows_and_progress_never_falls(room: Room) -> None:
    claim = await started(room)
    verdict = {
        "task_id": claim.task.id,
        "attempt": 1,
        "round": 0,
        "variation": 0,
        "position": 0,
        "name": "empty",
        "score": 0.0,
        "threshold": 1.0,
        "passed": False,
        "reason": "x",
    }
    await work.step(room.deps, claim, TaskStage.ASSET_GENERATOR, 0.5, "generating")
    await work.step(room.deps, claim, TaskStage.PROMPT_BUILDER, 0, "again", verdicts=[verdict], quality_retries=1)
    await work.step(room.deps, claim, TaskStage.QUALITY_SUPERVISOR, 1, "checked")
    rows = await TaskEventRow.filter(task_id=claim.task.id).order_by("sequence")
    assert [(row.sequence, row.progress, row.quality_retries) for row in rows] == [
        (1, 0, 0),
        (2, 0, 0),
        (3, 40, 0),
        (4, 40, 1),
        (5, 80, 1),
    ]
    assert await QualityCheckRow.filter(task_id=claim.task.id).count() == 1
    task = await Task.get(id=claim.task.id)
    assert (task.stage, task.progress, task.sequence) == (TaskStage.QUALITY_SUPERVISOR, 80, 5)


async def test_completion_writes_the_assets_with_the_status(room: Room) -> None:
    claim = await started(room)
    await work.complete(room.deps, claim, [asset(claim)], "completed", degraded=True)
    task = await Task.get(id=claim.task.id)
    assert (task.status, task.progress, task.degraded, task.owner_token) == (TaskStatus.COMPLETED, 100, True, None)
    assert task.finished_at is not None
    assert await Asset.filter(task_id=task.id).count() == 1


async def test_a_failed_completion_leaves_the_task_running(room: Room) -> None:
    claim = await started(room)
    with pytest.raises(db.DATABASE_ERRORS):
        await work.complete(room.deps, claim, [asset(claim), asset(claim)], "completed", degraded=False)
    task = await Task.get(id=claim.task.id)
    assert (task.status, task.sequence, await Asset.all().count()) == (TaskStatus.RUNNING, 2, 0)


async def test_whoever_lost_the_task_can_write_nothing(room: Room) -> None:
    claim = await started(room)
    await room.tasks.cancel(room.user.id, claim.task.id)
    for late in (
        work.renew(room.deps, claim),
        work.step(room.deps, claim, TaskStage.ASSET_GENERATOR, 0, "late"),
        work.complete(room.deps, claim, [asset(claim)], "late", degraded=False),
    ):
        with pytest.raises(OwnershipLost):
            await late
    task = await Task.get(id=claim.task.id)
    assert (task.status, task.sequence, await Asset.all().count()) == (TaskStatus.CANCELLED, 3, 0)


async def test_a_failure_is_tried_again_once_and_then_failed(room: Room, clock: MovableClock) -> None:
    claim = await started(room)
    await work.step(room.deps, claim, TaskStage.QUALITY_SUPERVISOR, 0, "checking", quality_retries=2)
    await work.fail(room.deps, claim, BROKEN)
    task = await Task.get(id=claim.task.id)
    assert (task.status, task.attempt, task.progress, task.quality_retries) == (TaskStatus.PENDING, 2, 0, 0)
    assert task.ready_at > clock.now()
    clock.advance(60)
    await release(room.deps)
    again = await work.claim(room.deps, task.id)
    assert again is not None
    await work.fail(room.deps, again, BROKEN)
    task = await Task.get(id=task.id)
    assert (task.status, task.error_code, task.error_message, task.error_retryable, task.attempt) == (
        TaskStatus.FAILED,
        "STUB",
        "The stub broke.",
        True,
        2,
    )
    assert await sequences(task.id) == list(range(1, 7))


async def test_a_failure_that_a_retry_cannot_mend_is_final_at_once(room: Room) -> None:
    claim = await started(room)
    await work.fail(room.deps, claim, Failure("POLICY", "Refused.", retryable=False))
    assert (await Task.get(id=claim.task.id)).status is TaskStatus.FAILED


async def test_timeouts_end_a_task(room: Room) -> None:
    claim = await started(room)
    await work.time_out(room.deps, claim, Failure("TIMEOUT", "Too long.", retryable=True))
    assert (await Task.get(id=claim.task.id)).status is TaskStatus.TIMEOUT


async def test_a_task_handed_back_is_ready_at_once(room: Room) -> None:
    claim = await started(room)
    await work.hand_back(room.deps, claim)
    assert await release(room.deps) == 1
    again = await work.claim(room.deps, claim.task.id)
    assert again is not None
    assert (again.task.attempt, again.task.retries, again.task.losses) == (2, 0, 0)


async def test_cancelling_ends_waiting_and_running_tasks_and_nothing_else(room: Room) -> None:
    waiting, running = await room.submit("waiting"), (await started(room, "running")).task
    for task in (waiting, running):
        assert (await room.tasks.cancel(room.user.id, task.id)).status is TaskStatus.CANCELLED
        with pytest.raises(NotCancellable):
            await room.tasks.cancel(room.user.id, task.id)
    foreign = await room.submit(user=room.stranger)
    unknown = [foreign.id, "tsk_unknown", "../etc"]
    texts = set()
    for task_id in unknown:
        with pytest.raises(NotFound) as caught:
            await room.tasks.cancel(room.user.id, task_id)
        texts.add(caught.value.message)
    assert len(texts) == 1
    assert (await Task.get(id=foreign.id)).status is TaskStatus.PENDING


async def test_of_twenty_cancellations_one_is_told_done(room: Room) -> None:
    claim = await started(room)
    results = await asyncio.gather(
        *(room.tasks.cancel(room.user.id, claim.task.id) for _ in range(20)), return_exceptions=True
    )
    assert sum(isinstance(result, Task) for result in results) == 1
    assert await sequences(claim.task.id) == [1, 2, 3]


async def test_a_run_cut_off_in_the_last_stage_has_its_files_recorded_for_removal(room: Room) -> None:
    claim = await started(room)
    await work.step(room.deps, claim, TaskStage.FORMAT_ADAPTER, 0, "writing")
    await room.tasks.cancel(room.user.id, claim.task.id)
    (deletion,) = await StorageDeletion.all()
    assert deletion.target.endswith(f"/tasks/{claim.task.id}/output/{claim.owner_token}/")


async def test_a_retry_is_a_new_attempt_of_the_same_input_and_of_two_at_once_one_is_made(room: Room) -> None:
    task = await room.submit()
    await room.tasks.cancel(room.user.id, task.id)
    results = await asyncio.gather(*(room.tasks.retry(room.user, task.id) for _ in range(5)), return_exceptions=True)
    assert sum(isinstance(result, Task) for result in results) == 1
    assert sum(isinstance(result, NotRetryable) for result in results) == 4
    again = await Task.get(id=task.id)
    assert (again.status, again.attempt, again.finished_at, again.params) == (TaskStatus.PENDING, 2, None, task.params)
    assert await sequences(task.id) == [1, 2, 3]


async def test_completed_tasks_are_not_retried_and_limits_hold(room: Room) -> None:
    claim = await started(room)
    await work.complete(room.deps, claim, [], "done", degraded=False)
    with pytest.raises(NotRetryable):
        await room.tasks.retry(room.user, claim.task.id)
    cancelled = await room.submit("another")
    await room.tasks.cancel(room.user.id, cancelled.id)
    await room.submit("third")
    await User.filter(id=room.user.id).update(max_active_tasks=1)
    with pytest.raises(TaskLimitReached):
        await room.tasks.retry(room.user, cancelled.id)


async def test_a_retry_beside_an_identical_active_task_is_allowed(room: Room) -> None:
    first = await room.submit()
    await room.tasks.cancel(room.user.id, first.id)
    twin = await room.submit()
    assert twin.id != first.id
    assert (await room.tasks.retry(room.user, first.id)).status is TaskStatus.PENDING
    await room.tasks.cancel(room.user.id, twin.id)
    assert (await room.submit()).id == first.id, "still recognised when its twin has ended"


async def test_priorities_change_only_while_queued(room: Room) -> None:
    claim = await started(room)
    with pytest.raises(Conflict):
        await room.tasks.set_priority(room.user.id, claim.task.id, 3)


async def test_a_lease_that_ran_out_puts_the_task_back_as_a_new_attempt(room: Room, clock: MovableClock) -> None:
    claim = await started(room)
    clock.advance(room.deps.settings.lease_seconds - 1)
    await work.renew(room.deps, claim)
    clock.advance(room.deps.settings.lease_seconds - 1)
    assert await reclaim_expired(room.deps) == 0
    clock.advance(2)
    assert await reclaim_expired(room.deps) == 1
    task = await Task.get(id=claim.task.id)
    assert (task.status, task.attempt, task.owner_token) == (TaskStatus.PENDING, 2, None)
    with pytest.raises(OwnershipLost):
        await work.step(room.deps, claim, TaskStage.ASSET_GENERATOR, 0, "a ghost")


async def test_a_task_that_kills_every_worker_is_failed_in_the_end(room: Room) -> None:
    claim = await started(room)
    for _ in range(room.deps.settings.max_worker_losses):
        await recover_at_start(room.deps)
        await release(room.deps)
        await work.claim(room.deps, claim.task.id)
    task = await Task.get(id=claim.task.id)
    assert (task.status, task.error_code) == (TaskStatus.FAILED, "WORKER_LOST")


async def test_after_a_start_everything_waits_again_in_its_order(room: Room) -> None:
    running = await started(room, "running")
    waiting = await room.submit("waiting")
    await release(room.deps)
    room.queue._entries.clear()
    room.queue._lines.clear()
    assert await recover_at_start(room.deps) == 1
    assert await release(room.deps) == 2
    assert {(await room.queue._next()) for _ in range(2)} == {running.task.id, waiting.id}


async def test_a_released_task_that_the_queue_forgot_waits_again(room: Room) -> None:
    await room.submit()
    await release(room.deps)
    assert await release_lost_again(room.deps) == 0
    room.queue._entries.clear()
    room.queue._lines.clear()
    assert await release_lost_again(room.deps) == 1
    assert await release(room.deps) == 1


async def test_what_another_living_process_holds_is_left_to_it_and_what_a_dead_one_held_is_not(room: Room) -> None:
    there, gone = (replace(room.deps, instance_id=f"ins_{name}", queue=MemoryQueue(1)) for name in ("there", "gone"))
    await add_instance(there.instance_id)
    tasks = [await room.submit(f"slime {number}") for number in range(3)]
    for deps in (there, gone, room.deps):
        assert await release(deps) == 1
    assert await release_lost_again(room.deps) == 1
    held = {task.id: task.released_to for task in await Task.all()}
    assert [held[task.id] for task in tasks] == [there.instance_id, None, room.deps.instance_id]
    await give_up_released(there)
    assert await release(room.deps) == 2


async def test_each_process_holds_as_many_as_it_may_whatever_the_others_hold(room: Room) -> None:
    for number in range(5):
        await room.submit(f"slime {number}")
    first, second = (replace(room.deps, instance_id=f"ins_{name}", queue=MemoryQueue(2)) for name in "ab")
    assert [await release(deps) for deps in (first, second, first, second)] == [2, 2, 0, 0]
    second.queue.narrow(0)  # type: ignore[attr-defined]
    await give_up_released(second)
    assert await release(second) == 0
    assert await release(room.deps) == 3


async def test_a_priority_is_changed_for_a_task_that_another_process_holds(room: Room) -> None:
    task = await room.submit()
    there = replace(room.deps, instance_id="ins_there", queue=MemoryQueue(10))
    await release(there)
    await room.tasks.set_priority(room.user.id, task.id, 9)
    assert (await Task.get(id=task.id)).released_at is None
    assert await release(room.deps) == 1
    assert await room.queue._next() == task.id


async def test_the_table_is_the_law(room: Room) -> None:
    task = await room.submit()
    async with db.transaction():
        with pytest.raises(IllegalTransition):
            await move(task, TaskStatus.COMPLETED, "no", room.deps.clock.now())


async def test_a_stranger_controls_nothing(room: Room) -> None:
    task = await room.submit()
    tasks: Tasks = room.tasks
    for attempt in (
        tasks.get(room.stranger.id, task.id),
        tasks.cancel(room.stranger.id, task.id),
        tasks.retry(room.stranger, task.id),
        tasks.set_priority(room.stranger.id, task.id, 1),
        tasks.delete_project(room.stranger.id, room.project.id),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert (await Task.get(id=task.id)).sequence == 1
