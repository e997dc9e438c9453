"""Fetching results from addresses that a service names."""

import asyncio
import base64
import ssl
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.helpers.certificate import CERTIFICATE, KEY
from tests.helpers.clients import tls_of_nobody
from tests.helpers.service import Reply, scripted
from tests.helpers.stub import sprite
from worker.providers.http.download import Downloader, DownloadFailed
from worker.providers.http.media_type import PICTURES, media_type_of

PNG = sprite(1)


async def names(host: str, port: int) -> Sequence[str]:
    known = {"cdn.test": ["127.0.0.1"], "two.test": ["::1", "127.0.0.1"], "mixed.test": ["1.1.1.1", "10.0.0.7"]}
    if host not in known:
        raise OSError(host)
    return known[host]


def downloader(*, private: bool = True, max_bytes: int = 2**20, seconds: float = 10) -> Downloader:
    return Downloader(names, tls_of_nobody(), private, max_bytes, seconds)


async def failed(url: str, loader: Downloader | None = None) -> str:
    with pytest.raises(DownloadFailed) as caught:
        await (loader or downloader()).fetch(url, PICTURES)
    return str(caught.value)


@pytest.mark.parametrize("said", ["image/png", "text/html", "application/octet-stream"])
async def test_the_type_is_that_of_the_bytes_whatever_the_header_says(said: str) -> None:
    async with scripted(Reply(200, PNG, {"content-type": said})) as service:
        found = await downloader().fetch(f"{service.url}/a.png?sig=1", PICTURES)
    assert (found.data, found.media_type) == (PNG, "image/png")


@pytest.mark.parametrize(
    "body", [b"", b"<html>not found</html>", b"\x7fELF\x02\x01", b"\x00\x00\x00\x18ftypisom", PNG[1:]]
)
async def test_what_is_no_picture_is_refused(body: bytes) -> None:
    async with scripted(Reply(200, body, {"content-type": "image/png"})) as service:
        assert "not of a type" in await failed(f"{service.url}/a.png")


async def test_nothing_secret_goes_along() -> None:
    async with scripted(Reply(200, PNG)) as service:
        await downloader().fetch(f"{service.url}/a.png", PICTURES)
    headers = service.requests[0].headers
    assert not {"authorization", "cookie", "referer"} & headers.keys()
    assert headers["accept-encoding"] == "identity"


async def test_a_file_that_says_or_proves_to_be_too_large_is_not_read() -> None:
    async def pour(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:  # until the client hangs up
            writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
            await writer.drain()

    promised = b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n"
    async with scripted(promised, pour) as service:
        assert await failed(f"{service.url}/a.png") == "The file has more than 1 MiB."
        assert await failed(f"{service.url}/a.png") == "The file has more than 1 MiB."


async def test_a_download_that_breaks_off_is_begun_again() -> None:
    cut = b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n" + PNG[:50]
    async with scripted(cut, Reply(503), Reply(200, PNG)) as service:
        assert (await downloader().fetch(f"{service.url}/a.png", PICTURES)).data == PNG
        service.script = [cut] * 3
        assert "broke off" in await failed(f"{service.url}/a.png")
    assert len(service.requests) == 6


async def test_a_download_has_its_time() -> None:
    async with scripted() as service:
        service.script = [service.silent] * 3
        assert "broke off" in await failed(f"{service.url}/a.png", downloader(seconds=0.1))


@pytest.mark.parametrize("status", [403, 404, 410])
async def test_a_file_that_has_gone_is_not_asked_for_again(status: int) -> None:
    async with scripted(Reply(status)) as service:
        assert await failed(f"{service.url}/a.png") == "The file is no longer there."
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/a.png",
        "http://cdn.test:{port}/a.png",
        "http://mixed.test:{port}/a.png",
        "http://[::ffff:127.0.0.1]:{port}/a.png",
        "http://169.254.169.254/latest/meta-data",
        "http://2130706433:{port}/",
    ],
)
async def test_private_addresses_are_not_connected_to(url: str) -> None:
    async with scripted(Reply(200, PNG)) as service:
        await failed(url.format(port=service.port), downloader(private=False))
    assert service.connections == 0


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://cdn.test/a", "gopher://x/", "http://a b/", "", "//x/y"])
async def test_only_the_web_is_downloaded_from(url: str) -> None:
    await failed(url)


async def test_redirects_are_followed_and_judged_like_the_first_address() -> None:
    async with scripted(Reply(200, PNG)) as elsewhere:
        hop = Reply(302, headers={"location": f"http://cdn.test:{elsewhere.port}/b.png"})
        async with scripted(hop) as service:
            assert (await downloader().fetch(f"{service.url}/a.png", PICTURES)).data == PNG
        assert elsewhere.requests[0].headers["host"] == f"cdn.test:{elsewhere.port}"
    inside = Reply(307, headers={"location": "file:///etc/passwd"})
    async with scripted(inside) as service:
        assert "none that this server connects to" in await failed(f"{service.url}/a.png")
    async with scripted(otherwise=lambda _: Reply(301, headers={"location": "/again"})) as service:
        assert "without end" in await failed(f"{service.url}/a.png")
    assert len(service.requests) == 4


async def test_the_next_address_is_tried_where_one_takes_no_connection() -> None:
    async with scripted(Reply(200, PNG)) as service:
        assert (await downloader().fetch(f"http://two.test:{service.port}/a.png", PICTURES)).data == PNG


async def test_tls_is_with_the_name_and_not_with_the_address(tmp_path: Path) -> None:
    pem = tmp_path / "cdn.pem"
    pem.write_text(CERTIFICATE + KEY)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(pem)
    trusted = ssl.create_default_context(cadata=CERTIFICATE)

    async def found(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    loader = Downloader(found, trusted, private=True)
    async with scripted(otherwise=lambda _: Reply(200, PNG), tls=serving) as service:
        assert (await loader.fetch(f"https://receiver.test:{service.port}/a.png", PICTURES)).data == PNG
        assert "broke off" in await failed(f"https://other.test:{service.port}/a.png", loader)


async def test_inline_data_is_taken_and_judged() -> None:
    url = "data:text/plain;base64," + base64.b64encode(PNG).decode()
    assert (await downloader().fetch(url, PICTURES)).data == PNG
    assert "broken base64" in await failed("data:image/png;base64,%%%")
    assert "not in base64" in await failed("data:image/png,abc")


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"\xff\xd8\xff\xe0..", "image/jpeg"),
        (b"GIF89a....", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", None),
        (b"\x00\x00\x00\x18ftypisom", "video/mp4"),
        (b"\x00\x00\x00\x14ftypqt  ", "video/quicktime"),
        (b"\x1aE\xdf\xa3\x9f", "video/webm"),
        (b"", None),
    ],
)
def test_types_are_told_by_signatures(data: bytes, media_type: str | None) -> None:
    assert media_type_of(data) == media_type
