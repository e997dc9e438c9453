"""How often the process is looked at."""

import asyncio

from server.readiness import Readiness


class Checks:
    """Counts, and answers what it is told."""

    def __init__(self) -> None:
        self.count = 0
        self.answer = True
        self.now = 100.0

    async def __call__(self) -> bool:
        self.count += 1
        await asyncio.sleep(0)
        return self.answer


async def test_an_answer_holds_for_a_while_and_not_longer() -> None:
    checks = Checks()
    readiness = Readiness(checks, 2, lambda: checks.now)
    assert await readiness.get() is True
    checks.answer = False
    checks.now += 1.9
    assert (await readiness.get(), checks.count) == (True, 1)
    checks.now += 0.1
    assert (await readiness.get(), checks.count) == (False, 2)
    checks.answer = True
    assert (await readiness.get(), checks.count) == (False, 2)


async def test_many_who_ask_at_once_ask_once() -> None:
    checks = Checks()
    readiness = Readiness(checks, 2, lambda: checks.now)
    assert await asyncio.gather(*(readiness.get() for _ in range(100))) == [True] * 100
    assert checks.count == 1


async def test_who_gives_up_keeps_nobody_from_asking() -> None:
    checks = Checks()
    readiness = Readiness(checks, 2, lambda: checks.now)
    first = asyncio.create_task(readiness.get())
    await asyncio.sleep(0)
    first.cancel()
    assert await readiness.get() is True
    assert checks.count == 2
