"""Work that is heard to its end: what becomes of its result, its error and a cancellation, in any order."""

import asyncio
import gc
from collections.abc import AsyncIterator
from typing import Any

import pytest

from domain.finishing import finished


@pytest.fixture
async def complaints() -> AsyncIterator[list[dict[str, Any]]]:
    """Return what asyncio has to complain about, such as an exception that nobody looked at."""
    loop, told = asyncio.get_running_loop(), list[dict[str, Any]]()
    loop.set_exception_handler(lambda _, context: told.append(context))
    yield told
    loop.set_exception_handler(None)


class _Work:
    def __init__(self, error: Exception | None) -> None:
        self.gate = asyncio.Event()
        self.ended = asyncio.Event()
        self._error = error

    async def run(self) -> str:
        await self.gate.wait()
        self.ended.set()
        if self._error is not None:
            raise self._error
        return "done"


async def test_the_caller_gets_what_the_work_returns_or_raises() -> None:
    for error in (None, LookupError("lost")):
        work = _Work(error)
        work.gate.set()
        (told,) = await asyncio.gather(finished(work.run()), return_exceptions=True)
        assert told == ("done" if error is None else error)


@pytest.mark.parametrize("error", [None, LookupError("lost")])
@pytest.mark.parametrize("cancellations", [1, 2])
async def test_cancelled_work_ends_and_what_it_raises_is_no_complaint(
    complaints: list[dict[str, Any]], cancellations: int, error: Exception | None
) -> None:
    work = _Work(error)
    call = asyncio.create_task(finished(work.run()))
    for number in range(cancellations):
        await _turns()
        call.cancel()
        await _turns()
        assert call.done() == (number > 0), "the first cancellation waits, a second does not"
        assert not work.ended.is_set()
    work.gate.set()
    (told,) = await asyncio.gather(call, return_exceptions=True)
    await asyncio.wait_for(work.ended.wait(), 5)
    assert isinstance(told, asyncio.CancelledError)
    await _turns()
    del call, told
    gc.collect()
    assert complaints == []


async def _turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)
