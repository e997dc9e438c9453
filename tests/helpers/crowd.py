"""Very many finished tasks, and what is kept with them, made by the database itself as copies of one of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tortoise.models import Model

from domain import db
from domain.kinds import AssetType, TaskKind
from domain.lifecycle import TaskStatus
from domain.models.operations import ArchivedTask, AuditEntry, CleanupRun
from domain.models.projects import Project
from domain.models.tasks import Asset, Task, TaskEventRow
from domain.models.webhooks import WebhookDelivery
from tests.helpers.history import finish
from tests.helpers.room import Room, make_project

WEBHOOK_ID: Final = "whk_" + "z" * 26
#: From here on indexes are made after the rows, which is several times as fast.
_MANY: Final = 50_000
_SQLITE: Final = {
    "number": "printf('%026d', i)",
    "group": "printf('%026d', i % 500)",
    "at": "strftime('%Y-%m-%d %H:%M:%S+00:00', 1735689600 + i, 'unixepoch')",
    "numbers": "WITH RECURSIVE numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < {last})",
}
_POSTGRES: Final = {
    "number": "lpad(CAST(i AS TEXT), 26, '0')",
    "group": "lpad(CAST(i % 500 AS TEXT), 26, '0')",
    "at": "to_timestamp(1735689600 + i)",
    "numbers": "WITH numbers(i) AS (SELECT generate_series(0, {last}))",
}


@dataclass(frozen=True, slots=True)
class Crowd:
    """Where the copies are.

    Every second task is the room's user's; of those every second is in the room's project, the rest in `other`. One of
    twenty has FAILED, the rest are COMPLETED. Instants are seconds of 2025, in the order of the ids.
    """

    room: Room
    other: Project
    task_ids: tuple[str, str]


async def gather(room: Room, tasks: int, others: int) -> Crowd:
    """Make so many tasks, each with an event and a file, and of everything else that is listed `others`."""
    other = await make_project(room.deps.clock, room.user)
    await _make_first_ones(room)
    indexes = await _dropped_indexes() if tasks > _MANY else []
    project = f"CASE i % 4 WHEN 0 THEN '{room.project.id}' WHEN 2 THEN '{other.id}' ELSE 'prj_' || {{group}} END"
    owner = f"CASE i % 2 WHEN 0 THEN '{room.user.id}' ELSE 'usr_' || {{group}} END"
    status = "CASE i % 20 WHEN 8 THEN 'FAILED' ELSE 'COMPLETED' END"
    asset_type = "CASE i % 3 WHEN 0 THEN 'SPRITE' WHEN 1 THEN 'ICON' ELSE 'PORTRAIT' END"
    mine = {"user_id": owner, "project_id": project, "created_at": "{at}"}
    task_id = "'tsk_' || {number}"
    done = {"status": status, "asset_type": asset_type, "priority": "i % 10", "prompt": "'a slime of kind ' || i"}
    times = dict.fromkeys(("ready_at", "started_at", "finished_at"), "{at}")
    await copy_rows(Task, tasks, {"id": task_id, **mine, **done, **times, "fingerprint": "'print ' || i"})
    await copy_rows(TaskEventRow, tasks, {"task_id": task_id, "project_id": project, "at": "{at}"})
    key = {"id": "'ast_' || {number}", "storage_key": "'key ' || i", "task_id": task_id, "position": "0"}
    await copy_rows(Asset, tasks, {**key, **mine})
    await copy_rows(ArchivedTask, others, {"id": "'tsk_old' || {number}", "archived_at": "{at}"})
    await copy_rows(AuditEntry, others, {"id": "'aud_' || {number}", "at": "{at}"})
    await copy_rows(CleanupRun, others, {"id": "'cln_' || {number}", "started_at": "{at}"})
    webhook = f"CASE i % 2 WHEN 0 THEN '{WEBHOOK_ID}' ELSE 'whk_' || {{group}} END"
    state = "CASE i % 20 WHEN 8 THEN 'FAILED' ELSE 'DELIVERED' END"
    await copy_rows(
        WebhookDelivery,
        others,
        {"id": "'msg_' || {number}", "webhook_id": webhook, "state": state, "created_at": "{at}"},
    )
    for statement in indexes:
        await db.connection().execute_script(statement)
    if db.is_postgres():
        await db.connection().execute_script("VACUUM ANALYZE")
    return Crowd(room, other, ("tsk_" + "0" * 26, f"tsk_{tasks - 2:026d}"))


async def _make_first_ones(room: Room) -> None:
    """Make one of each through the models, so that every column holds something."""
    now = room.deps.clock.now()
    task = await room.submit("the first", user=room.stranger)
    await finish(room, task, rounds=1, files=1)
    common = {"user_id": room.stranger.id, "project_id": room.other_project.id}
    await ArchivedTask.create(
        id=task.id,
        kind=TaskKind.TEXT_TO_IMAGE,
        asset_type=AssetType.SPRITE,
        prompt="a slime",
        status=TaskStatus.COMPLETED,
        attempt=1,
        degraded=False,
        assets=1,
        size_bytes=1,
        created_at=now,
        finished_at=now,
        archived_at=now,
        **common,
    )
    await AuditEntry.create(id="aud_first", user_id=room.stranger.id, action="repairTasks", details={}, at=now)
    await CleanupRun.create(id="cln_first", started_at=now, older_than_days=30, dry_run=False)
    await WebhookDelivery.create(
        id="msg_first", webhook_id="whk_first", event_type="task.completed", payload="{}", created_at=now
    )


async def copy_rows(model: type[Model], count: int, changes: Mapping[str, str]) -> None:
    """Copy the first row of a table `count` times; `changes` are SQL of `i`, the number of the copy, by column."""
    dialect = _POSTGRES if db.is_postgres() else _SQLITE
    described = model.describe()
    table, key = described["table"], described["pk_field"]["db_column"]
    names = [column["db_column"] for column in described["data_fields"]]
    columns = [*([key] if key in changes else []), *names]
    values = [changes.get(name, f'"{name}"').format(**dialect) for name in columns]
    numbers = dialect["numbers"].format(last=count - 1)
    quoted = ", ".join(f'"{name}"' for name in columns)
    source = f'numbers CROSS JOIN (SELECT * FROM "{table}" LIMIT 1) AS first'
    text = f'INSERT INTO "{table}" ({quoted}) {numbers} SELECT {", ".join(values)} FROM {source}'
    await db.connection().execute_script(text)


async def _dropped_indexes() -> list[str]:
    """Drop every index that holds no constraint, and return the statements that make them again."""
    listing = (
        "SELECT indexname AS name, indexdef AS text FROM pg_indexes WHERE schemaname = 'public'"
        " AND indexdef NOT LIKE 'CREATE UNIQUE%'"
        if db.is_postgres()
        else "SELECT name, sql AS text FROM sqlite_master WHERE type = 'index' AND sql NOT LIKE 'CREATE UNIQUE%'"
    )
    _, rows = await db.connection().execute_query(listing)
    for row in rows:
        await db.connection().execute_script(f'DROP INDEX "{row["name"]}"')
    return [row["text"] for row in rows]
