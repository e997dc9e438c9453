"""The picture processes, shared by the tests of one test process."""

import asyncio
from collections.abc import Iterator

import pytest

from worker.process_pool import ProcessPool


@pytest.fixture(scope="session")
def pool() -> Iterator[ProcessPool]:
    processes = ProcessPool(1)
    yield processes
    asyncio.run(processes.close())
