"""Every list is read from an index in its order: no plan sorts or reads through a table that grows."""

import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from domain import assets, db
from domain.admin import Admin
from domain.figures.window import MAX_WINDOW_SECONDS, MIN_WINDOW_SECONDS
from domain.kinds import AssetType
from domain.lifecycle import TaskStatus
from domain.lookups import events_of_tasks
from domain.models.tasks import Task
from domain.pagination import Page, PageRequest
from domain.statistics import Statistics
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from domain.tasks import queries
from domain.tasks.forecast import subject_of
from domain.tasks.parking import CheckReport
from domain.tasks.queries import TaskFilter, TaskOrder
from domain.tasks.release import fail_dependants, next_ready_at, release
from domain.tasks.work import claim
from domain.webhooks import queries as webhook_queries
from domain.webhooks.events import DeliveryState
from tests.helpers.crowd import WEBHOOK_ID, Crowd, gather
from tests.helpers.room import Room
from tests.helpers.sql import Statement, recorded_sql

#: Tens of thousands of rows, and many plans.
pytestmark = pytest.mark.slow

GROWING: Final = {
    "task", "task_event", "asset", "archived_task", "audit_entry", "cleanup_run", "webhook_delivery", "task_dependency",
}  # fmt: skip
#: What statements of ours call a task, the next one, a dependency, and the task that it is on.
ALIASES: Final = {"t", "n", "d", "p"}
FEW: Final = 20
LATER: Final = datetime(2025, 1, 1, 0, 20, tzinfo=UTC)
FILTERS: Final = {
    "everything": TaskFilter(),
    "one status": TaskFilter(statuses=[TaskStatus.FAILED]),
    "statuses and types": TaskFilter(
        statuses=[TaskStatus.FAILED, TaskStatus.TIMEOUT, TaskStatus.COMPLETED],
        asset_types=[AssetType.SPRITE, AssetType.VIDEO],
    ),
    "a type": TaskFilter(asset_types=[AssetType.TILESET]),
    "a time": TaskFilter(created_after=LATER, created_before=LATER.replace(hour=1)),
    "a status and a time": TaskFilter(statuses=[TaskStatus.FAILED], created_after=LATER),
    "a search": TaskFilter(search="KIND 4"),
    "a search for what failed": TaskFilter(search="nowhere", statuses=[TaskStatus.FAILED]),
}


@pytest.fixture
async def crowd(room: Room, monkeypatch: pytest.MonkeyPatch) -> Crowd:
    monkeypatch.setattr(queries, "SEARCHED", 100)
    return await gather(room, 1200, 1200)


async def faults_of(statements: list[Statement], *, whole: bool = False) -> list[str]:
    """Return what is wrong with the plans: tables read through, and rows sorted whose number nothing has limited.

    A `whole` list may be read from the beginning of an index, which its limit ends.
    """
    faults = []
    async with db.transaction():
        if db.is_postgres():
            # Small tables are read whole and sorted in no time; here they stand for large ones.
            for way in ("seqscan", "sort", "bitmapscan"):
                await db.connection().execute_query(f"SET LOCAL enable_{way} = off")
        for statement in [found for found in statements if found.text.lstrip().startswith(("SELECT", "WITH"))]:
            explain = "EXPLAIN (FORMAT JSON) " if db.is_postgres() else "EXPLAIN QUERY PLAN "
            _, rows = await db.connection().execute_query(explain + statement.text, statement.values)
            found = _postgres_faults(rows) if db.is_postgres() else _sqlite_faults(rows, whole=whole)
            faults += [f"{fault} in {statement.text}" for fault in found]
    return faults


def _sqlite_faults(rows: Any, *, whole: bool) -> Iterator[str]:
    lines = [(row["parent"], str(row["detail"])) for row in rows]
    for parent, detail in lines:
        words = detail.split()
        if words[0] not in {"SCAN", "SEARCH"} or words[1] not in GROWING | ALIASES:
            continue
        if words[0] == "SCAN" and not (whole and " INDEX " in detail):
            yield detail
        if any(beside == parent and "TEMP B-TREE FOR ORDER BY" in other for beside, other in lines):
            yield f"{detail}, sorted"


def _postgres_faults(rows: Any) -> Iterator[str]:
    found = next(iter(dict(rows[0]).values()))
    plan = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    yield from _of_node(plan, sorted_above=False)


def _of_node(node: dict[str, Any], *, sorted_above: bool) -> Iterator[str]:
    # Which index it is, PostgreSQL decides by what it knows of the values; any that has the order will do.
    kind, table = node["Node Type"], node.get("Relation Name")
    if table in GROWING and "(id = " not in node.get("Index Cond", ""):
        if kind == "Seq Scan":
            yield f"{kind} of {table}"
        # A few rows, by what it knows of the values, are sorted sooner than read in order.
        if sorted_above and node["Plan Rows"] > FEW:
            yield f"{kind} of {table}, sorted"
    # An incremental sort stops with its limit.
    above = {"Limit": False, "Incremental Sort": False, "Sort": True}.get(kind, sorted_above)
    for inner in node.get("Plans", ()):
        yield from _of_node(inner, sorted_above=above)


@pytest.mark.parametrize("order", TaskOrder)
async def test_tasks(room: Room, crowd: Crowd, order: TaskOrder) -> None:
    both = [room.project.id, crowd.other.id]
    for name, of_filter in FILTERS.items():
        for project_id in (None, room.project.id):
            wanted = replace(of_filter, project_id=project_id)
            with recorded_sql() as statements:
                page, count = await queries.page(room.user.id, PageRequest(first=3), wanted, order)
                await count()
                await queries.page(room.user.id, PageRequest(last=3), wanted, order)
                if page.items:
                    await queries.page(room.user.id, PageRequest(first=3, after=page.cursors[-1]), wanted, order)
                await queries.pages_of_projects(room.user.id, both, PageRequest(first=3), of_filter, order)
                await queries.counts_of_projects(room.user.id, both, of_filter)
            assert await faults_of(statements) == [], name


async def test_everybodys_tasks(crowd: Crowd) -> None:
    for name, wanted in FILTERS.items():
        with recorded_sql() as statements:
            page, count = await queries.page_of_everybody(None, PageRequest(first=3), wanted)
            await count()
            if page.items:
                await queries.page_of_everybody(None, PageRequest(first=3, after=page.cursors[-1]), wanted)
        assert await faults_of(statements, whole=name in {"everything", "a time"} or bool(wanted.search)) == [], name


async def _no_checks() -> CheckReport:
    return CheckReport(0, 0)


async def test_what_administrators_list(crowd: Crowd, tmp_path: Path) -> None:
    storage = LocalStorage(tmp_path, UrlSigner(b"k" * 32, crowd.room.deps.clock, 60))
    admin = Admin(crowd.room.deps, storage, [], _no_checks)
    lists: list[Callable[[PageRequest], Awaitable[tuple[Page[Any], Callable[[], Awaitable[int]]]]]] = [
        admin.archived_tasks,
        admin.cleanup_runs,
        admin.audit_log,
        lambda request: admin.users(request, None),
    ]
    with recorded_sql() as statements:
        for read in lists:
            page, count = await read(PageRequest(first=2))
            await count()
            await read(PageRequest(first=2, after=page.cursors[-1]))
    assert len(statements) == 3 * len(lists)
    assert await faults_of(statements, whole=True) == []


async def test_assets_of_projects(crowd: Crowd) -> None:
    projects = [crowd.room.project.id, crowd.other.id]
    with recorded_sql() as statements:
        for asset_type in (None, AssetType.SPRITE):
            for asked in (projects, projects[:1]):
                await assets.pages_of_projects(crowd.room.user.id, asked, PageRequest(first=3), asset_type)
                await assets.counts_of_projects(crowd.room.user.id, asked, asset_type)
    assert await faults_of(statements) == []


async def test_messages_of_webhooks(crowd: Crowd) -> None:
    with recorded_sql() as statements:
        for state in (None, DeliveryState.FAILED):
            pages = await webhook_queries.pages_of_webhooks([WEBHOOK_ID, "whk_no"], PageRequest(first=2), state)
            await webhook_queries.counts_of_webhooks([WEBHOOK_ID, "whk_no"], state)
            assert len(pages[WEBHOOK_ID].items) == 2
    assert await faults_of(statements) == []


async def test_events_of_tasks(crowd: Crowd) -> None:
    with recorded_sql() as statements:
        await queries.events_after(crowd.task_ids[0], 0)
        await events_of_tasks(crowd.task_ids, 0, 10)
    assert await faults_of(statements) == []


async def test_the_queues_figures_and_estimates(crowd: Crowd) -> None:
    room = crowd.room
    waiting, running = await room.submit("waits"), await room.submit("runs")
    await Task.filter(id=running.id).update(released_at=room.deps.clock.now())
    assert await claim(room.deps, running.id) is not None
    statistics = Statistics(room.deps.settings, room.deps.clock)
    with recorded_sql() as statements:
        for user_id in (None, room.user.id):
            for window_seconds in (MIN_WINDOW_SECONDS, MAX_WINDOW_SECONDS):
                await statistics.queue_stats(user_id, window_seconds)
        await room.tasks.estimates([subject_of(waiting), subject_of(running)], {waiting.id: 1})
    assert await faults_of(statements) == []


async def test_accepting_and_claiming_a_task(crowd: Crowd) -> None:
    room = crowd.room
    with recorded_sql() as statements:
        first = await room.submit("first", idempotency_key="one")
        await room.submit("second", depends_on=(first.id,))
        await fail_dependants(room.deps)
        await Task.filter(id=first.id).update(released_at=room.deps.clock.now())
        await next_ready_at(room.deps.clock.now())
        assert await claim(room.deps, first.id) is not None
    assert await faults_of(statements) == []


async def test_a_refill_reads_the_heads_of_the_lines(crowd: Crowd) -> None:
    room = crowd.room
    for number in range(300):
        await room.submit(f"slime {number}", user=room.stranger if number % 3 else room.user, priority=number % 2)
    await release(room.deps)
    held = await Task.filter(status=TaskStatus.PENDING, released_at__isnull=False).values_list("id", flat=True)
    await Task.filter(id__in=[str(task_id) for task_id in held][:40]).update(status=TaskStatus.RUNNING)
    with recorded_sql() as statements:
        assert await release(room.deps) == 40
    # A row for each line, and one for each place: 300 wait.
    assert len(statements) <= 7
    updated = [found for found in statements if found.text.startswith("UPDATE")]
    assert [len(found.values) for found in updated] == [40]
    recursive = [found for found in statements if found.text.lstrip().startswith("WITH RECURSIVE")]
    assert len(recursive) == 2
    assert await faults_of([found for found in statements if found not in updated], whole=True) == []
    async with db.transaction():
        for found in recursive:
            _, rows = await db.connection().execute_query(found.text, found.values)
            assert len(rows) <= 40


async def test_a_plan_that_sorts_or_reads_everything_is_found(crowd: Crowd) -> None:
    with recorded_sql() as statements:
        await Task.filter(prompt="nothing").first()
        await Task.filter(user_id=crowd.room.user.id).order_by("prompt").limit(2)
    assert len(await faults_of(statements)) == 2
