"""Runs of periodic duties: one at a time, whoever begins them, and what came of each is kept."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from domain import schedules
from domain.models.operations import ScheduleRow
from domain.schedules import (
    LEASE_SECONDS,
    RunLost,
    Turn,
    forget_interrupted_runs,
    plan_run,
    run_duty,
    schedule_rows,
)
from tests.conftest import MovableClock

pytestmark = pytest.mark.usefixtures("database")


@dataclass
class Gated:
    """A duty that waits at its gate."""

    name: str = "gated"
    description: str = "Waits."
    done: int = 3
    fault: Exception | None = None
    begun: int = 0
    ended: int = 0
    entered: asyncio.Event = field(default_factory=asyncio.Event)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> int:
        self.begun += 1
        self.entered.set()
        await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        self.ended += 1
        return self.done


async def row() -> ScheduleRow:
    return (await schedule_rows())["gated"]


async def test_of_many_that_begin_at_once_one_runs(clock: MovableClock) -> None:
    duty = Gated()
    for _ in range(2):  # without a row, and with one
        runs = [asyncio.create_task(run_duty(duty, clock)) for _ in range(20)]
        await duty.entered.wait()
        while sum(run.done() for run in runs) < 19:
            await asyncio.sleep(0.001)
        duty.gate.set()
        outcomes = await asyncio.gather(*runs)
        assert [outcome.done for outcome in outcomes if outcome is not None] == [3]
        duty.gate.clear()
        duty.entered.clear()
    assert (duty.begun, duty.ended) == (2, 2)


async def test_what_a_run_came_to_is_kept(clock: MovableClock) -> None:
    duty = Gated()
    due = await plan_run("gated", lambda _: clock.now())
    running = asyncio.create_task(run_duty(duty, clock, Turn(due, due + timedelta(seconds=60))))
    await duty.entered.wait()
    under_way = await row()
    assert (under_way.started_at, under_way.finished_at, under_way.done) == (clock.now(), None, None)
    clock.advance(5)
    duty.gate.set()
    await running
    ended = await row()
    assert (ended.finished_at, ended.done, ended.error, ended.lease_until) == (clock.now(), 3, None, None)
    duty.fault = ZeroDivisionError()
    outcome = await run_duty(duty, clock)
    assert outcome is not None
    assert outcome.failure is duty.fault
    failed = await row()
    assert (failed.done, failed.error, failed.lease_until) == (None, "ZeroDivisionError", None)
    assert failed.next_at == ended.next_at, "a run by hand does not move the next one by the clock"
    assert failed.next_at == due + timedelta(seconds=60)


async def test_a_duty_has_a_next_run_before_its_first_and_keeps_it(clock: MovableClock) -> None:
    first, later = clock.now() + timedelta(seconds=5), clock.now() + timedelta(seconds=50)
    plans = [plan_run("gated", lambda stored, at=at: stored or at) for at in (first, later) * 5]
    planned = set(await asyncio.gather(*plans))
    assert len(planned) == 1, "of several that plan at once one does"
    fresh = await row()
    assert (fresh.started_at, fresh.lease_until, {fresh.next_at}) == (None, None, planned)


async def test_of_several_processes_one_takes_a_turn_and_each_turn_once(clock: MovableClock) -> None:
    duty = Gated()
    duty.gate.set()
    due = await plan_run("gated", lambda _: clock.now())
    turn = Turn(due, due + timedelta(seconds=60))
    outcomes = await asyncio.gather(*(run_duty(duty, clock, turn) for _ in range(10)))
    assert [outcome.done for outcome in outcomes if outcome is not None] == [3]
    assert await run_duty(duty, clock, turn) is None, "also when it has ended long ago"
    assert duty.begun == 1


async def test_a_turn_that_was_stopped_is_due_again_and_one_that_died_soon(clock: MovableClock) -> None:
    duty = Gated()
    due = await plan_run("gated", lambda _: clock.now())
    turn = Turn(due, due + timedelta(days=1))
    running = asyncio.create_task(run_duty(duty, clock, turn))
    await duty.entered.wait()
    assert (await row()).next_at == turn.next_at
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert ((await row()).next_at, (await row()).error) == (due, "Interrupted")
    await ScheduleRow.filter(name="gated").update(lease_until=clock.now(), next_at=turn.next_at)
    await forget_interrupted_runs(clock.now())
    assert (await row()).next_at == clock.now() + timedelta(minutes=10)


async def test_a_run_that_is_stopped_frees_the_schedule(clock: MovableClock) -> None:
    duty = Gated()
    running = asyncio.create_task(run_duty(duty, clock))
    await duty.entered.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert ((await row()).error, (await row()).lease_until) == ("Interrupted", None)
    duty.gate.set()
    assert await run_duty(duty, clock) is not None


async def test_a_run_that_is_stopped_at_any_moment_of_its_beginning_frees_the_schedule(clock: MovableClock) -> None:
    duty = Gated()
    duty.gate.set()
    for turns in range(40):
        running = asyncio.create_task(run_duty(duty, clock))
        for _ in range(turns):
            await asyncio.sleep(0 if turns % 2 else 0.0001)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert await run_duty(duty, clock) is not None, turns


async def test_the_run_of_a_dead_process_holds_others_up_for_one_lease(clock: MovableClock) -> None:
    duty = Gated()
    duty.gate.set()
    await run_duty(duty, clock)
    await ScheduleRow.filter(name="gated").update(owner="dead", lease_until=clock.now())
    assert await run_duty(duty, clock) is None
    clock.advance(LEASE_SECONDS)
    assert await run_duty(duty, clock) is not None
    await ScheduleRow.filter(name="gated").update(owner="dead", lease_until=clock.now(), finished_at=None)
    await forget_interrupted_runs(clock.now())
    assert ((await row()).error, (await row()).finished_at) == ("Interrupted", clock.now())
    assert await run_duty(duty, clock) is not None


async def test_a_run_that_was_taken_for_dead_stops_and_writes_nothing_over_its_successor(
    clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedules, "LEASE_SECONDS", 0.03)
    duty = Gated()
    running = asyncio.create_task(run_duty(duty, clock))
    await duty.entered.wait()
    await ScheduleRow.filter(name="gated").update(owner="successor")
    async with asyncio.timeout(5):
        outcome = await running
    assert outcome is not None
    assert isinstance(outcome.failure, RunLost)
    assert duty.ended == 0
    assert ((await row()).owner, (await row()).finished_at) == ("successor", None)


async def test_a_long_run_keeps_its_lease(clock: MovableClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedules, "LEASE_SECONDS", 0.03)
    duty = Gated()
    running = asyncio.create_task(run_duty(duty, clock))
    await duty.entered.wait()
    clock.advance(1000)
    async with asyncio.timeout(5):
        while (await row()).lease_until < clock.now():  # type: ignore[operator]  # it runs
            await asyncio.sleep(0.005)
    assert await run_duty(duty, clock) is None
    duty.gate.set()
    await running
