"""The queue's figures as clients read them."""

import logging

import pytest

from domain.kinds import Role
from domain.lifecycle import TaskStage
from domain.models.accounts import User
from domain.models.figures import TaskCount, TaskEnding
from domain.tasks import work
from tests.conftest import MovableClock
from tests.domain.tasks.test_work import started
from tests.helpers.api import Api
from tests.helpers.sql import recorded_sql
from worker.duties.figures import figures_duty
from worker.duties.statistics import statistics_duty

RATES = (
    "pending running finished completed failed cancelled timedOut successRate averageSeconds p95Seconds p95WaitSeconds"
)
STATS = f"""pending running completed failed cancelled timedOut capacity workers busyWorkers successRate averageSeconds
    p95Seconds averageWaitSeconds p95WaitSeconds windowSeconds paused at window {{ {RATES} }}
    byKind {{ kind {RATES} }} byProvider {{ provider {RATES} }}"""
#: Active tasks, busy workers, counters, the window, whether it is paused.
STATEMENTS = 5


@pytest.fixture
async def admin(api: Api) -> User:
    await User.filter(id=api.room.stranger.id).update(role=Role.ADMIN)
    return await User.get(id=api.room.stranger.id)


async def _history(api: Api, clock: MovableClock) -> None:
    """One task completed after 4 s, one cancelled, one at work, one that waits."""
    room = api.room
    claim = await started(room, "done")
    clock.advance(4)
    await work.step(room.deps, claim, TaskStage.PROMPT_BUILDER, 0.5, "a step", provider="stub")
    await work.complete(room.deps, claim, [], "completed", degraded=False)
    await room.tasks.cancel(room.user.id, (await room.submit("unwanted")).id)
    await started(room, "at work")
    await room.submit("waits", provider="stub")


async def test_figures_are_those_of_the_viewer_and_an_administrator_sees_everybodys(
    api: Api, admin: User, clock: MovableClock
) -> None:
    await _history(api, clock)
    await figures_duty(api.room.deps).run()
    mine = (await api.ask(f"{{ queueStats {{ {STATS} }} }}"))["queueStats"]
    assert (mine["pending"], mine["running"], mine["completed"], mine["cancelled"]) == (1, 1, 1, 1)
    assert (mine["successRate"], mine["averageSeconds"], mine["busyWorkers"]) == (0.5, 4.0, 1)
    assert mine["p95Seconds"] == pytest.approx(4, rel=0.025)
    [kind] = mine["byKind"]
    assert kind == {"kind": "TEXT_TO_IMAGE", **mine["window"]}
    undecided, stub = mine["byProvider"]
    assert (undecided["provider"], undecided["running"], undecided["cancelled"]) == (None, 1, 1)
    assert (stub["provider"], stub["pending"], stub["completed"], stub["successRate"]) == ("stub", 1, 1, 1.0)
    assert (await api.ask(f"{{ queueStats {{ {STATS} }} }}", admin))["queueStats"] == mine
    await User.filter(id=admin.id).update(role=Role.USER)
    hers = (await api.ask(f"{{ queueStats {{ {STATS} }} }}", await User.get(id=admin.id)))["queueStats"]
    assert (hers["completed"], hers["failed"], hers["byKind"]) == (0, 0, [])
    assert (hers["successRate"], hers["p95Seconds"], hers["busyWorkers"]) == (None, None, 1)


async def test_figures_take_the_same_statements_whatever_there_is(api: Api, clock: MovableClock) -> None:
    with recorded_sql() as empty:
        await api.ask(f"{{ queueStats {{ {STATS} }} }}")
    await _history(api, clock)
    with recorded_sql() as full:
        await api.ask(f"{{ queueStats {{ {STATS} }} }}")
    assert len(empty) == len(full) == STATEMENTS
    assert not any("COUNT" in text and "COMPLETED" in text for text, _ in full), "nothing that ended is counted"


async def test_the_window_is_the_clients_within_limits(api: Api, clock: MovableClock) -> None:
    await _history(api, clock)
    clock.advance(600)
    ask = "query($s: Int) { queueStats(windowSeconds: $s) { windowSeconds completed window { completed } } }"
    short, long, usual = [(await api.ask(ask, s=seconds))["queueStats"] for seconds in (300, 900, None)]
    assert (short["window"]["completed"], long["window"]["completed"], short["completed"]) == (0, 1, 1)
    assert (short["windowSeconds"], usual["windowSeconds"]) == (300, 3600)
    assert await api.refused(ask, api.room.user, s=59) == ("BAD_REQUEST", "windowSeconds must be 60 to 604800.")
    stream = await api.follow(f"subscription {{ queueStats(windowSeconds: 900) {{ {STATS} }} }}")
    assert (await anext(stream)).data["queueStats"]["windowSeconds"] == 900
    await stream.aclose()


async def test_the_log_tells_the_figures_over_all_and_by_provider(
    api: Api, clock: MovableClock, caplog: pytest.LogCaptureFixture
) -> None:
    await _history(api, clock)
    with caplog.at_level(logging.INFO, "worker.duties.statistics"):
        await statistics_duty(api.room.deps, api.services.statistics).run()
    assert caplog.messages == [
        "queue: 1 pending, 1 running on 1 of 3 workers; ever 1 completed, 0 failed, 1 cancelled, 0 timed out",
        "last 300 s with no provider yet: 1 finished, 0% completed, run - (p95 -), wait - (p95 -)",
        "last 300 s with stub: 1 finished, 100% completed, run 4.00 s (p95 4.00 s), wait 0.00 s (p95 0.00 s)",
    ]


async def test_repair_tells_of_wrong_counters_and_mends_them(api: Api, admin: User, clock: MovableClock) -> None:
    await _history(api, clock)
    await figures_duty(api.room.deps).run()
    assert await TaskEnding.all().count() == 0
    await api.services.storage.put("users/x", b"x", "image/png")
    await TaskCount.filter(user_id=api.room.user.id, status="CANCELLED").update(number=7)
    fix = "mutation($dry: Boolean!) { admin { repairTasks(dryRun: $dry) { changed details } } }"
    wrong = [f"wrong_count: CANCELLED of {api.room.user.id}"]
    for dry, changed in ((True, 0), (False, 1)):
        report = (await api.ask(fix, admin, dry=dry))["admin"]["repairTasks"]
        assert (report["changed"], report["details"]) == (changed, wrong)
    assert (await api.ask(fix, admin, dry=True))["admin"]["repairTasks"]["details"] == []
    assert (await api.ask("{ queueStats { cancelled } }"))["queueStats"]["cancelled"] == 1
