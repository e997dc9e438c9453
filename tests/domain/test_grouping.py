"""Transactions that are asked for at the same time are committed together, and none suffers from another."""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from tortoise.exceptions import IntegrityError

from domain import db
from domain.grouping import MAX_BODIES, BodyWaited
from domain.ids import IdPrefix, new_id
from domain.lifecycle import TaskStage
from domain.models.projects import Project
from domain.models.tasks import Task, TaskEventRow
from domain.tasks import work
from domain.tasks.release import release
from domain.tasks.work import OwnershipLost
from tests.conftest import MovableClock
from tests.helpers.room import Room

Making = Callable[[], Coroutine[Any, Any, str]]


@pytest.fixture
def made(clock: MovableClock) -> Callable[..., Making]:
    """Bodies that make a project, and may raise or run into a project that is there."""

    def body(name: str, error: Exception | None = None, project_id: str | None = None) -> Making:
        async def make() -> str:
            now = clock.now()
            project = await Project.create(
                id=project_id or new_id(IdPrefix.PROJECT), name=name, style={}, created_at=now, updated_at=now
            )
            if error is not None:
                raise error
            return project.id

        return make

    return body


async def names() -> list[str]:
    return sorted(str(name) for name in await Project.all().values_list("name", flat=True))


async def test_each_caller_gets_its_own_answer(database: str, made: Callable[..., Making]) -> None:
    ids = await asyncio.gather(*(db.together(made(f"game {number:02}")) for number in range(20)))
    found = {row.id: row.name for row in await Project.all()}
    assert [found[project_id] for project_id in ids] == [f"game {number:02}" for number in range(20)]


async def test_one_that_raises_undoes_itself_alone(database: str, made: Callable[..., Making]) -> None:
    first = await db.together(made("first"))
    answers = await asyncio.gather(
        db.together(made("good")),
        db.together(made("bad", ValueError("no"))),
        db.together(made("twin", project_id=first)),
        db.together(made("better")),
        return_exceptions=True,
    )
    assert isinstance(answers[1], ValueError)
    assert isinstance(answers[2], IntegrityError)
    assert await names() == ["better", "first", "good"]


async def test_what_is_asked_together_is_committed_together(migrated_data: Path, made: Callable[..., Making]) -> None:
    await db.connect(f"sqlite://{migrated_data}")
    try:
        commits: list[str] = []
        client: Any = db.connection()
        await client._connection.set_trace_callback(lambda text: commits.append(text) if text == "COMMIT" else None)
        await asyncio.gather(*(db.together(made(f"game {number}")) for number in range(MAX_BODIES + 1)))
        assert len(commits) == 2
        assert len(await names()) == MAX_BODIES + 1
    finally:
        await db.close()


async def test_inside_a_transaction_it_is_part_of_that(database: str, made: Callable[..., Making]) -> None:
    with pytest.raises(ValueError, match="undone"):
        async with db.transaction():
            await db.together(made("inner"))
            raise ValueError("undone")
    assert await names() == []


async def test_a_body_that_waits_for_anything_else_is_undone(migrated_data: Path, made: Callable[..., Making]) -> None:
    async def wait() -> str:
        await made("half")()
        await asyncio.sleep(0)
        return await made("whole")()

    await db.connect(f"sqlite://{migrated_data}")
    try:
        answers = await asyncio.gather(db.together(wait), db.together(made("other")), return_exceptions=True)
        assert isinstance(answers[0], BodyWaited)
        assert await names() == ["other"]
    finally:
        await db.close()


async def test_a_cancelled_caller_leaves_all_or_nothing_and_nobody_waiting(
    database: str, made: Callable[..., Making]
) -> None:
    for yields in range(8):
        before = len(await names())
        call = asyncio.ensure_future(db.together(made(f"cancelled {yields}")))
        other = asyncio.ensure_future(db.together(made(f"kept {yields}")))
        for _ in range(yields):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call])
        after_end = len([name for name in await names() if name.startswith("cancelled")])
        await other
        # Whether it was in time or not: what is there when the caller knows, stays so.
        assert len([name for name in await names() if name.startswith("cancelled")]) == after_end
        assert len(await names()) > before


async def test_a_database_that_is_locked_fails_those_who_wait_and_later_ones_go_on(
    migrated_data: Path, made: Callable[..., Making]
) -> None:
    path = migrated_data
    await db.connect(f"sqlite://{path}")
    try:
        await db.connection().execute_query("PRAGMA busy_timeout = 1")
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        answers = await asyncio.gather(*(db.together(made("early")) for _ in range(2)), return_exceptions=True)
        assert all(isinstance(answer, db.DATABASE_ERRORS) for answer in answers)
        holder.execute("ROLLBACK")
        holder.close()
        await db.together(made("late"))
        assert await names() == ["late"]
    finally:
        await db.close()


async def test_a_step_that_has_lost_its_task_does_not_undo_the_others(room: Room) -> None:
    tasks = [await room.submit(f"slime {number}") for number in range(4)]
    await release(room.deps)
    claims = [claim for task in tasks if (claim := await work.claim(room.deps, task.id)) is not None]
    await Task.filter(id=tasks[2].id).update(owner_token="wrk_other")
    answers = await asyncio.gather(
        *(work.step(room.deps, claim, TaskStage.ASSET_GENERATOR, 0, "generating") for claim in claims),
        return_exceptions=True,
    )
    assert [type(answer) for answer in answers] == [type(None), type(None), OwnershipLost, type(None)]
    for task, written in zip(tasks, (3, 3, 2, 3), strict=True):
        assert await TaskEventRow.filter(task_id=task.id).count() == written
        assert (await Task.get(id=task.id)).sequence == written


async def test_nobody_waits_for_ever_when_the_loop_ends_in_the_middle(
    migrated_data: Path, made: Callable[..., Making]
) -> None:
    await db.connect(f"sqlite://{migrated_data}")
    try:
        client: Any = db.connection()
        calls = [asyncio.ensure_future(db.together(made(f"game {number}"))) for number in range(3)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        client.group._worker.cancel()
        await asyncio.wait(calls, timeout=5)
        assert all(call.cancelled() for call in calls)
        await db.together(made("after"))
        assert "after" in await names()
    finally:
        await db.close()
