"""Databases of earlier versions come up to date with their rows."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tortoise.migrations.executor import MigrationExecutor, MigrationTarget

from domain import db
from domain.clock import SystemClock
from domain.figures.counters import ended_counts, wrong_counts
from domain.lifecycle import TaskStatus
from domain.models.projects import StoredUpload, UploadedImage
from domain.models.storage import StorageDeletion
from domain.models.tasks import GateCheck, Task, TaskEventRow
from domain.outbox import Outbox
from domain.quotas import used_bytes, wrong_counters
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from tests.conftest import _execute

#: The tables of version 0.1.0.
_FIRST_VERSION = "0003_webhooks"
_TASK = """INSERT INTO task (id, user_id, project_id, kind, asset_type, prompt, params, style, status, progress,
    priority, attempt, quality_retries, degraded, sequence, retries, losses, fingerprint, ready_at, created_at)
    VALUES ('tsk_1', 'usr_1', 'prj_1', 'TEXT_TO_IMAGE', 'SPRITE', '一只史莱姆', '{}', '{}', 'RUNNING', 40, 3,
    1, 0, FALSE, 2, 0, 0, 'f', '2026-11-30 12:00:00+00:00', '2026-11-30 12:00:00+00:00')"""
_EVENT = """INSERT INTO task_event (task_id, project_id, sequence, status, progress, message, attempt,
    quality_retries, at)
    VALUES ('tsk_1', 'prj_1', 1, 'PENDING', 0, 'queued', 1, 0, '2026-11-30 12:00:00+00:00')"""

_PROJECT = """INSERT INTO project (id, user_id, name, description, style, created_at, updated_at)
    VALUES ('prj_1', 'usr_1', 'p', '', '{}', '2026-11-30 12:00:00+00:00', '2026-11-30 12:00:00+00:00')"""
_ARCHIVED = """INSERT INTO archived_task (id, user_id, project_id, kind, asset_type, prompt, status, attempt, degraded,
    assets, size_bytes, created_at, finished_at, archived_at)
    VALUES ('{task_id}', 'usr_1', '{project_id}', 'TEXT_TO_IMAGE', 'SPRITE', 'x', 'TIMEOUT', 1, FALSE, 0, 0,
    '2026-11-30 12:00:00+00:00', '2026-11-30 12:00:00+00:00', '2026-11-30 12:00:00+00:00')"""

_IMAGE = """INSERT INTO uploaded_image (id, user_id, project_id, storage_key, media_type, width, height, size_bytes,
    sha256, created_at)
    VALUES ('{image_id}', {user}, '{project}', '{key}', 'image/png', 1, 1, 10, '{mark}',
    '2026-11-30 12:00:00+00:00')"""


pytestmark = pytest.mark.slow


@pytest.fixture(params=["sqlite", "postgres"])
async def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[None]:
    """A database without any table, connected."""
    url = f"sqlite://{tmp_path / 'old.db'}"
    if request.param == "postgres":
        folder = request.getfixturevalue("postgres_folder")
        await _execute(folder, "DROP DATABASE IF EXISTS wonder_old")
        await _execute(folder, "CREATE DATABASE wonder_old")
        url = f"postgres://postgres@:5432/wonder_old?host={folder}"
    await db.connect(url)
    try:
        yield
    finally:
        await db.close()


@pytest.mark.usefixtures("empty_database")
async def test_rows_of_the_first_version_are_kept_and_take_the_defaults_of_new_columns() -> None:
    executor = MigrationExecutor(db.connection(), db._APPS)
    await executor.migrate([MigrationTarget(app_label=db.APP, name=_FIRST_VERSION)])
    for statement in (_TASK, _EVENT):
        await db.connection().execute_query(statement)
    assert await db.migrate()
    assert await db.pending_migrations() == 0
    task = await Task.get(id="tsk_1")
    assert (task.prompt, task.status, task.external, task.check_count) == ("一只史莱姆", TaskStatus.RUNNING, False, 0)
    (event,) = await TaskEventRow.filter(task_id="tsk_1")
    assert event.message == "queued"
    assert await db.migrate() == []


@pytest.mark.usefixtures("empty_database")
async def test_what_ended_before_there_were_counters_is_counted() -> None:
    executor = MigrationExecutor(db.connection(), db._APPS)
    await executor.migrate([MigrationTarget(app_label=db.APP, name=_FIRST_VERSION)])
    for task_id, user_id, status in (
        ("tsk_1", "'usr_1'", "COMPLETED"),
        ("tsk_2", "'usr_1'", "COMPLETED"),
        ("tsk_3", "'usr_2'", "FAILED"),
        ("tsk_4", "NULL", "CANCELLED"),
        ("tsk_5", "'usr_1'", "PENDING"),
    ):
        text = _TASK.replace("tsk_1", task_id).replace("'usr_1'", user_id).replace("RUNNING", status)
        await db.connection().execute_query(text)
    await db.connection().execute_query(_PROJECT)
    for task_id, project_id in (("tsk_6", "prj_1"), ("tsk_7", "prj_that_was_deleted")):
        await db.connection().execute_query(_ARCHIVED.format(task_id=task_id, project_id=project_id))
    await db.migrate()
    assert await wrong_counts() == []
    mine, everybodys = await ended_counts("usr_1"), await ended_counts(None)
    assert (mine[TaskStatus.COMPLETED], mine[TaskStatus.TIMEOUT], mine[TaskStatus.CANCELLED]) == (2, 1, 0)
    assert (everybodys[TaskStatus.COMPLETED], everybodys[TaskStatus.FAILED], everybodys[TaskStatus.TIMEOUT]) == (
        2,
        1,
        1,
    )


@pytest.mark.usefixtures("empty_database")
async def test_what_waited_for_others_before_there_were_gates_is_looked_at() -> None:
    executor = MigrationExecutor(db.connection(), db._APPS)
    await executor.migrate([MigrationTarget(app_label=db.APP, name=_FIRST_VERSION)])
    for task_id, status, losses in (
        ("tsk_1", "COMPLETED", 0),
        ("tsk_2", "PENDING", 0),
        ("tsk_3", "PENDING", 3),
        ("tsk_4", "FAILED", 0),
    ):
        text = _TASK.replace("tsk_1", task_id).replace("RUNNING", status).replace("0, 0, 'f'", f"0, {losses}, 'f'")
        await db.connection().execute_query(text)
    for task_id in ("tsk_2", "tsk_4"):
        await db.connection().execute_query(
            f"INSERT INTO task_dependency (task_id, depends_on_id) VALUES ('{task_id}', 'tsk_1')"
        )
    await db.migrate()
    assert {task.id: (task.gate, task.suspicion) for task in await Task.all()} == {
        "tsk_1": (0, 0),
        "tsk_2": (1, 0),
        "tsk_3": (0, 3),
        "tsk_4": (0, 0),
    }
    assert await GateCheck.all().values_list("task_id", flat=True) == ["tsk_2"]


@pytest.mark.usefixtures("empty_database")
async def test_the_same_picture_in_several_projects_becomes_one_object(tmp_path: Path) -> None:
    storage = LocalStorage(tmp_path / "files", UrlSigner(b"k" * 32, SystemClock(), 60))
    executor = MigrationExecutor(db.connection(), db._APPS)
    await executor.migrate([MigrationTarget(app_label=db.APP, name="0018_spending")])
    for image_id, user, project, mark in (
        ("img_1", "'usr_1'", "prj_1", "a"),
        ("img_2", "'usr_1'", "prj_2", "a"),
        ("img_3", "'usr_1'", "prj_2", "b"),
        ("img_4", "'usr_2'", "prj_3", "a"),
        ("img_0", "NULL", "prj_that_is_being_deleted", "a"),
    ):
        key = f"users/{user[1:-1]}/projects/{project}/uploads/{image_id}.png"
        await storage.put(key, b"0123456789", "image/png")
        await db.connection().execute_query(
            _IMAGE.format(image_id=image_id, user=user, project=project, key=key, mark=mark)
        )
    for owner, used in (("usr_1", 30), ("usr_2", 10), ("prj_2", 20)):
        await db.connection().execute_query(f"INSERT INTO storage_use (id, used_bytes) VALUES ('{owner}', {used})")
    await db.migrate()
    keys = {image.id: image.storage_key for image in await UploadedImage.all()}
    assert keys["img_1"] == keys["img_2"] == "users/usr_1/projects/prj_1/uploads/img_1.png"
    assert {row.storage_key for row in await StoredUpload.all()} == {keys["img_1"], keys["img_3"], keys["img_4"]}
    assert await wrong_counters() == []
    assert await used_bytes(["usr_1", "usr_2"]) == [20, 10]
    assert await Outbox(storage, SystemClock()).sweep() == 1
    left = [item.key async for item in storage.list("") if not item.key.startswith("users/UL/")]
    assert left == [keys["img_1"], keys["img_3"], keys["img_4"]]
    assert await StorageDeletion.all().count() == 0
