"""What ended within a window: work is no waiting, waiting is no work, and folding changes nothing."""

import pytest

from domain.errors import InvalidInput
from domain.figures.folding import HOUR, KEPT, MINUTE, fold, forget, start_of
from domain.figures.tally import RELATIVE_ERROR
from domain.figures.window import MAX_WINDOW_SECONDS, MIN_WINDOW_SECONDS, Group, ended_since, recent
from domain.kinds import TaskKind
from domain.lifecycle import TaskStatus
from domain.models.figures import TaskEnding, TaskTally
from domain.models.tasks import Task
from domain.statistics import Statistics
from domain.tasks import work
from domain.tasks.recovery import recover_at_start
from domain.tasks.release import release
from domain.tasks.work import Claim, Failure
from tests.conftest import MovableClock
from tests.helpers.room import Room

STUB = Group(TaskKind.TEXT_TO_IMAGE, "stub")


async def begin(room: Room, task: Task) -> Claim:
    await release(room.deps)
    claim = await work.claim(room.deps, task.id)
    assert claim is not None
    return claim


async def end(room: Room, claim: Claim) -> None:
    await work.complete(room.deps, claim, [], "completed", degraded=False)


async def run_one(room: Room, clock: MovableClock, wait: float, run: float, prompt: str = "x") -> None:
    """Let a task wait so many seconds and take so many."""
    task = await room.submit(prompt, provider="stub")
    clock.advance(wait)
    claim = await begin(room, task)
    clock.advance(run)
    await end(room, claim)


async def test_means_are_exact_and_p95_is_near_before_and_after_folding_and_for_a_new_process(
    room: Room, clock: MovableClock
) -> None:
    for number in range(1, 21):
        await run_one(room, clock, wait=number, run=2 * number)
    for _ in range(2):
        stats = await Statistics(room.deps.settings, clock).queue_stats(room.user.id)
        for rates in (stats.overall, stats.by_kind[TaskKind.TEXT_TO_IMAGE], stats.by_provider["stub"]):
            assert (rates.tally.finished, rates.tally.success_rate) == (20, 1.0)
            assert rates.average_seconds == pytest.approx(21)
            assert rates.average_wait_seconds == pytest.approx(10.5)
            assert rates.p95_seconds == pytest.approx(38, rel=RELATIVE_ERROR)
            assert rates.p95_wait_seconds == pytest.approx(19, rel=RELATIVE_ERROR)
        assert stats.ended[TaskStatus.COMPLETED] == 20
        await fold()
    assert await ended_since(room.stranger.id, clock.now(), 3600) == {}
    assert (await ended_since(None, clock.now(), 3600))[STUB].finished == 20


async def test_waiting_between_attempts_is_neither_work_nor_waiting_for_the_first(
    room: Room, clock: MovableClock
) -> None:
    task = await room.submit(provider="stub")
    clock.advance(7)
    claim = await begin(room, task)
    clock.advance(5)
    await recover_at_start(room.deps)  # the worker died after 5 s
    clock.advance(100)
    claim = await begin(room, task)
    assert (claim.task.attempt, claim.task.attempt_started_at) == (2, clock.now())
    clock.advance(3)
    await end(room, claim)
    tally = (await ended_since(None, clock.now(), 3600))[STUB]
    assert tally.run.mean == pytest.approx(3)
    assert tally.wait.mean == pytest.approx(7)


async def test_a_task_that_its_owner_tries_again_is_one_task_that_waited_since_then(
    room: Room, clock: MovableClock
) -> None:
    task = await room.submit(provider="stub")
    claim = await begin(room, task)
    clock.advance(4)
    await work.fail(room.deps, claim, Failure("BROKEN", "It broke.", retryable=False))
    await fold()
    assert (await ended_since(None, clock.now(), 3600))[STUB].success_rate == 0
    clock.advance(1000)
    task = await room.tasks.retry(room.user, task.id)
    assert (await ended_since(None, clock.now(), 3600))[STUB].finished == 0
    clock.advance(6)
    claim = await begin(room, task)
    clock.advance(2)
    await end(room, claim)
    for _ in range(2):
        tally = (await ended_since(None, clock.now(), 3600))[STUB]
        assert (tally.finished, tally.success_rate) == (1, 1.0)
        assert tally.run.mean == pytest.approx(2)
        assert tally.wait.mean == pytest.approx(6)
        await fold()


async def test_a_task_cancelled_while_it_waited_has_no_durations(room: Room, clock: MovableClock) -> None:
    task = await room.submit()
    clock.advance(9)
    await room.tasks.cancel(room.user.id, task.id)
    tally = (await ended_since(None, clock.now(), 60))[Group(TaskKind.TEXT_TO_IMAGE, None)]
    assert (tally.finished, tally.run.count, tally.wait.count) == (1, 0, 0)


@pytest.mark.parametrize("folded", [False, True])
async def test_a_window_begins_with_its_first_minute_and_a_long_one_with_its_first_hour(
    room: Room, clock: MovableClock, *, folded: bool
) -> None:
    clock.advance(30)
    await run_one(room, clock, 0, 0.5)  # 12:00:30
    if folded:
        await fold()

    async def seen(window_seconds: int) -> bool:
        return (
            await Statistics(room.deps.settings, clock).queue_stats(None, window_seconds)
        ).overall.tally.finished == 1

    clock.advance(89)  # 12:01:59.5
    assert await seen(60)
    assert await seen(90)
    clock.advance(1)
    assert [await seen(60), await seen(120)] == [False, True]
    clock.advance(3 * HOUR)
    assert [await seen(2 * HOUR), await seen(3 * HOUR), await seen(MAX_WINDOW_SECONDS)] == [False, True, True]


@pytest.mark.parametrize("seconds", [MIN_WINDOW_SECONDS - 1, MAX_WINDOW_SECONDS + 1, 0, -1])
async def test_a_window_that_is_too_short_or_too_long_is_refused(room: Room, clock: MovableClock, seconds: int) -> None:
    with pytest.raises(InvalidInput):
        await Statistics(room.deps.settings, clock).queue_stats(None, seconds)


async def test_tallies_are_kept_for_longer_than_any_window_and_not_for_ever(room: Room, clock: MovableClock) -> None:
    await run_one(room, clock, 1, 1)
    await fold()
    assert await TaskTally.all().count() == 4  # of the user and of everybody, for the minute and for the hour
    assert await forget(clock.now()) == 0
    clock.advance(KEPT[MINUTE].total_seconds() + MINUTE)
    assert await forget(clock.now()) == 2
    assert {row.span_seconds for row in await TaskTally.all()} == {HOUR}
    assert KEPT[HOUR].total_seconds() >= MAX_WINDOW_SECONDS + HOUR
    clock.advance(KEPT[HOUR].total_seconds())
    assert await forget(clock.now()) == 2


async def test_a_thousand_endings_of_a_minute_are_one_row(room: Room, clock: MovableClock) -> None:
    await TaskEnding.bulk_create(
        TaskEnding(
            user_id=room.user.id,
            status=TaskStatus.COMPLETED,
            change=1,
            kind=TaskKind.TEXT_TO_IMAGE,
            provider="stub",
            at=clock.now(),
            run_seconds=1 + number % 7,
            wait_seconds=0.1,
        )
        for number in range(1000)
    )
    await fold()
    assert await TaskTally.all().count() == 4
    assert (await ended_since(room.user.id, clock.now(), 60))[STUB].run.count == 1000


async def test_recent_times_come_from_the_latest_hours_that_hold_enough(room: Room, clock: MovableClock) -> None:
    async def hour(count: int, run_seconds: float) -> None:
        for number in range(count):
            await run_one(room, clock, 0, run_seconds, f"{run_seconds} {number}")
        await fold()
        clock.advance(HOUR)

    await hour(5, 50.0)
    await hour(20, 10.0)
    await hour(2, 1.0)
    assert (await recent(clock.now()))[STUB].run.mean == pytest.approx((20 * 10 + 2 * 1) / 22)
    clock.advance(25 * HOUR)
    assert await recent(clock.now()) == {}


def test_minutes_and_hours_begin_on_the_clock(clock: MovableClock) -> None:
    clock.advance(3661.5)
    assert start_of(clock.now(), MINUTE).isoformat() == "2026-12-01T13:01:00+00:00"
    assert start_of(clock.now(), HOUR).isoformat() == "2026-12-01T13:00:00+00:00"
