"""Whatever column is spoilt, repair finds it, sets it right, and what it leaves holds together."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tortoise.models import Model

from domain.ids import IdPrefix, new_id
from domain.kinds import AssetType
from domain.lifecycle import TERMINAL, JobState, TaskStage, TaskStatus
from domain.models.jobs import ExternalJob
from domain.models.projects import StoredUpload, UploadedImage
from domain.models.storage import StorageDeletion, StorageUse
from domain.models.tasks import Asset, GateCheck, QualityCheckRow, Task, TaskDependency, TaskEventRow
from domain.models.webhooks import WebhookDelivery
from domain.quotas import used_bytes
from domain.statements import change
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from domain.tasks import work
from domain.tasks.jobs import JobPlan, begin_job, job_created
from domain.tasks.parking import park
from domain.tasks.release import fail_dependants, release
from domain.tasks.repair import Finding, repair
from domain.tasks.work import Failure
from domain.timeouts import CheckPlan
from tests.conftest import MovableClock
from tests.helpers.history import provenance
from tests.helpers.pictures import keep_picture
from tests.helpers.room import Room, make_project

DAYS = timedelta(days=100)


class World:
    """One task in each state, as the functions of `domain.tasks` leave it, and what hangs on it."""

    def __init__(self, room: Room, folder: Path) -> None:
        self.room = room
        self.storage = LocalStorage(folder, UrlSigner(b"k" * 32, room.deps.clock, 3600))
        self.ids: dict[str, Any] = {}

    async def begin(self, name: str) -> work.Claim:
        task = await self.room.submit(name)
        await release(self.room.deps)
        claim = await work.claim(self.room.deps, task.id)
        assert claim is not None
        self.ids[name] = task.id
        return claim

    async def build(self) -> None:
        room, deps = self.room, self.room.deps
        await self.begin("running")
        parked = await self.begin("parked")
        plan = JobPlan(0, 0, "stub", 1, {})
        job = await begin_job(deps, parked, plan)
        await job_created(job, "ext-1", deps.clock.now())
        await park(deps, parked, CheckPlan(120, 30, 3600), "waiting")
        self.ids["job"] = job.id
        await work.fail(deps, await self.begin("failed"), Failure("BROKEN", "It broke.", retryable=False))
        await work.complete(deps, await self.begin("completed"), [await self.asset()], "completed", degraded=False)
        await room.tasks.cancel(room.user.id, (await self.begin("cancelled")).task.id)
        self.ids["pending"] = (await room.submit("pending")).id
        self.ids["waiting"] = (await room.submit("waiting", depends_on=(self.ids["pending"],))).id
        await fail_dependants(deps)
        # Released to a queue that is none: taken back, so that nothing is left to be found.
        assert await self.repair() == []

    async def asset(self) -> Asset:
        room, task_id = self.room, self.ids["completed"]
        key = f"users/{room.user.id}/projects/{room.project.id}/tasks/{task_id}/output/wrk_1/slime.png"
        await self.storage.put(key, b"12345", "image/png")
        asset = Asset(
            id=new_id(IdPrefix.ASSET), user_id=room.user.id, project_id=room.project.id, task_id=task_id, name="slime",
            role="main", media_type="image/png", size_bytes=5, sha256="0" * 64, storage_key=key, position=0,
            asset_type=AssetType.SPRITE, provenance=provenance(), metadata={}, created_at=room.deps.clock.now(),
        )  # fmt: skip
        self.ids["asset"] = asset.id
        return asset

    async def repair(self, *, dry_run: bool = False) -> list[Finding]:
        return await repair(self.room.deps, self.storage, dry_run=dry_run)


@pytest.fixture
async def world(room: Room, tmp_path: Path) -> World:
    made = World(room, tmp_path / "files")
    await made.build()
    return made


#: Of a task in a state: a column, and what it is spoilt with. A timedelta is a moment, so far from now.
TASKS: list[tuple[str, str, object]] = [
    *(("pending", column, value) for column, value in {
        "status": "COMPLETED", "stage": "ASSET_GENERATOR", "progress": 50.0, "attempt": 7, "sequence": 99,
        "quality_retries": 3, "owner_token": "wrk_x", "lease_until": DAYS, "next_check_at": timedelta(),
        "attempt_started_at": timedelta(), "finished_at": timedelta(), "external": True, "gate": 1, "suspicion": 9,
        "ready_at": DAYS, "released_at": timedelta(), "error_code": "X", "active_fingerprint": "y",
        "wait_seconds": -5.0, "check_count": -1, "max_checks": 0, "user_id": "usr_x",
    }.items()),
    ("pending", "status", "NONSENSE"), ("pending", "stage", "NONSENSE"), ("pending", "gate", 5),
    ("waiting", "gate", 0), ("waiting", "status", "RUNNING"),
    ("running", "status", "PENDING"), ("running", "status", "FAILED"), ("running", "lease_until", None),
    ("running", "lease_until", DAYS), ("running", "lease_until", -DAYS), ("running", "owner_token", None),
    ("running", "started_at", None), ("running", "attempt_started_at", None), ("running", "started_at", DAYS),
    ("running", "attempt_started_at", -DAYS), ("running", "progress", -3.0), ("running", "progress", 700.0),
    ("running", "next_check_at", timedelta()), ("running", "finished_at", timedelta()), ("running", "sequence", 0),
    ("running", "stage", None), ("running", "error_code", "X"), ("running", "attempt", 2),
    ("parked", "next_check_at", None), ("parked", "next_check_at", DAYS), ("parked", "external", False),
    ("parked", "external_until", DAYS), ("parked", "released_at", timedelta()), ("parked", "owner_token", "wrk_x"),
    ("parked", "status", "COMPLETED"), ("parked", "sequence", 1),
    *(("completed", column, value) for column, value in {
        "status": "RUNNING", "progress": 50.0, "finished_at": None, "active_fingerprint": "y", "owner_token": "wrk_x",
        "lease_until": timedelta(), "next_check_at": timedelta(), "error_code": "X", "external": True, "sequence": 1,
        "stage": "QUALITY_SUPERVISOR", "attempt": 3, "user_id": "usr_x",
    }.items()),
    ("completed", "status", "CANCELLED"), ("completed", "finished_at", DAYS), ("completed", "finished_at", -DAYS),
    ("failed", "error_code", None), ("failed", "error_message", None), ("failed", "error_retryable", None),
    ("failed", "status", "COMPLETED"), ("failed", "status", "PENDING"), ("failed", "finished_at", None),
    ("cancelled", "status", "RUNNING"), ("cancelled", "error_message", None), ("cancelled", "progress", 400.0),
]  # fmt: skip
#: Nothing else says what these were to be, or nothing follows from them.
TASTE = {
    "id", "project_id", "kind", "asset_type", "prompt", "params", "style", "source_image_id", "source_task_id",
    "provider", "requested_provider", "external_id", "priority", "degraded", "retries", "losses", "fingerprint",
    "released_to", "last_check_at", "created_at", "error_message", "error_retryable",
}  # fmt: skip
#: Values that are right by chance, or that those who work set right by themselves.
SOUND = {("cancelled", "error_message")}


def test_every_column_of_a_task_is_spoilt_or_nothing_follows_from_it() -> None:
    assert {column for _, column, _ in TASKS} | TASTE == set(Task._meta.fields_map)


@pytest.mark.slow
@pytest.mark.parametrize(("subject", "column", "value"), TASKS, ids=lambda value: str(value).replace(" ", ""))
async def test_a_spoilt_column_of_a_task_is_found_and_mended(
    world: World, subject: str, column: str, value: object
) -> None:
    await spoil(Task, world.ids[subject], {column: value}, world.room.deps.clock.now())
    await found_and_mended(world, expected=(subject, column) not in SOUND)


@pytest.mark.parametrize(
    "changes",
    [
        {"external_id": None},
        {"state": JobState.SUBMITTING},
        {"state": JobState.FETCHED, "finished_at": timedelta()},
        {"state": JobState.DONE},
        {"state": JobState.FAILED, "finished_at": timedelta()},
        {"task_id": "tsk_gone"},
        {"attempt": 9},
    ],
    ids=str,
)
async def test_a_spoilt_job_is_found_and_mended(world: World, changes: Mapping[str, object]) -> None:
    await spoil(ExternalJob, world.ids["job"], changes, world.room.deps.clock.now())
    await found_and_mended(world)


async def test_jobs_of_a_task_that_has_ended_are_cancelled(world: World) -> None:
    await ExternalJob.filter(id=world.ids["job"]).update(task_id=world.ids["completed"])
    kinds = {finding.kind for finding in await world.repair()}
    assert {"job_of_nobody", "parked_without_jobs"} <= kinds
    assert (await ExternalJob.get(id=world.ids["job"])).cancel_at == world.room.deps.clock.now()


async def test_a_lost_last_event_is_written_again_and_no_end_is_undone(world: World) -> None:
    last = await TaskEventRow.filter(task_id=world.ids["completed"]).order_by("-sequence").first()
    assert last is not None
    await TaskEventRow.filter(id=last.id).delete()
    await found_and_mended(world)
    task = await Task.get(id=world.ids["completed"])
    assert (task.status, task.progress, task.sequence) == (TaskStatus.COMPLETED, 100, last.sequence)


async def test_a_gap_among_events_is_told_and_left(world: World) -> None:
    await TaskEventRow.filter(task_id=world.ids["completed"], sequence=1).delete()
    assert [(finding.kind, finding.mended) for finding in await world.repair()] == [("missing_event", False)]


async def test_what_hangs_on_no_task_goes(world: World) -> None:
    now = world.room.deps.clock.now()
    common: dict[str, Any] = {"task_id": "tsk_gone", "attempt": 1}
    await TaskEventRow.create(
        **common, project_id="prj_x", sequence=1, status="PENDING", progress=0, message="", quality_retries=0, at=now
    )
    await QualityCheckRow.create(
        **common, round=0, position=0, name="size", score=1, threshold=1, passed=True, reason=""
    )
    await TaskDependency.create(task_id="tsk_gone", depends_on_id=world.ids["pending"])
    await found_and_mended(world)


async def test_a_task_that_waits_for_itself_goes_on(world: World) -> None:
    await TaskDependency.filter(task_id=world.ids["waiting"]).update(depends_on_id=world.ids["waiting"])
    await found_and_mended(world)
    await fail_dependants(world.room.deps)
    assert (await Task.get(id=world.ids["waiting"])).gate == 0


async def test_a_gate_that_was_forgotten_is_looked_at(world: World) -> None:
    await world.room.tasks.cancel(world.room.user.id, world.ids["pending"])
    await GateCheck.all().delete()
    assert await fail_dependants(world.room.deps) == 0
    await found_and_mended(world)
    assert await fail_dependants(world.room.deps) == 1


@pytest.mark.parametrize("wrong", [-7, 0, 10**12])
async def test_counters_of_stored_bytes_are_counted_anew(world: World, wrong: int) -> None:
    room = world.room
    assert await StorageUse.all().count() == 2
    await StorageUse.all().update(used_bytes=wrong)
    findings = await found_and_mended(world)
    assert {(finding.kind, finding.subject) for finding in findings} == {
        ("wrong_storage_use", room.user.id),
        ("wrong_storage_use", room.project.id),
    }
    assert await used_bytes([room.user.id]) == [5]


async def test_a_file_is_never_shown_to_another_user_than_its_tasks(world: World) -> None:
    await Asset.filter(id=world.ids["asset"]).update(user_id=world.room.stranger.id, project_id="prj_x")
    await found_and_mended(world)
    asset = await Asset.get(id=world.ids["asset"])
    assert (asset.user_id, asset.project_id) == (world.room.user.id, world.room.project.id)


async def test_uploads_and_their_objects_agree_again(world: World) -> None:
    room, now = world.room, world.room.deps.clock.now()
    images = []
    for mark in "0123":
        images.append(image := await keep_picture(room.user.id, room.project.id, 3, now, mark))
        await world.storage.put(image.storage_key, b"123", "image/png")
    other = await make_project(room.deps.clock, room.user)
    elsewhere = await keep_picture(room.user.id, other.id, 3, now, "1")
    await StorageUse.all().delete()
    assert await world.repair(dry_run=True) == []
    forgotten, shared, unnamed, _ = images
    await StoredUpload.filter(storage_key=forgotten.storage_key).delete()
    await UploadedImage.filter(id=elsewhere.id).update(storage_key="users/nothing", size_bytes=77)
    await UploadedImage.filter(id=unnamed.id).delete()
    kinds = [finding.kind for finding in await found_and_mended(world)]
    assert kinds == ["upload_of_nobody", "upload_not_noted", "wrong_upload", "file_without_asset"]
    assert (await UploadedImage.get(id=elsewhere.id)).storage_key == shared.storage_key
    assert [row.target for row in await StorageDeletion.all()] == [unnamed.storage_key]
    assert await used_bytes([room.user.id]) == [14]


async def test_pictures_whose_file_is_gone_are_told(world: World) -> None:
    room, now = world.room, world.room.deps.clock.now()
    there = await keep_picture(room.user.id, room.project.id, 3, now, "0")
    await world.storage.put(there.storage_key, b"123", "image/png")
    gone = await keep_picture(room.user.id, room.project.id, 3, now, "1")
    other = await make_project(room.deps.clock, room.user)
    shared = await keep_picture(room.user.id, other.id, 3, now, "1")
    old = await keep_picture(room.stranger.id, room.other_project.id, 3, now, "2")
    key = f"users/{room.stranger.id}/projects/{room.other_project.id}/uploads/{old.id}.png"
    for rows in (StoredUpload, UploadedImage):
        await rows.filter(storage_key=old.storage_key).update(storage_key=key)
    await world.storage.put(key, b"123", "image/png")
    await StorageUse.all().delete()
    assert {(found.kind, found.subject, found.mended) for found in await world.repair()} == {
        ("image_without_file", gone.id, False),
        ("image_without_file", shared.id, False),
    }


async def test_errands_that_were_forgotten_are_due_again(world: World) -> None:
    now = world.room.deps.clock.now()
    await StorageDeletion.create(target="users/x/", created_at=now, next_try_at=now + DAYS, final_at=now)
    for number, state in enumerate(("PENDING", "DELIVERED")):
        await WebhookDelivery.create(
            id=f"msg_{number}", webhook_id="whk_x", event_type="task.completed", payload="{}", created_at=now,
            state=state, next_try_at=None if state == "PENDING" else now,
        )  # fmt: skip
    await found_and_mended(world)
    assert (await StorageDeletion.get()).next_try_at == now
    assert [row.next_try_at for row in await WebhookDelivery.all().order_by("id")] == [now, None]


async def test_sound_rows_are_left_alone_whatever_time_it_is(world: World, clock: MovableClock) -> None:
    assert await world.repair(dry_run=True) == []
    clock.advance(30)
    assert await world.repair(dry_run=True) == []


async def spoil(model: type[Model], row_id: str, changes: Mapping[str, object], now: Any) -> None:
    """Write into a row what no function of ours would."""
    for column, value in changes.items():
        moment = now + value if isinstance(value, timedelta) else value
        await change(f"UPDATE {model._meta.db_table} SET {column} = ? WHERE id = ?", [moment, row_id])


async def found_and_mended(world: World, *, expected: bool = True) -> list[Finding]:
    """Repair, and hold the rows to what must be true of them."""
    seen = await world.repair(dry_run=True)
    assert bool(seen) is expected
    assert not any(finding.mended for finding in seen)
    findings = await world.repair()
    assert all(finding.mended for finding in findings)
    assert await world.repair(dry_run=True) == []
    await check(world)
    return findings


async def check(world: World) -> None:
    for task in await Task.all():
        events = await TaskEventRow.filter(task_id=task.id).order_by("sequence")
        last = events[-1]
        assert [event.sequence for event in events] == list(range(1, task.sequence + 1))
        assert (last.status, last.stage, last.progress, last.attempt, last.quality_retries) == (
            task.status, task.stage, task.progress, task.attempt, task.quality_retries
        )  # fmt: skip
        assert (task.finished_at is not None) == (task.status in TERMINAL)
        assert (task.error_code is not None) == (task.status in {TaskStatus.FAILED, TaskStatus.TIMEOUT})
        assert task.user_id == world.room.user.id
        assert 0 <= task.progress <= 100
        if task.status in TERMINAL:
            assert (task.owner_token, task.lease_until, task.next_check_at, task.active_fingerprint) == (None,) * 4
            assert not await ExternalJob.filter(
                task_id=task.id, state=JobState.WAITING, cancel_at__isnull=True
            ).exists()
        elif task.status is TaskStatus.PENDING:
            assert (task.owner_token, task.next_check_at, task.attempt_started_at) == (None, None, None)
            assert task.stage is None or task.stage in TaskStage
        else:
            assert task.started_at is not None
            # In the hands of a worker, parked, or handed to the queue for a worker to go on.
            assert task.owner_token is None or task.next_check_at is None
            assert (task.owner_token, task.next_check_at, task.released_at) != (None, None, None)
            assert (task.lease_until is not None) == (task.owner_token is not None)
    assert (await Task.get(id=world.ids["completed"])).status is TaskStatus.COMPLETED
    assert (await Task.get(id=world.ids["failed"])).status is TaskStatus.FAILED
