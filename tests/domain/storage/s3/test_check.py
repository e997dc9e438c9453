"""What keeps a bucket from being used is said exactly."""

import asyncio
import dataclasses
import socket
import ssl
from pathlib import Path

import pytest

from domain.clock import SystemClock
from domain.errors import StorageUnusable
from domain.storage.s3.options import S3Options
from domain.storage.s3.storage import S3Storage
from tests.domain.storage.s3.conftest import Open
from tests.helpers.certificate import LOCAL_CERTIFICATE, LOCAL_KEY
from tests.helpers.fault_proxy import FaultProxy, Refusal, fault_proxy
from tests.helpers.receiver import listening
from tests.helpers.seaweed import READER_KEY, READER_SECRET, SeaweedServer


async def complaint(opened: Open, options: S3Options) -> str:
    """What `check` says of a bucket that cannot be used."""
    storage = opened(options)
    with pytest.raises(StorageUnusable) as caught:
        await storage.check()
    return str(caught.value)


async def test_a_check_leaves_nothing_behind(opened: Open, s3_options: S3Options) -> None:
    storage = opened(s3_options)
    await storage.check()
    await storage.check()
    assert [item async for item in storage.list("")] == []


async def test_a_missing_bucket(opened: Open, s3_options: S3Options) -> None:
    text = await complaint(opened, dataclasses.replace(s3_options, bucket="no-such-bucket"))
    assert text == (
        f"There is no bucket no-such-bucket in {s3_options.service}. "
        "Create it, or name another one with WONDER_S3_BUCKET."
    )


async def test_an_unknown_access_key(opened: Open, s3_options: S3Options) -> None:
    text = await complaint(opened, dataclasses.replace(s3_options, access_key_id="nobody"))
    assert "access key is unknown" in text
    assert "WONDER_S3_ACCESS_KEY_ID" in text


async def test_a_wrong_secret(opened: Open, s3_options: S3Options) -> None:
    text = await complaint(opened, dataclasses.replace(s3_options, secret_access_key="wrong-secret"))
    assert "WONDER_S3_SECRET_ACCESS_KEY is wrong" in text
    assert "wrong-secret" not in text


async def test_a_right_to_write_that_is_missing(opened: Open, s3_options: S3Options) -> None:
    text = await complaint(
        opened, dataclasses.replace(s3_options, access_key_id=READER_KEY, secret_access_key=READER_SECRET)
    )
    assert text.startswith(
        "The credentials may not write objects (s3:PutObject) in the bucket wonder-test (AccessDenied)"
    )


@pytest.mark.parametrize(
    ("request_line", "right"),
    [
        ("GET /wonder-test/?\\?list-type", "list objects (s3:ListBucket)"),
        ("GET /wonder-test/wonder-check/", "read objects (s3:GetObject)"),
        ("POST /wonder-test/?\\?delete", "delete objects (s3:DeleteObject)"),
        ("GET /wonder-test/?\\?uploads", "find and remove unfinished uploads"),
    ],
)
async def test_each_other_right_that_is_missing(
    opened: Open, proxy: FaultProxy, proxied: S3Options, request_line: str, right: str
) -> None:
    proxy.on(request_line, Refusal(403, "AccessDenied"))
    assert f"may not {right}" in await complaint(opened, proxied)


@pytest.mark.parametrize("details", ["<Region>eu-west-9</Region>", "<Region>eu-west-9</Region><Endpoint>x</Endpoint>"])
async def test_a_wrong_region(opened: Open, proxy: FaultProxy, proxied: S3Options, details: str) -> None:
    proxy.on("GET", *[Refusal(400, "AuthorizationHeaderMalformed", details=details)] * 4)
    text = await complaint(opened, proxied)
    assert text == "The bucket wonder-test is in the region eu-west-9, not us-east-1: set WONDER_S3_REGION."


async def test_a_service_that_sends_on_to_another_region_is_the_wrong_region_too(
    opened: Open, proxy: FaultProxy, proxied: S3Options
) -> None:
    proxy.extra_headers = "x-amz-bucket-region: eu-west-9\r\n"
    assert "in the region eu-west-9" in await complaint(opened, proxied)


async def test_a_clock_that_is_wrong(opened: Open, proxy: FaultProxy, proxied: S3Options) -> None:
    proxy.on("GET", *[Refusal(403, "RequestTimeTooSkewed")] * 5)
    assert "clocks of this machine and of the S3 service at 127.0.0.1:" in await complaint(opened, proxied)


async def test_a_service_that_is_not_there(opened: Open, s3_options: S3Options) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        text = await complaint(opened, dataclasses.replace(s3_options, endpoint_url=url, max_attempts=1))
    assert text == (
        f"The S3 service at 127.0.0.1:{port} cannot be reached. Is it running, and is WONDER_S3_ENDPOINT_URL right?"
    )


async def test_a_service_that_keeps_failing(opened: Open, proxy: FaultProxy, proxied: S3Options) -> None:
    proxy.on("GET", *[Refusal(503, "SlowDown")] * 2)
    assert (
        await complaint(opened, proxied)
        == "The bucket wonder-test cannot be used: the S3 service answered 503 SlowDown."
    )


async def test_something_else_than_an_s3_service(opened: Open, s3_options: S3Options) -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 18\r\n\r\n<html>Hello</html>")

    async with listening(greet) as port:
        text = await complaint(opened, dataclasses.replace(s3_options, endpoint_url=f"http://127.0.0.1:{port}"))
    assert text == "What is written to the bucket wonder-test does not come back as it was."


async def test_no_credentials_at_all(
    opened: Open, s3_options: S3Options, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    text = await complaint(opened, dataclasses.replace(s3_options, access_key_id="", secret_access_key=""))
    assert text.startswith(f"There are no credentials for {s3_options.service}: set WONDER_S3_ACCESS_KEY_ID")


async def test_credentials_of_the_aws_tools_do(
    opened: Open, s3_options: S3Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", s3_options.access_key_id)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", s3_options.secret_access_key)
    storage = opened(dataclasses.replace(s3_options, access_key_id="", secret_access_key=""))
    await storage.check()


async def test_a_certificate_is_trusted_only_when_its_authority_is_named(
    opened: Open, s3_server: SeaweedServer, s3_options: S3Options, tmp_path: Path
) -> None:
    (tmp_path / "ca.pem").write_text(LOCAL_CERTIFICATE)
    (tmp_path / "key.pem").write_text(LOCAL_KEY)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "ca.pem", tmp_path / "key.pem")
    async with fault_proxy(s3_server.port, tls) as proxy:
        options = dataclasses.replace(s3_options, endpoint_url=proxy.url, max_attempts=1)
        assert "WONDER_S3_CA_FILE" in await complaint(opened, options)
        storage = S3Storage(dataclasses.replace(options, ca_file=str(tmp_path / "ca.pem")), SystemClock())
        await storage.check()
        await storage.put("users/a", b"over TLS", "text/plain")
        assert await storage.get("users/a") == b"over TLS"
        await storage.close()
