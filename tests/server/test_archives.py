"""All files of a project as one ZIP, made while it is sent."""

import asyncio
import gc
import io
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from types import AsyncGeneratorType

import httpx
import pytest
from starlette.applications import Starlette
from starlette.types import Message

from domain.clock import SystemClock
from domain.ids import IdPrefix, new_id
from domain.kinds import AssetType
from domain.models.projects import Project
from domain.models.tasks import Asset
from domain.ports import Storage
from domain.project_files import files_of_project
from domain.storage.local import LocalStorage
from domain.storage.s3.storage import S3Storage
from domain.storage.signing import ARCHIVES, UrlSigner
from server.archives import _archive, archive_routes
from server.files import file_routes
from tests.conftest import MovableClock
from tests.e2e.test_bucket import variables as bucket_variables
from tests.helpers.room import Room
from tests.helpers.server import ROOT

_OURS = tuple(str(ROOT / name) for name in ("server", "domain"))


@pytest.fixture
def signer(clock: MovableClock) -> UrlSigner:
    return UrlSigner(b"k" * 32, clock, 3600)


@pytest.fixture(params=["local", "s3"])
async def storage(request: pytest.FixtureRequest, tmp_path: Path, signer: UrlSigner) -> AsyncIterator[Storage]:
    made: Storage
    if request.param == "s3":
        made = S3Storage(request.getfixturevalue("s3_options"), SystemClock())
    else:
        made = LocalStorage(tmp_path / "files", signer)
    await made.check()
    yield made
    await made.close()


@pytest.fixture
async def client(storage: Storage, signer: UrlSigner) -> AsyncIterator[httpx.AsyncClient]:
    app = Starlette(routes=[*archive_routes(storage, signer), *file_routes(storage, signer)])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        yield client


def address(signer: UrlSigner, project: Project, name: str = "史莱姆 🎮.zip") -> str:
    return signer.sign(f"{ARCHIVES}{project.id}", "application/zip", name)


async def store(
    room: Room, storage: Storage | None, name: str, content: bytes, task_id: str, position: int = 0
) -> Asset:
    asset_id = new_id(IdPrefix.ASSET)
    asset = await Asset.create(
        id=asset_id,
        user_id=room.user.id,
        project_id=room.project.id,
        task_id=task_id,
        asset_type=AssetType.SPRITE,
        name=name,
        role="image",
        media_type="image/png",
        size_bytes=len(content),
        sha256="0" * 64,
        storage_key=f"users/{asset_id}",
        provenance={},
        metadata={},
        position=position,
        created_at=room.deps.clock.now(),
    )
    if storage is not None:
        await storage.put(asset.storage_key, content, "image/png")
    return asset


async def test_every_file_is_in_it_under_a_folder_of_its_task(
    room: Room, storage: Storage, client: httpx.AsyncClient, signer: UrlSigner
) -> None:
    await store(room, storage, "史莱姆.png", b"picture" * 100_000, "tsk_1")
    await store(room, storage, "史莱姆.json", b"{}", "tsk_1", 1)
    await store(room, storage, "史莱姆.png", b"of another task", "tsk_2")
    await store(room, storage, "empty.txt", b"", "tsk_3")
    response = await client.get(address(signer, room.project))
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/zip"
    assert response.headers["content-disposition"].startswith("attachment; filename=")
    assert "filename*=UTF-8''%E5%8F%B2%E8%8E%B1%E5%A7%86" in response.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.testzip() is None
        content = {name: archive.read(name) for name in archive.namelist()}
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        assert {info.date_time[0] for info in archive.infolist()} == {2026}
    assert content == {
        "史莱姆/史莱姆.png": b"picture" * 100_000,
        "史莱姆/史莱姆.json": b"{}",
        "史莱姆 (2)/史莱姆.png": b"of another task",
        "empty/empty.txt": b"",
    }


async def test_what_was_deleted_meanwhile_is_left_out(
    room: Room, storage: Storage, client: httpx.AsyncClient, signer: UrlSigner
) -> None:
    await store(room, None, "gone.png", b"x", "tsk_1")
    await store(room, storage, "here.png", b"y", "tsk_2")
    response = await client.get(address(signer, room.project))
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.namelist() == ["here/here.png"]


async def test_only_the_signed_address_of_a_living_project_opens(
    room: Room, storage: Storage, client: httpx.AsyncClient, signer: UrlSigner, clock: MovableClock
) -> None:
    await store(room, storage, "a.png", b"content", "tsk_1")
    url = address(signer, room.project)
    for wrong in (
        url.partition("?")[0],
        url.replace(room.project.id, room.other_project.id),
        url.replace("application%2Fzip", "text%2Fhtml"),
        url.replace("archives/", ""),
    ):
        response = await client.get(wrong)
        assert response.status_code == 404
        assert b"content" not in response.content
    assert (await client.get(url)).status_code == 200
    await Project.filter(id=room.project.id).update(user_id=None)
    assert (await client.get(url)).status_code == 404
    await Project.filter(id=room.project.id).update(user_id=room.user.id)
    clock.advance(3600 * 2)
    assert (await client.get(url)).status_code == 404


async def test_a_project_without_files_is_an_empty_archive(
    room: Room, client: httpx.AsyncClient, signer: UrlSigner
) -> None:
    response = await client.get(address(signer, room.project))
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.namelist() == []
    head = await client.head(address(signer, room.project))
    assert (head.status_code, head.content) == (200, b"")
    assert "content-length" not in head.headers


async def test_paths_are_unique_and_stay_inside(room: Room) -> None:
    names = [
        "a.png",
        "A.png",
        "../../etc/passwd",
        "..",
        "c:\\x.png",
        "bell\x07.png",
        " . ",
        "a (2).png",
        "é.png",
        "e\u0301.png",
        "CON.png",
        "nul",
        "lpt1 .txt",
        "cute\u202egnp.exe",
    ]
    for number, name in enumerate(names):
        await store(room, None, name, b"", f"tsk_{number:03}")
    paths = [path async for path, _ in files_of_project(room.project.id)]
    folders = [path.partition("/")[0] for path in paths]
    assert len({folder.casefold() for folder in folders}) == len(names)
    for path in paths:
        assert path.count("/") == 1
        assert not set(path) & set('\\:*?"<>|\x07')
        assert all(part.strip(".") for part in path.split("/"))
        assert not re.search(r"(^|/)(con|nul|lpt1)\b", path, re.IGNORECASE)
        assert "\u202e" not in path


async def test_names_that_become_the_same_are_told_apart(room: Room) -> None:
    for place, name in enumerate(["a?.png", "a:.png", "A_.PNG", "a", "A"]):
        await store(room, None, name, b"", "tsk_1", place)
    paths = [path async for path, _ in files_of_project(room.project.id)]
    assert paths == ["a_/a_.png", "a_/a_ (2).png", "a_/A_ (3).PNG", "a_/a", "a_/A (2)"]


async def test_many_files_come_in_order_and_none_twice(room: Room) -> None:
    for task in range(60):
        await asyncio.gather(*(store(room, None, f"{n}.png", b"", f"tsk_{task:03}", n) for n in range(7)))
    found = [(asset.task_id, asset.position) async for _, asset in files_of_project(room.project.id)]
    assert found == [(f"tsk_{task:03}", number) for task in range(60) for number in range(7)]


@pytest.mark.parametrize(
    "after", [300_000, *(pytest.param(other, marks=pytest.mark.slow) for other in (0, 1, 2_000_000, 2_400_000))]
)
async def test_who_hangs_up_leaves_nothing_running(room: Room, storage: Storage, signer: UrlSigner, after: int) -> None:
    for number in range(3):
        await store(room, storage, f"{number}.bin", bytes(800_000), f"tsk_{number}")
    app = Starlette(routes=archive_routes(storage, signer))
    path, _, query = address(signer, room.project).partition("?")
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    gone, received = asyncio.Event(), 0

    async def send(message: Message) -> None:
        nonlocal received
        received += len(message.get("body", b""))
        if received >= after:
            gone.set()
            await asyncio.sleep(3600)  # the connection's buffer is full for ever

    async def receive() -> Message:
        await gone.wait()
        return {"type": "http.disconnect"}

    before = len(asyncio.all_tasks())
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": []}
    async with asyncio.timeout(20):
        await app(scope, receive, send)
    async with asyncio.timeout(5):
        while len(asyncio.all_tasks()) > before:
            await asyncio.sleep(0)  # until the connection is closed
    assert (_still_read(), complaints) == ([], [])


def _still_read() -> list[str]:
    """What of archives and of storages has begun and neither ended nor been closed."""
    return [
        item.__qualname__
        for item in gc.get_objects()
        if isinstance(item, AsyncGeneratorType) and item.ag_frame and item.ag_code.co_filename.startswith(_OURS)
    ]


MEMORY = """
import asyncio, sys
from pathlib import Path
from domain import db
from domain.clock import SystemClock
from domain.models.tasks import Asset
from domain.settings import load_settings
from domain.storage.signing import UrlSigner
from server.archives import _archive
from server.storage import build_storage
from tests.helpers.memory import begin_peak, peak_kib

async def main():
    folder = Path(sys.argv[1])
    await db.connect(f"sqlite://{folder / 'wonder.db'}")
    try:
        clock = SystemClock()
        storage = build_storage(load_settings(data_dir=folder), clock, UrlSigner(b"k" * 32, clock, 60))
        await storage.check()
        with (folder / "large").open("wb") as file:
            file.truncate(int(sys.argv[3]))
        for asset in await Asset.all():
            await storage.put_file(asset.storage_key, folder / "large", "video/mp4")
        before, size = begin_peak(), 0
        async for piece in _archive(storage, sys.argv[2]):
            size += len(piece)
        print(size, peak_kib() - before)
    finally:
        await db.close()

asyncio.run(main())
"""


@pytest.mark.parametrize("kind", ["local", pytest.param("s3", marks=pytest.mark.slow)])
@pytest.mark.slow
@pytest.mark.parametrize("few", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["few large", "many small"])
async def test_memory_stays_flat(
    request: pytest.FixtureRequest, room: Room, tmp_path: Path, database_url: str, *, kind: str, few: bool
) -> None:
    if not database_url.startswith("sqlite"):
        pytest.skip("the other process opens the file")
    number, size_bytes = (3, 100_000_000) if few else (3000, 5_000)
    for place in range(number):
        await store(room, None, "film.mp4", b"", f"tsk_{place}")
    bucket = bucket_variables(request.getfixturevalue("s3_options")) if kind == "s3" else {}
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", MEMORY, str(tmp_path), room.project.id, str(size_bytes)],
        env={**os.environ, **bucket},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    size, grown_kib = map(int, done.stdout.split())
    assert size > number * size_bytes
    assert grown_kib < 20_000


LARGE = 5 * 2**30


@pytest.mark.slow
async def test_more_than_four_gibibytes_are_one_archive_that_opens(
    room: Room, tmp_path: Path, signer: UrlSigner, database_url: str
) -> None:
    if not database_url.startswith("sqlite"):
        pytest.skip("once is enough")
    storage = LocalStorage(tmp_path / "files", signer)
    await storage.check()
    large = await store(room, storage, "film.mp4", b"", "tsk_1")
    await store(room, storage, "史莱姆.txt", b"behind it", "tsk_2")
    os.truncate(next((tmp_path / "files").rglob(large.storage_key.rpartition("/")[2])), LARGE)
    path = tmp_path / "project.zip"
    with path.open("wb") as file:
        async for piece in _archive(storage, room.project.id):
            if piece.count(0) == len(piece):
                file.seek(len(piece), os.SEEK_CUR)  # a hole: the disk need not have five gibibytes
            else:
                file.write(piece)
    with zipfile.ZipFile(path) as archive:
        assert [(info.filename, info.file_size) for info in archive.infolist()] == [
            ("film/film.mp4", LARGE),
            ("史莱姆/史莱姆.txt", 9),
        ]
        assert archive.read("史莱姆/史莱姆.txt") == b"behind it"
        assert archive.infolist()[1].header_offset > LARGE
        assert archive.infolist()[1].flag_bits & 0x800, "its name is UTF-8"
