"""When tasks start and end: from recent tasks, the queue and the workers, and never from waiting."""

from datetime import UTC, datetime, timedelta

import pytest

from domain.errors import ProviderUnavailable
from domain.figures.tally import Durations
from domain.figures.window import Group
from domain.kinds import AssetType, TaskKind
from domain.models.tasks import Task
from domain.queue_state import set_paused
from domain.tasks import work
from domain.tasks.forecast import Estimate, Forecast, Work, estimates, subject_of
from domain.tasks.recovery import recover_at_start
from domain.tasks.work import Failure
from tests.conftest import MovableClock
from tests.domain.figures.test_window import begin, run_one
from tests.helpers.room import Room

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
FAST, SLOW, FAR = (Group(TaskKind.TEXT_TO_IMAGE, name) for name in ("fast", "slow", "far"))
FILM = Group(TaskKind.TEXT_TO_VIDEO, "fast")


def took(*seconds: float) -> Durations:
    durations = Durations()
    for value in seconds:
        durations.add(value)
    return durations


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def forecast(
    known: dict[Group, Durations], at_work: list[Work] | None = None, *, workers: int = 2, paused: bool = False
) -> Forecast:
    return Forecast(NOW, known, at_work or [], workers=workers, asynchronous=frozenset({"far"}), paused=paused)


def test_idle_workers_start_what_is_next_at_once_and_the_rest_in_turns() -> None:
    queue = forecast({FAST: took(8, 12)})
    starts = [queue.waiting(FAST, position).start_at for position in range(1, 6)]
    assert starts == [at(0), at(0), at(10), at(10), at(20)]
    assert queue.waiting(FAST, 3).finish_at == at(20)


def test_a_worker_is_free_when_its_task_has_taken_what_its_like_takes() -> None:
    queue = forecast({FAST: took(10), SLOW: took(30)}, [Work(SLOW, at(-5)), Work(FAST, at(-4))])
    # The fast one ends in 6 s, the slow one in 25 s; a turn takes 20 s, the mean of all.
    assert [queue.waiting(FAST, position) for position in (1, 2, 3)] == [
        Estimate(at(6), at(16)),
        Estimate(at(25), at(35)),
        Estimate(at(26), at(36)),
    ]


def test_a_late_task_frees_its_worker_now_and_its_own_end_becomes_unknown() -> None:
    queue = forecast({FAST: took(*[10] * 19, 40)}, [Work(FAST, at(-100))], workers=1)
    assert queue.waiting(FAST, 1).start_at == at(0)
    assert queue.running(FAST, at(-4)) == Estimate(at(-4), at(7.5))
    later = forecast({FAST: took(*[10] * 18, 40, 40)}).running(FAST, at(-15))
    assert later.finish_at is not None
    assert (later.finish_at - at(25)).total_seconds() == pytest.approx(0, abs=1), "as long as 95 of 100 take"
    assert forecast({FAST: took(10)}).running(FAST, at(-100)) == Estimate(at(-100), None)


def test_of_a_provider_that_is_not_known_yet_the_kind_is_asked_and_of_a_kind_nothing_is_said() -> None:
    queue = forecast({FAST: took(10), SLOW: took(30)})
    assert queue.waiting(Group(TaskKind.TEXT_TO_IMAGE, "new"), 1) == Estimate(at(0), at(20))
    assert queue.waiting(Group(TaskKind.TEXT_TO_IMAGE, None), 1) == Estimate(at(0), at(20))
    assert queue.waiting(FILM, 1) == Estimate(at(0), None)
    assert queue.running(FILM, at(-1)) == Estimate(at(-1), None)


def test_without_any_recent_task_only_an_idle_worker_is_known() -> None:
    queue = forecast({}, [Work(FAST, at(-5))])
    assert queue.waiting(FAST, 1) == Estimate(at(0), None)
    assert queue.waiting(FAST, 3) == Estimate()


def test_tasks_of_an_asynchronous_provider_hold_no_worker_while_it_works() -> None:
    queue = forecast({FAR: took(300), FAST: took(10)}, [Work(FAR, at(-1))], workers=1)
    assert queue.waiting(FAR, 1) == Estimate(at(0), at(300))
    assert queue.waiting(FAST, 3) == Estimate(at(10), at(20)), "two turns of 5 s, the mean time for which one is held"


@pytest.mark.parametrize("stopped", [forecast({FAST: took(1)}, paused=True), forecast({FAST: took(1)}, workers=0)])
def test_nothing_waits_for_a_time_when_no_task_is_started(stopped: Forecast) -> None:
    assert stopped.waiting(FAST, 1) == Estimate()
    assert stopped.running(FAST, at(0)) == Estimate(at(0), at(1)), "what runs goes on"


def test_more_tasks_at_work_than_workers_do_not_break_the_forecast() -> None:
    queue = forecast({FAST: took(10)}, [Work(FAST, at(-number)) for number in range(5)], workers=2)
    assert queue.waiting(FAST, 1).start_at == at(6)


async def estimate(room: Room, task_id: str) -> Estimate | None:
    task = await Task.get(id=task_id)
    positions = await room.tasks.queue_positions([task_id])
    return (await estimates(room.deps, [subject_of(task)], positions)).get(task_id)


async def test_waiting_never_counts_as_work(room: Room, clock: MovableClock) -> None:
    await run_one(room, clock, wait=500, run=10)
    task = await room.submit("mine")
    assert await estimate(room, task.id) == Estimate(clock.now(), clock.now() + timedelta(seconds=10))
    clock.advance(300)
    claim = await begin(room, task)
    began_at = clock.now()
    clock.advance(4)
    assert await estimate(room, task.id) == Estimate(began_at, began_at + timedelta(seconds=10))
    await recover_at_start(room.deps)
    clock.advance(1000)
    assert await estimate(room, task.id) == Estimate(clock.now(), clock.now() + timedelta(seconds=10))
    await begin(room, claim.task)
    assert await estimate(room, task.id) == Estimate(clock.now(), clock.now() + timedelta(seconds=10))


async def test_nothing_is_said_of_what_waits_for_its_retry_for_others_for_a_paused_queue_or_has_ended(
    room: Room, clock: MovableClock
) -> None:
    await run_one(room, clock, wait=1, run=10)
    claim = await begin(room, await room.submit("fails"))
    dependent = await room.submit("waits for it", depends_on=(claim.task.id,))
    await work.fail(room.deps, claim, Failure("BROKEN", "It broke.", retryable=True))
    assert await estimate(room, claim.task.id) is None
    assert await estimate(room, dependent.id) is None
    clock.advance(10)
    assert await estimate(room, claim.task.id) is not None
    await set_paused(clock.now(), paused=True)
    assert await estimate(room, claim.task.id) == Estimate()
    await room.tasks.cancel(room.user.id, claim.task.id)
    assert await estimate(room, claim.task.id) is None


async def test_a_provider_that_is_gone_does_not_keep_a_list_from_being_read(
    room: Room, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await run_one(room, clock, wait=1, run=10)
    task = await room.submit("mine")

    def none(kind: TaskKind, asset_type: AssetType, name: str | None) -> str:
        raise ProviderUnavailable("There is none.")

    monkeypatch.setattr(room.deps.catalog, "choose", none)
    assert await estimate(room, task.id) == Estimate(clock.now(), clock.now() + timedelta(seconds=10))
