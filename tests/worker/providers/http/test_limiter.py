import asyncio

import pytest

from tests.helpers.clients import Seconds
from worker.providers.http.limiter import Limiter, NoPlace


def made(concurrency: int, per_minute: int | None = None) -> tuple[Limiter, Seconds]:
    seconds = Seconds()
    return Limiter(concurrency, per_minute, clock=seconds, sleep=seconds.sleep), seconds


async def test_no_more_than_the_limit_are_inside_at_once() -> None:
    limiter, _ = made(3)
    inside, most = 0, 0

    async def work() -> None:
        nonlocal inside, most
        async with limiter.slot():
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(work() for _ in range(20)))
    assert most == 3


async def test_no_sixty_seconds_hold_more_than_the_limit() -> None:
    limiter, seconds = made(100, per_minute=5)
    starts: list[float] = []

    async def work() -> None:
        async with limiter.slot():
            starts.append(seconds.now)

    await asyncio.gather(*(work() for _ in range(23)))
    assert len(starts) == 23
    assert all(starts[place + 5] - starts[place] >= 60 for place in range(18))
    assert starts[-1] - starts[0] == 240


async def test_a_pause_holds_up_everybody_and_ends() -> None:
    limiter, seconds = made(4)
    limiter.pause(9)
    limiter.pause(2)  # does not shorten the longer one
    for _ in range(3):
        async with limiter.slot():
            assert seconds.now == 1009
    assert seconds.slept == [9]


async def test_one_that_is_cancelled_in_the_queue_takes_no_place() -> None:
    limiter, _ = made(1)
    async with limiter.slot():
        waiting = asyncio.create_task(limiter.slot().__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    async with asyncio.timeout(1), limiter.slot():
        pass


async def test_those_who_wait_are_served_in_their_order() -> None:
    limiter, _ = made(1, per_minute=2)
    served: list[int] = []

    async def work(number: int) -> None:
        async with limiter.slot():
            served.append(number)

    await asyncio.gather(*(work(number) for number in range(8)))
    assert served == list(range(8))


async def test_who_has_no_patience_is_told_that_there_is_no_place() -> None:
    limiter = Limiter(1)
    async with limiter.slot():
        with pytest.raises(NoPlace):
            async with limiter.slot(0.01):
                pass
    async with asyncio.timeout(1), limiter.slot(0.01):
        pass  # what was given up holds no place


async def test_a_long_pause_is_not_waited_for_by_who_has_no_patience() -> None:
    seconds = Seconds()
    limiter = Limiter(1, 1, clock=seconds, sleep=seconds.sleep)
    limiter.pause(30)
    with pytest.raises(NoPlace):
        async with limiter.slot(3):
            pass
    assert seconds.slept == []
    async with limiter.slot(40):
        pass
    assert seconds.slept == [30]
    with pytest.raises(NoPlace):  # one a minute
        async with limiter.slot(3):
            pass
