"""Downloads: the right headers, ranges and conditions for who holds a signed address; nothing for anybody else."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from email.parser import BytesParser
from email.policy import HTTP
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

import httpx
import pytest
from starlette.applications import Starlette
from starlette.types import Message

from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from server.files import file_routes
from tests.conftest import MovableClock

KEY: Final = "users/u/projects/p/tasks/t/output/r/史莱姆 1.png"
DATA: Final = bytes(range(256)) * 4000
SIZE: Final = len(DATA)
OLD_MTIME: Final = 1_700_000_000


@pytest.fixture
def signer(clock: MovableClock) -> UrlSigner:
    return UrlSigner(b"k" * 32, clock, 3600)


@pytest.fixture
async def storage(tmp_path: Path, signer: UrlSigner) -> LocalStorage:
    storage = LocalStorage(tmp_path / "files", signer)
    await storage.put(KEY, DATA, "image/png")
    return storage


@pytest.fixture
def app(storage: LocalStorage, signer: UrlSigner) -> Starlette:
    return Starlette(routes=file_routes(storage, signer))


@pytest.fixture
async def client(app: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        yield client


@pytest.fixture
def url(signer: UrlSigner) -> str:
    return signer.sign(KEY, "image/png", "史莱姆 🧑‍🚀.png")


async def test_a_file_comes_whole_with_all_that_is_known_of_it(client: httpx.AsyncClient, url: str) -> None:
    response = await client.get(url)
    assert (response.status_code, response.content) == (200, DATA)
    headers = response.headers
    assert headers.pop("etag").startswith('"')
    assert headers.pop("last-modified").endswith(" GMT")
    assert dict(headers) == {
        "content-type": "image/png",
        "content-length": str(SIZE),
        "accept-ranges": "bytes",
        "cache-control": "private, max-age=3600",
        "content-disposition": (
            'inline; filename="___ ___.png"; '
            "filename*=UTF-8''%E5%8F%B2%E8%8E%B1%E5%A7%86%20%F0%9F%A7%91%E2%80%8D%F0%9F%9A%80.png"
        ),
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox",
        "cross-origin-resource-policy": "cross-origin",
        "referrer-policy": "no-referrer",
    }


async def test_head_says_the_same_without_the_file(client: httpx.AsyncClient, url: str) -> None:
    got, head = await client.get(url), await client.head(url)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers == got.headers
    # Ranges are defined for GET alone.
    ranged = await client.head(url, headers={"range": "bytes=0-1"})
    assert (ranged.status_code, ranged.headers["content-length"]) == (200, str(SIZE))


async def test_an_empty_file_is_a_file(client: httpx.AsyncClient, storage: LocalStorage, signer: UrlSigner) -> None:
    await storage.put("empty", b"", "text/plain")
    url = signer.sign("empty", "text/plain", "empty.txt")
    for headers in ({}, {"range": "bytes=0-"}, {"range": "bytes=-5"}):
        response = await client.get(url, headers=headers)
        assert (response.status_code, response.content) == (200, b"")
        assert response.headers["content-length"] == "0"
        assert response.headers["content-disposition"] == 'attachment; filename="empty.txt"'


@pytest.mark.parametrize(
    ("header", "start", "end"),
    [("bytes=0-0", 0, 1), ("bytes=100-", 100, SIZE), ("bytes=-7", SIZE - 7, SIZE), ("bytes=5-9,0-4", 0, 10)],
)
async def test_a_part_is_sent_as_a_part(client: httpx.AsyncClient, url: str, header: str, start: int, end: int) -> None:
    response = await client.get(url, headers={"range": header})
    assert (response.status_code, response.content) == (206, DATA[start:end])
    assert response.headers["content-range"] == f"bytes {start}-{end - 1}/{SIZE}"
    assert response.headers["content-length"] == str(end - start)
    assert response.headers["content-type"] == "image/png"
    assert response.headers["x-content-type-options"] == "nosniff"


async def test_several_parts_come_as_multipart_in_the_order_asked_for(client: httpx.AsyncClient, url: str) -> None:
    response = await client.get(url, headers={"range": "bytes=1000-300000,0-9,-1,9999999-"})
    assert response.status_code == 206
    assert int(response.headers["content-length"]) == len(response.content)
    assert "content-range" not in response.headers
    head = f"content-type: {response.headers['content-type']}\r\n\r\n".encode()
    message = BytesParser(policy=HTTP).parsebytes(head + response.content)
    assert message.get_content_type() == "multipart/byteranges"
    parts = [
        (part["content-type"], part["content-range"], part.get_payload(decode=True)) for part in message.iter_parts()
    ]
    assert parts == [
        ("image/png", f"bytes 1000-300000/{SIZE}", DATA[1000:300_001]),
        ("image/png", f"bytes 0-9/{SIZE}", DATA[:10]),
        ("image/png", f"bytes {SIZE - 1}-{SIZE - 1}/{SIZE}", DATA[-1:]),
    ]


@pytest.mark.parametrize("header", [f"bytes={SIZE}-", "bytes=-0", "bytes=5-2", "bytes=x", "bytes="])
async def test_a_part_that_is_not_there_is_refused(client: httpx.AsyncClient, url: str, header: str) -> None:
    response = await client.get(url, headers={"range": header})
    assert (response.status_code, response.content) == (416, b"")
    assert response.headers["content-range"] == f"bytes */{SIZE}"


async def test_ranges_of_other_units_are_ignored(client: httpx.AsyncClient, url: str) -> None:
    response = await client.get(url, headers={"range": "frames=1-2"})
    assert (response.status_code, response.content) == (200, DATA)


async def test_what_a_client_has_is_not_sent_again(client: httpx.AsyncClient, url: str) -> None:
    first = await client.get(url)
    conditions = ({"if-none-match": first.headers["etag"]}, {"if-modified-since": first.headers["last-modified"]})
    for condition in conditions:
        for method in ("GET", "HEAD"):
            response = await client.request(method, url, headers={**condition, "range": "bytes=0-1"})
            assert (response.status_code, response.content) == (304, b"")
            assert response.headers["etag"] == first.headers["etag"]
            assert response.headers["cache-control"] == first.headers["cache-control"]
            assert "content-length" not in response.headers
            assert "content-type" not in response.headers


async def test_a_condition_that_fails_is_told(client: httpx.AsyncClient, url: str) -> None:
    response = await client.get(url, headers={"if-match": '"other"'})
    assert (response.status_code, response.content) == (412, b"")


async def test_a_part_is_only_added_to_the_file_it_belongs_to(
    client: httpx.AsyncClient, storage: LocalStorage, url: str
) -> None:
    first = await client.get(url, headers={"range": "bytes=0-9"})
    condition = {"range": "bytes=10-19", "if-range": first.headers["etag"]}
    assert (await client.get(url, headers=condition)).content == DATA[10:20]
    await storage.put(KEY, DATA[::-1], "image/png")
    changed = await client.get(url, headers=condition)
    assert (changed.status_code, changed.content) == (200, DATA[::-1])
    assert changed.headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize(
    "path",
    [
        *("../../wonder.db", "..%2f..%2fwonder.db", "%2e%2e/%2e%2e/wonder.db", "%252e%252e%252fwonder.db"),
        *(
            "..\\..\\wonder.db",
            "..%5c..%5cwonder.db",
            "%c0%ae%c0%ae/wonder.db",
            "\uff0e\uff0e/wonder.db",
            "‥/wonder.db",
        ),
        *(
            "users/u/%00",
            "wonder.db%00.png",
            "/etc/passwd",
            "//etc/passwd",
            "%2fetc%2fpasswd",
            "users%0a",
            "",
            ".",
            "~root",
        ),
        *("users/u/../../../wonder.db", "users/./u", "users//u", "%ff%fe", "%ed%a0%80", "users", "users/"),
    ],
)
@pytest.mark.parametrize("query", ["", "none", "good"])
async def test_nothing_else_opens_whatever_it_is_called(
    app: Starlette, storage: LocalStorage, url: str, path: str, query: str
) -> None:
    (storage._root / "wonder.db").write_bytes(b"secret")
    queries = {"": "", "none": "expires=1&type=a&name=b&signature=", "good": url.partition("?")[2]}
    status, headers, body = await _raw(app, f"/files/{path}", queries[query])
    assert (status, body) == (404, b"Not Found")
    assert headers == {b"content-type": b"text/plain; charset=utf-8", b"content-length": b"9"}


async def test_missing_and_forbidden_look_alike(client: httpx.AsyncClient, signer: UrlSigner) -> None:
    missing = await client.get(signer.sign("users/u/missing", "image/png", "x"))
    forbidden = await client.get(f"/files/{quote(KEY)}")
    elsewhere = await client.get("/nothing-of-the-kind")
    assert {(r.status_code, r.content, str(r.headers)) for r in (missing, forbidden)} == {
        (404, b"Not Found", str(elsewhere.headers))
    }


async def test_an_address_expires(client: httpx.AsyncClient, clock: MovableClock, url: str) -> None:
    clock.advance(3599)
    response = await client.get(url)
    assert (response.status_code, response.headers["cache-control"]) == (200, "private, max-age=1")
    clock.advance(1)
    assert (await client.get(url)).status_code == 404
    assert (await client.get(url.replace("expires=1", "expires=2"))).status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
async def test_files_are_only_read(client: httpx.AsyncClient, url: str, method: str) -> None:
    response = await client.request(method, url)
    assert response.status_code == 405
    assert set(response.headers["allow"].split(", ")) == {"GET", "HEAD"}


async def test_a_storage_that_is_away_is_told_without_details(
    client: httpx.AsyncClient, storage: LocalStorage, url: str
) -> None:
    _rename(storage._root / "objects", storage._root / "away")
    response = await client.get(url)
    assert (response.status_code, response.content) == (503, b"Service Unavailable")


async def test_who_hangs_up_is_not_read_for_any_longer(
    app: Starlette, storage: LocalStorage, signer: UrlSigner
) -> None:
    await storage.put("large", bytes(20_000_000), "video/mp4")
    path, _, query = signer.sign("large", "video/mp4", "large.mp4").partition("?")
    gone = asyncio.Event()
    received = 0

    async def send(message: Message) -> None:
        nonlocal received
        received += len(message.get("body", b""))
        if received > 1_000_000:
            gone.set()
            await asyncio.sleep(3600)  # the connection's buffer is full for ever

    async def receive() -> Message:
        await gone.wait()
        return {"type": "http.disconnect"}

    before = _open_files()
    async with asyncio.timeout(10):
        await app(_scope(path, query), receive, send)
    assert 1_000_000 < received < 3_000_000
    assert _open_files() == before


async def test_a_file_cut_short_while_it_is_sent_breaks_the_answer_off(
    app: Starlette, storage: LocalStorage, url: str
) -> None:
    path, _, query = url.partition("?")
    (stored,) = (file for file in (storage._root / "objects").rglob("*") if file.is_file())
    received = 0

    async def send(message: Message) -> None:
        nonlocal received
        received += len(message.get("body", b""))
        if received:
            _truncate(stored)

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(OSError, match="shorter"):
        await app(_scope(path, query), receive, send)
    assert 0 < received < SIZE


#: Serves a file of 200 MB over a real socket with uvicorn, and prints by how much the process has grown.
SERVE_LARGE: Final = """
import asyncio, socket, sys
from pathlib import Path
import httpx, uvicorn
from starlette.applications import Starlette
from domain.clock import SystemClock
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from server.files import file_routes
from tests.helpers.memory import begin_peak, peak_kib

async def main():
    root = Path(sys.argv[1])
    signer = UrlSigner(b"k" * 32, SystemClock(), 600)
    storage = LocalStorage(root / "files", signer)
    with (root / "large").open("wb") as file:
        file.truncate(200_000_000)
    await storage.put_file("large", root / "large", "video/mp4")
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(Starlette(routes=file_routes(storage, signer)), log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve([listener]))
    base_url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    url = storage.url("large", media_type="video/mp4", download_name="large.mp4", base_url=base_url)
    async with httpx.AsyncClient(timeout=60) as client:
        await client.get(url, headers={"range": "bytes=0-1000000"})
        before = begin_peak()
        size = 0
        async with client.stream("GET", url) as response:
            async for chunk in response.aiter_raw():
                size += len(chunk)
        print(size, peak_kib() - before)
    server.should_exit = True
    await serving

asyncio.run(main())
"""


def test_a_large_file_passes_through_with_memory_flat(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SERVE_LARGE, str(tmp_path)], capture_output=True, text=True, timeout=100, check=True
    )
    size, grown_kib = map(int, done.stdout.split())
    assert size == 200_000_000
    assert grown_kib < 16_384


def _open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def _rename(path: Path, target: Path) -> None:
    path.rename(target)


def _truncate(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(1000)


def _scope(path: str, query: str) -> dict[str, Any]:
    """An ASGI scope as a server makes it of a request line: the path percent-decoded once."""
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", b"test")],
    }


async def _raw(app: Starlette, path: str, query: str) -> tuple[int, dict[bytes, bytes], bytes]:
    """Send a request whose path no client library has tidied up."""
    messages: list[Message] = []

    async def send(message: Message) -> None:
        messages.append(message)

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    await app(_scope(path, query), receive, send)
    body = b"".join(message.get("body", b"") for message in messages)
    return messages[0]["status"], dict(messages[0]["headers"]), body


async def test_an_address_of_ones_own_opens_no_file_of_somebody_else(
    client: httpx.AsyncClient, signer: UrlSigner, storage: LocalStorage
) -> None:
    mine, nobodys = KEY.replace("/u/", "/eve/"), KEY.replace("/u/", "/nobody/")
    await storage.put(mine, b"mine", "image/png")
    url = signer.sign(mine, "image/png", "mine.png")
    assert (await client.get(url)).content == b"mine"
    answers = [await client.get(url.replace("/eve/", f"/{owner}/")) for owner in ("u", "nobody")]
    assert [(answer.status_code, answer.content) for answer in answers] == [(404, b"Not Found")] * 2
    assert (await client.get(signer.sign(nobodys, "image/png", "x.png"))).content == b"Not Found"
