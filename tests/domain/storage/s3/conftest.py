"""A bucket to work with, directly and through a proxy that lets requests fail."""

import dataclasses
from collections.abc import AsyncIterator, Callable

import pytest

from domain.clock import Clock, SystemClock
from domain.storage.s3.options import S3Options
from domain.storage.s3.storage import S3Storage
from tests.helpers.fault_proxy import FaultProxy, fault_proxy
from tests.helpers.seaweed import SeaweedServer


@pytest.fixture
async def proxy(s3_server: SeaweedServer) -> AsyncIterator[FaultProxy]:
    async with fault_proxy(s3_server.port) as proxy:
        yield proxy


@pytest.fixture
def proxied(s3_options: S3Options, proxy: FaultProxy) -> S3Options:
    """The bucket through the proxy, with two tries a request and little patience."""
    return dataclasses.replace(s3_options, endpoint_url=proxy.url, max_attempts=2, read_timeout_seconds=2)


#: Makes a storage, which the fixture closes.
Open = Callable[..., S3Storage]


@pytest.fixture
async def opened() -> AsyncIterator[Open]:
    """Make storages that are closed at the end."""
    made: list[S3Storage] = []

    def make(options: S3Options, clock: Clock | None = None) -> S3Storage:
        made.append(S3Storage(options, clock or SystemClock()))
        return made[-1]

    yield make
    for storage in made:
        await storage.close()


@pytest.fixture
async def direct(opened: Open, s3_options: S3Options) -> S3Storage:
    """The bucket as it is."""
    storage = opened(s3_options)
    await storage.check()
    return storage


@pytest.fixture
async def bucket(opened: Open, proxied: S3Options) -> S3Storage:
    """The bucket through the proxy."""
    storage = opened(proxied)
    await storage.check()
    return storage
