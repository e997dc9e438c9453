"""Files that no row names go, a part of the storage at a time; nothing young, named or being written ever does."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from domain import orphans
from domain.ids import IdPrefix, new_id
from domain.models.projects import UploadedImage
from domain.models.storage import StorageDeletion
from domain.models.tasks import Asset, Task
from domain.orphans import Sweep, sweep_orphans
from domain.outbox import Outbox, Reservation, record_deletion
from domain.schedules import run_duty
from domain.storage.keys import output_key, task_prefix, upload_key, work_key
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from domain.tasks import work
from tests.domain.tasks.test_work import asset, started
from tests.helpers.room import Room
from tests.helpers.sql import recorded_sql
from worker.duties.orphans import orphans_duty

GRACE = timedelta(hours=24)


@pytest.fixture
def storage(room: Room, tmp_path: Path) -> LocalStorage:
    return LocalStorage(tmp_path / "files", UrlSigner(b"k" * 32, room.deps.clock, 3600))


async def stored(room: Room, storage: LocalStorage, key: str, hours: float = 25) -> str:
    await storage.put(key, b"x", "image/png")
    [path] = [path for path in storage._root.rglob(key.rpartition("/")[2]) if str(path).endswith(key)]
    then = room.deps.clock.now().timestamp() - hours * 3600
    os.utime(path, (then, then))
    return key


def output(room: Room, task_id: str, name: str = "a.png") -> str:
    return output_key(room.user.id, room.project.id, task_id, "wrk_x", name)


async def swept(room: Room, storage: LocalStorage, after: str = "", limit: int = 100_000) -> Sweep:
    return await sweep_orphans(storage, room.deps.clock.now(), GRACE, after, limit)


async def recorded() -> list[str]:
    return sorted(row.target for row in await StorageDeletion.all())


async def test_old_files_that_no_row_names_go(room: Room, storage: LocalStorage) -> None:
    gone = new_id(IdPrefix.TASK)
    strays = [
        await stored(room, storage, output(room, gone)),
        await stored(room, storage, work_key(room.user.id, room.project.id, gone, 1, "job-0")),
        await stored(room, storage, upload_key(room.user.id, new_id(IdPrefix.IMAGE), "png")),
        await stored(room, storage, f"users/{room.user.id}/projects/{room.project.id}/uploads/img_old.png"),
        await stored(room, storage, output_key(room.user.id, "prj_nothing", gone, "wrk_y", "图.png")),
    ]
    assert (await swept(room, storage)).found == 5
    assert await recorded() == sorted(strays)
    assert (await swept(room, storage)).found == 0, "they are recorded already"
    await Outbox(storage, room.deps.clock).sweep()
    assert [item.key async for item in storage.list("")] == []


async def test_what_belongs_to_another_installation_is_left_alone_and_told_of(
    room: Room, storage: LocalStorage, caplog: pytest.LogCaptureFixture
) -> None:
    foreign = [
        await stored(room, storage, output_key(new_id(IdPrefix.USER), "prj_x", new_id(IdPrefix.TASK), "w", "a.png")),
        await stored(room, storage, upload_key(new_id(IdPrefix.USER), new_id(IdPrefix.IMAGE), "png")),
    ]
    assert (await swept(room, storage)).found == 0
    assert await recorded() == []
    assert "2 files belong to users that this database does not know" in caplog.text
    assert sorted([item.key async for item in storage.list("")]) == sorted(foreign)


async def test_what_is_young_named_reserved_or_not_ours_stays(room: Room, storage: LocalStorage) -> None:
    now, gone = room.deps.clock.now(), new_id(IdPrefix.TASK)
    await stored(room, storage, output(room, gone, "young.png"), hours=23.9)
    claim = await started(room, "done")
    named = asset(claim, 0)
    await stored(room, storage, named.storage_key)
    await work.complete(room.deps, claim, [named], "completed", degraded=False)
    image_id = new_id(IdPrefix.IMAGE)
    image = upload_key(room.user.id, image_id, "png")
    await stored(room, storage, image)
    size = {"width": 1, "height": 1, "size_bytes": 1, "sha256": "0" * 64, "media_type": "image/png"}
    await UploadedImage.create(
        id=image_id, user_id=room.user.id, project_id=room.project.id, storage_key=image, created_at=now, **size
    )
    reserved = await stored(room, storage, upload_key(room.user.id, "img_coming", "png"))
    await Reservation.make(reserved, now, 3600)
    leaving = await stored(room, storage, output(room, "tsk_leaving"))
    await record_deletion(task_prefix(room.user.id, room.project.id, "tsk_leaving"), now, 0)
    for foreign in (
        "users/readme.txt",
        "users/a/notes/b",
        "backup/2026.tar",
        "users/a/other/b/c/d/e",
        "users/a/projects/b/tasks/c/x/d",
    ):
        await stored(room, storage, foreign)
    before = await recorded()
    assert (await swept(room, storage)).found == 0
    assert await recorded() == before
    assert leaving not in before


class FolderElsewhere(LocalStorage):
    """A folder of a machine whose clock is set otherwise."""

    ahead = timedelta()

    async def clock_ahead(self) -> timedelta:
        return self.ahead


@pytest.mark.parametrize("days", [-400, 400])
async def test_how_old_a_file_is_goes_by_the_clock_that_dated_it(room: Room, tmp_path: Path, days: int) -> None:
    clock = room.deps.clock
    storage = FolderElsewhere(tmp_path / "files", UrlSigner(b"k" * 32, clock, 3600))
    storage.ahead = timedelta(days=days)
    old = await stored(room, storage, output(room, "tsk_old"), hours=25 - 24 * days)
    await stored(room, storage, output(room, "tsk_young"), hours=23 - 24 * days)
    assert (await swept(room, storage)).found == 1
    assert await recorded() == [old]


async def test_files_of_a_task_at_work_stay_however_old(room: Room, storage: LocalStorage) -> None:
    claim = await started(room, "at work")
    await stored(room, storage, output(room, claim.task.id), hours=500)
    waiting = await room.submit("parked or waiting")
    await stored(room, storage, work_key(room.user.id, room.project.id, waiting.id, 1, "job-0"), hours=500)
    assert (await swept(room, storage)).found == 0
    await room.tasks.cancel(room.user.id, waiting.id)
    assert (await swept(room, storage)).found == 1


async def test_the_storage_is_gone_through_in_parts(
    room: Room, storage: LocalStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orphans, "BATCH", 3)
    keys = sorted([await stored(room, storage, output(room, f"tsk_{number}")) for number in range(8)])
    first = await swept(room, storage, limit=4)
    assert first == Sweep(6, keys[5])
    assert await swept(room, storage, first.after, limit=4) == Sweep(2, "")
    assert await recorded() == keys


async def test_a_batch_takes_the_same_statements_however_many_keys_it_has(room: Room, storage: LocalStorage) -> None:
    counts = []
    for number in (1, 40):
        for place in range(number):
            await stored(room, storage, output(room, f"tsk_{number}_{place}"), hours=1)
        keys = [item.key async for item in storage.list("")]
        with recorded_sql() as statements:
            assert len(await orphans.orphans_among(keys)) == len(keys)
        counts.append(len(statements))
    assert counts == [6, 6]


async def test_the_duty_goes_on_where_it_stopped_and_begins_anew_behind_the_end(
    room: Room, storage: LocalStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orphans, "BATCH", 2)
    monkeypatch.setattr(orphans.sweep_orphans, "__defaults__", (2,))
    for number in range(5):
        await stored(room, storage, output(room, f"tsk_{number}"))
    duty = orphans_duty(room.deps, storage)
    found = []
    for _ in range(4):
        outcome = await run_duty(duty, room.deps.clock)
        assert outcome is not None
        found.append(outcome.done)
    assert found == [2, 2, 1, 0]


async def test_rows_are_never_touched(room: Room, storage: LocalStorage) -> None:
    await stored(room, storage, output(room, "tsk_gone"))
    claim = await started(room, "done")
    await work.complete(room.deps, claim, [asset(claim, 0)], "completed", degraded=False)
    await swept(room, storage)
    assert (await Task.all().count(), await Asset.all().count()) == (1, 1)
