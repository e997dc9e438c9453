"""A picture that one user brings to several projects is one object, whatever happens at the same time."""

import asyncio
import contextlib
import random
from pathlib import Path

import pytest
from PIL import Image

from domain import db
from domain.errors import NotFound, QuotaExceeded
from domain.models.projects import Project, StoredUpload, UploadedImage
from domain.models.storage import StorageDeletion, StorageUse
from domain.models.tasks import Asset
from domain.outbox import Outbox
from domain.quotas import used_bytes, wrong_counters
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from domain.tasks.deletion import abandon_all, delete_project
from domain.uploads import InspectedImage, Uploads
from tests.conftest import MovableClock
from tests.domain.test_quotas import store
from tests.helpers.pictures import keep_picture
from tests.helpers.room import Room, make_project
from tests.helpers.sql import recorded_sql
from worker.imaging.inspect import inspect_image


async def _inspect(data: bytes) -> InspectedImage:
    return await asyncio.to_thread(inspect_image, data)


async def _as_it_is(data: bytes) -> InspectedImage:
    return InspectedImage(data, "image/png", "png", 1, 1)


@pytest.fixture
async def storage(room: Room, tmp_path: Path) -> LocalStorage:
    storage = LocalStorage(tmp_path / "files", UrlSigner(b"k" * 32, room.deps.clock, 60))
    await storage.check()
    return storage


@pytest.fixture
def uploads(room: Room, storage: LocalStorage) -> Uploads:
    return Uploads(storage, room.deps.clock, _inspect, room.deps.settings)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    return _painted(tmp_path, "red")


@pytest.fixture
async def second(room: Room, clock: MovableClock) -> Project:
    return await make_project(clock, room.user)


def _painted(folder: Path, color: str) -> Path:
    path = folder / f"{color}.png"
    Image.new("RGB", (30, 20), color).save(path, "PNG")
    return path


async def _stored(storage: LocalStorage) -> list[str]:
    return [item.key async for item in storage.list("")]


async def _used(*ids: str) -> list[int]:
    return [(await StorageUse.get(id=one)).used_bytes for one in ids]


async def test_each_project_has_an_image_and_both_name_one_object(
    room: Room, uploads: Uploads, storage: LocalStorage, second: Project, picture: Path
) -> None:
    first = await uploads.store(room.user.id, room.project.id, picture)
    other = await uploads.store(room.user.id, second.id, picture)
    strangers = await uploads.store(room.stranger.id, room.other_project.id, picture)
    assert (first.id != other.id, first.project_id, other.project_id) == (True, room.project.id, second.id)
    assert first.storage_key == other.storage_key != strangers.storage_key
    assert await _stored(storage) == sorted([first.storage_key, strangers.storage_key])
    size = first.size_bytes
    assert await _used(room.user.id, room.project.id, second.id) == [size, size, size]
    assert (await wrong_counters(), await StorageDeletion.all().count()) == ([], 0)


async def test_counters_that_are_made_from_rows_count_a_shared_picture_once(
    room: Room, uploads: Uploads, second: Project, picture: Path, tmp_path: Path
) -> None:
    image = await uploads.store(room.user.id, room.project.id, picture)
    await uploads.store(room.user.id, second.id, picture)
    await StorageUse.all().delete()
    assert await used_bytes([room.user.id]) == [image.size_bytes]
    third = await uploads.store(room.user.id, second.id, _painted(tmp_path, "blue"))
    both = image.size_bytes + third.size_bytes
    assert await _used(room.user.id, second.id) == [both, both]
    assert await wrong_counters() == []


async def test_a_user_whose_space_is_full_may_name_what_is_there_and_a_full_project_may_not(
    room: Room, storage: LocalStorage, uploads: Uploads, second: Project, picture: Path, tmp_path: Path
) -> None:
    size = (await uploads.store(room.user.id, room.project.id, picture)).size_bytes
    full = room.deps.settings.model_copy(update={"max_storage_bytes": size})
    await Uploads(storage, room.deps.clock, _inspect, full).store(room.user.id, second.id, picture)
    third = await make_project(room.deps.clock, room.user)
    small = room.deps.settings.model_copy(update={"max_project_storage_bytes": size - 1})
    with pytest.raises(QuotaExceeded, match="one project"):
        await Uploads(storage, room.deps.clock, _inspect, small).store(room.user.id, third.id, picture)
    with pytest.raises(QuotaExceeded, match="in all"):
        blue = _painted(tmp_path, "blue")
        await Uploads(storage, room.deps.clock, _inspect, full).store(room.user.id, third.id, blue)
    assert await UploadedImage.filter(project_id=third.id).count() == 0
    assert await wrong_counters() == []


async def test_fifty_uploads_and_tasks_that_end_at_once_fill_the_space_and_no_more(
    room: Room, storage: LocalStorage, second: Project, clock: MovableClock
) -> None:
    small = room.deps.settings.model_copy(update={"max_storage_bytes": 1000})
    uploads = Uploads(storage, clock, _as_it_is, small)

    async def bring(number: int) -> bool:
        try:
            # Every picture comes twice, once to each project.
            path = storage._root / f"{number // 2}"
            await asyncio.to_thread(path.write_bytes, b"%d" % (number // 2) * 30)
            await uploads.store(room.user.id, (room.project.id, second.id)[number % 2], path)
        except QuotaExceeded:
            return False
        return True

    async def end() -> bool:
        try:
            await store(room, room.project, 40, small)
        except QuotaExceeded:
            return False
        return True

    done = await asyncio.gather(*(bring(number) for number in range(50)), *(end() for _ in range(25)))
    assert 0 < sum(done) < 75
    [used] = await used_bytes([room.user.id])
    assert 1000 - 60 < used <= 1000, "not even the largest would fit any more, and nothing is over"
    kept = sum([row.size_bytes for row in await StoredUpload.all()])
    assert used == kept + sum([asset.size_bytes for asset in await Asset.all()])
    assert await wrong_counters() == []
    await Outbox(storage, clock).sweep()
    assert len(await _stored(storage)) == await StoredUpload.all().count()
    assert await StorageDeletion.all().count() == 0


async def test_many_at_once_in_several_projects_are_one_object(
    room: Room, uploads: Uploads, storage: LocalStorage, second: Project, clock: MovableClock, picture: Path
) -> None:
    both = (room.project.id, second.id)
    images = await asyncio.gather(*(uploads.store(room.user.id, both[number % 2], picture) for number in range(10)))
    assert len({image.id for image in images}) == 2
    assert len({image.storage_key for image in images}) == 1
    await Outbox(storage, clock).sweep()
    assert await _stored(storage) == [images[0].storage_key]
    size = images[0].size_bytes
    assert await _used(room.user.id, *both) == [size, size, size]
    assert await StorageDeletion.all().count() == 0


async def test_an_object_goes_with_the_last_project_that_names_it_and_is_never_named_again(
    room: Room, uploads: Uploads, storage: LocalStorage, second: Project, clock: MovableClock, picture: Path
) -> None:
    first = await uploads.store(room.user.id, room.project.id, picture)
    other = await uploads.store(room.user.id, second.id, picture)
    await delete_project(room.deps, room.user.id, room.project.id)
    await Outbox(storage, clock).sweep()
    assert await storage.get(other.storage_key)
    assert await _used(room.user.id, second.id) == [other.size_bytes, other.size_bytes]
    await delete_project(room.deps, room.user.id, second.id)
    assert await _used(room.user.id) == [0]
    # Not removed yet, and yet it is stored anew.
    third = await make_project(clock, room.user)
    again = await uploads.store(room.user.id, third.id, picture)
    assert again.storage_key != first.storage_key
    clock.advance(3600)
    await Outbox(storage, clock).sweep()
    assert await _stored(storage) == [again.storage_key]
    assert (await wrong_counters(), await StorageDeletion.all().count()) == ([], 0)


async def test_uploads_and_deletions_at_once_leave_what_is_named_and_nothing_else(
    room: Room, uploads: Uploads, storage: LocalStorage, clock: MovableClock, tmp_path: Path
) -> None:
    pictures = [_painted(tmp_path, color) for color in ("red", "blue")]
    projects = [room.project, *[await make_project(clock, room.user) for _ in range(4)]]
    chance = random.Random(7)

    async def bring(project: Project, picture: Path) -> bool:
        try:
            await uploads.store(room.user.id, project.id, picture)
        except NotFound:
            return False
        return True

    steps = [bring(project, picture) for project in projects for picture in pictures for _ in range(2)]
    steps += [_deleted(room, project) for project in projects[:3]]
    chance.shuffle(steps)
    await asyncio.gather(*steps, Outbox(storage, clock).sweep())
    clock.advance(7200)
    while await Outbox(storage, clock).sweep():
        pass
    named = {image.storage_key for image in await UploadedImage.filter(user_id=room.user.id)}
    assert sorted(named) == await _stored(storage)
    assert {row.storage_key for row in await StoredUpload.all()} == named
    assert await UploadedImage.filter(user_id=room.user.id).count() == 4
    assert (await wrong_counters(), await StorageDeletion.all().count()) == ([], 0)


async def _deleted(room: Room, project: Project) -> bool:
    await delete_project(room.deps, room.user.id, project.id)
    return True


async def test_a_picture_whose_object_was_lost_is_whole_again_when_it_is_brought_again(
    room: Room, uploads: Uploads, storage: LocalStorage, second: Project, picture: Path
) -> None:
    first = await uploads.store(room.user.id, room.project.id, picture)
    data = await storage.get(first.storage_key)
    for project in (room.project, second):
        await storage.delete([first.storage_key])
        assert (await uploads.store(room.user.id, project.id, picture)).storage_key == first.storage_key
        assert await storage.get(first.storage_key) == data
    assert await wrong_counters() == []


async def test_an_account_deleted_while_pictures_arrive_leaves_nothing(
    room: Room, uploads: Uploads, storage: LocalStorage, second: Project, clock: MovableClock, picture: Path
) -> None:
    async def bring(project: Project) -> None:
        with contextlib.suppress(NotFound):
            await uploads.store(room.user.id, project.id, picture)

    async def leave() -> None:
        async with db.transaction():
            await db.lock_admission()
            await abandon_all(room.deps, room.user.id)

    both = (room.project, second)
    await asyncio.gather(*(bring(both[number % 2]) for number in range(6)), leave(), bring(room.project))
    clock.advance(7200)
    while await Outbox(storage, clock).sweep():
        pass
    assert await _stored(storage) == []
    assert await StoredUpload.all().count() == 0
    assert await UploadedImage.filter(user_id__isnull=False).count() == 0
    assert (await StorageUse.all().count(), await StorageDeletion.all().count()) == (0, 0)


async def test_a_deleted_account_keeps_nothing_and_others_keep_theirs(
    room: Room, uploads: Uploads, storage: LocalStorage, second: Project, clock: MovableClock, picture: Path
) -> None:
    for project in (room.project, second):
        await uploads.store(room.user.id, project.id, picture)
    others = await uploads.store(room.stranger.id, room.other_project.id, picture)
    async with db.transaction():
        await db.lock_admission()
        await abandon_all(room.deps, room.user.id)
    await Outbox(storage, clock).sweep()
    assert await _stored(storage) == [others.storage_key]
    assert [row.user_id for row in await StoredUpload.all()] == [room.stranger.id]


async def test_an_upload_takes_the_same_statements_however_many_projects_name_its_picture(
    room: Room, uploads: Uploads, clock: MovableClock, picture: Path
) -> None:
    counts = []
    for _ in range(5):
        project = await make_project(clock, room.user)
        with recorded_sql() as statements:
            await uploads.store(room.user.id, project.id, picture)
        counts.append(len(statements))
    assert counts[1] == counts[2] == counts[4] <= 14
    assert counts[0] <= 18


async def test_deleting_a_project_takes_the_same_statements_however_many_pictures_it_has(
    room: Room, clock: MovableClock
) -> None:
    counts = []
    for marks in ("0", "123456789abcdef"):
        project = await make_project(clock, room.user)
        for mark in marks:
            await keep_picture(room.user.id, project.id, 3, clock.now(), mark)
        with recorded_sql() as statements:
            await delete_project(room.deps, room.user.id, project.id)
        counts.append(len(statements))
    assert counts[0] == counts[1] <= 24
    assert await StoredUpload.all().count() == 0
