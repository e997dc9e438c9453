"""What every storage does, whatever it keeps the objects in."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from domain.clock import SystemClock
from domain.errors import ObjectMissing, StorageError
from domain.ports import Storage
from domain.storage.keys import output_key
from domain.storage.local import LocalStorage
from domain.storage.s3.storage import S3Storage
from domain.storage.signing import UrlSigner
from server.files import file_routes
from tests.conftest import MovableClock

PNG = "image/png"
KEYS = [
    "users/u/projects/p/uploads/img_1.png",
    output_key("usr_1", "prj_1", "tsk_1", "run", "史莱姆 🧑‍🚀 שלום\u200f #1 50%?.png"),
    "deep/" + "a" * 255 + "/" + "图" * 85 + "/x",
    "plain",
]
BAD_KEYS = ["", "/", "../x", "a/../../x", "/etc/passwd", "a//b", "a\\..\\b", "a\x00b", "a/"]


@dataclass(frozen=True)
class Engine:
    """A storage, and a client without any right of its own that fetches addresses."""

    storage: Storage
    fetch: Callable[..., Awaitable[httpx.Response]]


@pytest.fixture(params=["local", "s3"])
async def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: MovableClock) -> AsyncIterator[Engine]:
    if request.param == "s3":
        bucket = S3Storage(request.getfixturevalue("s3_options"), SystemClock())
        async with httpx.AsyncClient() as client:
            yield Engine(bucket, client.get)
        await bucket.close()
        return
    signer = UrlSigner(b"k" * 32, clock, 3600)
    storage = LocalStorage(tmp_path / "files", signer)
    app = Starlette(routes=file_routes(storage, signer))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
        yield Engine(storage, client.get)


@pytest.fixture
async def storage(engine: Engine) -> Storage:
    await engine.storage.check()
    return engine.storage


async def _keys(storage: Storage, prefix: str = "") -> list[str]:
    return sorted([item.key async for item in storage.list(prefix)])


async def test_what_it_dates_it_dates_by_a_clock_that_it_tells(storage: Storage) -> None:
    await storage.put("plain", b"x", PNG)
    [item] = [item async for item in storage.list("")]
    here = SystemClock().now()
    assert abs(here + await storage.clock_ahead() - item.modified_at) < timedelta(seconds=5)


@pytest.mark.parametrize("data", [b"", b"x", os.urandom(300_000)], ids=["empty", "small", "large"])
async def test_an_object_comes_back_as_it_went_in(storage: Storage, data: bytes) -> None:
    for key in KEYS:
        await storage.put(key, data, PNG)
        assert await storage.get(key) == data
        assert [(item.key, item.size_bytes) async for item in storage.list("")] == [(key, len(data))]
        await storage.delete([key])


async def test_a_file_comes_back_as_it_went_in(storage: Storage, tmp_path: Path) -> None:
    source = tmp_path / "source"
    for key in KEYS:
        expected = os.urandom(3_000_000)
        source.write_bytes(expected)
        await storage.put_file(key, source, PNG)
        source.write_bytes(b"the source changes later")
        assert await storage.get(key) == expected


async def test_a_source_that_is_missing_stores_nothing(storage: Storage, tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        await storage.put_file("a/b", tmp_path / "missing", PNG)
    assert await _keys(storage) == []


async def test_the_same_key_is_replaced(storage: Storage) -> None:
    await storage.put("a/b", b"old and longer", PNG)
    await storage.put("a/b", b"new", PNG)
    assert await storage.get("a/b") == b"new"
    assert await _keys(storage) == ["a/b"]


async def test_what_is_not_there_is_missing(storage: Storage) -> None:
    await storage.put("a/b.png", b"x", PNG)
    for key in ("a/b", "a/b/c/d", "a", "a/bc", "a/b.png/x"):
        with pytest.raises(ObjectMissing):
            await storage.get(key)


async def test_what_is_no_key_is_refused_everywhere(storage: Storage, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"x")
    for key in BAD_KEYS:
        for refused in (storage.put(key, b"x", PNG), storage.put_file(key, source, PNG), storage.get(key)):
            with pytest.raises(ValueError, match="key"):
                await refused
        with pytest.raises(ValueError, match="key"):
            await storage.delete(["fine", key])
        with pytest.raises(ValueError, match="key"):
            storage.url(key, media_type=PNG, download_name="x", base_url="http://test")


async def test_deleting_is_exact_and_may_be_repeated(storage: Storage) -> None:
    for key in ("a/1", "a/2", "a/b/3", "ab/4"):
        await storage.put(key, b"x", PNG)
    await storage.delete(["a/1", "a/b/3", "never/there", "a/1"])
    await storage.delete(["a/1", "a"])
    assert await _keys(storage) == ["a/2", "ab/4"]
    await storage.delete([])


async def test_listing_goes_by_the_beginning_of_the_key(storage: Storage) -> None:
    for key in ("a/1", "a/2", "a/b/3", "ab/4", "图/5"):
        await storage.put(key, b"x", PNG)
    assert await _keys(storage) == ["a/1", "a/2", "a/b/3", "ab/4", "图/5"]
    assert await _keys(storage, "a") == ["a/1", "a/2", "a/b/3", "ab/4"]
    assert await _keys(storage, "a/") == ["a/1", "a/2", "a/b/3"]
    assert await _keys(storage, "a/b") == ["a/b/3"]
    assert await _keys(storage, "图/") == ["图/5"]
    assert await _keys(storage, "none/") == []


async def test_a_prefix_goes_with_all_that_is_below(storage: Storage) -> None:
    for number in range(30):
        await storage.put(f"users/u/projects/p1/tasks/t{number % 7}/output/r/{number}.png", b"x", PNG)
    await storage.put("users/u/projects/p10/keep", b"x", PNG)
    await storage.put("users/u/projects/keep", b"x", PNG)
    assert await storage.delete_prefix("users/u/projects/p1/") == 30
    assert await storage.delete_prefix("users/u/projects/p1/") == 0
    assert await _keys(storage) == ["users/u/projects/keep", "users/u/projects/p10/keep"]


async def test_a_prefix_that_would_take_more_is_refused(storage: Storage) -> None:
    await storage.put("a/b", b"x", PNG)
    for prefix in ("", "/", "a", "../", "a/../", "a//"):
        with pytest.raises(ValueError, match=r"key|slash"):
            await storage.delete_prefix(prefix)
    assert await _keys(storage) == ["a/b"]


async def test_many_objects_are_listed_and_removed(storage: Storage) -> None:
    keys = [f"many/{number % 13}/{number}" for number in range(1200)]
    await asyncio.gather(*(storage.put(key, b"x", PNG) for key in keys))
    assert await _keys(storage, "many/") == sorted(keys)
    assert await storage.delete_prefix("many/") == 1200
    assert await _keys(storage) == []


async def test_writers_of_one_key_leave_one_of_their_objects_whole(storage: Storage) -> None:
    contents = [bytes([number]) * (50_000 + number) for number in range(20)]
    await asyncio.gather(*(storage.put("a/b", content, PNG) for content in contents))
    assert await storage.get("a/b") in contents
    assert await _keys(storage) == ["a/b"]


async def test_writing_and_removing_a_prefix_at_once_fails_neither(storage: Storage) -> None:
    async def write(number: int) -> None:
        for turn in range(15):
            await storage.put(f"p/q/{number}/{turn}/x", b"whole", PNG)

    async def remove() -> None:
        for _ in range(60):
            await storage.delete_prefix("p/q/")

    await asyncio.gather(*(write(number) for number in range(4)), remove(), remove())
    for item in [item async for item in storage.list("p/")]:
        assert await storage.get(item.key) == b"whole"
    await storage.delete_prefix("p/q/")
    assert await _keys(storage) == []


async def test_a_listing_knows_when_objects_were_stored(storage: Storage) -> None:
    before = datetime.now(UTC) - timedelta(seconds=2)
    await storage.put("a/b", b"x", PNG)
    (item,) = [item async for item in storage.list("")]
    assert before < item.modified_at < datetime.now(UTC) + timedelta(seconds=2)


async def test_an_object_is_read_in_pieces(storage: Storage) -> None:
    data = os.urandom(3_000_000)
    await storage.put("a/b", data, PNG)
    pieces = [piece async for piece in storage.read("a/b")]
    assert b"".join(pieces) == data
    assert max(map(len, pieces)) <= 256 * 1024


async def test_a_reader_may_stop_early(storage: Storage) -> None:
    await storage.put("a/b", bytes(3_000_000), PNG)
    async with contextlib.aclosing(storage.read("a/b")) as pieces:  # type: ignore[type-var]  # generators all
        assert await anext(pieces)
    assert await storage.get("a/b") == bytes(3_000_000)


async def test_reading_what_is_not_there_raises_at_once(storage: Storage) -> None:
    with pytest.raises(ObjectMissing):
        await anext(storage.read("a/b"))


@pytest.mark.parametrize("size", [8 * 1024 * 1024, 8 * 1024 * 1024 + 1, 20_000_000])
async def test_a_large_file_comes_back_as_it_went_in(storage: Storage, tmp_path: Path, size: int) -> None:
    source = tmp_path / "source"
    source.write_bytes(os.urandom(size))
    await storage.put_file("users/large.mp4", source, "video/mp4")
    await storage.put("users/memory.mp4", source.read_bytes(), "video/mp4")
    assert await storage.get("users/large.mp4") == source.read_bytes() == await storage.get("users/memory.mp4")


async def test_an_object_is_fetched_by_its_address(engine: Engine, storage: Storage) -> None:
    key = output_key("u", "p", "t", "r", "史莱姆 #1?.png")
    await storage.put(key, b"content", PNG)
    url = storage.url(key, media_type=PNG, download_name="史莱姆 🎮.png", base_url="http://test")
    response = await engine.fetch(url)
    assert (response.status_code, response.content) == (200, b"content")
    assert response.headers["content-type"] == PNG
    assert response.headers["content-length"] == "7"
    assert "filename*=UTF-8''%E5%8F%B2" in response.headers["content-disposition"]


async def test_an_address_knows_ranges_and_conditions(engine: Engine, storage: Storage) -> None:
    await storage.put("users/film.mp4", bytes(range(256)) * 1000, "video/mp4")
    url = storage.url("users/film.mp4", media_type="video/mp4", download_name="film.mp4", base_url="http://test")
    part = await engine.fetch(url, headers={"range": "bytes=250-260"})
    assert (part.status_code, part.content) == (206, (bytes(range(256)) * 2)[250:261])
    assert part.headers["content-range"] == "bytes 250-260/256000"
    end = await engine.fetch(url, headers={"range": "bytes=-5"})
    assert (end.status_code, end.content) == (206, bytes([251, 252, 253, 254, 255]))
    beyond = await engine.fetch(url, headers={"range": "bytes=256000-"})
    assert beyond.status_code == 416
    etag = part.headers["etag"]
    same = await engine.fetch(url, headers={"if-none-match": etag})
    assert (same.status_code, same.content) == (304, b"")
    changed = await engine.fetch(url, headers={"if-match": '"another"'})
    assert changed.status_code == 412
    await storage.put("users/film.mp4", b"replaced", "video/mp4")
    assert (await engine.fetch(url, headers={"if-none-match": etag})).content == b"replaced"


async def test_a_changed_address_fetches_nothing(engine: Engine, storage: Storage) -> None:
    await storage.put("a/b.png", b"content", PNG)
    await storage.put("a/c.png", b"other", PNG)
    url = storage.url("a/b.png", media_type=PNG, download_name="b.png", base_url="http://test")
    for changed in (url.replace("b.png?", "c.png?"), url.partition("?")[0], url[:-1] + "0" + url[-1]):
        response = await engine.fetch(changed)
        assert response.status_code in {400, 403, 404}
        assert b"content" not in response.content
        assert b"other" not in response.content


async def test_objects_are_listed_in_the_order_of_their_keys_and_on_from_any_of_them(storage: Storage) -> None:
    keys = sorted(["p/a/x", "p/a/y/z", "p/b", "p/c1/d/e", "p/c2/d/e", "p/é/x", "p/图", "p/🎮", "q/a"], key=str.encode)
    for key in reversed(keys):
        await storage.put(key, b"x", PNG)
    assert [item.key async for item in storage.list("")] == keys
    for place, key in enumerate(keys):
        assert [item.key async for item in storage.list("", key)] == keys[place + 1 :]
        assert [item.key async for item in storage.list("p/", key)] == [
            later for later in keys[place + 1 :] if later.startswith("p/")
        ]
    assert [item.key async for item in storage.list("p/a", "p/a/x")] == ["p/a/y/z"]
    assert [item.key async for item in storage.list("p/", "zzz")] == []
