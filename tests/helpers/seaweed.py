"""A real S3 server for tests: SeaweedFS, a process of its own on free loopback ports, ended by its own handle."""

import asyncio
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from domain.storage.s3.connection import S3Connection
from domain.storage.s3.options import S3Options
from domain.storage.s3.removal import abort_uploads, delete_keys, list_pages

ACCESS_KEY: Final = "wonder-test"
SECRET_KEY: Final = "wonder-test-secret"
#: Another account, which may do nothing with the bucket but what its name says.
READER_KEY: Final = "wonder-reader"
READER_SECRET: Final = "wonder-reader-secret"
#: The domain below which buckets are hosts; every name below localhost is this machine.
DOMAIN: Final = "s3.localhost"
_STARTED_SECONDS: Final = 60
_WEED: Final = Path(shutil.which("weed") or Path(sys.executable).parent / "weed")
#: The key under which objects are encrypted.
_VARIABLES: Final = {"WEED_S3_SSE_KEK": "00" * 32}
_ACCOUNTS: Final = {
    "identities": [
        {
            "name": "writer",
            "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
            "actions": ["Admin", "Read", "Write", "List", "Tagging"],
        },
        {
            "name": "reader",
            "credentials": [{"accessKey": READER_KEY, "secretKey": READER_SECRET}],
            "actions": ["Read", "List"],
        },
    ]
}


@dataclass
class SeaweedServer:
    """A running server."""

    port: int
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def create_bucket(self, name: str) -> None:
        self._with_client(lambda client: client.create_bucket(Bucket=name))

    def delete_bucket(self, name: str) -> None:
        self._with_client(lambda client: client.delete_bucket(Bucket=name))

    def empty_bucket(self, name: str) -> None:
        """Remove all objects and unfinished uploads."""

        async def empty(client: Any) -> None:
            await abort_uploads(client, name, "")
            async for page in list_pages(client, name, ""):
                await delete_keys(client, name, [item.key for item in page], 3)

        self._with_client(empty)

    def keys(self, bucket: str) -> list[str]:
        found: list[str] = []

        async def look(client: Any) -> None:
            async for page in list_pages(client, bucket, ""):
                found.extend(item.key for item in page)

        self._with_client(look)
        return found

    def content(self, bucket: str, key: str) -> bytes:
        """Return an object whole."""
        found: list[bytes] = []

        async def read(client: Any) -> None:
            answer = await client.get_object(Bucket=bucket, Key=key)
            found.append(await answer["Body"].read())

        self._with_client(read)
        return found[0]

    def put(self, bucket: str, objects: Mapping[str, bytes]) -> None:
        """Store objects."""

        async def write(client: Any) -> None:
            for key, data in objects.items():
                await client.put_object(Bucket=bucket, Key=key, Body=data)

        self._with_client(write)

    def delete(self, bucket: str, key: str) -> None:
        self._with_client(lambda client: client.delete_object(Bucket=bucket, Key=key))

    def wait_until_empty(self, bucket: str, but: Collection[str] = ()) -> None:
        """Wait until nothing is left but these keys, all of which must be there."""
        deadline = time.monotonic() + _STARTED_SECONDS
        while (left := set(self.keys(bucket))) != set(but):
            assert left > set(but), "an object is missing"
            assert time.monotonic() < deadline, left
            time.sleep(0.1)

    def _with_client(self, work: Callable[[Any], Awaitable[object]]) -> None:
        """Do something with every right, on a loop of its own, also where a loop is running already."""

        async def run() -> None:
            options = S3Options(
                bucket="", endpoint_url=self.url, access_key_id=ACCESS_KEY, secret_access_key=SECRET_KEY
            )
            connection = S3Connection(options)
            await work(await connection.client())
            await connection.close()

        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, run()).result()

    def answers(self) -> bool:
        with contextlib.suppress(httpx.HTTPError):
            return httpx.get(f"{self.url}/healthz", timeout=2).status_code == 200
        return False


async def fetched(url: str | httpx.URL, **headers: str) -> httpx.Response:
    """Get an address as somebody without any right of their own."""
    async with httpx.AsyncClient() as client:
        return await client.get(url, headers=headers)


@contextlib.contextmanager
def seaweed_server() -> Iterator[SeaweedServer]:
    """Run a server on a folder of its own until the context ends."""
    folder = Path(tempfile.mkdtemp(prefix="wonder-s3-"))
    (folder / "accounts.json").write_text(json.dumps(_ACCOUNTS))
    log = (folder / "log").open("wb")
    port, command = _command(folder)
    process = subprocess.Popen(
        command, stdout=log, stderr=subprocess.STDOUT, cwd=folder, env={**os.environ, **_VARIABLES}
    )
    server = SeaweedServer(port, process)
    try:
        deadline = time.monotonic() + _STARTED_SECONDS
        while not server.answers():
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError((folder / "log").read_text(errors="replace")[-3000:])
            time.sleep(0.05)
        yield server
    finally:
        process.kill()  # it takes its time at any other signal, and its folder goes anyway
        process.wait()
        log.close()
        shutil.rmtree(folder, ignore_errors=True)


def _command(folder: Path) -> tuple[int, list[str]]:
    names = ["master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc"]
    names += ["s3.port", "s3.port.grpc"]
    ports = dict(zip(names, _free_ports(len(names)), strict=True))
    options = {
        "dir": str(folder),
        "ip": "127.0.0.1",
        "ip.bind": "127.0.0.1",
        "s3": "",
        "s3.config": str(folder / "accounts.json"),
        "s3.domainName": DOMAIN,
        "s3.autoCreateBucket": "false",
        "s3.port.iceberg": "0",
        "s3.port.lance": "0",
        "s3.localSocket": str(folder / "s3.sock"),
        "filer.localSocket": str(folder / "filer.sock"),
        "master.telemetry": "false",
        "master.volumeSizeLimitMB": "256",
        "volume.max": "200",
        **{name: str(port) for name, port in ports.items()},
    }
    arguments = [f"-{name}={value}" if value else f"-{name}" for name, value in options.items()]
    return ports["s3.port"], [str(_WEED), "server", *arguments]


def _free_ports(count: int) -> list[int]:
    """Return free ports, all held open until each is known so that none comes twice."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [listener.getsockname()[1] for listener in sockets]
