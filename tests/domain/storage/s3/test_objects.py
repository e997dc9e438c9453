"""What the service is told of each object."""

import dataclasses
import os
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.errors import StorageError
from domain.storage.s3.options import S3Options
from domain.storage.s3.storage import S3Storage
from domain.storage.s3.upload import PART_BYTES
from tests.domain.storage.s3.conftest import Open
from tests.helpers.fault_proxy import FaultProxy
from tests.helpers.seaweed import DOMAIN, fetched

KEY = "users/u/projects/p/tasks/t/output/r/史莱姆.png"
SIZES = [3, PART_BYTES + 1]


def _resolve_below_localhost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names below localhost are this machine, but not to every resolver."""
    resolve = socket.getaddrinfo

    def here(host: str, *arguments: Any, **options: Any) -> Any:
        return resolve("127.0.0.1" if os.fsdecode(host).endswith(".localhost") else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", here)


async def _served(storage: S3Storage) -> httpx.Headers:
    """The headers of the object when it is fetched with nothing overridden."""
    client = await storage._connection.client()
    url = await client.generate_presigned_url("get_object", {"Bucket": storage._options.bucket, "Key": KEY})
    return (await fetched(url)).headers


@pytest.mark.parametrize("size", SIZES)
async def test_an_object_carries_its_type_its_name_and_how_long_it_keeps(bucket: S3Storage, size: int) -> None:
    await bucket.put(KEY, bytes(size), "image/png")
    headers = await _served(bucket)
    assert headers["content-type"] == "image/png"
    assert (
        headers["content-disposition"]
        == """inline; filename="___.png"; filename*=UTF-8''%E5%8F%B2%E8%8E%B1%E5%A7%86.png"""
    )
    assert headers["cache-control"] == "private, max-age=31536000, immutable"


async def test_what_a_cdn_serves_may_be_kept_by_it(opened: Open, s3_options: S3Options) -> None:
    storage = opened(dataclasses.replace(s3_options, cdn_base_url="https://cdn.example.com"))
    await storage.put(KEY, b"x", "image/png")
    assert (await _served(storage))["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("size", SIZES)
async def test_everything_sent_goes_with_its_checksum(
    bucket: S3Storage, proxy: FaultProxy, tmp_path: Path, size: int
) -> None:
    (tmp_path / "source").write_bytes(bytes(size))
    await bucket.put_file(KEY, tmp_path / "source", "image/png")
    sent = [asked for asked in proxy.requests if asked.method == "PUT" and "wonder-check" not in asked.target]
    assert len(sent) == (1 if size <= PART_BYTES else 2)
    assert all(asked.headers["content-md5"] for asked in sent)


@pytest.mark.parametrize("size", SIZES)
async def test_encryption_is_asked_for(opened: Open, proxy: FaultProxy, proxied: S3Options, size: int) -> None:
    storage = opened(dataclasses.replace(proxied, encryption="AES256"))
    await storage.put(KEY, bytes(size), "image/png")
    asked = next(asked for asked in proxy.requests if asked.method in {"PUT", "POST"})
    assert asked.headers["x-amz-server-side-encryption"] == "AES256"
    assert await storage.get(KEY) == bytes(size)


async def test_a_key_of_ones_own_is_named(opened: Open, proxy: FaultProxy, proxied: S3Options) -> None:
    options = dataclasses.replace(proxied, encryption="aws:kms", kms_key_id="key-1")
    storage = opened(options)
    with pytest.raises(StorageError):  # the service of the tests has no keys
        await storage.put(KEY, b"x", "image/png")
    asked = next(asked for asked in proxy.requests if asked.method == "PUT")
    assert asked.headers["x-amz-server-side-encryption-aws-kms-key-id"] == "key-1"


async def test_a_bucket_may_be_a_host(opened: Open, s3_options: S3Options, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = s3_options.endpoint_url.replace("127.0.0.1", DOMAIN)
    options = dataclasses.replace(s3_options, endpoint_url=endpoint, addressing_style="virtual")
    _resolve_below_localhost(monkeypatch)
    storage = opened(options)
    await storage.check()
    await storage.put(KEY, b"content", "image/png")
    url = httpx.URL(storage.url(KEY, media_type="image/png", download_name="x.png", base_url=""))
    assert url.host == f"{options.bucket}.{DOMAIN}"
    response = await fetched(url)
    assert (response.status_code, response.content) == (200, b"content")


async def test_requests_share_connections(bucket: S3Storage) -> None:
    client = await bucket._connection.client()
    for number in range(5):
        await bucket.put(f"users/{number}", b"x", "text/plain")
    assert await bucket._connection.client() is client
