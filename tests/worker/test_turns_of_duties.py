"""When duties run: by their rows, over restarts, several processes and changes of clocks."""

import asyncio
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.models.operations import ScheduleRow
from domain.schedules import schedule_rows
from tests.conftest import MovableClock
from worker.scheduler import Duty, NextRun, Scheduler, daily, every, planned

HOUR = 3600
DAY = 24 * HOUR


def counting(next_run: NextRun) -> tuple[Duty, list[int]]:
    runs: list[int] = []

    async def run() -> int:
        runs.append(1)
        return 1

    return Duty("counted", "Counts its runs.", next_run, run), runs


@pytest.mark.usefixtures("database")
async def test_a_server_that_is_often_restarted_runs_a_rare_duty_all_the_same(clock: MovableClock) -> None:
    duty, runs = counting(every(6 * HOUR))
    for _ in range(26):  # each life is shorter than the period
        scheduler = Scheduler([duty], clock)
        due = await scheduler.plan(duty)
        clock.advance(HOUR)
        if due <= clock.now():
            await scheduler.take_turn(duty, due)
    assert len(runs) in {3, 4}, "periods vary by a tenth"


@pytest.mark.usefixtures("database")
async def test_a_run_that_was_missed_is_made_up_for_once_and_soon(clock: MovableClock) -> None:
    duty, runs = counting(daily(time(2, 0), "Europe/Berlin"))
    first = await Scheduler([duty], clock).plan(duty)
    clock.advance(5 * DAY)  # it was down for five nights
    scheduler = Scheduler([duty], clock)
    soon = await scheduler.plan(duty)
    assert timedelta() <= soon - clock.now() <= timedelta(seconds=30)
    clock.advance(30)
    assert await scheduler.take_turn(duty, soon)
    assert await scheduler.plan(duty) == first + timedelta(days=5)
    assert len(runs) == 1


@pytest.mark.usefixtures("database")
async def test_of_several_processes_one_runs_what_is_due_and_all_go_on_with_the_next(clock: MovableClock) -> None:
    duty, runs = counting(every(60))
    schedulers = [Scheduler([duty], clock) for _ in range(4)]
    for turn in range(1, 4):
        due = {await scheduler.plan(duty) for scheduler in schedulers}
        assert len(due) == 1
        clock.advance(70)
        taken = await asyncio.gather(*(scheduler.take_turn(duty, next(iter(due))) for scheduler in schedulers))
        assert (sorted(taken), len(runs)) == ([False, False, False, True], turn)


@pytest.mark.usefixtures("database")
async def test_a_turn_during_a_run_by_hand_is_left_out(clock: MovableClock) -> None:
    duty, runs = counting(every(60))
    scheduler = Scheduler([duty], clock)
    due = await scheduler.plan(duty)
    clock.advance(70)
    await ScheduleRow.filter(name="counted").update(owner="by hand", lease_until=clock.now() + timedelta(seconds=60))
    assert not await scheduler.take_turn(duty, due)
    assert await scheduler.plan(duty) > clock.now()
    assert runs == []


@pytest.mark.usefixtures("database")
async def test_a_running_scheduler_notes_the_next_run_before_the_first(clock: MovableClock) -> None:
    duty, _ = counting(every(HOUR))
    running = asyncio.create_task(Scheduler([duty], clock).run())
    async with asyncio.timeout(5):
        while not (rows := await schedule_rows()):
            await asyncio.sleep(0.005)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    row = rows["counted"]
    assert row.started_at is None
    assert row.next_at is not None
    assert abs((row.next_at - clock.now()).total_seconds() - HOUR) <= HOUR / 10


def test_a_period_that_was_made_shorter_counts_from_now(clock: MovableClock) -> None:
    now = clock.now()
    assert planned(every(60), now + timedelta(days=30), now) == now + timedelta(seconds=66)
    assert planned(every(60), now + timedelta(seconds=50), now) == now + timedelta(seconds=50)


def test_another_time_of_day_counts_from_now_on(clock: MovableClock) -> None:
    now = clock.now()
    at_night, at_noon = daily(time(2, 0), "UTC"), daily(time(12, 30), "UTC")
    assert planned(at_noon, at_night(now), now) == now + timedelta(minutes=30)
    assert planned(at_night, at_noon(now), now) == at_noon(now), "what comes within the hour stays"


@pytest.mark.parametrize(
    ("at", "now", "due"),
    [
        (time(2, 0), "2026-12-01T00:30:00+00:00", "2026-12-01T01:00:00+00:00"),
        (time(2, 0), "2026-12-01T01:00:00+00:00", "2026-12-02T01:00:00+00:00"),
        # Spring: 02:00 to 03:00 is skipped.
        (time(2, 0), "2026-03-28T12:00:00+00:00", "2026-03-29T01:00:00+00:00"),
        (time(2, 30), "2026-03-29T00:59:00+00:00", "2026-03-29T01:30:00+00:00"),
        (time(2, 30), "2026-03-29T01:30:00+00:00", "2026-03-30T00:30:00+00:00"),
        # Autumn: 02:00 to 03:00 comes twice; the first counts, also for who looks in between.
        (time(2, 0), "2026-10-24T12:00:00+00:00", "2026-10-25T00:00:00+00:00"),
        (time(2, 30), "2026-10-25T00:29:00+00:00", "2026-10-25T00:30:00+00:00"),
        (time(2, 30), "2026-10-25T01:15:00+00:00", "2026-10-26T01:30:00+00:00"),
        (time(2, 30), "2026-10-25T01:29:59+00:00", "2026-10-26T01:30:00+00:00"),
    ],
)
def test_a_daily_duty_comes_at_its_local_time(at: time, now: str, due: str) -> None:
    assert daily(at, "Europe/Berlin")(datetime.fromisoformat(now)) == datetime.fromisoformat(due)


@given(
    start=st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 (given a zone)
    at=st.times().map(lambda moment: moment.replace(second=0, microsecond=0)),
    zone=st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Havana", "UTC"]),
)
def test_a_daily_duty_comes_once_on_every_day_of_its_place(start: datetime, at: time, zone: str) -> None:
    schedule, moment, days = daily(at, zone), start, []
    for _ in range(4):
        later = schedule(moment)
        assert moment < later <= moment + timedelta(hours=26)
        moment = later
        days.append(moment.astimezone(ZoneInfo(zone)).date())
    assert [day - days[0] for day in days] == [timedelta(days=number) for number in range(4)]
