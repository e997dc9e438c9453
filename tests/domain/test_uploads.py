"""Pictures that people bring: stored once, row after object, nothing left of what was cut off."""

import asyncio
import io
import os
from pathlib import Path

import pytest
from PIL import Image

from domain.errors import NotFound, QuotaExceeded, StorageError, TooLarge, UnsupportedMedia
from domain.ids import IdPrefix, new_id
from domain.models.projects import Project, UploadedImage
from domain.models.storage import StorageDeletion
from domain.outbox import Outbox
from domain.quotas import used_bytes
from domain.settings import Settings, load_settings
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from domain.uploads import MAX_UPLOAD_BYTES, InspectedImage, Uploads
from tests.conftest import MovableClock
from worker.imaging.inspect import inspect_image

OWNER, OTHER = "usr_1", "usr_2"


async def _inspect(data: bytes) -> InspectedImage:
    return await asyncio.to_thread(inspect_image, data)


class FragileStorage(LocalStorage):
    """A storage that fails, or dies, after the object was written."""

    failure: BaseException | None = None

    async def put(self, key: str, data: bytes, media_type: str) -> None:
        await super().put(key, data, media_type)
        if self.failure is not None:
            raise self.failure


@pytest.fixture
async def storage(tmp_path: Path, clock: MovableClock) -> FragileStorage:
    storage = FragileStorage(tmp_path / "files", UrlSigner(b"k" * 32, clock, 60))
    await storage.check()
    return storage


@pytest.fixture
async def projects(database: str, clock: MovableClock) -> list[str]:
    made = []
    for owner in (OWNER, OWNER, OTHER):
        now = clock.now()
        project_id = new_id(IdPrefix.PROJECT)
        await Project.create(id=project_id, user_id=owner, name="图", style={}, created_at=now, updated_at=now)
        made.append(project_id)
    return made


@pytest.fixture
async def uploads(projects: list[str], storage: FragileStorage, clock: MovableClock, settings: Settings) -> Uploads:
    return Uploads(storage, clock, _inspect, settings)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "史莱姆.jpg"  # the name says nothing: the bytes are a PNG's
    Image.new("RGB", (30, 20), "red").save(path, "PNG")
    return path


async def _stored(storage: LocalStorage) -> list[str]:
    return [item.key async for item in storage.list("")]


async def test_a_picture_is_stored_and_described(
    uploads: Uploads, storage: FragileStorage, projects: list[str], clock: MovableClock, picture: Path
) -> None:
    image = await uploads.store(OWNER, projects[0], picture)
    row = await UploadedImage.get(id=image.id)
    assert (row.user_id, row.project_id, row.created_at) == (OWNER, projects[0], clock.now())
    assert (row.media_type, row.width, row.height) == ("image/png", 30, 20)
    assert row.storage_key == f"users/{OWNER}/uploads/{image.id}.png"
    data = await storage.get(row.storage_key)
    assert row.size_bytes == len(data)
    assert Image.open(io.BytesIO(data)).size == (30, 20)
    assert await _stored(storage) == [row.storage_key]
    assert await StorageDeletion.all().count() == 0


async def test_the_same_picture_is_the_same_image_within_a_project(
    uploads: Uploads, storage: FragileStorage, projects: list[str], picture: Path, tmp_path: Path
) -> None:
    first = await uploads.store(OWNER, projects[0], picture)
    told = tmp_path / "told.png"
    Image.new("RGB", (30, 20), "red").save(told, "PNG", compress_level=1, dpi=(72, 72))
    assert (await uploads.store(OWNER, projects[0], told)).id == first.id
    others = await uploads.store(OTHER, projects[2], picture)
    assert others.id != first.id
    assert await _stored(storage) == [first.storage_key, others.storage_key]


async def test_the_same_picture_many_times_at_once_is_one_image(
    uploads: Uploads, storage: FragileStorage, projects: list[str], clock: MovableClock, picture: Path
) -> None:
    images = await asyncio.gather(*(uploads.store(OWNER, projects[0], picture) for _ in range(8)))
    assert len({image.id for image in images}) == 1
    assert await UploadedImage.all().count() == 1
    await Outbox(storage, clock).sweep()
    assert await _stored(storage) == [images[0].storage_key]
    assert await StorageDeletion.all().count() == 0


@pytest.mark.parametrize("owner", [OTHER, "usr_unknown", ""])
async def test_somebody_elses_project_does_not_exist(
    uploads: Uploads, storage: FragileStorage, projects: list[str], picture: Path, owner: str
) -> None:
    with pytest.raises(NotFound) as theirs:
        await uploads.store(owner, projects[0], picture)
    with pytest.raises(NotFound) as nobodys:
        await uploads.store(owner, "prj_unknown", picture)
    assert theirs.value.message == nobodys.value.message
    assert await _stored(storage) == []


async def test_what_is_no_picture_leaves_nothing(
    uploads: Uploads, storage: FragileStorage, projects: list[str], picture: Path
) -> None:
    await asyncio.to_thread(picture.write_bytes, b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    with pytest.raises(UnsupportedMedia):
        await uploads.store(OWNER, projects[0], picture)
    assert (await _stored(storage), await StorageDeletion.all().count()) == ([], 0)


async def test_a_file_may_have_ten_mebibytes(uploads: Uploads, projects: list[str], picture: Path) -> None:
    await asyncio.to_thread(os.truncate, picture, MAX_UPLOAD_BYTES)
    await uploads.store(OWNER, projects[0], picture)
    await asyncio.to_thread(os.truncate, picture, MAX_UPLOAD_BYTES + 1)
    with pytest.raises(TooLarge, match="10 MiB") as refusal:
        await uploads.store(OWNER, projects[0], picture)
    assert refusal.value.path == ("file",)


@pytest.mark.parametrize("failure", [StorageError("away"), asyncio.CancelledError()])
async def test_what_is_cut_off_before_its_row_is_removed_again(
    uploads: Uploads,
    storage: FragileStorage,
    projects: list[str],
    clock: MovableClock,
    picture: Path,
    failure: BaseException,
) -> None:
    storage.failure = failure
    with pytest.raises(type(failure)):
        await uploads.store(OWNER, projects[0], picture)
    assert await UploadedImage.all().count() == 0
    assert len(await _stored(storage)) == 1
    storage.failure = None
    again = await uploads.store(OWNER, projects[0], picture)
    clock.advance(3600)
    assert await Outbox(storage, clock).sweep() == 1
    assert await _stored(storage) == [again.storage_key]
    assert await StorageDeletion.all().count() == 0


async def test_a_project_deleted_meanwhile_keeps_nothing(
    uploads: Uploads, storage: FragileStorage, projects: list[str], clock: MovableClock, picture: Path
) -> None:
    async def delete_then_inspect(data: bytes) -> InspectedImage:
        await Project.filter(id=projects[0]).update(user_id=None)
        return await _inspect(data)

    with pytest.raises(NotFound):
        await Uploads(storage, clock, delete_then_inspect, load_settings()).store(OWNER, projects[0], picture)
    assert await UploadedImage.all().count() == 0
    assert await Outbox(storage, clock).sweep() == 1
    assert (await _stored(storage), await StorageDeletion.all().count()) == ([], 0)


async def test_an_upload_slower_than_its_reservation_names_nothing_that_is_gone(
    uploads: Uploads, projects: list[str], clock: MovableClock, picture: Path, storage: FragileStorage
) -> None:
    class Slow(FragileStorage):
        async def put(self, key: str, data: bytes, media_type: str) -> None:
            await super().put(key, data, media_type)
            clock.advance(3600)
            await Outbox(self, clock).sweep()

    slow = Slow(storage._root, UrlSigner(b"k" * 32, clock, 60))
    with pytest.raises(StorageError, match="too long"):
        await Uploads(slow, clock, _inspect, load_settings()).store(OWNER, projects[0], picture)
    assert (await _stored(storage), await UploadedImage.all().count()) == ([], 0)


async def test_a_picture_that_does_not_fit_is_refused_and_leaves_nothing(
    uploads: Uploads, projects: list[str], clock: MovableClock, picture: Path, storage: FragileStorage
) -> None:
    small = Uploads(storage, clock, _inspect, load_settings(max_storage_bytes=10))
    with pytest.raises(QuotaExceeded):
        await small.store(OWNER, projects[0], picture)
    assert await UploadedImage.all().count() == 0
    await Outbox(storage, clock).sweep()
    assert (await _stored(storage), await StorageDeletion.all().count()) == ([], 0)


async def test_space_is_counted_once_for_the_same_picture(uploads: Uploads, projects: list[str], picture: Path) -> None:
    images = await asyncio.gather(*(uploads.store(OWNER, projects[0], picture) for _ in range(5)))
    assert await used_bytes([OWNER]) == [images[0].size_bytes]
